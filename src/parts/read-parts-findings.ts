import { Failure } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import type { DamageKind } from './damage.ts'

/** One mistake or doubt about a list of parts. */
export interface Finding {
  readonly kind?: DamageKind
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly part?: string
  readonly message: string
  readonly hint?: string | undefined
}

interface Counted {
  readonly first: readonly Finding[]
  readonly count: number
}

/** Everything found while the lists are read; only the first of each sort are kept, the rest is counted. */
export interface Findings {
  readonly problem: (finding: Finding) => void
  readonly warning: (finding: Finding) => void
  /** Further warnings that nobody will see one by one. */
  readonly uncounted: (count: number) => void
  readonly problemCount: () => number
  readonly problems: () => Counted
  readonly warnings: () => Counted
}

/** How many mistakes or doubts are shown one by one. */
const SHOWN = 20

export function collectFindings(): Findings {
  const problems = keepFirst()
  const warnings = keepFirst()
  return {
    problem: problems.add,
    warning: warnings.add,
    uncounted: warnings.skip,
    problemCount: () => problems.result().count,
    problems: problems.result,
    warnings: warnings.result,
  }
}

/** One Failure of kind `usage` for all mistakes (with `strict`, doubts too); undefined when there is none. */
export function inputFailure(findings: Findings, strict: boolean): Failure | undefined {
  const problems = findings.problems()
  const warnings = strict ? findings.warnings() : { first: [], count: 0 }
  const count = problems.count + warnings.count
  const [only] = [...problems.first, ...warnings.first]
  if (only === undefined) return undefined
  const mend = 'mend the list'
  const hint =
    problems.count > 0 ? mend : `${mend}, or leave out --strict-parts to ask for the parts as they stand`
  if (count === 1) {
    return new Failure('usage', only.message, { hint: only.hint ?? hint, ...place(only) })
  }
  const shown = [...problems.first, ...warnings.first].slice(0, SHOWN).map(({ message }) => message)
  const rest = count > shown.length ? [`and ${formatCount(count - shown.length)} more`] : []
  return new Failure('usage', `${formatCount(count)} mistakes in the parts asked for`, {
    hint: problems.first.find((finding) => finding.hint !== undefined)?.hint ?? hint,
    problems: [...shown, ...rest],
    ...place(only),
  })
}

function keepFirst(): {
  readonly add: (finding: Finding) => void
  readonly skip: (count: number) => void
  readonly result: () => Counted
} {
  const kept: Finding[] = []
  let count = 0
  return {
    add(finding) {
      count += 1
      if (kept.length < SHOWN) kept.push(finding)
    },
    skip: (more) => {
      count += more
    },
    result: () => ({ first: inReadingOrder(kept), count }),
  }
}

// Within a file by line: what concerns a whole column is found last. Files stay in the order they were given.
function inReadingOrder(findings: readonly Finding[]): readonly Finding[] {
  const files = [...new Set(findings.map(({ file }) => file))]
  return [...findings].sort(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || (a.line ?? 0) - (b.line ?? 0),
  )
}

function place({ file, line }: Finding): { readonly file?: string; readonly line?: number } {
  return { ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) }
}
