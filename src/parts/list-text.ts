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
  const nul = bytes.indexOf(0)
  if (nul >= 0) {
    throw notText(
      name,
      firstLine + countBreaks(bytes, nul),
      'there is a NUL byte',
      'is it UTF-16 without a byte order mark?',
    )
  }
  if (isAscii(bytes)) return withLineFeeds(bytes.toString('latin1'))
  if (isUtf8(bytes)) return withLineFeeds(bytes.toString('utf8'))
  const line = firstLine + countBreaks(bytes, firstInvalid(bytes))
  throw notText(name, line, 'the bytes are not UTF-8', 'is it Windows-1252 or Latin-1?')
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

function countBreaks(bytes: Buffer, end: number): number {
  return countLines(withLineFeeds(bytes.toString('latin1', 0, end)))
}

/** The end of the longest prefix that is UTF-8, by bisection. A character cut at the end does not count as invalid. */
function firstInvalid(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isUtf8(wholeCharacters(bytes, middle))) good = middle
    else bad = middle
  }
  return good
}

function wholeCharacters(bytes: Buffer, end: number): Buffer {
  let start = end
  while (start > 0 && end - start < 3 && (bytes[start - 1]! & 0xc0) === 0x80) start -= 1
  const lead = start > 0 ? bytes[start - 1]! : 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return bytes.subarray(0, lead >= 0xc0 && start - 1 + length > end ? start - 1 : end)
}

async function* asUtf8(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  let decoder: TextDecoder | undefined
  let line = 1
  const recode = (chunk: Buffer | undefined): Buffer => {
    try {
      const text = chunk === undefined ? decoder!.decode() : decoder!.decode(chunk, { stream: true })
      line += countLines(text)
      return Buffer.from(text, 'utf8')
    } catch {
      throw notText(
        name,
        line,
        'the bytes are not the UTF-16 that the byte order mark announces',
        'is it truncated?',
      )
    }
  }
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield decoder === undefined ? chunk : recode(chunk)
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < 4) continue
    const [start, encoding] = afterMark(head, name)
    if (encoding !== undefined) decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    head = undefined
    yield decoder === undefined ? start : recode(start)
  }
  if (head !== undefined) {
    const [start, encoding] = afterMark(head, name)
    if (encoding !== undefined) decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    yield decoder === undefined ? start : recode(start)
  }
  if (decoder !== undefined) yield recode(undefined)
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
