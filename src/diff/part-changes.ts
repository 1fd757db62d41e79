import type { Move, PartChanges } from './diff-result.ts'
import type { PartState } from './part-state.ts'

/** What changed in a part. */
export function changesOf(then: PartState, now: PartState): PartChanges {
  const exemptions = setChange(then.exemptions, now.exemptions)
  const gained = named(now, (key) => !then.svhc.has(key))
  const lost = named(then, (key) => !now.svhc.has(key))
  return {
    ...move('date', then, now),
    ...move('classes', then, now),
    ...move('rohs', then, now),
    ...(exemptions && { exemptions }),
    ...(gained.length + lost.length > 0 && { svhc: { gained, lost } }),
    ...((then.svhc_count === null) !== (now.svhc_count === null) && {
      svhc_count: { old: then.svhc_count, new: now.svhc_count },
    }),
    ...move('rohs_list', then, now),
    ...move('reach_list', then, now),
    ...move('mass_mg', then, now),
    ...move('declared_percent', then, now),
    ...move('has_gaps', then, now),
    ...move('unaccepted', then, now),
  }
}

type Moved =
  | 'date'
  | 'classes'
  | 'rohs'
  | 'rohs_list'
  | 'reach_list'
  | 'mass_mg'
  | 'declared_percent'
  | 'has_gaps'
  | 'unaccepted'

function move<K extends Moved>(
  name: K,
  then: PartState,
  now: PartState,
): { [key in K]?: Move<PartState[K]> } {
  if (then[name] === now[name]) return {}
  return { [name]: { old: then[name], new: now[name] } } as { [key in K]?: Move<PartState[K]> }
}

function setChange(
  then: ReadonlySet<string>,
  now: ReadonlySet<string>,
): { readonly added: readonly string[]; readonly removed: readonly string[] } | undefined {
  const added = [...now].filter((one) => !then.has(one))
  const removed = [...then].filter((one) => !now.has(one))
  return added.length + removed.length > 0 ? { added, removed } : undefined
}

function named(state: PartState, isChosen: (key: string) => boolean): string[] {
  return [...state.svhc].filter(([key]) => isChosen(key)).map(([, name]) => name)
}
