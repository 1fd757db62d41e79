import type { ZipFile } from 'yauzl'
import { fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import type { ZipBytes } from './archive-file.ts'
import type { EndRecord } from './end-record.ts'

/** An archive open in yauzl, and its bytes beside that for what yauzl leaves out. */
export interface OpenZip {
  readonly zip: ZipFile
  /** Exactly `length` bytes at `position`, good until the next call. */
  readonly bytesAt: (position: number, length: number) => Buffer
}

/** Opens an archive whose end record is right in yauzl. */
export async function openZip(file: ZipBytes, end: EndRecord): Promise<OpenZip> {
  const reader = new WindowReader(file, end)
  const zip = await fromRandomAccessReaderPromise(reader, end.archiveBytes, {
    lazyEntries: true,
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: false,
  })
  return { zip, bytesAt: (position, length) => reader.bytesAt(position, length) }
}

/** The end of the file, where yauzl wants more. */
export class CutShort extends Error {}

/**
 * Answers yauzl at once from two windows on the file: the directory is read from one while the local headers are read from the other.
 */
class WindowReader extends RandomAccessReader {
  readonly #file: ZipBytes
  readonly #end: EndRecord
  readonly #directory = new Window()
  readonly #entries = new Window()

  constructor(file: ZipBytes, end: EndRecord) {
    super()
    this.#file = file
    this.#end = end
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let found: Buffer
    try {
      found = this.bytesAt(position, length)
    } catch (error) {
      callback(error as Error)
      return
    }
    found.copy(buffer, offset)
    callback(null)
  }

  bytesAt(position: number, length: number): Buffer {
    const { archiveBytes, directoryOffset } = this.#end
    if (position + length > archiveBytes) throw new CutShort('unexpected end of the archive')
    const window = position >= directoryOffset ? this.#directory : this.#entries
    return window.bytesAt(this.#file, archiveBytes, position, length)
  }
}

const WINDOW_BYTES = 1024 ** 2
const JUMP_BYTES = 4096

/** Headers closer together than this are read in one piece. */
const NEAR_BYTES = 64 * 1024

/** A piece of the file at hand: a large one where reading goes on, a small one where it jumps. */
class Window {
  #buffer: Buffer = Buffer.alloc(0)
  #bytes: Buffer = this.#buffer
  #start = 0

  bytesAt(file: ZipBytes, limit: number, position: number, length: number): Buffer {
    const from = position - this.#start
    if (from >= 0 && from + length <= this.#bytes.length) return this.#bytes.subarray(from, from + length)
    const isNear = from >= 0 && from <= this.#bytes.length + NEAR_BYTES
    const wanted = Math.min(Math.max(length, isNear ? WINDOW_BYTES : JUMP_BYTES), limit - position)
    if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafeSlow(wanted)
    this.#bytes = file.readNow(position, wanted, this.#buffer)
    this.#start = position
    return this.#bytes.subarray(0, length)
  }
}
