import { expect, test } from 'vitest'
import { encodingNamed, ListText, nameBinary } from '../../src/parts/list-text.ts'

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

test('a line may have 1 MiB, and a longer one is refused with its number', async () => {
  const longest = 'x'.repeat(1024 ** 2)
  expect(await linesOf(['A\n', longest])).toEqual([
    [1, 'A'],
    [2, longest],
  ])
  await expect(linesOf(['A\n', `${longest}x`])).rejects.toMatchObject({
    kind: 'usage',
    message: 'parts.txt:2: the line is longer than 1.0 MiB',
    details: { line: 2 },
  })
})

test('lines that are not UTF-8 are counted, and the first one is known', async () => {
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from('A-Ü\nB-\u0080\n')
    yield Buffer.from('C-\xdc\nD\nE-\x80\n', 'latin1')
  }
  const list = new ListText(bytes(), 'parts.txt')
  let text = ''
  for await (const block of list.blocks()) text += block.text
  expect(text).toBe('A-Ü\nB-\u0080\nC-Ü\nD\nE-€\n')
  expect([list.encoding, list.otherLines, list.firstOtherLine]).toEqual(['windows-1252', 2, 3])
})

test.each([
  ['cp932', 'shift_jis'],
  [' CP936 ', 'gb18030'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['ansi', 'windows-1252'],
  ['UTF8', 'utf-8'],
  ['utf-16le', 'utf-16le'],
])('the encoding %j is %s', (name, encoding) => expect(encodingNamed(name)).toBe(encoding))

test.each([
  ['PK\u0003\u0004....xl/workbook.xml', 'an Excel workbook'],
  ['PK\u0003\u0004....[Content_Types].xml', 'an Excel workbook'],
  ['PK\u0003\u0004....application/vnd.oasis.opendocument.spreadsheet', 'an OpenDocument spreadsheet'],
  ['PK\u0003\u0004....a.txt', 'a ZIP archive'],
  ['PK-100\nPK-200\n', undefined],
  ['BZ-100\nBZ-200\n', undefined],
])('a list that begins with %j is %s', (head, what) => {
  expect(nameBinary(Buffer.from(head, 'latin1'))?.what).toBe(what)
})
