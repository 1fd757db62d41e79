import { crc32, deflateRawSync } from 'node:zlib'

/** Fields of a local header or a central record that a test may falsify. */
export interface HeaderLies {
  readonly signature?: number
  readonly versionNeeded?: number
  readonly flags?: number
  readonly method?: number
  readonly dosTime?: number
  readonly crc32?: number
  readonly packedBytes?: number
  readonly bytes?: number
  readonly name?: string | Buffer
  readonly extra?: Buffer
  /** Central record only. */
  readonly madeBy?: number
  readonly disk?: number
  readonly external?: number
  readonly headerOffset?: number
  readonly comment?: string | Buffer
}

/** One entry of an archive to write; other values are those of a common writer. */
export interface ZipEntry {
  readonly name: string | Buffer
  readonly data?: string | Buffer
  /** The packed bytes, if not those of `data`. */
  readonly packed?: Buffer
  readonly method?: number
  readonly flags?: number
  readonly dosTime?: number
  /** Extra fields for both headers. */
  readonly extra?: Buffer
  /** UNIX mode with its type, such as 0o120777 for a link. */
  readonly mode?: number
  readonly external?: number
  readonly descriptor?: 'signed' | 'unsigned' | 'signed64' | 'unsigned64' | 'missing' | Buffer
  readonly local?: HeaderLies
  readonly central?: HeaderLies
  /** Bytes before the local header. */
  readonly gap?: Buffer
  /** Only in the directory, not in the file. */
  readonly isOnlyListed?: boolean
  /** Only in the file, not in the directory. */
  readonly isUnlisted?: boolean
}

export interface ZipOptions {
  readonly prefix?: Buffer
  /** Whether offsets count the prefix. */
  readonly countsPrefix?: boolean
  readonly suffix?: Buffer
  readonly comment?: Buffer
  readonly commentLength?: number
  /** Bytes between the data and the directory, and between the directory and its end record. */
  readonly beforeDirectory?: Buffer
  readonly afterDirectory?: Buffer
  readonly end?: EndLies
  /** Write ZIP64 records, with these fields changed. */
  readonly zip64?: Zip64Lies
  /** The order of the directory, if not that of the file. */
  readonly reverseDirectory?: boolean
}

export interface EndLies {
  readonly disk?: number
  readonly directoryDisk?: number
  readonly countHere?: number
  readonly count?: number
  readonly directoryBytes?: number
  readonly directoryOffset?: number
}

export interface Zip64Lies extends EndLies {
  readonly size?: number
  readonly signature?: number
  readonly recordOffset?: number
  readonly disks?: number
  /** Bytes between the ZIP64 record and its locator. */
  readonly gap?: Buffer
}

/** 2026-03-04 05:06:08 as DOS date and time. */
export const DOS_TIME = ((((2026 - 1980) << 9) | (3 << 5) | 4) * 0x10000 + ((5 << 11) | (6 << 5) | 4)) >>> 0

/** The bytes of an archive with these properties. */
export function zip(entries: readonly ZipEntry[], options: ZipOptions = {}): Buffer {
  const { prefix = Buffer.alloc(0), countsPrefix = true } = options
  const pieces: Buffer[] = [prefix]
  let position = countsPrefix ? prefix.length : 0
  const push = (bytes: Buffer): void => {
    pieces.push(bytes)
    position += bytes.length
  }
  const records: Buffer[] = []
  for (const entry of entries) {
    const facts = factsOf(entry)
    if (entry.gap !== undefined) push(entry.gap)
    if (entry.isUnlisted !== true)
      records.push(centralRecord(facts, { headerOffset: position, ...entry.central }))
    if (entry.isOnlyListed === true) continue
    push(localHeader(facts, entry.local ?? {}))
    push(facts.packed)
    push(descriptorOf(entry, facts))
  }
  if (options.beforeDirectory !== undefined) push(options.beforeDirectory)
  const directoryOffset = position
  if (options.reverseDirectory === true) records.reverse()
  const directory = Buffer.concat(records)
  push(directory)
  if (options.afterDirectory !== undefined) push(options.afterDirectory)
  const truth = { count: records.length, directoryBytes: directory.length, directoryOffset }
  if (options.zip64 !== undefined) push(zip64Records(truth, options.zip64, position))
  push(endRecord(truth, options))
  push(options.suffix ?? Buffer.alloc(0))
  return Buffer.concat(pieces)
}

interface Facts {
  readonly name: Buffer
  readonly flags: number
  readonly method: number
  readonly dosTime: number
  readonly crc32: number
  readonly packed: Buffer
  readonly bytes: number
  readonly extra: Buffer
  readonly external: number
}

function factsOf(entry: ZipEntry): Facts {
  const name = toBytes(entry.name)
  const data = toBytes(entry.data ?? '')
  const isDirectory = name.at(-1) === 0x2f
  const method = entry.method ?? (isDirectory || data.length === 0 ? 0 : 8)
  const isUtf8 = typeof entry.name === 'string' && /[^\0-\x7f]/.test(entry.name)
  const mode = entry.mode ?? (isDirectory ? 0o40755 : 0o100644)
  return {
    name,
    flags: entry.flags ?? (isUtf8 ? 0x800 : 0) | (entry.descriptor === undefined ? 0 : 8),
    method,
    dosTime: entry.dosTime ?? DOS_TIME,
    crc32: crc32(data),
    packed: entry.packed ?? (method === 8 ? deflateRawSync(data) : data),
    bytes: data.length,
    extra: entry.extra ?? Buffer.alloc(0),
    external: entry.external ?? (mode * 0x10000 + (isDirectory ? 0x10 : 0)) >>> 0,
  }
}

