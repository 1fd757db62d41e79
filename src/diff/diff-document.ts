import { formatCount, plural } from '../base/units.ts'
import { PART_COLUMNS } from '../report/columns.ts'
import {
  type Count,
  type Counts,
  type Document,
  plainCount,
  type Section,
  type Table,
  type Tone,
  tableColumn,
  type VerdictLine,
} from '../report/document.ts'
import { gateVerdict } from '../report/report-document.ts'
import type { GateResult } from '../report/report-result.ts'
import {
  isFailing,
  needsAttention,
  type OverallVerdict,
  VERDICT_TONES,
  type Verdict,
} from '../report/row-findings.ts'
import type { SheetTable } from '../report/xlsx/sheet.ts'
import type { ChangedPart, DeclarationDiff, ListUpdate, LonePart, ProductMove } from './diff-result.ts'
import { type PartChanges, statesLess } from './part-changes.ts'

/** The columns of a diff as a flat table. */
const COLUMNS = {
  change: tableColumn('Change', 'text', 14, 'worse, better or changed; added and removed parts apart'),
  part: tableColumn(PART_COLUMNS.part.title, 'id', 26, 'the part number'),
  supplier: tableColumn(PART_COLUMNS.supplier.title, 'text', 24, 'the declaring company'),
  what: tableColumn('What', 'text', 18, 'what changed'),
  old: tableColumn('Before', 'status', 32, 'the value on the old side'),
  new: tableColumn('Now', 'status', 32, 'the value on the new side'),
}

export const DIFF_COLUMNS = Object.keys(COLUMNS)

/** One thing that changed. */
interface DiffRow {
  readonly change:
    | 'product'
    | 'worse'
    | 'better'
    | 'changed'
    | 'added'
    | 'removed'
    | 'list updated'
    | 'unreadable'
  readonly part: string
  readonly supplier: string
  /** Such as `RoHS`, or `SVHC no longer stated`. */
  readonly what: string
  readonly old: string
  readonly new: string
}

/** What changed in a part: a value before and after; an exemption or a substance that came or went has only one of them. */
type ChangeFact = Pick<DiffRow, 'what' | 'old' | 'new'>

/** A diff as rows: what became worse first, then better, then other; new and lost parts apart. */
export function* diffRows(diff: DeclarationDiff): Generator<DiffRow> {
  for (const { list, old, new: now } of diff.products ?? []) yield* productRows(list, old, now)
  for (const direction of ['worse', 'better', 'changed'] as const) {
    for (const { part, supplier, changes } of diff.changed.filter((one) => one.direction === direction)) {
      for (const fact of changeFacts(changes)) yield { change: direction, part, supplier, ...fact }
    }
  }
  for (const part of diff.added) yield* loneRows(part, 'added', 'new')
  for (const part of diff.removed) yield* loneRows(part, 'removed', 'old')
  for (const update of diff.listUpdates) yield* updateRows(update)
  for (const side of ['old', 'new'] as const) {
    for (const { source, reason } of diff.unreadable[side]) {
      yield { change: 'unreadable', part: '', supplier: '', what: source, old: '', new: '', [side]: reason }
    }
  }
}

function* productRows(list: string, old: ProductMove['old'], now: ProductMove['new']): Generator<DiffRow> {
  const row = { change: 'product', part: list, supplier: '' } as const
  yield { ...row, what: 'verdict', old: old.verdict, new: now.verdict }
  if (old.rohs !== now.rohs) yield { ...row, what: 'RoHS', old: old.rohs, new: now.rohs }
  if (old.reach !== now.reach) yield { ...row, what: 'REACH', old: old.reach, new: now.reach }
}

/** A diff in one sentence. */
export function diffVerdict(diff: DeclarationDiff): { readonly tone: Tone; readonly text: string } {
  const { changed, added, counts } = diff
  const count = (direction: ChangedPart['direction']): number =>
    changed.filter((one) => one.direction === direction).length
  const [worse, better, other] = [count('worse'), count('better'), count('changed')]
  const less = changed.filter(({ changes }) => statesLess(changes)).length
  const notClean = added.filter((one) => needsAttention({ verdict: one.verdict as Verdict })).length
  const facts = [
    counts.old === 0
      ? 'nothing to compare with: nothing was declared before'
      : worse === 0
        ? 'no part became worse'
        : `${plural(worse, 'part')} became worse`,
    ...(better > 0 ? [`${formatCount(better)} better`] : []),
    ...(other > 0 ? [`${formatCount(other)} changed otherwise`] : []),
    ...(less > 0 ? [`${plural(less, 'part')} with statements that are no longer made`] : []),
    ...(added.length > 0
      ? [
          `${plural(added.length, 'part')} new${notClean > 0 ? `, ${formatCount(notClean)} of them not clean` : ''}`,
        ]
      : []),
    ...(counts.removed > 0 ? [`${plural(counts.removed, 'part')} not declared now`] : []),
    ...(counts.unreadable.new > 0 ? [`${plural(counts.unreadable.new, 'file')} cannot be read now`] : []),
  ]
  const isFailed = changed.some(
    ({ changes }) => changes.verdict !== undefined && isFailing(changes.verdict.new),
  )
  const isDoubtful = worse + less + notClean + counts.removed + counts.unreadable.new > 0
  const rest = counts.old === 0 ? 'none' : 'good'
  return { tone: isFailed ? 'bad' : isDoubtful ? 'warn' : rest, text: facts.join('; ') }
}

