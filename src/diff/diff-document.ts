import { formatCount, plural } from '../base/units.ts'
import { PART_COLUMNS } from '../report/columns.ts'
import type { Count, Counts, Document, Section, Table, TableColumn, Tone } from '../report/document.ts'
import { gateVerdict } from '../report/report-document.ts'
import type { GateResult } from '../report/report-result.ts'
import type { SheetTable } from '../report/xlsx/sheet.ts'
import type { DeclarationDiff, Growth, ListUpdate, LonePart, Move, PartChanges } from './diff-result.ts'
import { hasWorsened } from './part-state.ts'

/** The columns of a diff as a flat table. */
export const DIFF_COLUMNS = ['change', 'part', 'supplier', 'what', 'old', 'new'] as const

/** Their headings for people. */
export const DIFF_TITLES: Readonly<Record<(typeof DIFF_COLUMNS)[number], string>> = {
  change: 'Change',
  part: PART_COLUMNS.part.title,
  supplier: PART_COLUMNS.supplier.title,
  what: 'What',
  old: 'Before',
  new: 'Now',
}

/** One thing that changed. */
export interface DiffRow {
  /** `worse` for a part that is `not compliant` now and was not before. */
  readonly change: 'worse' | 'added' | 'removed' | 'changed' | 'list updated' | 'unreadable'
  readonly part: string
  readonly supplier: string
  readonly what: string
  /** The same for people, such as `SVHC no longer stated`. */
  readonly words?: string
  readonly old: string
  readonly new: string
}

/** What changed in a part: a value before and after; an exemption or a substance that came or went has only one of them. */
export interface ChangeFact {
  readonly what: string
  readonly old: string
  readonly new: string
  /** The words of a member that came or went, such as `SVHC gained`. */
  readonly member?: string
}

/** A diff as rows, what became worse first. */
export function* diffRows(diff: DeclarationDiff): Generator<DiffRow> {
  const worse = new Set(worseParts(diff))
  const inOrder = <T>(parts: readonly T[]): readonly T[] => [
    ...parts.filter((part) => worse.has(part as never)),
    ...parts.filter((part) => !worse.has(part as never)),
  ]
  for (const part of inOrder(diff.changed)) {
    const change = worse.has(part) ? 'worse' : 'changed'
    const { part: number, supplier } = part
    for (const { what, member = what, old, new: now } of changeFacts(part.changes)) {
      yield { change, part: number, supplier, what, words: member, old, new: now }
    }
  }
  for (const part of inOrder(diff.added)) yield* loneRows(part, worse.has(part) ? 'worse' : 'added', 'new')
  for (const part of diff.removed) yield* loneRows(part, 'removed', 'old')
  for (const update of diff.listUpdates) yield* updateRows(update)
  for (const side of ['old', 'new'] as const) {
    for (const { source, reason } of diff.unreadable[side]) {
      const sides = { old: side === 'old' ? reason : '', new: side === 'new' ? reason : '' }
      yield { change: 'unreadable', part: '', supplier: '', what: source, ...sides }
    }
  }
}

/** The parts that are not compliant now and were not before, new ones included. */
export function worseParts({
  changed,
  added,
}: DeclarationDiff): readonly (DeclarationDiff['changed'][number] | LonePart)[] {
  return [
    ...changed.filter(({ changes }) => changes.rohs?.new === 'not compliant'),
    ...added.filter(({ rohs }) => rohs === 'not compliant'),
  ]
}

/** A diff in one sentence. */
export function diffVerdict(diff: DeclarationDiff): { readonly tone: Tone; readonly text: string } {
  const worse = worseParts(diff).length
  const gained = diff.changed.filter(({ changes }) => (changes.svhc?.gained.length ?? 0) > 0).length
  const unreadable = diff.counts.unreadable.new
  const others = diff.changed.filter(
    ({ changes }) =>
      changes.rohs?.new !== 'not compliant' &&
      (changes.svhc?.gained.length ?? 0) === 0 &&
      hasWorsened(changes),
  ).length
  const facts = [
    worse === 0 ? 'no part became not compliant' : `${plural(worse, 'part')} became not compliant`,
    ...(gained > 0 ? [`${plural(gained, 'part')} gained an SVHC`] : []),
    ...(others > 0 ? [`${plural(others, 'part')} became worse in another respect`] : []),
    ...(unreadable > 0 ? [`${plural(unreadable, 'file')} cannot be read now`] : []),
  ]
  return { tone: worse > 0 ? 'bad' : facts.length > 1 ? 'warn' : 'good', text: facts.join('; ') }
}

