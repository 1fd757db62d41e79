import { expect, test } from 'vitest'
import { ListText } from '../../src/parts/list-text.ts'

async function linesOf(chunks: readonly string[]): Promise<readonly (readonly [number, string])[]> {
  async function* bytes(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const lines: (readonly [number, string])[] = []
  for await (const { text, firstLine } of new ListText(bytes(), 'parts.txt').blocks()) {
    const own = text.replace(/\n$/, '').split('\n')
    lines.push(...own.map((line, index) => [firstLine + index, line] as const))
  }
  return lines
}

test('a list with CR alone may be longer than its longest line, in any chunks', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `PART-${index}-${'x'.repeat(100_000)}`)
  const text = lines.join('\r')
  const chunks = Array.from({ length: Math.ceil(text.length / 65_536) }, (_, index) =>
    text.slice(index * 65_536, (index + 1) * 65_536),
  )
  expect(await linesOf(chunks)).toEqual(lines.map((line, index) => [index + 1, line]))
})

// The first lines of a text are read together.
const FIRST = Array.from({ length: 250 }, (_, index) => `FIRST-${index}`)

test.each<[string, readonly string[]]>([
  ['LF', ['AAAA\nB', 'B\nCC\n']],
  ['CR', ['AAAA\rB', 'B\rCC\r']],
  ['CR at the end of a chunk', ['AAAA\rBB\r', 'CC\r']],
  ['LF at the start of a chunk', ['AAAA', '\nBB', '\n', 'CC']],
  ['LF, and a CR within a line of a later chunk', ['AAAA\nBB', '\nCC']],
  ['CRLF', ['AAAA\r\nB', 'B\r\nCC\r\n']],
  ['CRLF divided between chunks', ['AAAA\r', '\nBB\r', '\nCC']],
])('lines end with %s in whatever chunks they come', async (_, chunks) => {
  const rest = ['AAAA', 'BB', 'CC']
  expect(await linesOf(chunks)).toEqual(rest.map((line, index) => [index + 1, line]))
  const all = [...FIRST, ...rest].map((line, index) => [index + 1, line])
  expect(await linesOf([`${FIRST.join('\n')}\n`, ...chunks])).toEqual(all)
})