/** What a change is about, in a fixed order; where its members are something else, also what they are. Null for what others tell. */
const SUBJECTS: Readonly<Record<keyof PartChanges, readonly [what: string, member?: string] | null>> = {
  verdict: ['verdict'],
  findings: ['finding'],
  rohs: ['RoHS'],
  exemptions: ['exemption'],
  rohs_groups: ['RoHS', 'RoHS group'],
  reach: ['REACH'],
  reach_entries: ['REACH', 'REACH entry'],
  svhc: ['SVHC'],
  // The REACH status and the substances tell it.
  svhc_count: null,
  other_lists: ['other list'],
  contradictions: ['contradiction'],
  indications: ['indication'],
  answers: ['class A', 'class A answer'],
  rohs_list: ['RoHS list'],
  reach_list: ['REACH list'],
  values: ['value'],
  substances: ['class D'],
  classes: ['class'],
  date: ['date'],
  mass_mg: ['mass (mg)'],
  declared_percent: ['declared %'],
  unit_type: ['unit'],
  acceptance: ['acceptance'],
  comments: ['comment'],
  // The findings tell these.
  has_gaps: null,
  unaccepted: null,
}

/** The lists of members, in a fixed order: on which side they are, and the words. */
const MEMBERS: readonly (readonly [list: string, side: 'old' | 'new', words: string])[] = [
  ['added', 'new', 'added'],
  ['removed', 'old', 'no longer stated'],
  ['gained', 'new', 'gained'],
  ['newlyOver', 'new', 'newly over'],
  ['noLongerOver', 'old', 'no longer over'],
  ['noLongerStated', 'old', 'no longer stated'],
  ['newlyStated', 'new', 'newly stated'],
  ['lost', 'old', 'no longer above 0.1 %'],
]

/** What changed in a part, in the order of the subjects. */
function changeFacts(changes: PartChanges): readonly ChangeFact[] {
  return Object.entries(SUBJECTS).flatMap(([name, subject]): ChangeFact[] => {
    const change = changes[name as keyof PartChanges]
    if (change === undefined || subject === null) return []
    const [what, member = what] = subject
    if ('old' in change) return [{ what, old: shown(change.old), new: shown(change.new) }]
    const lists: Readonly<Record<string, readonly unknown[]>> = change
    const unstated = new Set(lists.noLongerStated)
    const facts = MEMBERS.flatMap(([list, side, words]) =>
      (lists[list] ?? [])
        // An entry that is no longer stated is listed as that, not as below its threshold.
        .filter((one) => list !== 'lost' || !unstated.has(one))
        .map((one) => ({
          what: `${member} ${isFound(name, list) ? 'removed' : words}`,
          old: '',
          new: '',
          [side]: one,
        })),
    )
    const values =
      'changed' in change
        ? change.changed.map(({ what: name, old, new: now }) => ({ what: name, old, new: now }))
        : []
    const shares = ('grown' in change ? change.grown : []).map(({ name: substance, old, new: now }) => ({
      what: `${what} share: ${substance}`,
      old: `${old} %`,
      new: `${now} %`,
    }))
    return [...facts, ...values, ...shares]
  })
}

/** A finding is not stated: it is there or not. */
function isFound(name: string, list: string): boolean {
  return list === 'removed' && (name === 'findings' || name === 'contradictions' || name === 'indications')
}

function* loneRows(
  { part, supplier, verdict, rohs, svhc_count }: LonePart,
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
  yield row('verdict', verdict)
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
    if (move === null) continue
    yield { change: 'list updated', part, supplier: '', what, old: shown(move.old), new: shown(move.new) }
  }
}

