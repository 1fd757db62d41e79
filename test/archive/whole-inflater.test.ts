import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Declared } from '../../src/archive/inflate.ts'
import { EntryDataError, inflateWhole, WHOLE_BYTES } from '../../src/archive/inflate.ts'
import { openBinding } from '../../src/archive/inflate-binding.ts'
import { createWholeInflater } from '../../src/archive/whole-inflater.ts'
import { createDice } from '../support/zip-mutations.ts'

function declare(data: Buffer, more: Partial<Declared> = {}): Declared {
  return { bytes: data.length, packedBytes: 0, crc32: crc32(data), method: 'deflate', ...more }
}

/** What an inflater makes of an entry: its bytes, or what it says. */
function outcome(
  inflate: (packed: Buffer, declared: Declared) => Buffer,
  packed: Buffer,
  declared: Declared,
): string {
  try {
    return inflate(packed, declared).toString('hex')
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    return `refused: ${error.message}`
  }
}

describe('createWholeInflater', () => {
  it('finds the binding of this Node', () => {
    const binding = openBinding()
    expect(binding).toBeDefined()
    binding?.close()
  })

  it('says of thousands of damaged entries, one after the other, what inflateRawSync would', () => {
    const inflater = createWholeInflater()
    const dice = createDice(4)
    const outcomes = new Set<string>()
    for (let round = 0; round < 4_000; round += 1) {
      const data = Buffer.from(Array.from({ length: dice.next(600) }, () => 97 + dice.next(3)))
      const packed = deflateRawSync(data)
      const more = dice.pick<Partial<Declared>>([
        {},
        {},
        {},
        { bytes: dice.next(700) },
        { crc32: 1 },
        { method: 'stored' },
      ])
      const change = dice.next(4)
      if (change === 1 && packed.length > 0) packed[dice.next(packed.length)] = dice.next(256)
      const given =
        change === 2
          ? packed.subarray(0, dice.next(packed.length + 1))
          : change === 3
            ? Buffer.concat([packed, Buffer.alloc(dice.next(9))])
            : packed
      const expected = outcome(inflateWhole, given, declare(data, more))
      const found = outcome(inflater.inflate, given, declare(data, more))
      // Of several faults in one entry, one may be seen first here and another there.
      if (expected.startsWith('refused: ')) expect(found, `round ${round}`).toMatch(/^refused: /)
      else expect(found, `round ${round}`).toBe(expected)
      outcomes.add(found.replace(/\d+|^[0-9a-f]+$|CRC-32 is [0-9a-f]+/g, ''))
    }
    inflater.close()
    // Right data, and every kind of refusal.
    expect(outcomes.size).toBeGreaterThan(5)
  })

  it('takes entries up to the largest size, and an empty one after it', () => {
    const inflater = createWholeInflater()
    const large = Buffer.alloc(WHOLE_BYTES, 'abc')
    expect(inflater.inflate(deflateRawSync(large), declare(large)).equals(large)).toBe(true)
    expect(inflater.inflate(deflateRawSync(''), declare(Buffer.alloc(0))).length).toBe(0)
    inflater.close()
  })

  it('does without the binding where there is none', () => {
    const inflater = createWholeInflater(() => undefined)
    const data = Buffer.from('text')
    expect(inflater.inflate(deflateRawSync(data), declare(data)).toString()).toBe('text')
    inflater.close()
  })
})
