import { cleanText } from '../base/clean-text.ts'
import { XmlProblem } from '../base/xml.ts'
import { createXmlDecoder, decodeXml } from '../base/xml-decoder.ts'
import type { Article, DeclarationHeader } from '../compliance/declaration.ts'
import {
  createDeclarationReader,
  type DeclarationReader,
  NotADeclaration,
} from '../declaration/read-declaration.ts'
import { type PartFacts, partFacts, partRow } from './part-rows.ts'
import type { Gathering } from './report-gathering.ts'
import { type SubstanceRow, unreadableRow } from './report-row.ts'
import { substanceRows } from './substance-rows.ts'

/** The bytes of a file: whole, as an array of one, or piece by piece. */
export type Pieces = readonly Buffer[] | Iterable<Buffer> | AsyncIterable<Buffer>

export interface FileWish {
  /** What the rows call the file. */
  readonly source: string
  /** False for a file that may be anything: it is left out when it does not look like XML. */
  readonly mustBeXml: boolean
  /** Take every piece, even of a file that turned out broken. */
  readonly toTheEnd: boolean
  readonly substances: boolean
}

/** Rows of one file are held back until its end shows it whole, up to these bounds; beyond, the file is read twice. */
const HELD_ROWS = 2_000
const HELD_CHARACTERS = 8 * 1024 * 1024

/** Reads one file into rows; a broken or foreign one is a single row that says why. Memory follows its largest product. */
export async function readReportFile(open: () => Pieces, wish: FileWish, gathered: Gathering): Promise<void> {
  const { source } = wish
  const held = createHeld(wish)
  const reader = createDeclarationReader(held.take)
  try {
    if (!(await feed(reader, open(), wish))) return gathered.skip(source)
    gathered.file()
    if (held.isTooMuch()) return await readAgain(open, reader.header(), wish, gathered)
    for (const part of held.parts) gathered.row(partRow(part, reader.header(), source))
    if (held.parts.length === 0) gathered.row(unreadableRow(source, 'an IPC-1752 file without a product'))
    for (const row of held.substances) gathered.substance(row)
  } catch (error) {
    if (!isAboutTheFile(error)) throw error
    gathered.file()
    gathered.row(unreadableRow(source, cleanText(error.message)))
  }
  await gathered.flushIfFull()
}

interface Held {
  readonly take: (product: Article) => void
  readonly parts: readonly PartFacts[]
  readonly substances: readonly SubstanceRow[]
  readonly isTooMuch: () => boolean
}

function createHeld({ source, substances: wantsSubstances }: FileWish): Held {
  const parts: PartFacts[] = []
  const substances: SubstanceRow[] = []
  let characters = 0
  let isTooMuch = false
  const weigh = (text: number): void => {
    characters += text
    isTooMuch ||= characters > HELD_CHARACTERS || parts.length + substances.length > HELD_ROWS
  }
  return {
    parts,
    substances,
    isTooMuch: () => isTooMuch,
    take(product) {
      if (isTooMuch) return
      for (const part of partFacts(product)) {
        parts.push(part)
        weigh(part.note.length + part.svhc.length + part.exemptions.length)
      }
      if (!wantsSubstances) return
      for (const row of substanceRows(product, source)) {
        substances.push(row)
        weigh(row.material.length + row.substance.length)
        if (isTooMuch) return
      }
    },
  }
}

/** The second reading of a file with very many parts: it is known to be whole, so its rows go on as they come. */
async function readAgain(
  open: () => Pieces,
  header: DeclarationHeader,
  wish: FileWish,
  gathered: Gathering,
): Promise<void> {
  const products: Article[] = []
  const reader = createDeclarationReader((product) => void products.push(product))
  await feed(reader, open(), wish, async () => {
    for (const product of products.splice(0)) {
      for (const part of partFacts(product)) gathered.row(partRow(part, header, wish.source))
      await gathered.flushIfFull()
      if (!wish.substances) continue
      for (const row of substanceRows(product, wish.source)) {
        gathered.substance(row)
        await gathered.flushIfFull()
      }
    }
  })
}

/** Feeds a reader to the end; false when the file is no XML and need not be. */
async function feed(
  reader: DeclarationReader,
  pieces: Pieces,
  { mustBeXml, toTheEnd }: FileWish,
  pause?: () => Promise<void>,
): Promise<boolean> {
  const [whole] = Array.isArray(pieces) ? (pieces as readonly Buffer[]) : []
  if (whole) {
    if (!mustBeXml && !startsLikeXml(whole)) return false
    reader.write(decodeXml(whole))
    reader.end()
    await pause?.()
    return true
  }
  const decoder = createXmlDecoder()
  let isFirst = true
  let isXml = true
  let problem: unknown
  for await (const piece of pieces) {
    if (piece.length === 0) continue
    if (isFirst) isXml = mustBeXml || startsLikeXml(piece)
    isFirst = false
    if (!isXml || problem !== undefined) continue
    try {
      reader.write(decoder.write(piece))
    } catch (error) {
      if (!toTheEnd || !isAboutTheFile(error)) throw error
      problem = error
    }
    await pause?.()
  }
  if (problem !== undefined) throw problem
  if (!isXml) return false
  reader.write(decoder.end())
  reader.end()
  await pause?.()
  return true
}

function isAboutTheFile(error: unknown): error is XmlProblem | NotADeclaration {
  return error instanceof XmlProblem || error instanceof NotADeclaration
}

/** True when the first visible byte is `<`, whatever stands for a byte order mark or the zero half of UTF-16 before it. */
function startsLikeXml(bytes: Buffer): boolean {
  return bytes.subarray(0, 64).find((byte) => !BLANK.has(byte)) === 0x3c
}

const BLANK = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xbb, 0xbf, 0xef, 0xfe, 0xff])
