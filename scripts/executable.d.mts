/** The targets, each with its Node and the version of Node that makes it. */
export const TARGETS: Readonly<Record<string, { readonly node: string; readonly maker: string }>>
/** Builds into `folder` what goes into an executable. Returns the directories of the packages that are inside. */
export function buildProgram(folder: string): Promise<string[]>
/** Makes the executable of one target from a directory of `buildProgram`. */
export function makeExecutable(target: string, folder: string, output: string): void
/** The licenses of the packages inside an executable, as one text. */
export function executableLicences(packages: readonly string[]): string
/** What is inside the executable of a target, as CycloneDX JSON. */
export function executableSbom(packages: readonly string[], target: string): string
