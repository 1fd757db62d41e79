import { type Evidence, type ListEvidence, listEvidence } from './evidence.ts'
import { UNKNOWN_EXEMPTION } from './part-record.ts'
import { label, partial, unclearNotes, unique } from './rohs.ts'

/** What a list that is neither RoHS nor the Candidate List states. */
export interface OtherListFinding {
  readonly list: string
  readonly status: 'over' | 'none over' | 'incomplete'
  /** The names of the entries above their thresholds. */
  readonly over: readonly string[]
  /** The entries with a statement, by their keys. */
  readonly stated: ReadonlySet<string>
  /** Why it is incomplete; also where something is over. */
  readonly gaps: readonly string[]
}

/** The other lists of all declarations that count, each once. `none over` needs a statement for every category. */
export function otherListFindings(all: readonly Evidence[]): readonly OtherListFinding[] {
  const keys = unique(
    all.flatMap(({ record }) =>
      record.lists.filter(({ family }) => family === 'other' || family === 'misnamed').map(({ key }) => key),
    ),
  )
  return keys.map((key) => finding(listEvidence(all, (list) => list.key === key)))
}

function finding({ lists, silent, stated, marked }: ListEvidence): OtherListFinding {
  const over = unique(marked.filter(({ state }) => state === 'over').map(label))
  const unclear = marked.filter(({ state }) => state === 'unclear')
  const total = stated.size + silent.size + unclear.length
  const gaps = [
    ...(total === 0 ? ['without categories'] : []),
    ...partial(lists, 'such'),
    ...(silent.size > 0 ? [`${silent.size} of ${total} categories without a statement`] : []),
    ...unclearNotes('categories', unclear),
    ...(lists.some((list) => list.hasUnknownExemption) || marked.some((entry) => entry.hasUnknownExemption)
      ? [UNKNOWN_EXEMPTION]
      : []),
  ]
  return {
    list: lists[0]!.identity,
    status: over.length > 0 ? 'over' : gaps.length > 0 ? 'incomplete' : 'none over',
    over,
    stated,
    gaps,
  }
}
