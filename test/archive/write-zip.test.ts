import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { type NewEntry, zipBuffer, zipStream } from '../../src/archive/write-zip.ts'
import { unzipped } from '../support/sandbox.ts'

describe('a written archive', () => {
  const entries: readonly NewEntry[] = [
    { name: 'one.xml', day: '2024-02-29', content: () => ['<one/>'] },
    {
      name: 'two.csv',
      day: '1999-12-31',
      content: () => Array.from({ length: 30_000 }, (_, row) => `${row},µ\r\n`),
    },
  ]

  it.each([
    ['at once', (): Promise<Buffer> => zipBuffer(entries)],
    ['as a stream', (): Promise<Buffer> => buffer(zipStream(entries))],
  ])('has its entries in order when it is made %s, and the same bytes each time', async (_, make) => {
    const bytes = await make()
    expect(bytes.equals(await make())).toBe(true)
    const files = await unzipped(bytes)
    expect([...files.keys()]).toEqual(['one.xml', 'two.csv'])
    expect(files.get('two.csv')).toHaveLength(
      Array.from({ length: 30_000 }, (__, row) => `${row},µ\r\n`).join('').length,
    )
  })

  it('has the same dates in every time zone', async () => {
    const bytes = await zipBuffer(entries)
    // Of the local header: no time, then the day (APPNOTE 4.4.6).
    expect(bytes.readUInt16LE(10)).toBe(0)
    expect(bytes.readUInt16LE(12)).toBe(((2024 - 1980) << 9) | (2 << 5) | 29)
  })

  it('may be empty', async () => {
    expect((await unzipped(await zipBuffer([]))).size).toBe(0)
    expect((await unzipped(await buffer(zipStream([])))).size).toBe(0)
  })

  it('makes the content of an entry when its turn comes and not before', async () => {
    const made: number[] = []
    function* many(): Generator<NewEntry> {
      for (let index = 0; index < 200; index++) {
        const noise = Array.from({ length: 4_000 }, (_, at) => (at * 7_919 * (index + 1)).toString(36)).join(
          '',
        )
        yield {
          name: `${index}`,
          day: '2024-01-01',
          content: () => [made.push(index), noise].slice(1) as string[],
        }
      }
    }
    const stream = zipStream(many())
    for await (const _ of stream) break
    expect(made.length).toBeLessThan(50)
  })
})
