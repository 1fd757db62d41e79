/** The directories of the packages that some modules of a bundle come from. */
export function packagesIn(root: string, modules: readonly string[]): string[]
/** One text with name, version and license of every package. */
export function licenceText(root: string, folders: readonly string[]): string
/** What is inside, as CycloneDX JSON: the packages, and the Node of an executable. */
export function sbomText(root: string, folders: readonly string[], nodeVersion?: string): string
