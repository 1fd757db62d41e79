import { openArchiveFile } from '../archive/archive-file.ts'
import { inflateChunks } from '../archive/entry-data.ts'
import { NO_ARCHIVE_LIMITS } from '../archive/problem.ts'
import { readArchive } from '../archive/read-archive.ts'
import { cleanText } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import { findSignature } from '../base/file-signatures.ts'
import { formatBytes, formatCount } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { createXmlDecoder, createXmlReader, type XmlHandler, XmlProblem } from '../base/xml.ts'
import { bestHeadings, type ChosenColumns, HEADING_ROWS, type HeadingScore } from './layout.ts'
import type { CellFault, Doubt, TableRow } from './list-table.ts'
import { type ListFile, nameBinary, openList } from './list-text.ts'
import {
  type CellValue,
  type DigitPattern,
  type NumberFormat,
  readNumberFormat,
  readRows,
  readTexts,
  type SheetRow,
  showDigits,
  TextStore,
} from './sheet-rows.ts'

/** A sheet of a workbook. */
interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  /** Reads the rows from the top, in batches. Rows without values are left out. */
  readonly rows: () => AsyncGenerator<readonly SheetRow[]>
}

/** An open workbook; `await using` closes it. */
interface Workbook extends AsyncDisposable {
  /** In the order of the workbook. */
  readonly sheets: readonly Sheet[]
}

/** The texts that cells share are kept in memory, up to this size. */
const MOST_TEXT = 192 * 1024 ** 2

/** Each may have to be looked at for the list. */
const MOST_SHEETS = 1000

/**
 * Opens an `.xlsx` workbook (ECMA-376). Sheets are read as streams: memory holds the texts that cells share and the row being
 * read. What is not a workbook, or is damaged, is a `usage` failure, also while rows are read.
 */
export async function openWorkbook(world: World, file: ListFile): Promise<Workbook> {
  const archive = await openWorkbookArchive(world, file)
  try {
    const related = await readRelations(archive)
    const { sheets, is1904 } = await readSheetList(archive)
    if (sheets.length === 0) throw notAWorkbook(file.path)
    const formats = await readFormats(archive, related.path('styles', 'xl/styles.xml'))
    let texts: Promise<TextStore> | undefined
    return {
      sheets: sheets.map(({ name, isHidden, id }) => ({
        name,
        isHidden,
        async *rows() {
          texts ??= readSharedTexts(archive, related.path('sharedStrings', 'xl/sharedStrings.xml'))
          const path = related.target(id)
          if (!archive.has(path)) throw notAWorkbook(file.path)
          const { handler, take } = readRows({ texts: await texts, formats, is1904 }, file.path)
          for await (const _ of parse(archive, path, handler)) yield take()
        },
      })),
      [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
    }
  } catch (error) {
    await archive[Symbol.asyncDispose]()
    throw error
  }
}

interface Relations {
  /** The file of a relationship by its id. */
  readonly target: (id: string) => string
  /** The file of the one relationship of this type. */
  readonly path: (type: string, fallback: string) => string
}

async function readRelations(archive: WorkbookArchive): Promise<Relations> {
  const byId = new Map<string, string>()
  const byType = new Map<string, string>()
  await parseAll(archive, 'xl/_rels/workbook.xml.rels', {
    open(name, attributes) {
      const target = attributes.get('Target')
      if (name !== 'Relationship' || target === undefined) return
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
      byId.set(attributes.get('Id') ?? '', path)
      byType.set(attributes.get('Type')?.split('/').at(-1) ?? '', path)
    },
    close: () => undefined,
  })
  return {
    target: (id) => byId.get(id) ?? '',
    path: (type, fallback) => byType.get(type) ?? fallback,
  }
}

interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  /** The id of its relationship. */
  readonly id: string
}

async function readSheetList(
  archive: WorkbookArchive,
): Promise<{ readonly sheets: readonly SheetEntry[]; readonly is1904: boolean }> {
  const sheets: SheetEntry[] = []
  let is1904 = false
  await parseAll(archive, 'xl/workbook.xml', {
    open(element, attributes) {
      if (element === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes.get('date1904') ?? '')
      if (element !== 'sheet') return
      const state = attributes.get('state') ?? 'visible'
      if (sheets.length === MOST_SHEETS)
        throw tooLarge(archive.path, `has more than ${formatCount(MOST_SHEETS)} sheets`)
      sheets.push({
        name: attributes.get('name') ?? '',
        isHidden: state !== 'visible',
        id: attributes.get('id') ?? '',
      })
    },
    close: () => undefined,
  })
  return { sheets, is1904 }
}

// Formats that every workbook has without defining them (18.8.30).
const BUILT_IN: readonly (readonly [NumberFormat, readonly number[]])[] = [
  ['scientific', [11, 48]],
  ['date', [14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47]],
  ['date', [50, 51, 52, 53, 54, 55, 56, 57, 58]],
]

/** How each cell style shows a number; undefined where it is by its digits, or in a way no part number is. */
async function readFormats(
  archive: WorkbookArchive,
  path: string,
): Promise<readonly (NumberFormat | undefined)[]> {
  const formats = new Map<string | undefined, NumberFormat | undefined>(
    BUILT_IN.flatMap(([format, ids]) => ids.map((id) => [String(id), format] as const)),
  )
  const styles: (NumberFormat | undefined)[] = []
  let isCellStyles = false
  await parseAll(archive, path, {
    open(name, attributes) {
      const id = attributes.get('numFmtId')
      if (name === 'numFmt') formats.set(id, readNumberFormat(attributes.get('formatCode') ?? ''))
      else if (name === 'cellXfs') isCellStyles = true
      else if (name === 'xf' && isCellStyles) styles.push(formats.get(id))
    },
    close(name) {
      if (name === 'cellXfs') isCellStyles = false
    },
  })
  return styles
}

