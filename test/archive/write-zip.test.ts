import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { type NewEntry, storedZipStream, zipBuffer, zipStream } from '../../src/archive/write-zip.ts'
import { unzipped } from '../support/sandbox.ts'
import { soakTest } from '../support/soak.ts'

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

const ENTRIES: readonly NewEntry[] = [
  { name: 'one.xml', day: '2024-02-29', content: () => ['<one>', 'µ</one>'] },
  { name: 'empty.xml', day: '1999-12-31', content: () => [] },
  { name: 'ünï.xml', day: '2024-01-01', content: () => ['<two/>'] },
]

describe('a stored archive', () => {
  it('has its entries in order, and the same bytes each time', async () => {
    const bytes = await buffer(storedZipStream(ENTRIES))
    expect(bytes.equals(await buffer(storedZipStream(ENTRIES)))).toBe(true)
    expect([...(await unzipped(bytes))]).toEqual([
      ['one.xml', '<one>µ</one>'],
      ['empty.xml', ''],
      ['ünï.xml', '<two/>'],
    ])
  })

  it('has the same dates in every time zone', async () => {
    const bytes = await buffer(storedZipStream(ENTRIES))
    // Of the local header: no time, then the day (APPNOTE 4.4.6).
    expect(bytes.readUInt16LE(10)).toBe(0)
    expect(bytes.readUInt16LE(12)).toBe(((2024 - 1980) << 9) | (2 << 5) | 29)
  })

  soakTest('may be empty, or have more entries than a ZIP without ZIP64', async () => {
    expect((await unzipped(await buffer(storedZipStream([])))).size).toBe(0)
    const many = Array.from({ length: 65_600 }, (_, n) => ({
      name: `${n}`,
      day: '2024-01-01',
      content: () => ['x'],
    }))
    expect((await unzipped(await buffer(storedZipStream(many)))).size).toBe(65_600)
  })

  it('makes entries at the speed of its reader, and none for a reader that is gone', async () => {
    let made = 0
    function* endless(): Generator<NewEntry> {
      for (;;) yield { name: `${made}`, day: '2024-01-01', content: () => [`${made++}`, 'x'.repeat(20_000)] }
    }
    for await (const _ of storedZipStream(endless())) break
    expect(made).toBeLessThan(50)
    const turn = (): Promise<void> => new Promise((done) => setImmediate(done))
    for (let turns = 0; turns < 10; turns += 1) await turn()
    const atRest = made
    for (let turns = 0; turns < 10; turns += 1) await turn()
    expect(made).toBe(atRest)
  })

  it('fails as its entries fail', async () => {
    const broken: NewEntry = {
      name: 'b',
      day: '2024-01-01',
      content: () => {
        throw new Error('no content')
      },
    }
    await expect(buffer(storedZipStream([ENTRIES[0]!, broken]))).rejects.toThrow('no content')
  })
})
