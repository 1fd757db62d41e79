/** Builds the command and its worker threads into `outdir` (default: `dist/`). */
export function buildAll(outdir: string): Promise<void>