async function readSharedTexts(archive: WorkbookArchive, path: string): Promise<TextStore> {
  const texts = new TextStore()
  const add = (text: string): void => {
    texts.add(text)
    if (texts.bytes > MOST_TEXT)
      throw tooLarge(archive.path, `has more than ${formatBytes(MOST_TEXT)} of text`)
  }
  await parseAll(archive, path, readTexts(add, archive.path))
  return texts
}

async function parseAll(archive: WorkbookArchive, name: string, handler: XmlHandler): Promise<void> {
  for await (const _ of parse(archive, name, handler));
}

/** Feeds a file of the archive to the handler, a piece at a time. */
async function* parse(archive: WorkbookArchive, name: string, handler: XmlHandler): AsyncGenerator<void> {
  const reader = createXmlReader(handler)
  let isEmpty = true
  try {
    for await (const piece of archive.text(name)) {
      isEmpty &&= piece === ''
      reader.write(piece)
      yield
    }
    if (!isEmpty) reader.end()
  } catch (error) {
    throw error instanceof XmlProblem ? notAWorkbook(archive.path, error) : error
  }
  yield
}

/** A workbook that unpacks to more is refused before anything is unpacked. */
const LARGEST_BYTES = 1024 ** 3

/** Objects from a small piece are garbage before the collector has to move them. */
const PIECE_BYTES = 64 * 1024

/** The XML files of which a workbook consists. */
interface WorkbookArchive extends AsyncDisposable {
  readonly path: string
  readonly has: (name: string) => boolean
  /** The text of a file, in pieces; empty when there is no such file. Damaged data is a `usage` failure. */
  readonly text: (name: string) => AsyncGenerator<string>
}

/** Opens a workbook as the ZIP archive it is. A file that is none, or too large, is a `usage` failure. */
async function openWorkbookArchive(world: World, list: ListFile): Promise<WorkbookArchive> {
  const { path } = list
  await refuseOtherFiles(world, list)
  const file = openArchiveFile(world, path)
  try {
    const { entries: found, unpackedBytes, isReadable } = await readArchive(file, NO_ARCHIVE_LIMITS)
    if (!isReadable) throw notAWorkbook(path)
    if (unpackedBytes > LARGEST_BYTES) throw tooLarge(path, `unpacks to ${formatBytes(unpackedBytes)}`)
    const entries = new Map(found.map((entry) => [entry.name.toLowerCase(), entry]))
    return {
      path,
      has: (name) => entries.has(name.toLowerCase()),
      async *text(name) {
        const entry = entries.get(name.toLowerCase())
        if (entry === undefined) return
        const read = (position: number, length: number): Buffer =>
          file.read(entry.dataOffset + position, length)
        yield* decoded(inflateChunks(read, entry), path)
      },
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    }
  } catch (error) {
    await file[Symbol.asyncDispose]()
    throw error
  }
}

async function refuseOtherFiles(world: World, list: ListFile): Promise<void> {
  const { path } = list
  const head = await headOf(world, list)
  if (findSignature(head)?.format === 'zip') return
  const kind = nameBinary(head)
  throw new Failure('usage', `${path} is ${kind?.what ?? 'not an Excel workbook'}`, {
    file: path,
    hint: kind?.hint ?? 'if it is text, rename it so that its name ends in .csv, .tsv or .txt',
  })
}

/** The first bytes of a regular file. */
async function headOf(world: World, list: ListFile): Promise<Buffer> {
  await using input = await openList(world, list)
  if (!input.facts.isFile()) {
    throw new Failure('usage', `${list.path} is a pipe, and a workbook is read in several passes`, {
      file: list.path,
      hint: 'save it to a file first',
    })
  }
  for await (const chunk of input.chunks()) return chunk.subarray(0, 4096)
  return Buffer.alloc(0)
}

async function* decoded(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<string> {
  const decoder = createXmlDecoder()
  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        yield decoder.write(chunk.subarray(at, at + PIECE_BYTES))
      }
    }
    yield decoder.end()
  } catch (error) {
    throw isFailure(error) ? error : notAWorkbook(path, error)
  }
}

/** The failure of a file that has the ending of a workbook and is not one, or a damaged one. */
function notAWorkbook(path: string, cause?: unknown): Failure {
  return new Failure('usage', `${path} cannot be read as an Excel workbook`, {
    cause,
    file: path,
    hint: 'open it and save it again as .xlsx without a password, or as CSV',
  })
}

/** The failure of a workbook that would take too much memory. */
function tooLarge(path: string, what: string): Failure {
  return new Failure('usage', `${path} ${what}, too much for a workbook`, {
    file: path,
    hint: 'save the sheet as CSV, which can have any size',
  })
}

/** The sheet of a workbook that holds the list; `await using` closes the workbook. */
interface OpenSheet extends AsyncDisposable {
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
      const best = heads.get(sheet) ?? bestHeadings(await firstRowsOf(sheet), chosen)
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

async function firstRowsOf(sheet: Sheet): Promise<readonly (readonly string[])[]> {
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
