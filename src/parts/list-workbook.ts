import { isFailure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { type BomColumns, findBomColumns, type WantedBomColumns } from './bom-columns.ts'
import { type ListItem, type RowUse, rowUse, rowWithoutPart, trimBlanks } from './list-item.ts'
import type { ListFile } from './list-source.ts'
import { type DigitPattern, showDigits } from './number-format.ts'
import { findPartColumn, HEADING_ROWS, type PartColumn } from './part-column.ts'
import type { CellValue, SheetRow } from './sheet-rows.ts'
import { openWorkbook, type Sheet, type Workbook } from './workbook.ts'

/**
 * Reads the part number column of an `.xlsx` workbook, as its user sees it: of the first visible sheet, or of the first one
 * with a heading that says part number. Numbers and dates come with a doubt, because what was typed is not in the file.
 */
export async function* readWorkbookList(
  world: World,
  file: ListFile,
  wanted: string | undefined,
  wantedBom?: WantedBomColumns,
): AsyncGenerator<readonly ListItem[]> {
  await using workbook = await openWorkbook(world, file)
  const found = await findColumn(workbook, wanted, file.path)
  if (found === undefined) return
  const { sheet, head, column } = found
  const bom = wantedBom === undefined ? {} : findBomColumns(head, column, wantedBom, file.path)
  const sheetName = workbook.sheets.length > 1 ? sheet.name : undefined
  yield [{ column: column.label, sheet: sheetName, bom: bom.columns?.labels, bomDoubt: bom.doubt }]
  for await (const rows of sheet.rows()) {
    yield rows
      .filter(({ line }) => line > column.headingRow + 1)
      .flatMap((row) => itemsOf(row, column, bom.columns))
  }
}

interface FoundColumn {
  readonly sheet: Sheet
  readonly head: readonly (readonly string[])[]
  readonly column: PartColumn
}

/** Visible sheets come before hidden ones. After the first, a sheet needs a heading: there may be a cover sheet. */
async function findColumn(
  workbook: Workbook,
  wanted: string | undefined,
  path: string,
): Promise<FoundColumn | undefined> {
  const sheets = [...workbook.sheets].sort((a, b) => Number(a.isHidden) - Number(b.isHidden))
  let failure: unknown
  for (const [index, sheet] of sheets.entries()) {
    const head = await headOf(sheet)
    try {
      const column = findPartColumn(head, wanted, index === 0 ? path : `${path}, sheet "${sheet.name}"`)
      if (column !== undefined && (index === 0 || column.headingRow >= 0)) return { sheet, head, column }
    } catch (error) {
      if (!isFailure(error)) throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
  return undefined
}

async function headOf(sheet: Sheet): Promise<string[][]> {
  const head: string[][] = []
  for await (const rows of sheet.rows()) {
    for (const { line, cells } of rows) {
      if (line > HEADING_ROWS) return head
      while (head.length < line) head.push([])
      const row = head[line - 1]!
      for (const { column, value } of cells) {
        while (row.length < column) row.push('')
        row[column] = textOf(value)
      }
    }
  }
  return head
}

function textOf(value: CellValue): string {
  if (typeof value === 'string') return value
  if ('digits' in value) return value.digits
  return 'date' in value ? value.date : ''
}

/** A number without the noise of binary arithmetic that workbooks save (`0.30000000000000004`), nor an exponent. */
function plainNumber(value: CellValue): string {
  if (typeof value === 'string' || !('digits' in value)) return textOf(value)
  const number = Number(Number(value.digits).toPrecision(12))
  return number !== 0 && Math.abs(number) < 1e-6 ? number.toFixed(12) : String(number)
}

function itemsOf(row: SheetRow, column: PartColumn, bom: BomColumns | undefined): readonly ListItem[] {
  const cellAt = (index: number): CellValue => row.cells.find((cell) => cell.column === index)?.value ?? ''
  const use = rowUse(bom, (index) => plainNumber(cellAt(index)))
  const items = partItems(row.line, cellAt(column.column), use)
  return use === undefined ? items : items.map((item) => ('part' in item ? { use, ...item } : item))
}

function partItems(line: number, value: CellValue, use: RowUse | undefined): readonly ListItem[] {
  if (typeof value === 'string') return textItems(value, line, use)
  if ('digits' in value) return numberItems(value.digits, value.format, line)
  if ('date' in value) {
    const { date } = value
    const doubt = `the cell has a date (${date}), not a part number as text`
    return [
      { line, kind: 'date', doubt },
      { line, part: date },
    ]
  }
  const problem = 'the cell has a formula without its result: save the workbook in a spreadsheet program'
  return [{ line, problem }]
}

function textItems(text: string, line: number, use: RowUse | undefined): readonly ListItem[] {
  const part = trimBlanks(text.replaceAll('\r\n', '\n'))
  if (part === '') return [rowWithoutPart(line, use)]
  return [part.includes('\n') ? { line, problem: 'the part number has a line break in it' } : { line, part }]
}

/** Up to 15 digits a workbook keeps every one; beyond, or with a fraction, what was typed is lost. */
function numberItems(
  digits: string,
  format: 'scientific' | DigitPattern | undefined,
  line: number,
): readonly ListItem[] {
  const doubted = (part: string, doubt: string): readonly ListItem[] => [
    { line, kind: 'number', doubt },
    { line, part },
  ]
  if (!/^\d{1,15}$/.test(digits)) {
    const value = Number(digits)
    const part = Number.isInteger(value) ? BigInt(value).toString() : String(value)
    return doubted(part, `the cell has a number (${part}) where a part number should be text`)
  }
  if (format === 'scientific') {
    return doubted(digits, `the cell has the number ${digits}, shown in scientific notation`)
  }
  const shown = format === undefined ? digits : showDigits(digits, format)
  return shown === digits
    ? [{ line, part: digits }]
    : doubted(shown, `the cell has the number ${digits}, shown and read as "${shown}"`)
}
