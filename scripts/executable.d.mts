/** What is built, around which Node. */
export const TARGETS: Readonly<
  Record<string, { readonly node: string; readonly maker: string; readonly platform: string }>
>
/** Bundles the program as scripts into `folder`; resolves with the licences of what is in them. */
export function bundleScripts(folder: string): Promise<string>
/** Makes the executable of one target from the scripts in `scripts`. */
export function makeExecutable(target: string, scripts: string, output: string): void