/** What changed in a part, in a fixed order. */
export function changeFacts(changes: PartChanges): readonly ChangeFact[] {
  const facts: ChangeFact[] = []
  const add = (what: string, move: Move<string | number | boolean | null> | undefined): void => {
    if (move) facts.push({ what, old: shown(move.old), new: shown(move.new) })
  }
  const gained = (what: string, member: string, names: readonly string[] = []): void => {
    for (const name of names) facts.push({ what, member, old: '', new: name })
  }
  const lost = (what: string, member: string, names: readonly string[] = []): void => {
    for (const name of names) facts.push({ what, member, old: name, new: '' })
  }
  add('RoHS', changes.rohs)
  gained('exemption', 'exemption added', changes.exemptions?.added)
  lost('exemption', 'exemption no longer stated', changes.exemptions?.removed)
  const grown = (what: string, shares: readonly Growth[] = []): void => {
    for (const { name, old, new: now } of shares) {
      facts.push({ what: `${what}: ${name}`, old: `${old} %`, new: `${now} %` })
    }
  }
  const { rohs_groups: groups, svhc, other_lists: others } = changes
  gained('RoHS', 'newly over the RoHS threshold', groups?.newlyOver)
  lost('RoHS', 'no longer over the RoHS threshold', groups?.noLongerOver)
  lost('RoHS', 'RoHS group no longer stated', groups?.noLongerStated)
  gained('RoHS', 'RoHS group newly stated', groups?.newlyStated)
  grown('RoHS share', groups?.grown)
  add('REACH', changes.reach)
  lost('REACH', 'REACH entry no longer stated', changes.reach_entries?.noLongerStated)
  gained('SVHC', 'SVHC gained', svhc?.gained)
  const unstated = new Set(svhc?.noLongerStated)
  lost('SVHC', 'SVHC no longer stated', svhc?.noLongerStated)
  lost(
    'SVHC',
    'SVHC no longer above 0.1 %',
    svhc?.lost.filter((name) => !unstated.has(name)),
  )
  grown('SVHC share', svhc?.grown)
  add('SVHC', changes.svhc_count)
  gained('other list', 'other list newly over', others?.newlyOver)
  lost('other list', 'other list no longer over', others?.noLongerOver)
  lost('other list', 'other list no longer stated', others?.noLongerStated)
  gained('other list', 'other list newly stated', others?.newlyStated)
  gained('contradiction', 'contradiction added', changes.contradictions?.added)
  lost('contradiction', 'contradiction no longer stated', changes.contradictions?.removed)
  gained('indication', 'indication added', changes.indications?.added)
  lost('indication', 'indication no longer stated', changes.indications?.removed)
  gained('class A', 'class A answer added', changes.answers?.added)
  lost('class A', 'class A answer no longer stated', changes.answers?.removed)
  add('RoHS list', changes.rohs_list)
  add('REACH list', changes.reach_list)
  add('class', changes.classes)
  add('date', changes.date)
  add('mass (mg)', changes.mass_mg)
  add('declared %', changes.declared_percent)
  add('incomplete', changes.has_gaps)
  add('not accepted', changes.unaccepted)
  return facts
}

function* loneRows(
  { part, supplier, rohs, svhc_count }: LonePart,
  change: DiffRow['change'],
  side: 'old' | 'new',
): Generator<DiffRow> {
  const row = (what: string, value: string): DiffRow => ({
    change,
    part,
    supplier,
    what,
    old: '',
    new: '',
    [side]: value,
  })
  yield row('RoHS', rohs)
  if (svhc_count) yield row('SVHC', plural(svhc_count, 'SVHC'))
}

function* updateRows({ rohs_list, reach_list, parts, examples }: ListUpdate): Generator<DiffRow> {
  const more = parts > examples.length ? ' …' : ''
  const part = `${plural(parts, 'part')} (${examples.join(', ')}${more})`
  for (const [what, move] of [
    ['REACH list', reach_list],
    ['RoHS list', rohs_list],
  ] as const) {
    if (move) {
      const sides = { old: shown(move.old), new: shown(move.new) }
      yield { change: 'list updated', part, supplier: '', what, ...sides }
    }
  }
}

function shown(value: string | number | boolean | null): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === null || value === '' ? 'none' : String(value)
}

/** What a diff shows beside the changes. */
export interface DiffFacts {
  readonly oldSource: string
  readonly newSource: string
  /** When it was made. */
  readonly nowMs: number
  readonly version: string
}

/** The kinds of changes, in the order in which they are read. */
const CHANGES: readonly (readonly [change: DiffRow['change'], title: string])[] = [
  ['worse', 'Not compliant now, and not before'],
  ['changed', 'Changed'],
  ['added', 'Added'],
  ['removed', 'Removed'],
  ['list updated', 'Lists updated, nothing else changed'],
  ['unreadable', 'Unreadable'],
]

