import type { ZipBytes } from '../../src/archive/archive-file.ts'

/** An archive in memory, read like a file. */
export function bufferReader(bytes: Buffer): ZipBytes {
  const read = (offset: number, length: number): Buffer => {
    if (offset < 0 || offset + length > bytes.length)
      throw new RangeError(`read beyond the end: ${offset}+${length}`)
    return Buffer.from(bytes.subarray(offset, offset + length))
  }
  return {
    size: bytes.length,
    read: (offset, length, into) => {
      const bytes = read(offset, length)
      if (into === undefined) return bytes
      bytes.copy(into)
      return into.subarray(0, length)
    },
  }
}
