/** The targets, each with its Node and the version of Node that makes it. */
export const TARGETS: Readonly<Record<string, { readonly node: string; readonly maker: string }>>
/** Builds into `folder` what goes into an executable. */
export function buildProgram(folder: string): Promise<void>
/** Makes the executable of one target from a directory of `buildProgram`. */
export function makeExecutable(target: string, folder: string, output: string): void
/** The licenses of the packages inside an executable, as one text. */
export function executableLicences(folder: string): string
