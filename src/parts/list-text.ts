import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { byteOrderMark, decodeWindows1252 } from '../base/decode-text.ts'
import { Failure } from '../base/failure.ts'
import { type FileFormat, findSignature } from '../base/file-signatures.ts'
import { formatBytes } from '../base/units.ts'
import type { InputStream } from '../base/world.ts'
import { InputProblem, isWrongPath, unreadableInput } from '../fs/disk-failure.ts'
import { bounded, type InputFile, type InputWorld, openInputFile } from '../fs/input-file.ts'
import { ENCODINGS } from './encodings.ts'

/** A list on disk: the path in messages, and the absolute path. */
export interface ListFile {
  readonly path: string
  readonly absolute: string
}

/** Where a list comes from. */
export type ListSource = ListFile | { readonly stdin: InputStream }

/** The name of a list in messages. */
export function nameOf(source: ListSource): string {
  return 'path' in source ? source.path : 'standard input'
}

/** A list with more bytes is not one of part numbers. */
const LARGEST_BYTES = 1024 ** 3

/** The bytes of a text list in chunks. Files that are not text by their first bytes are a `usage` failure. */
export async function* listChunks(world: InputWorld, source: ListSource): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of 'path' in source ? fileChunks(world, source) : stdinChunks(source.stdin)) {
    if (isFirst) refuseBinary(chunk, nameOf(source))
    isFirst = false
    yield chunk
  }
}

async function* fileChunks(world: InputWorld, file: ListFile): AsyncGenerator<Buffer> {
  await using input = await openList(world, file)
  try {
    yield* input.chunks()
  } catch (error) {
    world.interrupt.throwIfAborted()
    throw listFailure(file, error)
  }
}

async function* stdinChunks(stdin: InputStream): AsyncGenerator<Buffer> {
  try {
    yield* bounded(stdin, LARGEST_BYTES)
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error
    throw new Failure('usage', `the parts list in standard input ${error.message}`, { hint: error.hint })
  }
}

/** Opens a list for reading. A wrong path or kind of file is a `usage` failure, anything else `io`. */
export async function openList(world: InputWorld, file: ListFile): Promise<InputFile> {
  try {
    return await openInputFile(world, file.absolute, LARGEST_BYTES)
  } catch (error) {
    throw listFailure(file, error)
  }
}

/** The failure of a list that cannot be opened or read. */
function listFailure({ path }: ListFile, cause: unknown): Failure {
  const options = isWrongPath(cause) ? ['parts-file'] : undefined
  return unreadableInput(cause, `the parts list ${path}`, { file: path, options })
}

function refuseBinary(head: Buffer, name: string): void {
  const kind = nameBinary(head)
  if (kind === undefined) return
  throw new Failure('usage', `${name} is ${kind.what}, not a text list of parts`, {
    file: name,
    hint: kind.hint,
  })
}

/** What a file is that is not text, and what to do about it. */
interface BinaryKind {
  readonly what: string
  readonly hint: string
}

// The other signatures are also how a part number may begin.
const HINTS: { readonly [format in FileFormat]?: string } = {
  xls: 'save it without a password as .xlsx, or as CSV UTF-8',
  pdf: 'save the list as text, .csv or .xlsx',
  gzip: 'unpack it first, or pipe in the output of zcat',
  zstd: 'unpack it first',
  bzip2: 'unpack it first',
  xz: 'unpack it first',
  '7z': 'unpack it first',
}

const OTHERS: readonly (readonly [RegExp, string, string?])[] = [
  [
    /^[\x03\x30\x31\x43\x83\x8b\xf5][\x00-\xff][\x01-\x0c][\x01-\x1f][\x00-\xff]{4}[\x00-\xff]{4}\x00\x00/,
    'a dBASE table (.dbf)',
  ],
  [/^\x09[\x00\x02\x04\x08][\x04-\x10]\x00[\x00-\x06]/, 'an old Excel workbook (.xls)'],
  [/^\x00\x00(?:\x02\x00|\x1a\x00)/, 'a Lotus 1-2-3 sheet'],
  [/^(?:\x89PNG|\xff\xd8\xff|GIF8|BM[\x00-\xff]{4}\x00\x00|II\*\x00|MM\x00\*)/, 'a picture'],
  [/^SQLite format 3\x00/, 'an SQLite database'],
  [/^\x00\x01\x00\x00Standard (?:Jet|ACE)/, 'an Access database'],
  [/^(?:ARROW1\x00\x00|PAR1[\x00-\x1f])/, 'a table of Arrow or Parquet'],
  [/^(?:Rar!\x1a\x07|MSCF\x00{4}|[\x00-\xff]{257}ustar)/, 'an archive (RAR, CAB or tar)', 'unpack it first'],
  [/^(?:\x7fELF|MZ\x90\x00)/, 'a program', 'give the list itself'],
]

