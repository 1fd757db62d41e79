import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

/** What a byte order mark announces. Nothing here reads UTF-32. */
interface ByteOrderMark {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32'
  /** The length of the mark. */
  readonly bytes: number
}

/** The byte order mark at the start of a text of at least 4 bytes, if it has as many; undefined without one. */
export function byteOrderMark(head: Buffer): ByteOrderMark | undefined {
  const mark = head.toString('hex', 0, 4)
  if (mark === 'fffe0000' || mark === '0000feff') return { encoding: 'utf-32', bytes: 4 }
  if (mark.startsWith('efbbbf')) return { encoding: 'utf-8', bytes: 3 }
  if (mark.startsWith('fffe')) return { encoding: 'utf-16le', bytes: 2 }
  if (mark.startsWith('feff')) return { encoding: 'utf-16be', bytes: 2 }
  return undefined
}

/** The text of Windows-1252 bytes. */
export function decodeWindows1252(bytes: Buffer): string {
  // Without `stream`, Node 20 reads Windows-1252 as Latin-1 (nodejs/node 56542).
  return new TextDecoder('windows-1252').decode(bytes, { stream: true })
}

/**
 * The text of a file that people wrote, without its byte order mark, which decides the encoding. Without one it is UTF-8; each line that is
 * not is Windows-1252. Undefined for what is no text: a NUL character, UTF-32, broken UTF-16.
 */
export function decodeText(bytes: Buffer): string | undefined {
  const mark = byteOrderMark(bytes)
  const rest = bytes.subarray(mark?.bytes ?? 0)
  if (mark?.encoding === 'utf-32') return undefined
  const isUtf16 = mark?.encoding === 'utf-16le' || mark?.encoding === 'utf-16be'
  const text = isUtf16 ? decodeUtf16(rest, mark.encoding) : decodeLines(rest)
  return text?.includes('\0') === true ? undefined : text
}

function decodeUtf16(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function decodeLines(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return bytes
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line, 'latin1'))
    .map((line) => (isUtf8(line) ? line.toString('utf8') : decodeWindows1252(line)))
    .join('\n')
}
