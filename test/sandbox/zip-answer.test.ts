import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { type ArchiveEntry, fileWord, zipBuffer, zipStream } from '../../src/sandbox/zip-answer.ts'
import { unzipped } from '../support/sandbox.ts'

describe('fileWord', () => {
  it.each(['ABC-123', '0040000', 'NM.10000_A', '1-20000-0'])('leaves %s as it is', (number) => {
    expect(fileWord(number)).toBe(number)
  })

  it('is a safe name on every file system, whatever the number', () => {
    const numbers = [
      'a/b',
      '..',
      '../..',
      'a b',
      'a\\b',
      'C:',
      'µ',
      'é',
      'e\u0301',
      "it's",
      '*',
      'x'.repeat(300),
      'µ'.repeat(90),
      '\ud800',
      '',
    ]
    for (const number of numbers) {
      const word = fileWord(number)
      expect([number, word]).toEqual([
        number,
        expect.stringMatching(/^[A-Za-z0-9._-]*(%[0-9A-F]{2}[A-Za-z0-9._-]*)*$/),
      ])
      expect(word.length).toBeLessThanOrEqual(120)
      expect(() => decodeURIComponent(word)).not.toThrow(RangeError)
    }
  })

  it('tells apart what a file system could confuse', () => {
    const numbers = [
      'ABC',
      'abc',
      'Abc',
      'é',
      'e\u0301',
      'É',
      'x'.repeat(300),
      'x'.repeat(301),
      'a b',
      'a%20b',
    ]
    const folded = numbers.map((number) => fileWord(number).normalize('NFC').toLowerCase())
    expect(new Set(folded).size).toBe(numbers.length)
  })
})

describe('an archive', () => {
  const entries: readonly ArchiveEntry[] = [
    { name: 'one.xml', day: '2024-02-29', text: () => ['<one/>'] },
    {
      name: 'two.csv',
      day: '1999-12-31',
      text: () => Array.from({ length: 30_000 }, (_, row) => `${row},µ\r\n`),
    },
  ]

  it.each([
    ['at once', (): Promise<Buffer> => zipBuffer(entries)],
    ['one file after the other', (): Promise<Buffer> => buffer(zipStream(entries))],
  ])('holds its files in order when it is made %s, the same bytes in every time zone', async (_, make) => {
    const here = process.env.TZ
    const made: Buffer[] = []
    try {
      for (const zone of ['Pacific/Kiritimati', 'America/Los_Angeles', 'UTC']) {
        process.env.TZ = zone
        made.push(await make())
      }
    } finally {
      if (here === undefined) delete process.env.TZ
      else process.env.TZ = here
    }
    expect(made.every((bytes) => bytes.equals(made[0]!))).toBe(true)
    const files = await unzipped(made[0]!)
    expect([...files.keys()]).toEqual(['one.xml', 'two.csv'])
    expect(files.get('two.csv')).toHaveLength(
      Array.from({ length: 30_000 }, (__, row) => `${row},µ\r\n`).join('').length,
    )
  })

  it('may be empty', async () => {
    expect((await unzipped(await zipBuffer([]))).size).toBe(0)
    expect((await unzipped(await buffer(zipStream([])))).size).toBe(0)
  })

  it('makes a file when its turn comes and not before', async () => {
    const made: number[] = []
    function* many(): Generator<ArchiveEntry> {
      for (let index = 0; index < 200; index++) {
        const noise = Array.from({ length: 4_000 }, (_, at) => (at * 7_919 * (index + 1)).toString(36)).join(
          '',
        )
        yield {
          name: `${index}`,
          day: '2024-01-01',
          text: () => [made.push(index), noise].slice(1) as string[],
        }
      }
    }
    const stream = zipStream(many())
    for await (const _ of stream) break
    expect(made.length).toBeLessThan(50)
  })
})
