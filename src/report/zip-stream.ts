import { constants, crc32, deflateRawSync } from 'node:zlib'

/** Writes the ZIP archive that a spreadsheet is, entry by entry, holding nothing but the directory. */
export interface ZipStream {
  /** Begins an entry; the one before it is ended. */
  readonly entry: (name: string) => Buffer
  /** More of the entry, packed on its own so that nothing has to be kept. */
  readonly write: (text: string) => Buffer
  /** Ends the last entry and the archive. */
  readonly end: () => Buffer
}

interface Written {
  readonly name: Buffer
  readonly offset: number
  crc: number
  packed: number
  bytes: number
}

const DEFLATE = 8
/** Sizes and CRC-32 follow the data; names are UTF-8 (APPNOTE 4.4.4 bits 3 and 11). */
const FLAGS = 0x0808
const VERSION = 20
/** 1980-01-01: the same report gives the same bytes. */
const DOS_DATE = 0x21
const FINAL_BLOCK = Buffer.from([0x03, 0x00])
const MAX_BYTES = 0xffff_fffe

export function createZipStream(): ZipStream {
  const entries: Written[] = []
  let offset = 0
  const pass = (bytes: Buffer): Buffer => {
    offset += bytes.length
    if (offset > MAX_BYTES) throw new RangeError('a spreadsheet can not be larger than 4 GiB')
    return bytes
  }
  const endEntry = (): Buffer[] => {
    const entry = entries.at(-1)
    if (!entry) return []
    entry.packed += FINAL_BLOCK.length
    return [pass(FINAL_BLOCK), pass(descriptor(entry))]
  }
  return {
    entry(name) {
      const before = endEntry()
      const entry = { name: Buffer.from(name), offset, crc: 0, packed: 0, bytes: 0 }
      entries.push(entry)
      return Buffer.concat([...before, pass(localHeader(entry))])
    },
    write(text) {
      const entry = entries.at(-1)!
      const bytes = Buffer.from(text)
      const packed = deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })
      entry.crc = crc32(bytes, entry.crc)
      entry.bytes += bytes.length
      entry.packed += packed.length
      return pass(packed)
    },
    end() {
      const last = endEntry()
      const start = offset
      const directory = Buffer.concat(entries.map(directoryRecord))
      return Buffer.concat([...last, directory, endRecord(entries.length, directory.length, start)])
    },
  }
}

function localHeader({ name }: Written): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  writeCommon(header, 4)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function descriptor({ crc, packed, bytes }: Written): Buffer {
  const record = Buffer.alloc(16)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(crc, 4)
  record.writeUInt32LE(packed, 8)
  record.writeUInt32LE(bytes, 12)
  return record
}

function directoryRecord({ name, offset, crc, packed, bytes }: Written): Buffer {
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(VERSION, 4)
  writeCommon(record, 6)
  record.writeUInt32LE(crc, 16)
  record.writeUInt32LE(packed, 20)
  record.writeUInt32LE(bytes, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt32LE(offset, 42)
  return Buffer.concat([record, name])
}

function endRecord(count: number, bytes: number, offset: number): Buffer {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(bytes, 12)
  record.writeUInt32LE(offset, 16)
  return record
}

function writeCommon(header: Buffer, at: number): void {
  header.writeUInt16LE(VERSION, at)
  header.writeUInt16LE(FLAGS, at + 2)
  header.writeUInt16LE(DEFLATE, at + 4)
  header.writeUInt16LE(DOS_DATE, at + 8)
}
