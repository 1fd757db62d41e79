import { openArchiveFile } from '../archive/archive-file.ts'
import type { ArchiveEntry } from '../archive/entry.ts'
import { inflateChunks } from '../archive/entry-data.ts'
import { readContainer } from '../archive/read-archive.ts'
import { Account } from '../base/account.ts'
import type { AccountEntry } from '../base/account-entry.ts'
import { cleanText } from '../base/clean-text.ts'
import { decodeText } from '../base/decode-text.ts'
import { largest } from '../base/extremes.ts'
import { Failure, isFailure } from '../base/failure.ts'
import { findSignature } from '../base/file-signatures.ts'
import { memoized } from '../base/memoized.ts'
import { formatBytes, formatCount } from '../base/units.ts'
import type { World } from '../base/world.ts'
import {
  createXmlDecoder,
  createXmlReader,
  type XmlAttributes,
  type XmlHandler,
  XmlProblem,
} from '../base/xml.ts'
import { valueKind } from './column-values.ts'
import { type ChosenColumns, decideLayout, type Layout, type Profile, profileTable } from './layout.ts'
import { shapeOf } from './list-shape.ts'
import { FIRST_ROWS, type TableRow, withShortCells } from './list-table.ts'
import { type ListFile, nameBinary, openList } from './list-text.ts'
import { countFilled, isNoPartNumber } from './row-kind.ts'
import {
  type CellContext,
  type CellFormat,
  isOn,
  type NumberFormat,
  noFacts,
  readNumberFormat,
  readRows,
  readTexts,
  SAVE_AGAIN,
  type SheetFacts,
  type SheetPlace,
  type SheetRow,
  TextStore,
  type TypedCell,
  textOf,
} from './sheet-rows.ts'

/** A sheet of a workbook. */
interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  /** Reads the rows from the top, in batches. Rows without values are left out. The facts are complete at their end. */
  readonly rows: (facts: SheetFacts) => AsyncGenerator<readonly SheetRow[]>
}

/** An open workbook; `await using` closes it. */
interface Workbook extends AsyncDisposable {
  /** In the order of the workbook. */
  readonly sheets: readonly Sheet[]
  /** The names of sheets whose file is not there. */
  readonly missing: readonly string[]
}

/** The texts that cells share are kept in memory, up to this size. */
const MOST_TEXT = 192 * 1024 ** 2

/** Each may have to be looked at for the list. */
const MOST_SHEETS = 1000

/** Excel has 65,490 styles at most, and about 250 formats. */
const MOST_STYLES = 100_000
const MOST_FORMATS = 10_000
const MOST_RELATIONS = 100_000

/** Empty cells between values, in rows with more than `WIDE` columns: what stands far to the right of a list costs each row as much. */
const MOST_EMPTY = 64 * 1024 ** 2
const WIDE = 1024
/** Rows are handed on in pieces of so many cells. */
const PIECE_CELLS = 100_000

/**
 * Opens an `.xlsx` workbook (ECMA-376). Sheets are read as streams: memory holds the texts that cells share and the row being
 * read. What is not a workbook, or is damaged, is a `usage` failure, also while rows are read.
 */
