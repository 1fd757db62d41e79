import { formatCount } from '../base/units.ts'
import { PART_COLUMNS } from '../report/columns.ts'
import type { Count, Counts, Document, Section, Table, TableColumn } from '../report/document.ts'
import { gateVerdict } from '../report/report-document.ts'
import type { GateResult } from '../report/report-result.ts'
import type { SheetTable } from '../report/xlsx/sheet.ts'
import type { DeclarationDiff } from './diff-result.ts'
import { DIFF_COLUMNS, DIFF_TITLES, type DiffRow, diffRows, diffVerdict } from './diff-rows.ts'

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
        line: ([, rules, file]) => `${rules} (${file})`,
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
