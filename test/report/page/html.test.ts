import { describe, expect, test } from 'vitest'
import { type Block, type Document, type Table, tableColumn } from '../../../src/report/document.ts'
import { htmlPage, scriptJson } from '../../../src/report/page/html.ts'
import { NOW } from '../../support/report-rows.ts'

/** What the main part of a page has. */
async function mainOf(change: Partial<Document>): Promise<string> {
  const document: Document = {
    title: 'T',
    about: [],
    nowMs: NOW,
    version: '1.2.3',
    verdicts: [],
    sections: [],
    ...change,
  }
  let html = ''
  for await (const piece of htmlPage(document)) html += piece
  return /<main id="main" tabindex="-1">\n([\s\S]*)<\/main>/.exec(html)![1]!
}

const blockOf = (block: Block): Promise<string> => mainOf({ sections: [{ id: 's', blocks: [block] }] })
const all = (html: string, pattern: RegExp): string[] => [...html.matchAll(pattern)].map((match) => match[1]!)
const short = (text: string): string => `<span class="short">${text}</span>`

test('a picture is for formats that have them', async () => {
  const counts = [{ name: 'bar', count: 1, tone: 'bad' }] as const
  expect(await blockOf({ kind: 'counts', title: 'Ages', look: 'chart', counts })).toBe('')
})

test('a verdict is a heading, with what it is about below it', async () => {
  const html = await mainOf({
    verdicts: [{ about: 'gate', tone: 'bad', text: 'gate failed', more: [['Waivers', 'one <used>']] }],
  })
  expect(html).toBe(
    '<div class="banner gate bad"><h2><span class="sign" aria-hidden="true">✗</span> gate failed</h2><p class="sub">one &lt;used&gt;</p></div>\n',
  )
})

describe('a table', () => {
  const table = (rows: Table['rows'], more: Partial<Table> = {}): Promise<string> =>
    blockOf({
      kind: 'table',
      name: 'Things',
      line: () => '',
      columns: [
        tableColumn('Name', 'id', 10),
        tableColumn('Count', 'count', 10),
        tableColumn('Day', 'day', 10),
        tableColumn('Word', 'status', 10),
      ],
      rows,
      ...more,
    })

  test('leaves out empty columns, and marks numbers, days and statuses', async () => {
    const html = await table([['a', 1_234, null, 'missing']])
    expect(all(html, /<th scope="col".*?>(\w+)<\/th>/g)).toEqual(['Name', 'Count', 'Word'])
    expect(all(html, /(<td.*?)<\/td>/g)).toEqual(['<td class="number">1,234', '<td>missing'])
    expect(await table([['a', null, '2026-01-02', '']])).toContain(
      `<td class="date">${short('2026-01-02')}</td>`,
    )
  })

  test('has one heading for rows that belong together', async () => {
    const rows = ['a', 'a', 'b', 'a', '', ''].map((name, index) => [name, index + 1, null, null])
    expect(all(await table(rows, { isGrouped: true }), /(<th scope="row.*?)<\/th>/g)).toEqual([
      `<th scope="rowgroup" rowspan="2">${short('a')}`,
      `<th scope="rowgroup" rowspan="1">${short('b')}`,
      `<th scope="rowgroup" rowspan="1">${short('a')}`,
      `<th scope="row">${short('')}`,
      `<th scope="row">${short('')}`,
    ])
    expect(all(await table(rows), /(<th scope="rowgroup")/g)).toEqual([])
  })

  test.each([
    [200, []],
    [201, ['and 1 more thing']],
  ])('of %i rows has the first two hundred', async (count, more) => {
    const rows = Array.from({ length: count }, (_, index) => [`${index}`, index, null, null])
    const html = await table(rows, { of: { count, one: 'thing', many: 'things' } })
    expect(all(html, /(<tr><th scope="row")/g)).toHaveLength(200)
    expect(all(html, /<p class="sub">(.*?)<\/p>/g)).toEqual(more)
  })
})

describe('a text', () => {
  const textOf = async (text: string) =>
    all(await blockOf({ kind: 'note', text }), /<p class="sub">(.*?)<\/p>/g)[0]

  test('names eight parts, each a link to its row, and counts the others', async () => {
    const parts = [...'ABCDEFGHI']
    const html = await blockOf({ kind: 'note', text: [{ parts, count: 10 }] })
    expect(all(html, /href="#part=(.)"/g)).toEqual(parts.slice(0, 8))
    expect(html).toContain('</a> and 2 more</p>')
  })

  test('never breaks a date or a value with hyphens of at most forty characters', async () => {
    const long = `1-${'x'.repeat(38)}`
    expect(await textOf('since 2026-01-02')).toBe(`since ${short('2026-01-02')}`)
    expect(await textOf(long)).toBe(short(long))
    expect(await textOf(`${long}x`)).toBe(`${long}x`)
    expect(await textOf('well-known')).toBe('well-known')
  })
})

test('nothing in JSON ends its script element', () => {
  expect(scriptJson(['</script><!--'])).toBe('["\\u003c/script>\\u003c!--"]')
})