export async function openWorkbook(world: World, file: ListFile): Promise<Workbook> {
  const archive = await openWorkbookArchive(world, file)
  try {
    const book = await findWorkbook(archive)
    const related = await readRelations(archive, book)
    const { sheets, is1904, isUncalculated } = await readSheetList(archive, book)
    if (sheets.length === 0) throw notAWorkbook(file.path)
    const formats = await readFormats(archive, related.ofType('styles') ?? 'xl/styles.xml')
    const texts = memoized(
      () => readSharedTexts(archive, related.ofType('sharedStrings') ?? 'xl/sharedStrings.xml'),
      1,
    )
    const found = sheets.map(({ id, ...sheet }) => ({ ...sheet, path: related.byId.get(id) ?? '' }))
    const present = found.filter(({ path }) => archive.has(path))
    if (present.length === 0) throw notAWorkbook(file.path)
    const contextOf = async (path: string, place: SheetPlace): Promise<CellContext> => {
      const context = { texts: await texts(), formats, is1904, isUncalculated }
      // Sheets say it after their rows.
      return {
        ...context,
        isUncalculated: isUncalculated || (await isSheetUncalculated(archive, path, place, context)),
      }
    }
    return {
      sheets: present.map(({ name, isHidden, path }) => {
        const place = { file: file.path, sheet: sheets.length > 1 ? name : undefined }
        const sheetContext = memoized(() => contextOf(path, place), 1)
        return {
          name,
          isHidden,
          async *rows(facts) {
            const context = await sheetContext()
            const { handler, take } = readRows(context, place, facts)
            for await (const _ of parse(archive, path, handler)) yield take()
          },
        }
      }),
      missing: found.filter(({ path }) => !archive.has(path)).map(({ name }) => name),
      [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
    }
  } catch (error) {
    await archive[Symbol.asyncDispose]()
    throw error
  }
}

/** The parts of a package (ECMA-376 part 2) that another one refers to. */
interface Relations {
  readonly byId: ReadonlyMap<string, string>
  /** The part of the one relationship of this type. */
  readonly ofType: (type: string) => string | undefined
}

/** Reads the relationships of a part; those of the package itself for ''. */
async function readRelations(archive: WorkbookArchive, part: string): Promise<Relations> {
  const byId = new Map<string, string>()
  const byType = new Map<string, string>()
  const [folder, name] = [folderOf(part), part.slice(part.lastIndexOf('/') + 1)]
  await parseAll(archive, `${folder}_rels/${name}.rels`, {
    open(element, attributes) {
      const target = attributes.get('Target')
      if (element !== 'Relationship' || target === undefined || attributes.get('TargetMode') === 'External')
        return
      const path = partName(archive, target, folder)
      if (byId.size === MOST_RELATIONS) throw tooMany(archive.path, MOST_RELATIONS, 'relationships')
      byId.set(attributes.get('Id') ?? '', path)
      const type = attributes.get('Type')?.split('/').at(-1) ?? ''
      if (!byType.has(type)) byType.set(type, path)
    },
    close: () => undefined,
  })
  return { byId, ofType: (type) => byType.get(type) }
}

function folderOf(part: string): string {
  return part.slice(0, part.lastIndexOf('/') + 1)
}

/** The name of the part that a target in this folder means: libraries write `\\`, `./`, `..`, `%20`, absolute names and addresses. */
function partName(archive: WorkbookArchive, target: string, folder: string): string {
  const path = target.replaceAll('\\', '/').replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
  const whole = plainName(path.startsWith('/') ? path : folder + path)
  if (archive.has(whole) || !whole.includes('%')) return whole
  try {
    return plainName(decodeURIComponent(whole))
  } catch {
    return whole
  }
}

/** A name in a package without `\\`, `.`, `..` and empty segments. */
function plainName(path: string): string {
  const segments: string[] = []
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.join('/')
}

/** The part of the workbook itself. */
async function findWorkbook(archive: WorkbookArchive): Promise<string> {
  const related = (await readRelations(archive, '')).ofType('officeDocument')
  const path = related !== undefined && archive.has(related) ? related : 'xl/workbook.xml'
  const own = archive.has('content.xml')
    ? 'an OpenDocument file'
    : archive.has('Index/Document.iwa')
      ? 'a document of Apple Numbers'
      : undefined
  if (own !== undefined)
    throw new Failure('usage', `${archive.path} is ${own}`, { file: archive.path, hint: SAVE_AGAIN })
  if (archive.has(path)) {
    const other = /\.bin$/i.test(path) ? 'a binary Excel workbook (.xlsb)' : OTHER_DOCUMENTS[folderOf(path)]
    if (other === undefined) return path
    throw new Failure('usage', `${archive.path} is ${other}`, { file: archive.path, hint: SAVE_AGAIN })
  }
  throw notAWorkbook(archive.path)
}

const OTHER_DOCUMENTS: Readonly<Record<string, string>> = {
  'word/': 'a Word document',
  'ppt/': 'a PowerPoint presentation',
}

interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  /** The id of its relationship. */
  readonly id: string
}