function shown(value: string | number | boolean | null): string {
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
  ['worse', 'Worse'],
  ['better', 'Better'],
  ['changed', 'Changed otherwise'],
  ['added', 'New parts'],
  ['removed', 'Parts that are not declared now'],
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
      { about: 'status', ...diffVerdict(diff) },
      ...(diff.products ?? []).map(productVerdict),
      ...(gate === undefined ? [] : [gateLine(gate)]),
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

/** What the gate found, which is about what is new: that nothing of it matches is no tick beside what matched before. */
function gateLine(gate: GateResult): VerdictLine {
  const { passed, rules, unchanged = 0 } = gate
  if (!passed) return gateVerdict(gate)
  const found = `nothing new matches ${rules.join(', ')}`
  if (unchanged === 0) return { about: 'gate', tone: 'good', text: `gate passed: ${found}` }
  const others = plural(unchanged, 'unchanged part or file does', 'unchanged parts or files do')
  return { about: 'gate', tone: 'warn', text: `${found}; ${others}` }
}

/** `board.csv: clean → failed; RoHS compliant → not compliant; REACH SVHC, as before`: a product before and now. */
function productVerdict({ list, old, new: now }: ProductMove): VerdictLine {
  const moved = (before: string, after: string): string =>
    before === after ? `${after}, as before` : `${before} → ${after}`
  const statuses = `RoHS ${moved(old.rohs, now.rohs)}; REACH ${moved(old.reach, now.reach)}`
  const text = `${list}: ${moved(old.verdict, now.verdict)}; ${statuses}`
  return { about: 'status', tone: VERDICT_TONES[now.verdict as OverallVerdict], text }
}

/** `2 added, 1 removed, 3 changed, 8,123 with a newer list only, 40 unchanged`. */
export function countsLine(diff: DeclarationDiff): string {
  return diffCounts(diff).sentence!
}

/** What is counted; what may be left out only if there is any. */
function diffCounts({ counts: found }: DeclarationDiff): Counts {
  const { superseded, unreadable } = found
  const some = (name: string, count: number): readonly Count[] => (count > 0 ? [plainCount(name, count)] : [])
  const counts = [
    plainCount('added', found.added),
    plainCount('removed', found.removed),
    plainCount('changed', found.changed),
    ...some('with only a list update', found.listUpdates),
    ...some('with no compared value changed', found.redated),
    plainCount('unchanged', found.unchanged),
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
          tableColumn(part.title, 'id', 26, 'the part number'),
          tableColumn(gate.title, 'text', 36, 'the rules that it matches'),
          tableColumn(source.title, 'text', 70, 'where it is declared'),
        ],
        rows: rows.map((row) => [row.part, row.rules.join(', '), row.source]),
        line: ([, rules, file]) => `${rules}${file === '' ? '' : ` (${file})`}`,
        of: { count: matched, one: 'row', many: 'rows' },
      },
    ],
  }
}

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
  const columns = Object.entries(COLUMNS).map(([name, column]) => ({ name, ...column }))
  return { name: 'Changes', columns, count: rows.length, rows: () => [rows] }
}

/** A part with all that changed in it. */
export interface ChangedLine {
  readonly change: DiffRow['change']
  readonly part: string
  readonly supplier: string
  readonly changes: readonly string[]
}

/** A line for each part, in the order of the rows, which are those of a part after each other. */
export function changedLines(rows: Iterable<DiffRow>): readonly ChangedLine[] {
  const lines: (ChangedLine & { changes: string[] })[] = []
  for (const { change, part, supplier, what, old, new: now } of rows) {
    const last = lines.at(-1)
    const isSame = last?.change === change && last.part === part && last.supplier === supplier
    const line = isSame && part !== '' ? last : { change, part, supplier, changes: [] }
    if (line !== last) lines.push(line)
    line.changes.push(`${what}: ${[old, now].filter((value) => value !== '').join(' → ')}`)
  }
  return lines
}

/** How a change is called in a list of all of them; undefined for one that is not about a part. */
export const CHANGE_WORDS: Readonly<Partial<Record<DiffRow['change'], string>>> = {
  worse: 'worse',
  better: 'better',
  changed: 'other',
  added: 'new part',
  removed: 'lost part',
}

/** True for a section with lines of parts. */
export function isOfParts({ id }: Section): boolean {
  return Object.hasOwn(CHANGE_WORDS, id)
}

function changesSection(change: DiffRow['change'], title: string, rows: readonly DiffRow[]): Section {
  const table: Table = {
    kind: 'table',
    name: title,
    columns: [COLUMNS.part, COLUMNS.supplier, CHANGES_COLUMN],
    rows: changedLines(rows).map(({ part, supplier, changes }) => [part, supplier, changes.join('; ')]),
    line: ([, supplier, changes]) => `${supplier === '' ? '' : `(${supplier}) `}${changes}`,
  }
  return {
    id: sectionId(change),
    title,
    ...(change === 'worse' ? { tone: 'bad' as const } : {}),
    blocks: [table],
  }
}

export const CHANGES_COLUMN = tableColumn('What changed', 'text', 60, 'all that changed, each before → now')
