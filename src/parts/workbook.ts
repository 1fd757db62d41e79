import { openArchiveFile } from '../archive/archive-file.ts'
import { NO_ARCHIVE_LIMITS } from '../archive/archive-limits.ts'
import { inflateChunks } from '../archive/entry-data.ts'
import { readArchive } from '../archive/read-archive.ts'
import { Failure, isFailure } from '../base/failure.ts'
import { findSignature } from '../base/file-signatures.ts'
import { formatBytes, formatCount } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { createXmlReader, type XmlHandler, XmlProblem } from '../base/xml.ts'
import { createXmlDecoder } from '../base/xml-decoder.ts'
import { type ListFile, nameBinary, openList } from './list-source.ts'
import { type NumberFormat, readNumberFormat } from './number-format.ts'
import { readRows, readTexts, type SheetRow, TextStore } from './sheet-rows.ts'

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  /** Reads the rows from the top, in batches. Rows without values are left out. */
  readonly rows: () => AsyncGenerator<readonly SheetRow[]>
}

/** An open workbook; `await using` closes it. */
export interface Workbook extends AsyncDisposable {
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