async function readSheetList(
  archive: WorkbookArchive,
  book: string,
): Promise<{
  readonly sheets: readonly SheetEntry[]
  readonly is1904: boolean
  readonly isUncalculated: boolean
}> {
  const sheets: SheetEntry[] = []
  let is1904 = false
  let isUncalculated = false
  await parseAll(archive, book, {
    open(element, attributes) {
      if (element === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes.get('date1904') ?? '')
      if (element === 'calcPr') isUncalculated = asksForCalculation(attributes)
      if (element !== 'sheet') return
      const state = attributes.get('state') ?? 'visible'
      if (sheets.length === MOST_SHEETS) throw tooMany(archive.path, MOST_SHEETS, 'sheets')
      sheets.push({
        name: attributes.get('name') ?? '',
        isHidden: state !== 'visible',
        id: attributes.get('id') ?? '',
      })
    },
    close: () => undefined,
  })
  return { sheets, is1904, isUncalculated }
}

/**
 * True for a workbook whose writer has calculated nothing: XlsxWriter, openpyxl and EPPlus ask for `fullCalcOnLoad`; others name no
 * engine (`calcId`), or 0. LibreOffice and Gnumeric name none either, but calculate, and say how they iterate.
 */
function asksForCalculation(attributes: XmlAttributes): boolean {
  if (/^(?:1|true)$/.test(attributes.get('fullCalcOnLoad') ?? '')) return true
  const engine = attributes.get('calcId')
  if (engine !== undefined) return Number(engine) === 0
  return attributes.get('iterateCount') === undefined
}

async function isSheetUncalculated(
  archive: WorkbookArchive,
  path: string,
  place: SheetPlace,
  context: CellContext,
): Promise<boolean> {
  const facts = noFacts()
  const { handler, take } = readRows(context, place, facts)
  let rows = 0
  for await (const _ of parse(archive, path, handler)) {
    rows += take().length
    if (rows >= FIRST_ROWS && !facts.hasEmptyResults) break
  }
  return facts.isUncalculated
}

// Formats that every workbook has without defining them (18.8.30).
const BUILT_IN: readonly (readonly [NumberFormat, readonly number[]])[] = [
  ['scientific', [11, 48]],
  ['date', [14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47]],
  ['date', [50, 51, 52, 53, 54, 55, 56, 57, 58]],
]

/** How each cell style shows its cells. */
async function readFormats(archive: WorkbookArchive, path: string): Promise<readonly CellFormat[]> {
  const formats = new Map<string | undefined, NumberFormat | undefined>(
    BUILT_IN.flatMap(([format, ids]) => ids.map((id) => [String(id), format] as const)),
  )
  const styles: CellFormat[] = []
  const struckFonts: boolean[] = []
  let isFonts = false
  let isCellStyles = false
  await parseAll(archive, path, {
    open(name, attributes) {
      if (formats.size === MOST_FORMATS) throw tooMany(archive.path, MOST_FORMATS, 'number formats')
      if (Math.max(struckFonts.length, styles.length) === MOST_STYLES)
        throw tooMany(archive.path, MOST_STYLES, 'styles')
      const id = attributes.get('numFmtId')
      if (name === 'numFmt') formats.set(id, readNumberFormat(attributes.get('formatCode') ?? ''))
      else if (name === 'fonts') isFonts = true
      else if (name === 'font' && isFonts) struckFonts.push(false)
      else if (name === 'strike' && isFonts) struckFonts[struckFonts.length - 1] = isOn(attributes)
      else if (name === 'cellXfs') isCellStyles = true
      else if (name === 'xf' && isCellStyles) {
        const isStruck = struckFonts[Number(attributes.get('fontId') ?? 0)] ?? false
        styles.push({ number: formats.get(id), isStruck })
      }
    },
    close(name) {
      if (name === 'fonts') isFonts = false
      if (name === 'cellXfs') isCellStyles = false
    },
  })
  return styles
}