/** The kind of a file by its first bytes, when it is one of the usual ones that are not text. */
export function nameBinary(head: Buffer): BinaryKind | undefined {
  const signature = findSignature(head)
  if (signature?.format === 'zip') return nameZip(head)
  const other = OTHERS.find(([pattern]) => pattern.test(head.toString('latin1', 0, 512)))
  if (other !== undefined) {
    const [, what, hint = 'open it in the program that wrote it, and save the list as .xlsx or CSV'] = other
    return { what, hint }
  }
  const hint = signature && HINTS[signature.format]
  return hint === undefined ? undefined : { what: signature!.what, hint }
}

function nameZip(head: Buffer): BinaryKind {
  const start = head.toString('latin1', 0, 4096)
  if (start.includes('opendocument')) {
    return { what: 'an OpenDocument spreadsheet', hint: 'save it as .xlsx or as CSV' }
  }
  if (start.includes('[Content_Types].xml') || start.includes('xl/') || start.includes('_rels/')) {
    return { what: 'an Excel workbook', hint: 'give it as a file whose name ends in .xlsx' }
  }
  return { what: 'a ZIP archive', hint: 'unpack it first' }
}

/** Longer lines are not part numbers. */
const LONGEST_LINE_BYTES = 1024 * 1024

/** The first block has as many, for finding headings among them, if the text has. */
const FIRST_LINES = 200

/** Whole lines, ended by `\n` whatever ended them in the file (LF, CRLF or CR). */
export interface TextBlock {
  readonly text: string
  /** The number of the block's first line, from 1. */
  readonly firstLine: number
}

// Names of code pages that the Encoding Standard does not list.
const CODE_PAGES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp936: 'gb18030',
  cp949: 'euc-kr',
  cp950: 'big5',
  ansi: 'windows-1252',
}

/** The encoding with this name; a name that nobody knows is a `usage` failure that lists the known ones. */
export function encodingNamed(name: string): string {
  const label = name.trim().toLowerCase()
  try {
    return new TextDecoder(CODE_PAGES[label] ?? label).encoding
  } catch {
    throw new Failure('usage', `unknown encoding '${name}'`, {
      hint: `known encodings: ${ENCODINGS.join(', ')}`,
      options: ['encoding'],
    })
  }
}

/** The text of a list. `encoding`, `otherLines` and `firstOtherLine` are known when the blocks have been read. */
export class ListText {
  /** UTF-8, or what the byte order mark or the user says; Windows-1252 if some lines were not UTF-8. */
  encoding = 'utf-8'
  /** How many lines were not UTF-8 and were read as Windows-1252, and the first of them. */
  otherLines = 0
  firstOtherLine = 0
  /** The first bytes with such a line. */
  otherBytes: Buffer | undefined
  readonly #chunks: AsyncIterable<Buffer>
  readonly #name: string
  readonly #wanted: string | undefined

  constructor(chunks: AsyncIterable<Buffer>, name: string, wanted?: string) {
    this.#chunks = chunks
    this.#name = name
    this.#wanted = wanted
  }