function localHeader(facts: Facts, lies: HeaderLies): Buffer {
  const name = toBytes(lies.name ?? facts.name)
  const extra = lies.extra ?? facts.extra
  const hasDescriptor = (facts.flags & 8) !== 0
  const head = Buffer.alloc(30)
  head.writeUInt32LE(lies.signature ?? 0x04034b50, 0)
  head.writeUInt16LE(lies.versionNeeded ?? 20, 4)
  head.writeUInt16LE(lies.flags ?? facts.flags, 6)
  head.writeUInt16LE(lies.method ?? facts.method, 8)
  head.writeUInt32LE(lies.dosTime ?? facts.dosTime, 10)
  head.writeUInt32LE(lies.crc32 ?? (hasDescriptor ? 0 : facts.crc32), 14)
  head.writeUInt32LE(lies.packedBytes ?? (hasDescriptor ? 0 : facts.packed.length), 18)
  head.writeUInt32LE(lies.bytes ?? (hasDescriptor ? 0 : facts.bytes), 22)
  head.writeUInt16LE(name.length, 26)
  head.writeUInt16LE(extra.length, 28)
  return Buffer.concat([head, name, extra])
}

function centralRecord(facts: Facts, lies: HeaderLies): Buffer {
  const name = toBytes(lies.name ?? facts.name)
  const extra = lies.extra ?? facts.extra
  const comment = toBytes(lies.comment ?? '')
  const head = Buffer.alloc(46)
  head.writeUInt32LE(lies.signature ?? 0x02014b50, 0)
  head.writeUInt16LE(lies.madeBy ?? 0x031e, 4)
  head.writeUInt16LE(lies.versionNeeded ?? 20, 6)
  head.writeUInt16LE(lies.flags ?? facts.flags, 8)
  head.writeUInt16LE(lies.method ?? facts.method, 10)
  head.writeUInt32LE(lies.dosTime ?? facts.dosTime, 12)
  head.writeUInt32LE(lies.crc32 ?? facts.crc32, 16)
  head.writeUInt32LE(lies.packedBytes ?? facts.packed.length, 20)
  head.writeUInt32LE(lies.bytes ?? facts.bytes, 24)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt16LE(extra.length, 30)
  head.writeUInt16LE(comment.length, 32)
  head.writeUInt16LE(lies.disk ?? 0, 34)
  head.writeUInt32LE(lies.external ?? facts.external, 38)
  head.writeUInt32LE(lies.headerOffset ?? 0, 42)
  return Buffer.concat([head, name, extra, comment])
}

function descriptorOf({ descriptor }: ZipEntry, facts: Facts): Buffer {
  if (descriptor === undefined || descriptor === 'missing') return Buffer.alloc(0)
  if (Buffer.isBuffer(descriptor)) return descriptor
  const signature = descriptor.startsWith('signed') ? u32(0x08074b50) : Buffer.alloc(0)
  const size = descriptor.endsWith('64') ? u64 : u32
  return Buffer.concat([signature, u32(facts.crc32), size(facts.packed.length), size(facts.bytes)])
}

interface Truth {
  readonly count: number
  readonly directoryBytes: number
  readonly directoryOffset: number
}

function zip64Records(truth: Truth, lies: Zip64Lies, position: number): Buffer {
  return Buffer.concat([
    u32(lies.signature ?? 0x06064b50),
    u64(lies.size ?? 44),
    u16(45),
    u16(45),
    u32(lies.disk ?? 0),
    u32(lies.directoryDisk ?? 0),
    u64(lies.countHere ?? truth.count),
    u64(lies.count ?? truth.count),
    u64(lies.directoryBytes ?? truth.directoryBytes),
    u64(lies.directoryOffset ?? truth.directoryOffset),
    lies.gap ?? Buffer.alloc(0),
    u32(0x07064b50),
    u32(0),
    u64(lies.recordOffset ?? position),
    u32(lies.disks ?? 1),
  ])
}

function endRecord(
  truth: Truth,
  { end = {}, zip64, comment = Buffer.alloc(0), commentLength }: ZipOptions,
): Buffer {
  const most = zip64 === undefined ? undefined : 0xffffffff
  return Buffer.concat([
    u32(0x06054b50),
    u16(end.disk ?? 0),
    u16(end.directoryDisk ?? 0),
    u16(end.countHere ?? (most === undefined ? truth.count : 0xffff)),
    u16(end.count ?? (most === undefined ? truth.count : 0xffff)),
    u32(end.directoryBytes ?? most ?? truth.directoryBytes),
    u32(end.directoryOffset ?? most ?? truth.directoryOffset),
    u16(commentLength ?? comment.length),
    comment,
  ])
}

/** One extra field: its id, its length, its data. */
export function extraField(id: number, data: Buffer): Buffer {
  return Buffer.concat([u16(id), u16(data.length), data])
}

/** The Info-ZIP Unicode path field for a raw name. */
export function unicodePathField(rawName: string | Buffer, name: string | Buffer, version = 1): Buffer {
  return extraField(
    0x7075,
    Buffer.concat([Buffer.from([version]), u32(crc32(toBytes(rawName))), toBytes(name)]),
  )
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

export function u64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function toBytes(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text, 'utf8') : text
}
