import { formatBytes, formatCount } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { createXmlReader, type XmlHandler, XmlProblem } from '../base/xml.ts'
import type { ListFile } from './list-source.ts'
import { type NumberFormat, readNumberFormat } from './number-format.ts'
import { readRows, readTexts, type SheetRow } from './sheet-rows.ts'
import { createTextStore, type TextStore } from './text-store.ts'
import { notAWorkbook, openWorkbookArchive, tooLarge, type WorkbookArchive } from './workbook-archive.ts'

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
  const texts = createTextStore()
  const add = (text: string): void => {
    texts.add(text)
    if (texts.bytes() > MOST_TEXT)
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
