import type { MergeSource } from '../../src/archive/merge-archives.ts'

/** Archives to merge, whole. */
export function sourcesOf(paths: readonly string[]): readonly MergeSource[] {
  return paths.map((path) => ({ path }))
}
