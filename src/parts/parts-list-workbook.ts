import { Failure, systemCode } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'
import type { Disk } from '../base/world.ts'
import { type NumberFormat, showDigits } from './number-format.ts'
import { findPartLayout, HEADING_ROWS, type PartLayout } from './part-layout.ts'
import { isZip, nameBinary } from './parts-list-kind.ts'
import { type ListReading, openList, type PartsSink, trimBlanks } from './parts-list-reading.ts'
import { type CellDetail, cellName, type WorkbookDetails } from './workbook-details.ts'

/** Workbooks are read into memory as a whole. */
const LARGEST_BYTES = 256 * 1024 * 1024

/** Excel's own limit (ECMA-376). */
const MOST_ROWS = 1_048_576

/** A number as the workbook's XML has it, so that nothing is rounded on the way. */
interface RawNumber {
  readonly digits: string
}

type Cell = string | boolean | Date | RawNumber | null

/**
 * Reads the part number column of an `.xlsx` workbook: of the first sheet in sight, or of the first one whose headings have it. What
 * the workbook keeps as a number or a date is told, because the text that a person sees there is not in the file.
 */
export async function readWorkbook(
  disk: Disk,
  { path, absolute }: { readonly path: string; readonly absolute: string },
  wanted: string | undefined,
  readDetails: (path: string) => Promise<WorkbookDetails | undefined>,
  sink: PartsSink,
): Promise<ListReading> {
  const bytes = await readAll(disk, path, absolute)
  const details = await readDetails(path)
  const { rows, index: sheet, layout } = await findSheet(bytes, wanted, path, details)
  if (layout === undefined) return { kind: 'workbook' }
  const known = details?.[sheet]?.cells
  const parts: string[] = []
  const lines: number[] = []
  const lastRow = Math.max(rows.length, lastRowOf(known))
  for (let row = layout.headingRow + 2; row <= lastRow; row += 1) {
    const cells = rows[row - 1] ?? []
    const detail = known?.get(cellName(layout.column, row))
    if (detail?.isUncalculated) {
      sink.problem(
        row,
        'the cell has a formula without its result: save the workbook in a spreadsheet program',
      )
      continue
    }
    const part = detail?.error ?? takeCell(cells[layout.column] ?? null, row, detail, sink)
    if (part === undefined) continue
    if (part !== '') {
      parts.push(part)
      lines.push(row)
    } else if (cells.some((cell) => cell !== null && cell !== '')) {
      sink.doubt(row, 'no-number', 'the row has no part number and is skipped')
    }
  }
  sink.parts(parts, lines)
  const name = details !== undefined && details.length > 1 ? details[sheet]?.name : undefined
  return { kind: 'workbook', column: layout.label, ...(name === undefined ? {} : { sheet: name }) }
}

// Rows at the end that have nothing but an error or a formula without its result are not among the values.
function lastRowOf(details: ReadonlyMap<string, CellDetail> | undefined): number {
  let last = 0
  for (const [name, { error, isUncalculated }] of details ?? []) {
    if (error !== undefined || isUncalculated) last = Math.max(last, Number(/\d+$/.exec(name)?.[0] ?? 0))
  }
  return Math.min(last, MOST_ROWS)
}

async function readAll(disk: Disk, path: string, absolute: string): Promise<Buffer> {
  const handle = await openList(disk, path, absolute)
  try {
    const { size } = await handle.stat()
    if (size > LARGEST_BYTES) {
      const message = `${path} has ${formatBytes(size)}; workbooks are read up to ${formatBytes(LARGEST_BYTES)}`
      throw new Failure('usage', message, {
        file: path,
        hint: 'save the sheet as CSV, which is read as a stream',
      })
    }
    const bytes = await handle.readFile()
    if (!isZip(bytes)) {
      const kind = nameBinary(bytes)
      throw new Failure('usage', `${path} is ${kind?.what ?? 'no Excel workbook'}`, {
        file: path,
        hint: kind?.hint ?? 'if it is text, give it the ending .csv, .tsv or .txt',
      })
    }
    return bytes
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('io', `the list of parts ${path} can not be read (${systemCode(error) ?? 'error'})`, {
      cause: error,
      hint: 'check its mode and owner',
      file: path,
    })
  } finally {
    await handle.close()
  }
}

