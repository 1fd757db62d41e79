import { Failure } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import type { DamageKind } from './damage.ts'

/** One mistake or doubt about the requested parts. */
export interface Finding {
  readonly kind?: DamageKind
  readonly file?: string
  readonly line?: number
  readonly part?: string
  readonly message: string
  readonly hint?: string | undefined
  readonly options?: readonly string[] | undefined
  /** The candidates of a choice, one a line. */
  readonly problems?: readonly string[] | undefined
}

/** The first findings in reading order, and how many there are in all. */
export interface Counted {
  readonly first: readonly Finding[]
  readonly count: number
}

/** Keeps the first findings, and counts the rest. */
export interface FindingList {
  readonly add: (finding: Finding) => void
  /** Counts findings that are not kept. */
  readonly skip: (count: number) => void
  readonly result: () => Counted
}

/** Everything found while the lists are read: mistakes and doubts. */
export interface Findings {
  readonly problems: FindingList
  readonly warnings: FindingList
}

/** How many mistakes or doubts are shown one by one. */
const SHOWN = 20

export function collectFindings(): Findings {
  return { problems: keepFirst(), warnings: keepFirst() }
}

/** One `usage` failure for all mistakes (with `strict`, doubts too); undefined when there are none. */
export function inputFailure(findings: Findings, strict: boolean): Failure | undefined {
  const problems = findings.problems.result()
  const warnings = strict ? findings.warnings.result() : { first: [], count: 0 }
  const count = problems.count + warnings.count
  const all = [...problems.first, ...warnings.first]
  const [first] = all
  if (first === undefined) return undefined
  const hinted = count === 1 ? first : problems.first.find(({ hint }) => hint !== undefined)
  const advice = hinted?.hint === undefined ? fixTheList(problems.count > 0) : hinted
  const rest = count > SHOWN ? [`and ${formatCount(count - SHOWN)} more`] : []
  return new Failure(
    'usage',
    count === 1 ? first.message : `${formatCount(count)} problems with the requested parts`,
    {
      ...given('hint', advice.hint),
      ...given('options', advice.options),
      ...(count === 1
        ? given('problems', first.problems)
        : { problems: [...all.slice(0, SHOWN).map(({ message }) => message), ...rest] }),
      ...given('file', first.file),
      ...given('line', first.line),
    },
  )
}

function fixTheList(isWrong: boolean): Pick<Finding, 'hint' | 'options'> {
  return isWrong
    ? { hint: 'fix the list' }
    : {
        hint: 'fix the list, or leave this out to request the values unchanged',
        options: ['strict-parts'],
      }
}

function keepFirst(): FindingList {
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

/** By line within a file: what concerns a whole column is found last. Files stay in the order they were given. */
function inReadingOrder(findings: readonly Finding[]): readonly Finding[] {
  const files = [...new Set(findings.map(({ file }) => file))]
  return [...findings].sort(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || (a.line ?? 0) - (b.line ?? 0),
  )
}

function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V })
}
