import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { Failure } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'

/** Longer lines are not part numbers. */
const LONGEST_LINE_BYTES = 1024 * 1024

/** Whole lines, ended by `\n` whatever ended them in the file (LF, CRLF or CR). */
export interface TextBlock {
  readonly text: string
  /** The number of the block's first line, from 1. */
  readonly firstLine: number
}

/**
 * The text of a list in blocks of whole lines: UTF-8 with or without a byte order mark, UTF-16 with one. A NUL byte, invalid
 * bytes and a line over 1 MiB are `usage` failures that name the line.
 */
export async function* textBlocks(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<TextBlock> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  for await (const chunk of asUtf8(chunks, name)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = endOfLastLine(bytes)
    if (end > 0) {
      const text = decode(bytes.subarray(0, end), name, line)
      yield { text, firstLine: line }
      line += countLines(text)
    }
    rest = Buffer.from(bytes.subarray(end))
    if (rest.length > LONGEST_LINE_BYTES) {
      const message = `${name}:${line}: the line is longer than ${formatBytes(LONGEST_LINE_BYTES)}`
      throw new Failure('usage', message, { file: name, line, hint: 'put one part number on each line' })
    }
  }
  if (rest.length > 0) yield { text: decode(rest, name, line), firstLine: line }
}

/** A CR at the very end may be the first half of a CRLF. */
function endOfLastLine(bytes: Buffer): number {
  const lineFeed = bytes.lastIndexOf(0x0a)
  if (lineFeed >= 0) return lineFeed + 1
  return bytes.length < 2 ? 0 : bytes.lastIndexOf(0x0d, bytes.length - 2) + 1
}

function decode(bytes: Buffer, name: string, firstLine: number): string {
  if (bytes.includes(0)) {
    const line = firstLine + findLine(bytes, (content) => content.includes(0))
    throw notText(name, line, 'there is a NUL byte', 'is it UTF-16 without a byte order mark?')
  }
  if (isAscii(bytes)) return withLineFeeds(bytes.toString('latin1'))
  if (isUtf8(bytes)) return withLineFeeds(bytes.toString('utf8'))
  const line = firstLine + findLine(bytes, (content) => !isUtf8(content))
  throw notText(name, line, 'the bytes are not UTF-8', 'is it Windows-1252 or Latin-1?')
}

function findLine(bytes: Buffer, matches: (content: Buffer) => boolean): number {
  const lines = withLineFeeds(bytes.toString('latin1')).split('\n')
  return lines.findIndex((line) => matches(Buffer.from(line, 'latin1')))
}

function notText(name: string, line: number, what: string, guess: string): Failure {
  return new Failure('usage', `${name}:${line}: ${what}`, {
    file: name,
    line,
    hint: `${guess} save the list as UTF-8`.trimStart(),
  })
}

function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

async function* asUtf8(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0)
  let recode: ((chunk?: Buffer) => Buffer) | undefined
  let isStarted = false
  const start = (): Buffer => {
    const [rest, encoding] = afterMark(head, name)
    if (encoding === undefined) return rest
    recode = createRecoder(encoding, name)
    return recode(rest)
  }
  for await (const chunk of chunks) {
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

/** Turns chunks of UTF-16 into UTF-8; without a chunk, ends the text. */
function createRecoder(encoding: 'utf-16le' | 'utf-16be', name: string): (chunk?: Buffer) => Buffer {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  let line = 1
  return (chunk) => {
    try {
      const text = decoder.decode(chunk, { stream: chunk !== undefined })
      line += countLines(text)
      return Buffer.from(text, 'utf8')
    } catch {
      const what = 'the bytes are not the UTF-16 that the byte order mark announces'
      throw notText(name, line, what, 'is it truncated?')
    }
  }
}

function afterMark(head: Buffer, name: string): readonly [Buffer, 'utf-16le' | 'utf-16be' | undefined] {
  const mark = head.toString('hex', 0, 4)
  if (mark === 'fffe0000' || mark === '0000feff') {
    throw notText(name, 1, 'the text is UTF-32', '')
  }
  if (mark.startsWith('efbbbf')) return [head.subarray(3), undefined]
  if (mark.startsWith('fffe')) return [head.subarray(2), 'utf-16le']
  if (mark.startsWith('feff')) return [head.subarray(2), 'utf-16be']
  return [head, undefined]
}
