import * as disk from 'node:fs/promises'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checksum } from '../../src/download/journal.ts'
import { type BodyFacts, ResponseKeeper, readPartial } from '../../src/download/partial-responses.ts'
import { withFolder } from '../support/world.ts'

const LIST = { parts: ['A', 'Ü/1'] }
const BODY: BodyFacts = { etag: '"v1"', total: 1_000_000, status: 200 }

async function marked(folder: string, ...marks: readonly (readonly [BodyFacts, number])[]): Promise<Buffer> {
  const path = join(folder, 'x.partial')
  const keeper = new ResponseKeeper(disk, join(folder, 'x.zip'), LIST, undefined, () => undefined)
  for (const [body, bytes] of marks) await keeper.mark(body, bytes)
  await keeper.close()
  return readFile(path)
}

describe('the record of a partial archive', () => {
  test('has the last mark', () =>
    withFolder(async (folder) => {
      for (const marks of [[5], [5, 70_000], [5, 70_000, 70_001], [9, 3]]) {
        const record = await marked(folder, ...marks.map((bytes) => [BODY, bytes] as const))
        expect(readPartial(record)).toEqual({ ...LIST, ...BODY, bytes: marks.at(-1) })
      }
    }))

  test('of the same body is continued, of another one replaced', () =>
    withFolder(async (folder) => {
      await marked(folder, [BODY, 500])
      expect(readPartial(await marked(folder, [{ ...BODY }, 600]))).toMatchObject({ bytes: 600 })
      const other = { ...BODY, etag: '"v2"' }
      expect(readPartial(await marked(folder, [other, 7]))).toEqual({ ...LIST, ...other, bytes: 7 })
    }))

  test('with any byte changed, or cut at any byte, never claims more than was marked for this body', () =>
    withFolder(async (folder) => {
      const record = await marked(folder, [BODY, 1_000], [BODY, 2_000])
      for (let at = 0; at < record.length; at += 1) {
        const edited = Buffer.from(record)
        edited[at] = edited[at] === 0x39 ? 0x38 : 0x39
        for (const damaged of [edited, record.subarray(0, at)]) {
          const read = readPartial(damaged)
          if (read === undefined) continue
          expect(read).toMatchObject({ ...LIST, ...BODY })
          expect([0, 1_000, 2_000]).toContain(read.bytes)
        }
      }
    }))

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['a weak tag', JSON.stringify({ ...LIST, ...BODY, etag: 'W/"v1"' })],
    ['a tag that ends the header', JSON.stringify({ ...LIST, ...BODY, etag: '"v1"\r\nX-Other: "1"' })],
    ['a date beyond all dates', JSON.stringify({ ...LIST, ...BODY, serverDateMs: 1e300 })],
    ['a negative length', JSON.stringify({ ...LIST, ...BODY, total: -1 })],
  ])('with %s is damaged, also when its checksum holds', (_, text) => {
    expect(readPartial(Buffer.from(`${checksum(text)} ${text}\n`))).toBeUndefined()
    const whole = JSON.stringify({ ...LIST, ...BODY, serverDateMs: 1 })
    expect(readPartial(Buffer.from(`${checksum(whole)} ${whole}\n`))).toMatchObject(BODY)
  })
})
