import type { ZipFile } from 'yauzl'
import { fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import type { ZipBytes } from './archive-file.ts'
import type { EndRecord } from './end-record.ts'

/** An archive open in yauzl, and direct access to its bytes. */
export interface OpenZip {
  readonly zip: ZipFile
  /** Fills a buffer with the bytes from this position, and returns it. */
  readonly fill: (buffer: Buffer, position: number) => Buffer
}

/** Opens an archive with a valid end record in yauzl. */
export async function openZip(file: ZipBytes, end: EndRecord): Promise<OpenZip> {
  const reader = new WindowReader(file, end)
  const zip = await fromRandomAccessReaderPromise(reader, end.archiveBytes, {
    lazyEntries: true,
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: false,
    // The default. yauzl adds what is missing to a copy of these options, which costs memory for each archive.
    strictFileNames: false,
  })
  const fill = (buffer: Buffer, position: number): Buffer => {
    reader.copy(buffer, 0, buffer.length, position)
    return buffer
  }
  return { zip, fill }
}

/** yauzl tried to read beyond the end of the archive. */
export class CutShort extends Error {}

/** Reads synchronously from two windows of the file, one for the directory and one for the local headers. */
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
    try {
      this.copy(buffer, offset, length, position)
    } catch (error) {
      callback(error as Error)
      return
    }
    callback(null)
  }

  copy(buffer: Buffer, offset: number, length: number, position: number): void {
    const { archiveBytes, directoryOffset } = this.#end
    if (position + length > archiveBytes) throw new CutShort('unexpected end of the archive')
    const window = position >= directoryOffset ? this.#directory : this.#entries
    window.copy(this.#file, archiveBytes, buffer, offset, length, position)
  }
}

const WINDOW_BYTES = 1024 ** 2
const JUMP_BYTES = 4096

/** Headers closer together than this are read in one piece. */
const NEAR_BYTES = 64 * 1024

/** A piece of the file in memory: a large one for sequential reading, a small one for jumps. */
class Window {
  #buffer: Buffer = Buffer.alloc(0)
  #bytes: Buffer = this.#buffer
  #start = 0

  copy(
    file: ZipBytes,
    limit: number,
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): void {
    const from = position - this.#start
    if (from >= 0 && from + length <= this.#bytes.length) {
      this.#bytes.copy(buffer, offset, from, from + length)
      return
    }
    const isNear = from >= 0 && from <= this.#bytes.length + NEAR_BYTES
    const wanted = Math.min(Math.max(length, isNear ? WINDOW_BYTES : JUMP_BYTES), limit - position)
    if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafeSlow(wanted)
    this.#bytes = file.read(position, wanted, this.#buffer)
    this.#start = position
    this.#bytes.copy(buffer, offset, 0, length)
  }
}
