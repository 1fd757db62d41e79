import type { Readable } from 'node:stream'
import { calendarDate } from '../base/calendar-date.ts'
import { COLUMN_TITLES } from '../report/formats/column-titles.ts'
import { type NoteLine, notesSheet } from '../report/xlsx/xlsx-notes.ts'
import { gateCells } from '../report/xlsx/xlsx-summary.ts'
import { sheetColumns, tableSheet } from '../report/xlsx/xlsx-table.ts'
import { workbookStream } from '../report/xlsx/xlsx-workbook.ts'
import type { DiffFacts } from './diff-html.ts'
import type { DeclarationDiff } from './diff-result.ts'
import { DIFF_TITLES, diffRows, diffVerdict, worseParts } from './diff-rows.ts'
import { diffCounts } from './diff-text.ts'

const COLUMNS = sheetColumns([
  ['change', DIFF_TITLES.change, 'worse: not compliant now, and not before', 'text', 14],
  ['part', DIFF_TITLES.part, 'the part number', 'code', 26],
  ['supplier', DIFF_TITLES.supplier, 'the declaring company', 'text', 24],
  ['what', DIFF_TITLES.what, 'what changed', 'text', 18],
  ['old', DIFF_TITLES.old, 'the value on the old side', 'verdict', 32],
  ['new', DIFF_TITLES.new, 'the value on the new side', 'verdict', 32],
])
const MATCHED = sheetColumns([
  ['part', COLUMN_TITLES.part, 'the part number', 'code', 26],
  ['gate', COLUMN_TITLES.gate, 'the rules that it matches', 'gate', 36],
  ['source', COLUMN_TITLES.source, 'where it is declared', 'text', 70],
])
const LISTED = 100

/** A diff as a workbook: what became worse and the counts, then every change. */
export function diffWorkbook(diff: DeclarationDiff, facts: DiffFacts): Readable {
  const { gate } = diff
  const rows = [...diffRows(diff)]
  const table = { name: 'Changes', columns: COLUMNS, count: rows.length, rows: () => rows as never }
  const matched = (gate?.rows ?? []).map(({ rules, ...row }) => ({ ...row, gate: rules.join('; ') }))
  const failed = { name: 'Failed', columns: MATCHED, count: matched.length, rows: () => matched }
  return workbookStream(
    [
      notesSheet({ name: 'Summary', lines: summaryOf(diff, facts), widths: [34, 46, 46] }),
      tableSheet(table),
      ...(matched.length > 0 ? [tableSheet(failed)] : []),
    ],
    `Changes in material declarations, ${calendarDate(facts.nowMs)}`,
  )
}

function summaryOf(diff: DeclarationDiff, { oldSource, newSource, nowMs, version }: DiffFacts): NoteLine[] {
  const worse = worseParts(diff)
  const heading = (...titles: string[]): NoteLine => titles.map((value) => ({ value, style: 'heading' }))
  const { gate } = diff
  const verdict = diffVerdict(diff)
  return [
    [{ value: 'Changes in material declarations', style: 'title' }],
    ['created (UTC)', { value: nowMs, style: 'time' }],
    ['matdecl', { value: version, kind: 'code' }],
    ['before', { value: oldSource, kind: 'code' }],
    ['now', { value: newSource, kind: 'code' }],
    [],
    heading('Verdict', ''),
    ...(gate === undefined ? [] : [gateCells(gate)]),
    [{ value: verdict.text, style: verdict.tone }],
    ...(worse.length > 0 ? [['not compliant now, and not before', worse.length]] : []),
    ...worse
      .slice(0, LISTED)
      .map(({ part, supplier }): NoteLine => [{ value: part, kind: 'code' }, supplier]),
    ...(worse.length > LISTED ? [[`and ${worse.length - LISTED} more`]] : []),
    [],
    heading('Parts', ''),
    ...diffCounts(diff),
    [],
    [{ value: 'all changes', style: 'link', link: "'Changes'!A1" }],
    ...(gate !== undefined && gate.matched > 0
      ? [[{ value: 'what the gate matches', style: 'link', link: "'Failed'!A1" } as const]]
      : []),
  ]
}
