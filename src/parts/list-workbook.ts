import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { bestHeadings, type ChosenColumns, HEADING_ROWS, type HeadingScore } from './layout.ts'
import type { ListFile } from './list-source.ts'
import type { CellFault, Doubt, TableRow } from './list-table.ts'
import { type DigitPattern, showDigits } from './number-format.ts'
import type { CellValue, SheetRow } from './sheet-rows.ts'
import { openWorkbook, type Sheet } from './workbook.ts'

/** The sheet of a workbook that holds the list; `await using` closes the workbook. */
export interface OpenSheet extends AsyncDisposable {
  readonly sheet: { readonly name: string; readonly of: number }
  readonly rows: () => AsyncGenerator<readonly TableRow[]>
}

/**
 * Opens the sheet that is named or numbered (from 1), else the first one with a row of headings, visible ones before hidden ones, else
 * the first. Cells read as their user sees them: numbers and dates come with a doubt, because what was typed is not in the file.
 */
export async function openSheet(
  world: World,
  file: ListFile,
  chosen: ChosenColumns,
  wanted: string | undefined,
): Promise<OpenSheet> {
  const workbook = await openWorkbook(world, file)
  try {
    const { sheets } = workbook
    const sheet =
      wanted === undefined ? await likelySheet(sheets, chosen) : namedSheet(sheets, wanted, file.path)
    return {
      sheet: { name: sheet.name, of: sheets.length },
      async *rows() {
        for await (const rows of sheet.rows()) yield rows.map(tableRow)
      },
      [Symbol.asyncDispose]: () => workbook[Symbol.asyncDispose](),
    }
  } catch (error) {
    await workbook[Symbol.asyncDispose]()
    throw error
  }
}

async function likelySheet(sheets: readonly Sheet[], chosen: ChosenColumns): Promise<Sheet> {
  const sorted = [...sheets].sort((a, b) => Number(a.isHidden) - Number(b.isHidden))
  const heads = new Map<Sheet, HeadingScore>()
  // `Item` is also the heading of positions, on a sheet of revisions for example.
  for (const isGood of [
    (best: HeadingScore) => best.isSure && best.known > 1 && !best.isLabels,
    (best: HeadingScore) => best.known > 1 && !best.isLabels,
    (best: HeadingScore) => !best.isLabels,
    () => true,
  ]) {
    for (const sheet of sorted) {
      const best = heads.get(sheet) ?? bestHeadings(await headOf(sheet), chosen)
      heads.set(sheet, best)
      if (best.hasPart && isGood(best)) return sheet
    }
  }
  return sorted[0]!
}

function namedSheet(sheets: readonly Sheet[], wanted: string, file: string): Sheet {
  const folded = wanted.trim().toLowerCase()
  const found =
    sheets.find(({ name }) => name === wanted) ??
    sheets.find(({ name }) => name.trim().toLowerCase() === folded) ??
    (/^\d+$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined)
  if (found !== undefined) return found
  const names = sheets.map(({ name }, index) => `${index + 1} ${JSON.stringify(cleanText(name, 40))}`)
  throw new Failure('usage', `${file} has no sheet ${JSON.stringify(cleanText(wanted, 80))}`, {
    file,
    hint: `it has ${names.slice(0, 12).join(', ')}${names.length > 12 ? ' …' : ''}`,
    options: ['sheet'],
  })
}

async function headOf(sheet: Sheet): Promise<readonly (readonly string[])[]> {
  const head: (readonly string[])[] = []
  for await (const rows of sheet.rows()) {
    head.push(...rows.map((row) => tableRow(row).cells))
    if (head.length >= HEADING_ROWS) break
  }
  return head.slice(0, HEADING_ROWS)
}

function tableRow({ line, cells: sparse }: SheetRow): TableRow {
  const cells: string[] = []
  for (const { column, value } of sparse) {
    while (cells.length < column) cells.push('')
    cells[column] = textOf(value)
  }
  const valueAt = (index: number): CellValue => sparse.find(({ column }) => column === index)?.value ?? ''
  return {
    line,
    cells,
    numberAt: (index) => numberOf(valueAt(index)),
    faultAt: (index) => faultOf(valueAt(index)),
  }
}

/** A cell as its user sees it. */
function textOf(value: CellValue): string {
  if (typeof value === 'string') return value.replaceAll('\r\n', '\n')
  if ('date' in value) return value.date
  if (!('digits' in value)) return ''
  const { digits, format } = value
  if (!/^\d{1,15}$/.test(digits)) return plainNumber(digits)
  return format === undefined || format === 'scientific' ? digits : showDigits(digits, format)
}

/** A number without the noise of binary arithmetic that workbooks save (`0.30000000000000004`), nor an exponent. */
function plainNumber(digits: string): string {
  const value = Number(digits)
  if (Number.isInteger(value)) return BigInt(value).toString()
  const tidy = Number(value.toPrecision(12))
  return tidy !== 0 && Math.abs(tidy) < 1e-6 ? tidy.toFixed(12) : String(tidy)
}

function numberOf(value: CellValue): number | undefined {
  if (typeof value === 'string' || !('digits' in value)) return undefined
  const number = Number(Number(value.digits).toPrecision(12))
  return Number.isFinite(number) ? number : undefined
}

/** Up to 15 digits a workbook keeps every one; beyond, or with a fraction, what was typed is lost. */
function faultOf(value: CellValue): CellFault {
  if (typeof value === 'string') return {}
  if ('isUncalculated' in value) {
    return {
      problem: 'the cell has a formula without its result: save the workbook in a spreadsheet program',
    }
  }
  if ('date' in value) return doubt('date', `the cell has a date (${value.date}), not a part number as text`)
  const { digits, format } = value
  if (!/^\d{1,15}$/.test(digits)) {
    return doubt('number', `the cell has a number (${textOf(value)}) where a part number should be text`)
  }
  if (format === 'scientific') {
    return doubt('number', `the cell has the number ${digits}, shown in scientific notation`)
  }
  const shown = format === undefined ? digits : showDigits(digits, format as DigitPattern)
  return shown === digits
    ? {}
    : doubt('number', `the cell has the number ${digits}, shown and read as "${shown}"`)
}

function doubt(kind: Doubt['kind'], says: string): CellFault {
  return { doubts: [{ kind, says }] }
}
