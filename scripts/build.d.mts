/** Builds the command and its worker threads into `outdir`. Returns the directories of the packages that are inside. */
export function buildAll(outdir: string): Promise<string[]>
