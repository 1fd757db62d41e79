import type { FailOnRule } from '../report/fail-on.ts'
import type { JudgedRow } from '../report/report-row.ts'
import { missingRow } from '../report/report-row.ts'
import type { GateMatch, GateResult } from '../report/report-summary.ts'
import { mergeStates, type PartState, stateKey, stateOf } from './part-state.ts'

/** A value before and after. */
export interface Move<T> {
  readonly old: T
  readonly new: T
}

/** What is different about a part; only what differs is there. */
export interface PartChanges {
  readonly date?: Move<string>
  readonly classes?: Move<string>
  readonly rohs?: Move<string>
  readonly exemptions?: { readonly added: readonly string[]; readonly removed: readonly string[] }
  readonly svhc?: { readonly gained: readonly string[]; readonly lost: readonly string[] }
  readonly svhc_count?: Move<number | null>
  readonly rohs_list?: Move<string>
  readonly reach_list?: Move<string>
  readonly mass_mg?: Move<number | null>
  readonly declared_percent?: Move<number | null>
}

export interface ChangedPart {
  readonly part: string
  readonly supplier: string
  readonly changes: PartChanges
}

/** A part that is on one side only, with what it declares there. */
export interface LonePart {
  readonly part: string
  readonly supplier: string
  readonly rohs: string
  readonly svhc_count: number | null
  readonly date: string
}

/** Many parts that were only re-dated because a list moved: told once. */
export interface ListUpdate {
  readonly rohs_list: Move<string> | null
  readonly reach_list: Move<string> | null
  readonly parts: number
  readonly examples: readonly string[]
}

/** What is different between two downloads; parts in code point order. */
export interface DeclarationDiff {
  readonly added: readonly LonePart[]
  readonly removed: readonly LonePart[]
  readonly changed: readonly ChangedPart[]
  readonly listUpdates: readonly ListUpdate[]
  /** Parts in which nothing but the date is new. */
  readonly redated: number
  readonly unchanged: number
  readonly unreadable: { readonly old: readonly Unreadable[]; readonly new: readonly Unreadable[] }
  readonly counts: {
    readonly old: number
    readonly new: number
    readonly unreadable: Move<number>
  }
  readonly gate: GateResult | undefined
}

export interface Unreadable {
  readonly source: string
  readonly reason: string
}

/** Takes the rows of the old side, then those of the new one. */
export interface Comparison {
  readonly old: (row: JudgedRow) => void
  readonly new: (row: JudgedRow) => void
  readonly result: () => DeclarationDiff
}

const EXAMPLES = 3
const MOST_UNREADABLE = 100
const MOST_MATCHES = 1_000

/**
 * Compares two downloads part by part, by part number and supplier; order, files and times do not count. The gate looks at
 * what is new or changed, and takes a removed part for a missing one.
 */
export function createComparison(rules: readonly FailOnRule[] | undefined): Comparison {
  const sides = { old: new Map<string, PartState>(), new: new Map<string, PartState>() }
  const unreadable = { old: [] as Unreadable[], new: [] as Unreadable[] }
  const unreadableCount = { old: 0, new: 0 }
  const gate = createGate(rules)
  const take = (side: 'old' | 'new') => (row: JudgedRow) => {
    if (row.status === 'unreadable') {
      unreadableCount[side] += 1
      if (side === 'new') gate.look(row)
      if (unreadable[side].length < MOST_UNREADABLE)
        unreadable[side].push({ source: row.source, reason: row.note })
      return
    }
    const key = stateKey(row)
    const known = sides[side].get(key)
    sides[side].set(key, known ? mergeStates(known, stateOf(row)) : stateOf(row))
  }
  return {
    old: take('old'),
    new: take('new'),
    result: () => ({
      ...compare(sides.old, sides.new, gate),
      unreadable,
      counts: { old: sides.old.size, new: sides.new.size, unreadable: unreadableCount },
    }),
  }
}

type Compared = Omit<DeclarationDiff, 'unreadable' | 'counts'>

function compare(
  before: ReadonlyMap<string, PartState>,
  after: ReadonlyMap<string, PartState>,
  gate: Gate,
): Compared {
  const added: LonePart[] = []
  const removed: LonePart[] = []
  const changed: ChangedPart[] = []
  const updates = new Map<string, ListUpdate & { parts: number; examples: string[] }>()
  let redated = 0
  let unchanged = 0
  for (const [key, now] of after) {
    const then = before.get(key)
    if (!then) {
      added.push(lonePart(now))
      gate.look(now.row)
      continue
    }
    const changes = changesOf(then, now)
    const names = Object.keys(changes)
    if (names.length === 0) {
      unchanged += 1
      continue
    }
    gate.look(now.row)
    if (names.every((name) => name === 'date')) redated += 1
    else if (names.every((name) => LIST_FACTS.has(name))) addUpdate(updates, now, changes)
    else changed.push({ part: now.part, supplier: now.supplier, changes })
  }
  for (const [key, then] of before) {
    if (after.has(key)) continue
    removed.push(lonePart(then))
    gate.look({ ...missingRow(then.part, ''), supplier: then.supplier })
  }
  return {
    added: added.sort(byPart),
    removed: removed.sort(byPart),
    changed: changed.sort(byPart),
    listUpdates: [...updates.values()].sort((a, b) => b.parts - a.parts),
    redated,
    unchanged,
    gate: gate.result(),
  }
}

const LIST_FACTS = new Set(['date', 'rohs_list', 'reach_list'])

function changesOf(then: PartState, now: PartState): PartChanges {
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
  }
}

function move<
  K extends 'date' | 'classes' | 'rohs' | 'rohs_list' | 'reach_list' | 'mass_mg' | 'declared_percent',
>(name: K, then: PartState, now: PartState): { [key in K]?: Move<PartState[K]> } {
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

function addUpdate(
  updates: Map<string, ListUpdate & { parts: number; examples: string[] }>,
  { part }: PartState,
  { rohs_list, reach_list }: PartChanges,
): void {
  const key = JSON.stringify([rohs_list, reach_list])
  const update = updates.get(key) ?? {
    rohs_list: rohs_list ?? null,
    reach_list: reach_list ?? null,
    parts: 0,
    examples: [],
  }
  update.parts += 1
  if (update.examples.length < EXAMPLES) update.examples.push(part)
  updates.set(key, update)
}

interface Gate {
  readonly look: (row: JudgedRow) => void
  readonly result: () => GateResult | undefined
}

function createGate(rules: readonly FailOnRule[] | undefined): Gate {
  const rows: GateMatch[] = []
  let matched = 0
  return {
    look(row) {
      const hit = rules?.filter((rule) => rule.matches(row)).map((rule) => rule.word) ?? []
      if (hit.length === 0) return
      matched += 1
      if (rows.length < MOST_MATCHES) rows.push({ part: row.part, source: row.source, rules: hit })
    },
    result: () => rules && { rules: rules.map((rule) => rule.word), matched, rows },
  }
}

function lonePart({ part, supplier, rohs, svhc_count, date }: PartState): LonePart {
  return { part, supplier, rohs, svhc_count, date }
}

function byPart(a: { readonly part: string }, b: { readonly part: string }): number {
  return a.part < b.part ? -1 : a.part > b.part ? 1 : 0
}
