import picomatch from 'picomatch'
import { Failure } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import type { ArchiveEntry } from './entry.ts'

const LONGEST_GLOB = 10_000

export interface Selection {
  /** Globs of which one must match; empty for everything. */
  readonly include: readonly string[]
  /** Globs of which none may match. */
  readonly exclude: readonly string[]
}

/**
 * Returns whether an entry is selected. A glob without `/` matches the last component (`*.xml`), one with `/` the whole name
 * (`decl/**`), one that ends with `/` everything in that directory. `*` matches a leading dot too. A blank or too long glob is `usage`.
 */
export function createSelector({
  include,
  exclude,
}: Selection): (entry: Pick<ArchiveEntry, 'name' | 'isFolder'>) => boolean {
  const isIncluded = include.length === 0 ? () => true : matcher('include', include)
  const isExcluded = exclude.length === 0 ? () => false : matcher('exclude', exclude)
  return ({ name, isFolder }) => {
    const path = isFolder ? name.slice(0, -1) : name
    return isIncluded(path) && !isExcluded(path)
  }
}

function matcher(option: string, globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => {
    if (glob.trim() === '') {
      throw new Failure('usage', `an ${option} glob is blank`, {
        hint: "give a glob such as '*.xml', or leave it out",
        options: [option],
      })
    }
    if (glob.length > LONGEST_GLOB) {
      throw new Failure('usage', `an ${option} glob is longer than ${formatCount(LONGEST_GLOB)} characters`, {
        hint: 'give several shorter globs',
        options: [option],
      })
    }
    const pattern = glob.endsWith('/') ? `${glob}**` : glob
    return picomatch(pattern.replace(/^\.?\//, ''), { dot: true, basename: !pattern.includes('/') })
  })
  return (path) => matchers.some((matches) => matches(path))
}
