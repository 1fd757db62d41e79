/**
 * Builds the release of each target into `build/release` of a directory, and the list of what is inside the npm package; resolves with
 * the paths, checksums last.
 */
export function packageTargets(targets: readonly string[], home?: string): Promise<string[]>