async function readSharedTexts(archive: WorkbookArchive, path: string): Promise<TextStore> {
  const texts = new TextStore()
  const add = (text: string, isStruck: boolean): void => {
    texts.add(text, isStruck)
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
  /** True for a file that is there and not empty. */
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
    const found = await readContainer(file)
    if (found === undefined) throw notAWorkbook(path)
    const unpackedBytes = found.reduce((sum, { bytes }) => sum + bytes, 0)
    if (unpackedBytes > LARGEST_BYTES) throw tooLarge(path, `unpacks to ${formatBytes(unpackedBytes)}`)
    const entries = new Map<string, ArchiveEntry>()
    /** Names of several files that differ; some writers repeat one as it is. */
    const twice = new Set<string>()
    for (const entry of found) {
      const name = plainName(entry.name).toLowerCase()
      const other = entries.get(name) ?? entry
      if (other.bytes !== entry.bytes || other.crc32 !== entry.crc32) twice.add(name)
      entries.set(name, entry)
    }
    return {
      path,
      has: (name) => (entries.get(name.toLowerCase())?.bytes ?? 0) > 0,
      async *text(name) {
        const entry = entries.get(name.toLowerCase())
        if (entry === undefined) return
        if (twice.has(name.toLowerCase())) throw isTwice(path, name)
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
  const kind = nameBinary(head) ?? shapeOf(decodeText(head) ?? '', false)
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
    hint: SAVE_AGAIN,
  })
}

/** Programs differ in which of the two they read. */
function isTwice(path: string, name: string): Failure {
  const message = `${path} is damaged: it has the file ${JSON.stringify(cleanText(name, 80))} twice`
  return new Failure('usage', message, { file: path, hint: SAVE_AGAIN })
}

/** The failure of a workbook that would take too much memory. */
function tooLarge(path: string, what: string): Failure {
  return new Failure('usage', `${path} ${what}, too much for a workbook`, {
    file: path,
    hint: 'save the sheet as CSV, which can have any size',
  })
}

function tooMany(path: string, count: number, what: string): Failure {
  return tooLarge(path, `has more than ${formatCount(count)} ${what}`)
}

/** A sheet that is not read although it has parts. */
export interface OtherSheet {
  readonly name: string
  readonly parts: number
}

/** The sheet of a workbook that holds the list; `await using` closes the workbook. */
interface OpenSheet extends AsyncDisposable {
  readonly sheet: { readonly name: string; readonly isHidden: boolean; readonly of: number }
  readonly rows: () => AsyncGenerator<readonly TableRow[]>
  /** The names of sheets whose file is not there. */
  readonly missing: readonly string[]
  /** Complete when the rows have been read. */
  readonly facts: SheetFacts
  /** The other sheets: those that have part numbers, with how many, and the account of all. */
  readonly others: () => Promise<{
    readonly withParts: readonly OtherSheet[]
    readonly account: AccountEntry
  }>
}

/**
 * Opens the sheet that is named or numbered (from 1), else the one with the best parts list, visible ones before hidden ones. Cells
 * read as their user sees them: numbers and dates come with a doubt, because what was typed is not in the file.
 */
export async function openSheet(
  world: World,
  file: ListFile,
  chosen: ChosenColumns,
  wanted: string | undefined,
): Promise<OpenSheet> {
  const workbook = await openWorkbook(world, file)
  try {
    const { sheets, missing } = workbook
    const profiled = wanted === undefined ? await profiledSheets(sheets, chosen) : []
    const sheet = wanted === undefined ? profiled[0]!.sheet : namedSheet(sheets, wanted, file.path)
    const facts = noFacts()
    return {
      sheet: { name: sheet.name, isHidden: sheet.isHidden, of: sheets.length },
      missing,
      facts,
      rows: () => tableRowsOf(sheet, facts),
      async others() {
        const account = new Account()
        account.arrive(sheets.length + missing.length)
        account.use()
        for (const name of missing) account.name('missing in the file', shownName(name))
        const withParts = []
        for (const other of sheets) {
          if (other === sheet) continue
          const known = profiled.find((one) => one.sheet === other)
          const layout = known?.layout ?? known?.doubtful
          const own = known?.hasHeadings === false ? profiled[0]!.layout : undefined
          const parts =
            layout !== undefined
              ? await countParts(other, layout)
              : own === undefined
                ? 0
                : await countFurther(other, own)
          if (parts > 0) withParts.push({ name: other.name, parts })
          account.name(reasonOf(known, parts), shownName(other.name))
        }
        return { withParts, account: account.close('sheets') }
      },
      [Symbol.asyncDispose]: () => workbook[Symbol.asyncDispose](),
    }
  } catch (error) {
    await workbook[Symbol.asyncDispose]()
    throw error
  }
}

/** Why a sheet is not read. */
function reasonOf(known: ProfiledSheet | undefined, parts: number): string {
  if (known === undefined) return 'not chosen'
  if (parts > 0) return 'other part numbers'
  if (known.isEmpty) return 'empty'
  return known.mayHaveParts ? 'perhaps part numbers' : 'no part numbers'
}

interface ProfiledSheet {
  readonly sheet: Sheet
  /** How it is read; undefined for a sheet without a column of part numbers. */
  readonly layout: Layout | undefined
  /** How it is read by the first of several columns that could have the part numbers. */
  readonly doubtful: Layout | undefined
  readonly isEmpty: boolean
  readonly hasHeadings: boolean
  /** One of its columns may have part numbers after all. */
  readonly mayHaveParts: boolean
  readonly quality: number
}

/** Between sheets that all say what their columns are, the number of lines with part numbers decides. */
const HEADINGS_SAY = 40

const NAMED_LIST =
  /\bbom\b|bill of materials?|parts?[ _-]?list|stückliste|stueckliste|nomenclature|distinta|lista de (?:materiales|partes|peças)|部品表|物料清单/i
const NAMED_OTHER =
  /quote|orders?\b|price|cart\b|inventory|\bold\b|archive|\bstock\b|angebot|bestellung|preis|lager|\balt\b|devis|在庫|库存/i

/** The sheets of a workbook, the best parts list first. */
async function profiledSheets(
  sheets: readonly Sheet[],
  chosen: ChosenColumns,
): Promise<readonly ProfiledSheet[]> {
  const profiled: ProfiledSheet[] = []
  for (const [index, sheet] of sheets.entries()) {
    const rows: (readonly string[])[] = []
    for await (const batch of tableRowsOf(sheet)) {
      for (const { cells } of batch) rows.push(cells)
      if (rows.length >= FIRST_ROWS) break
    }
    const profile = profileTable(rows, chosen)
    const { layout, doubtful, mayHaveParts } = layoutOf(profile, chosen)
    const read = layout === undefined ? [] : [layout.columns.part, ...layout.alternates]
    const numbers = read.map((column) => profile.columns[column.index]!.values.filled)
    const size = layout === undefined ? rows.length : largest(numbers)
    profiled.push({
      sheet,
      layout,
      doubtful,
      mayHaveParts,
      isEmpty: rows.length === 0,
      hasHeadings: profile.headingRow >= 0,
      quality:
        Math.min(HEADINGS_SAY, profile.quality) +
        4 * Math.log10(1 + size) -
        0.3 * index +
        (NAMED_LIST.test(sheet.name) ? 2 : NAMED_OTHER.test(sheet.name) ? -2 : 0),
    })
  }
  const isList = ({ layout }: ProfiledSheet): number => Number(layout !== undefined)
  return profiled.sort(
    (a, b) =>
      isList(b) - isList(a) || Number(a.sheet.isHidden) - Number(b.sheet.isHidden) || b.quality - a.quality,
  )
}

function layoutOf(
  profile: Profile,
  chosen: ChosenColumns,
): Pick<ProfiledSheet, 'layout' | 'doubtful' | 'mayHaveParts'> {
  const none = { layout: undefined, doubtful: undefined, mayHaveParts: false }
  if (profile.headingRow < 0) return none
  try {
    return { ...none, layout: decideLayout(profile, '', chosen) }
  } catch (error) {
    if (!isFailure(error)) throw error
    const [first, second] = error.details.options ?? []
    const part = second?.startsWith('parts-column ') ? /\d+$/.exec(first!)?.[0] : undefined
    return {
      layout: undefined,
      mayHaveParts: first !== undefined && profile.numbers().length > 0,
      doubtful: part === undefined ? undefined : decideLayout(profile, '', { ...chosen, part }),
    }
  }
}

/** The different values of the part number column. */
async function countParts(sheet: Sheet, { headingRow, columns: { part } }: Layout): Promise<number> {
  const parts = new Set<string>()
  let above = headingRow + 1
  for await (const rows of tableRowsOf(sheet)) {
    for (const { cells } of rows.slice(above)) {
      const value = (cells[part.index] ?? '').trim()
      if (/\d/.test(value) && !isNoPartNumber(value)) parts.add(value)
    }
    above = Math.max(0, above - rows.length)
  }
  return parts.size
}

/** The different part numbers of a sheet without headings whose rows are like those of the list; 0 for one with other rows. */
async function countFurther(sheet: Sheet, { width, columns: { part } }: Layout): Promise<number> {
  const parts = new Set<string>()
  let [likely, others] = [0, 0]
  for await (const rows of tableRowsOf(sheet)) {
    for (const { cells } of rows) {
      const value = (cells[part.index] ?? '').trim()
      const isLike = /\d/.test(value) && part.usual?.kinds.includes(valueKind(value)) === true
      if (isLike && countFilled(cells) >= Math.min(2, width)) {
        likely += 1
        parts.add(value)
      } else if (cells.some((cell) => cell.trim() !== '')) others += 1
    }
  }
  return likely > others ? parts.size : 0
}

function namedSheet(sheets: readonly Sheet[], wanted: string, file: string): Sheet {
  const folded = wanted.trim().toLowerCase()
  const found =
    sheets.find(({ name }) => name === wanted) ??
    sheets.find(({ name }) => name.trim().toLowerCase() === folded) ??
    (/^\d+$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined)
  if (found !== undefined) return found
  const names = sheets.map(({ name }, index) => `${index + 1} ${shownName(name)}`)
  throw new Failure('usage', `${file} has no sheet ${JSON.stringify(cleanText(wanted, 80))}`, {
    file,
    hint: `it has ${names.slice(0, 12).join(', ')}${names.length > 12 ? ' …' : ''}`,
    options: ['sheet'],
  })
}

function shownName(name: string): string {
  return JSON.stringify(cleanText(name, 40))
}

async function* tableRowsOf(
  sheet: Sheet,
  facts: SheetFacts = noFacts(),
): AsyncGenerator<readonly TableRow[]> {
  let empty = 0
  for await (const rows of sheet.rows(facts)) {
    let piece: TableRow[] = []
    let size = 0
    for (const row of rows) {
      const { cells, ...more } = tableRow(row)
      if (cells.length > WIDE) empty += cells.length - row.cells.length
      if (empty > MOST_EMPTY) throw tooFar(sheet.name, row.line, cells.length)
      piece.push(withShortCells({ ...more, cells }))
      size += cells.length
      if (size < PIECE_CELLS) continue
      yield piece
      piece = []
      size = 0
    }
    yield piece
  }
}

function tooFar(sheet: string, line: number, column: number): Failure {
  const where = `column ${formatCount(column)} of row ${formatCount(line)}`
  return new Failure('usage', `sheet ${shownName(sheet)} has values as far to the right as ${where}`, {
    hint: 'delete what stands far to the right of the list',
  })
}

function tableRow({ line, cells: sparse, struck, isHidden }: SheetRow): TableRow {
  const cells: string[] = []
  let typed: Record<number, TypedCell> | undefined
  for (const { column, value } of sparse) {
    while (cells.length < column) cells.push('')
    const text = textOf(value)
    cells[column] = text
    if (typeof value === 'string' || isPlain(value)) continue
    typed ??= {}
    typed[column] = value
  }
  return {
    line,
    cells,
    ...(typed === undefined ? {} : { typed }),
    ...(struck.length === 0 ? {} : { struck }),
    ...(isHidden ? { isHidden } : {}),
  }
}

/** A number that is shown by its digits. */
function isPlain(value: TypedCell): boolean {
  return (
    'digits' in value &&
    value.format === undefined &&
    value.isFormulaZero !== true &&
    /^\d{1,15}$/.test(value.digits)
  )
}