/** A diff as a document: what became worse and what the gate matches first, then the counts and every change. */
export function diffDocument(
  diff: DeclarationDiff,
  { oldSource, newSource, nowMs, version }: DiffFacts,
): Document {
  const { gate } = diff
  const rows = [...diffRows(diff)]
  return {
    title: 'Changes in material declarations',
    about: [
      ['before', oldSource],
      ['now', newSource],
    ],
    nowMs,
    version,
    verdicts: [
      { kind: 'verdict', about: 'status', ...diffVerdict(diff) },
      ...(gate === undefined ? [] : [gateVerdict(gate)]),
    ],
    sections: [
      { id: 'counts', blocks: [diffCounts(diff)] },
      ...(gate === undefined || gate.matched === 0 ? [] : [failedSection(gate)]),
      ...CHANGES.flatMap(([change, title]) => {
        const chosen = rows.filter((row) => row.change === change)
        return chosen.length === 0 ? [] : [changesSection(change, title, chosen)]
      }),
    ],
  }
}

/** `2 added, 1 removed, 3 changed, 8,123 with a newer list only, 40 unchanged`. */
export function countsLine(diff: DeclarationDiff): string {
  return diffCounts(diff).sentence!
}

/** What is counted; what may be left out only if there is any. */
function diffCounts(diff: DeclarationDiff): Counts {
  const { superseded, unreadable } = diff.counts
  const moved = diff.listUpdates.reduce((total, { parts }) => total + parts, 0)
  const number = (name: string, count: number): Count => ({ name, count, tone: 'none' })
  const some = (name: string, count: number): readonly Count[] => (count > 0 ? [number(name, count)] : [])
  const counts = [
    number('added', diff.added.length),
    number('removed', diff.removed.length),
    number('changed', diff.changed.length),
    ...some('with only a list update', moved),
    ...some('with no compared value changed', diff.redated),
    number('unchanged', diff.unchanged),
    ...some('superseded before', superseded.old),
    ...some('superseded now', superseded.new),
    ...some('unreadable before', unreadable.old),
    ...some('unreadable now', unreadable.new),
  ]
  const sentence = counts.map(({ name, count }) => `${formatCount(count)} ${name}`).join(', ')
  return { kind: 'counts', title: 'Parts', look: 'line', sentence, counts }
}

function failedSection({ rows, matched }: GateResult): Section {
  const { part, gate, source } = PART_COLUMNS
  return {
    id: 'failed',
    title: 'Failed',
    tone: 'bad',
    blocks: [
      {
        kind: 'table',
        name: 'what the gate matches',
        sheet: 'Failed',
        columns: [
          { title: part.title, help: 'the part number', type: 'id', width: 26 },
          { title: gate.title, help: 'the rules that it matches', type: 'text', width: 36 },
          { title: source.title, help: 'where it is declared', type: 'text', width: 70 },
        ],
        rows: rows.map((row) => [row.part, row.rules.join(', '), row.source]),
        line: ([, rules, file]) => `${rules}${file === '' ? '' : ` (${file})`}`,
        of: { count: matched, one: 'row', many: 'rows' },
      },
    ],
  }
}

const CHANGE_COLUMNS: readonly TableColumn[] = [
  { title: DIFF_TITLES.part, help: 'the part number', type: 'id', width: 26 },
  { title: DIFF_TITLES.supplier, help: 'the declaring company', type: 'text', width: 24 },
  { title: DIFF_TITLES.what, help: 'what changed', type: 'text', width: 18 },
  { title: DIFF_TITLES.old, help: 'the value on the old side', type: 'status', width: 32 },
  { title: DIFF_TITLES.new, help: 'the value on the new side', type: 'status', width: 32 },
]

/** True for a section that is not a list of changes, apart from what became worse. */
export function isSummary({ id }: Section): boolean {
  return id === 'worse' || CHANGES.every(([change]) => sectionId(change) !== id)
}

function sectionId(change: DiffRow['change']): string {
  return change.replace(' ', '-')
}

/** Every change as a row of a sheet, which can be filtered. */
export function changesSheet(diff: DeclarationDiff): SheetTable {
  const rows = [...diffRows(diff)]
  const change = {
    title: DIFF_TITLES.change,
    help: 'worse: not compliant now, and not before',
    type: 'text',
    width: 14,
  } as const
  const columns = [change, ...CHANGE_COLUMNS].map((column, index) => ({
    help: '',
    ...column,
    name: DIFF_COLUMNS[index]!,
  }))
  return { name: 'Changes', columns, count: rows.length, rows: () => [rows] }
}

function changesSection(change: DiffRow['change'], title: string, rows: readonly DiffRow[]): Section {
  const table: Table = {
    kind: 'table',
    name: title,
    columns: CHANGE_COLUMNS,
    rows: rows.map((row) => [row.part, row.supplier, row.words ?? row.what, row.old, row.new]),
    line: ([, supplier, what, before, now]) =>
      `${supplier === '' ? '' : `(${supplier}) `}${what}: ${[before, now].filter((value) => value !== '').join(' → ')}`,
    isGrouped: true,
  }
  return {
    id: sectionId(change),
    title,
    ...(change === 'worse' ? { tone: 'bad' as const } : {}),
    blocks: [table],
  }
}