type Sheet = readonly (readonly Cell[])[]

interface FoundSheet {
  readonly rows: Sheet
  /** Its place in the workbook, from 0. */
  readonly index: number
  readonly layout: PartLayout | undefined
}

async function findSheet(
  bytes: Buffer,
  wanted: string | undefined,
  path: string,
  details: WorkbookDetails | undefined,
): Promise<FoundSheet> {
  const { default: readSheets, readSheet } = await import('read-excel-file/node')
  const options = { trim: false, parseNumber: (digits: string): RawNumber => ({ digits }) }
  const isHidden = (index: number): boolean => details?.[index]?.isHidden ?? false
  const start = Math.max(details?.findIndex((sheet) => !sheet.isHidden) ?? 0, 0)
  const [first] = await orUsage(path, async () => [(await readSheet(bytes, start + 1, options)) as Sheet])
  const failures: unknown[] = []
  const layoutOf = (sheet: Sheet, label: string): PartLayout | undefined => {
    try {
      return findPartLayout(headOf(sheet), wanted, label)
    } catch (error) {
      failures.push(error)
      return undefined
    }
  }
  const layout = layoutOf(first!, path)
  if (layout !== undefined) return { rows: first!, index: start, layout }
  // A cover sheet may come first.
  const sheets = await orUsage(path, async () => readSheets(bytes, options))
  const others = [...sheets.entries()].filter(([index]) => index !== start)
  others.sort(([a], [b]) => Number(isHidden(a)) - Number(isHidden(b)))
  for (const [index, { sheet, data }] of others) {
    const other = layoutOf(data as Sheet, `${path}, sheet "${sheet}"`)
    if (other !== undefined && other.headingRow >= 0) return { rows: data as Sheet, index, layout: other }
  }
  if (failures.length > 0) throw failures[0]
  return { rows: first!, index: start, layout: undefined }
}

async function orUsage<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new Failure('usage', `${path} can not be read as an Excel workbook`, {
      cause: error,
      file: path,
      hint: 'open it and save it again as .xlsx without a password, or as CSV',
    })
  }
}

function headOf(sheet: Sheet): string[][] {
  return sheet.slice(0, HEADING_ROWS).map((row) => row.map(headingText))
}

function headingText(cell: Cell): string {
  if (typeof cell === 'string') return cell
  if (cell === null || typeof cell === 'boolean' || cell instanceof Date)
    return cell === null ? '' : String(cell)
  return cell.digits
}

// The part as text; empty when there is none, undefined when the cell was told as a problem.
function takeCell(
  cell: Cell,
  row: number,
  detail: CellDetail | undefined,
  sink: PartsSink,
): string | undefined {
  if (cell === null) return ''
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE'
  if (typeof cell === 'string') {
    const text = trimBlanks(cell.replaceAll('\r\n', '\n')).replace(/^\n+|\n+$/g, '')
    if (!text.includes('\n')) return text
    sink.problem(row, 'the part number has a line break in it')
    return undefined
  }
  if (cell instanceof Date) {
    const date = cell.toISOString().slice(0, 10)
    sink.doubt(row, 'date', `the cell has a date (${date}), not a part number as text`)
    return date
  }
  return wholeNumber(cell.digits, row, detail?.format, sink)
}

// Up to 15 digits a workbook keeps every one; beyond, or with a fraction, what was typed is lost.
function wholeNumber(digits: string, row: number, format: NumberFormat | undefined, sink: PartsSink): string {
  if (/^\d{1,15}$/.test(digits)) {
    if (format === 'scientific') {
      sink.doubt(row, 'number', `the cell has the number ${digits}, shown in scientific notation`)
      return digits
    }
    const shown = format === undefined ? digits : showDigits(digits, format)
    if (shown !== digits)
      sink.doubt(row, 'number', `the cell has the number ${digits}, shown and taken as "${shown}"`)
    return shown
  }
  const value = Number(digits)
  const text = Number.isInteger(value) ? BigInt(value).toString() : String(value)
  sink.doubt(row, 'number', `the cell has a number (${text}) where a part number should be text`)
  return text
}
