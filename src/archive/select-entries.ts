import picomatch from 'picomatch'
import type { ArchiveEntry } from './entry.ts'

export interface Selection {
  /** Globs, of which one must match; none: everything. */
  readonly include: readonly string[]
  /** Globs, of which none may match. */
  readonly exclude: readonly string[]
}

/**
 * Whether an entry is wanted. A glob without `/` is held to the last component (`*.xml`), one with `/` to the whole name
 * (`decl/**`); one that ends with `/` means the folder and all that is in it. `*` takes names with a leading dot too.
 */
export function createSelector({
  include,
  exclude,
}: Selection): (entry: Pick<ArchiveEntry, 'name' | 'isFolder'>) => boolean {
  const isIncluded = include.length === 0 ? () => true : matcher(include)
  const isExcluded = exclude.length === 0 ? () => false : matcher(exclude)
  return ({ name, isFolder }) => {
    const path = isFolder ? name.slice(0, -1) : name
    return isIncluded(path) && !isExcluded(path)
  }
}

function matcher(globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => {
    const pattern = glob.endsWith('/') ? `${glob}**` : glob
    return picomatch(pattern.replace(/^\.?\//, ''), { dot: true, basename: !pattern.includes('/') })
  })
  return (path) => matchers.some((matches) => matches(path))
}
