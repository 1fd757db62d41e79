// Archives for the benchmark, the same bytes on every run.
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

// 2026-01-02 03:04:06.
const DOS_TIME = (((46 << 9) | (1 << 5) | 2) * 65_536 + ((3 << 11) | (4 << 5) | 3)) >>> 0

/** 10,000 XML files of a supplier's look, some 214 MB unpacked; made once for the rows that use it. */
export function xmlArchive(folder) {
  const archive = join(folder, 'xml.zip')
  const random = seeded(5)
  write(archive, 10_000, (index) => [
    `decl/part-${pad(index)}.xml`,
    xml(random, 10_700 + random(21_400)),
    true,
  ])
  if (statSync(archive).size < 10_000_000) throw new Error('the archive is not what it should be')
  return archive
}

export function xml(random, bytes) {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>\n<MainDeclaration version="2.0">']
  for (let length = lines[0].length; length < bytes; length += lines.at(-1).length) {
    lines.push(
      `<SubstanceCategory name="Substance ${random(90_000).toString(36)} ${random(2_000)}"><Threshold overThreshold="false" threshold="0.${random(9)}% by weight of any article"/><SubstanceCategoryID identity="${String(random(400)).padStart(5, '0')}" authority="IPC"/></SubstanceCategory>\n`,
    )
  }
  return Buffer.from(lines.join(''))
}

export function write(path, count, make) {
  const zip = openZip(path)
  for (let index = 0; index < count; index += 1) {
    const [name, bytes, isPacked = true] = make(index)
    const pieces = [isPacked ? deflateRawSync(bytes) : bytes]
    zip.add(name, { pieces, method: isPacked ? 8 : 0, bytes: bytes.length, sum: crc32(bytes) })
  }
  zip.close()
}

/** A plain archive of files, with the end record of ZIP64 where it takes one. */
export function openZip(path) {
  const file = openSync(path, 'w')
  const records = []
  let [offset, waiting, waitingBytes] = [0, [], 0]
  const flush = () => {
    writeSync(file, Buffer.concat(waiting))
    waiting = []
    waitingBytes = 0
  }
  const put = (bytes) => {
    waiting.push(bytes)
    waitingBytes += bytes.length
    offset += bytes.length
    if (waitingBytes > 1 << 20) flush()
  }
  const add = (name, { pieces, method, bytes, sum }) => {
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(method, 4)
    facts.writeUInt32LE(DOS_TIME, 6)
    facts.writeUInt32LE(sum, 10)
    facts.writeUInt32LE(
      pieces.reduce((total, piece) => total + piece.length, 0),
      14,
    )
    facts.writeUInt32LE(bytes, 18)
    facts.writeUInt16LE(Buffer.byteLength(name), 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE((0o100644 << 16) >>> 0, 6)
    place.writeUInt32LE(offset, 10)
    records.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x1e\x03', 'latin1'), facts, place, Buffer.from(name)]),
    )
    put(Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, Buffer.from(name)]))
    for (const piece of pieces) put(piece)
  }
  const close = () => {
    const start = offset
    for (const record of records) put(record)
    const [count, length] = [records.length, offset - start]
    if (count >= 0xffff) {
      const large = Buffer.alloc(76)
      large.write('PK\x06\x06', 0, 'latin1')
      large.writeUInt32LE(44, 4)
      large.writeUInt32LE(0x002d_002d, 12)
      for (const [at, value] of [
        [24, count],
        [32, count],
        [40, length],
        [48, start],
      ])
        large.writeUInt32LE(value, at)
      large.write('PK\x06\x07', 56, 'latin1')
      large.writeUInt32LE(start + length, 64)
      large.writeUInt32LE(1, 72)
      put(large)
    }
    const end = Buffer.alloc(22)
    end.write('PK\x05\x06', 0, 'latin1')
    for (const at of [8, 10]) end.writeUInt16LE(Math.min(count, 0xffff), at)
    end.writeUInt32LE(length, 12)
    end.writeUInt32LE(start, 16)
    put(end)
    flush()
    closeSync(file)
  }
  return { add, close }
}

export function pad(number) {
  return String(number).padStart(6, '0')
}

/** Numbers below a bound that a seed decides (mulberry32). */
export function seeded(seed) {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