  /**
   * The text in blocks of whole lines. A byte order mark decides before the wanted encoding does. Without both, a line that is not
   * UTF-8 is read as Windows-1252. A NUL byte, invalid bytes and a line over 1 MiB are `usage` failures that name the line.
   */
  async *blocks(): AsyncGenerator<TextBlock> {
    let rest: Buffer = Buffer.alloc(0)
    let line = 1
    for await (const chunk of this.#asUtf8()) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const end = line === 1 && isShort(bytes) ? 0 : endOfLastLine(bytes)
      if (end > 0) {
        const text = this.#decode(bytes.subarray(0, end), line)
        yield { text, firstLine: line }
        line += countLines(text)
      }
      rest = Buffer.from(bytes.subarray(end))
      if (rest.length > LONGEST_LINE_BYTES) {
        const message = `${this.#name}:${line}: the line is longer than ${formatBytes(LONGEST_LINE_BYTES)}`
        throw new Failure('usage', message, {
          file: this.#name,
          line,
          hint: 'put one part number on each line',
        })
      }
    }
    if (rest.length > 0) yield { text: this.#decode(rest, line), firstLine: line }
  }

  #decode(bytes: Buffer, firstLine: number): string {
    if (bytes.includes(0)) {
      const line = firstLine + linesOf(bytes).findIndex((content) => content.includes(0))
      const isUtf16 = bytes.length > 1 && (bytes[0] === 0) !== (bytes[1] === 0)
      const likely = `encoding utf-16${bytes[0] === 0 ? 'be' : 'le'}`
      throw this.#notText(
        line,
        'there is a NUL byte',
        'is it UTF-16 without a byte order mark?',
        firstLine === 1 && isUtf16 ? likely : undefined,
      )
    }
    if (isAscii(bytes)) return withLineFeeds(bytes.toString('latin1'))
    if (isUtf8(bytes)) return withLineFeeds(bytes.toString('utf8'))
    if (this.#wanted === 'utf-8') {
      const line = firstLine + linesOf(bytes).findIndex((content) => !isUtf8(content))
      throw this.#notText(line, 'the bytes are not UTF-8', 'is it another encoding?')
    }
    const decoded = linesOf(bytes).map((content, index) => {
      if (isUtf8(content)) return content.toString('utf8')
      this.encoding = 'windows-1252'
      this.otherBytes ??= bytes.subarray(0, 64 * 1024)
      this.otherLines += 1
      this.firstOtherLine ||= firstLine + index
      return decodeWindows1252(content)
    })
    return decoded.join('\n')
  }

  async *#asUtf8(): AsyncGenerator<Buffer> {
    let head = Buffer.alloc(0)
    let recode: ((chunk?: Buffer) => Buffer) | undefined
    let isStarted = false
    const start = (): Buffer => {
      const [rest, marked] = this.#afterMark(head)
      this.encoding = marked ?? this.#wanted ?? 'utf-8'
      if (this.encoding === 'utf-8') return rest
      recode = this.#recoder(this.encoding, marked !== undefined)
      return recode(rest)
    }
    for await (const chunk of this.#chunks) {
      if (isStarted) yield recode === undefined ? chunk : recode(chunk)
      else {
        head = Buffer.concat([head, chunk])
        isStarted = head.length >= 4
        if (isStarted) yield start()
      }
    }
    if (!isStarted) yield start()
    if (recode !== undefined) yield recode()
  }

  /** Turns chunks of another encoding into UTF-8; without a chunk, ends the text. */
  #recoder(encoding: string, isMarked: boolean): (chunk?: Buffer) => Buffer {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    let line = 1
    return (chunk) => {
      try {
        const text = decoder.decode(chunk, { stream: chunk !== undefined })
        line += countLines(text)
        return Buffer.from(text, 'utf8')
      } catch {
        const what = isMarked
          ? `the bytes are not the ${encoding.toUpperCase()} that the byte order mark announces`
          : `the bytes are not ${encoding}`
        throw this.#notText(line, what, isMarked ? 'is it truncated?' : 'is it another encoding?')
      }
    }
  }

  #afterMark(head: Buffer): readonly [Buffer, string | undefined] {
    const mark = byteOrderMark(head)
    if (mark?.encoding === 'utf-32') throw this.#notText(1, 'the text is UTF-32', '')
    return [head.subarray(mark?.bytes), mark?.encoding]
  }

  #notText(line: number, what: string, guess: string, option = 'encoding'): Failure {
    return new Failure('usage', `${this.#name}:${line}: ${what}`, {
      file: this.#name,
      line,
      hint: `${guess} save the list as UTF-8, or name its encoding`.trimStart(),
      options: [option],
    })
  }
}

function isShort(bytes: Buffer): boolean {
  if (bytes.length >= LONGEST_LINE_BYTES) return false
  return withLineFeeds(bytes.toString('latin1')).split('\n', FIRST_LINES).length < FIRST_LINES
}

/** A CR at the very end may be the first half of a CRLF. */
function endOfLastLine(bytes: Buffer): number {
  const lineFeed = bytes.lastIndexOf(0x0a)
  if (lineFeed >= 0) return lineFeed + 1
  return bytes.length < 2 ? 0 : bytes.lastIndexOf(0x0d, bytes.length - 2) + 1
}

function linesOf(bytes: Buffer): readonly Buffer[] {
  return withLineFeeds(bytes.toString('latin1'))
    .split('\n')
    .map((line) => Buffer.from(line, 'latin1'))
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
