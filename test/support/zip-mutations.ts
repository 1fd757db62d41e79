/** Random numbers from a seed. */
export interface Dice {
  /** An integer from 0 up to, but not including, `below`. */
  readonly next: (below: number) => number
  readonly pick: <T>(from: readonly T[]) => T
}

/** Random numbers that depend on the seed alone. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  const next = (below: number): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  return { next, pick: (from) => from[next(from.length)]! }
}

type Mutation = (bytes: Buffer, dice: Dice, others: readonly Buffer[]) => Buffer

const MUTATIONS: readonly Mutation[] = [
  flipBits,
  setBytes,
  changeField,
  changeField,
  changeBothHeaders,
  changeBothHeaders,
  changeBothHeaders,
  cutEnd,
  cutOut,
  repeatPiece,
  spliceOther,
  moveBytes,
]

/** One to three seeded changes to a good archive. */
export function mutate(bytes: Buffer, dice: Dice, others: readonly Buffer[]): Buffer {
  let changed: Buffer = Buffer.from(bytes)
  for (let count = dice.pick([1, 1, 1, 2, 3]); count > 0; count -= 1) {
    if (changed.length > 0) changed = dice.pick(MUTATIONS)(changed, dice, others)
  }
  return changed
}

function flipBits(bytes: Buffer, dice: Dice): Buffer {
  for (let count = 1 + dice.next(4); count > 0; count -= 1) {
    const at = dice.next(bytes.length)
    bytes[at] = bytes[at]! ^ (1 << dice.next(8))
  }
  return bytes
}

function setBytes(bytes: Buffer, dice: Dice): Buffer {
  for (let count = 1 + dice.next(4); count > 0; count -= 1) {
    bytes[dice.next(bytes.length)] = dice.pick([0, 1, 0x2e, 0x2f, 0x50, 0x7f, 0x80, 0xff])
  }
  return bytes
}

// Offset and length of each header field, by the header's signature.
const FIELDS: Readonly<Record<number, readonly (readonly [offset: number, length: number])[]>> = {
  67324752: [
    [4, 2],
    [6, 2],
    [8, 2],
    [10, 4],
    [14, 4],
    [18, 4],
    [22, 4],
    [26, 2],
    [28, 2],
    [30, 2],
  ],
  33639248: [
    [4, 2],
    [6, 2],
    [8, 2],
    [10, 2],
    [12, 4],
    [16, 4],
    [20, 4],
    [24, 4],
    [28, 2],
    [30, 2],
    [32, 2],
    [34, 2],
    [38, 4],
    [42, 4],
    [46, 2],
  ],
  101010256: [
    [4, 2],
    [6, 2],
    [8, 2],
    [10, 2],
    [12, 4],
    [16, 4],
    [20, 2],
  ],
  101075792: [
    [4, 4],
    [12, 2],
    [16, 4],
    [20, 4],
    [24, 4],
    [32, 4],
    [40, 4],
    [48, 4],
  ],
  117853008: [
    [4, 4],
    [8, 4],
    [12, 4],
    [16, 4],
  ],
  134695760: [
    [4, 4],
    [8, 4],
    [12, 4],
  ],
}

function changeField(bytes: Buffer, dice: Dice): Buffer {
  const headers: number[] = []
  for (let at = bytes.indexOf('PK'); at !== -1 && at + 4 <= bytes.length; at = bytes.indexOf('PK', at + 1)) {
    if (FIELDS[bytes.readUInt32LE(at)] !== undefined) headers.push(at)
  }
  if (headers.length === 0) return setBytes(bytes, dice)
  const at = dice.pick(headers)
  const [offset, length] = dice.pick(FIELDS[bytes.readUInt32LE(at)]!)
  const start = at + offset
  if (start + length > bytes.length) return bytes
  const old = bytes.readUIntLE(start, length)
  const most = 2 ** (length * 8) - 1
  const value = dice.pick([
    0,
    1,
    old + 1,
    old - 1,
    old ^ (1 << dice.next(16)),
    most,
    most - 1,
    bytes.length,
    dice.next(65_536),
    at,
  ])
  bytes.writeUIntLE(((value % (most + 1)) + most + 1) % (most + 1), start, length)
  return bytes
}

/** The same change in a central record and in its local header, as an unusual writer would make it. */
function changeBothHeaders(bytes: Buffer, dice: Dice): Buffer {
  const records: number[] = []
  for (let at = bytes.indexOf('PK\x01\x02'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 1))
    records.push(at)
  const at = records.length === 0 ? bytes.length : dice.pick(records)
  if (at + 46 > bytes.length) return setBytes(bytes, dice)
  const local = bytes.readUInt32LE(at + 42)
  const nameBytes = bytes.readUInt16LE(at + 28)
  // In the record, version, flags, method, time, CRC-32 and sizes are two bytes further; the name follows the fixed part.
  const isName = nameBytes > 0 && dice.next(2) === 0
  const offset = isName ? dice.next(nameBytes) : dice.pick([4, 6, 7, 8, 10, 11, 12, 13, 14, 18, 22])
  const [inRecord, inLocal] = [at + (isName ? 46 : 2) + offset, local + (isName ? 30 : 0) + offset]
  if (inRecord >= bytes.length || inLocal >= bytes.length) return bytes
  const value = isName
    ? dice.pick([0x41, 0x2e, 0x2f, 0x5f, 0x80, 0xe9, dice.next(256)])
    : bytes[inRecord]! ^ (1 << dice.next(8))
  bytes[inRecord] = value
  bytes[inLocal] = value
  return bytes
}

function cutEnd(bytes: Buffer, dice: Dice): Buffer {
  return bytes.subarray(0, bytes.length - dice.next(Math.min(bytes.length, 200)))
}

function cutOut(bytes: Buffer, dice: Dice): Buffer {
  const start = dice.next(bytes.length)
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + 1 + dice.next(40))])
}

function repeatPiece(bytes: Buffer, dice: Dice): Buffer {
  const start = dice.next(bytes.length)
  const piece = bytes.subarray(start, start + 1 + dice.next(120))
  const at = dice.next(bytes.length)
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
}

function spliceOther(bytes: Buffer, dice: Dice, others: readonly Buffer[]): Buffer {
  const other = dice.pick(others)
  return dice.next(2) === 0
    ? Buffer.concat([bytes.subarray(0, dice.next(bytes.length)), other.subarray(dice.next(other.length))])
    : Buffer.concat(dice.next(2) === 0 ? [bytes, other] : [other, bytes])
}

function moveBytes(bytes: Buffer, dice: Dice): Buffer {
  const length = 1 + dice.next(32)
  const [from, to] = [dice.next(bytes.length), dice.next(bytes.length)]
  const changed = Buffer.from(bytes)
  bytes.copy(changed, to, from, Math.min(from + length, bytes.length))
  return changed
}
