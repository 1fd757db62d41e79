import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  type Declared,
  EntryDataError,
  inflateChunks,
  inflateWhole,
  type ReadPacked,
} from '../../src/archive/entry-data.ts'
import { sweep } from '../support/soak.ts'
import { createDice } from '../support/zip-mutations.ts'

function declare(data: Buffer, packed: Buffer, more: Partial<Declared> = {}): Declared {
  return { bytes: data.length, packedBytes: packed.length, crc32: crc32(data), method: 'deflate', ...more }
}

function readFrom(packed: Buffer): ReadPacked {
  return (position, length) => Buffer.from(packed.subarray(position, position + length))
}

type Inflate = (packed: Buffer, declared: Declared) => Promise<Buffer>

const inChunks: Inflate = async (packed, declared) => {
  const chunks: Buffer[] = []
  for await (const chunk of inflateChunks(readFrom(packed), declared)) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

const atOnce: Inflate = async (packed, declared) => inflateWhole(packed, declared)

/** The bytes of an entry, or what is said of it. */
async function outcome(packed: Buffer, declared: Declared, inflate: Inflate): Promise<Buffer | string> {
  try {
    return await inflate(packed, declared)
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    return error.message
  }
}

const dice = createDice(9)
const noise = Buffer.from(Array.from({ length: 1_500_000 }, () => dice.next(256)))
const text = Buffer.alloc(3_000_000, '<Substance name="lead" cas="7439-92-1"/>\n')

describe.each([
  ['inflateWhole', atOnce],
  ['inflateChunks', inChunks],
])('%s', (_name, inflate) => {
  it.each([
    ['what hardly packs', noise],
    ['what packs well', text],
    ['both', Buffer.concat([text, noise, text])],
    ['one byte', Buffer.from('a')],
    ['nothing', Buffer.alloc(0)],
    ['one chunk to the byte', text.subarray(0, 512 * 1024)],
    ['two chunks to the byte', noise.subarray(0, 1024 * 1024)],
  ])('gives back %s', async (_title, data) => {
    for (const level of [0, 1, 9]) {
      const packed = deflateRawSync(data, { level })
      const found = await outcome(packed, declare(data, packed), inflate)
      expect(typeof found === 'string' ? found : found.equals(data)).toBe(true)
    }
    const stored = await outcome(data, declare(data, data, { method: 'stored' }), inflate)
    expect(typeof stored === 'string' ? stored : stored.equals(data)).toBe(true)
  })

  it('refuses what is not as declared', async () => {
    const packed = deflateRawSync(text)
    const good = declare(text, packed)
    const cut = packed.subarray(0, packed.length - 5)
    const longer = Buffer.concat([packed, Buffer.alloc(300_000)])
    const bad = Buffer.from(packed)
    bad.fill(0xff, 0, 100)
    const say = (from: Buffer, declared: Declared): Promise<Buffer | string> =>
      outcome(from, declared, inflate)
    expect(await say(packed, { ...good, bytes: 10 })).toBe('unpacks to more than the 10 bytes it declares')
    expect(await say(packed, { ...good, bytes: text.length - 1 })).toContain('unpacks to more than')
    expect(await say(packed, { ...good, bytes: text.length + 1 })).toContain('unpacks to 3,000,000 bytes')
    expect(await say(packed, { ...good, crc32: 1 })).toContain('CRC-32 is')
    expect(await say(cut, { ...good, packedBytes: cut.length })).toBe('deflate data is truncated')
    expect(await say(Buffer.alloc(0), { ...good, packedBytes: 0 })).toBe('deflate data is truncated')
    expect(await say(longer, { ...good, packedBytes: longer.length })).toBe(
      '300,000 bytes after the end of its deflate data',
    )
    expect(await say(bad, good)).toContain('deflate data is damaged')
  })
})

describe('inflateChunks', () => {
  it('stops a bomb one chunk beyond what it declares', async () => {
    const packed = deflateRawSync(Buffer.alloc(40 * 1024 ** 2))
    let most = 0
    const all = inflateChunks(readFrom(packed), { ...declare(text, packed), bytes: 1_000_000 })
    const given = async (): Promise<void> => {
      for await (const chunk of all) most += chunk.length
    }
    await expect(given()).rejects.toThrow('unpacks to more than the 1,000,000 bytes')
    expect(most).toBeLessThanOrEqual(1_000_000)
  })

  it('fails on a read error, when it reaches it', async () => {
    const data = Buffer.concat([text, noise])
    const packed = deflateRawSync(data, { level: 0 })
    const read: ReadPacked = (position, length) => {
      if (position > 2_000_000) throw new Error('the disk is gone')
      return readFrom(packed)(position, length)
    }
    let bytes = 0
    const given = async (): Promise<void> => {
      for await (const chunk of inflateChunks(read, declare(data, packed))) bytes += chunk.length
    }
    await expect(given()).rejects.toThrow('the disk is gone')
    expect(bytes).toBeGreaterThan(1_000_000)
  })

  it.each(['deflate', 'stored'] as const)('yields to other work between two %s chunks', async (method) => {
    const packed = method === 'stored' ? noise : deflateRawSync(noise)
    let turns = 0
    const count = (): void => {
      turns += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    let bytes = 0
    for await (const chunk of inflateChunks(readFrom(packed), declare(noise, packed, { method }))) {
      bytes += chunk.length
    }
    clearImmediate(timer)
    expect(bytes).toBe(noise.length)
    expect(turns).toBeGreaterThanOrEqual(2)
  })
})

it('damaged entries are refused or accepted alike, at once and in chunks', async () => {
  for (let round = 0; round < sweep(200, 1_500); round += 1) {
    const data = Buffer.from(Array.from({ length: dice.next(600) }, () => 97 + dice.next(3)))
    const packed = deflateRawSync(data)
    if (dice.next(2) === 1 && packed.length > 0) packed[dice.next(packed.length)] = dice.next(256)
    const given = packed.subarray(0, packed.length - (dice.next(3) === 0 ? dice.next(packed.length + 1) : 0))
    const more = dice.pick<Partial<Declared>>([{}, {}, { bytes: dice.next(700) }, { crc32: 1 }])
    const declared = declare(data, given, more)
    const [found, expected] = [
      await outcome(given, declared, inChunks),
      await outcome(given, declared, atOnce),
    ]
    // Of several faults in one entry, one may be seen first here and another there.
    if (typeof expected === 'string') expect(typeof found, `round ${round}: ${expected}`).toBe('string')
    else expect(found, `round ${round}`).toEqual(expected)
  }
})
