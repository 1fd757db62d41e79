import { describe, expect, test } from 'vitest'
import {
  type Block,
  type Counts,
  type Document,
  type Table,
  tableColumn,
} from '../../../src/report/document.ts'
import { htmlPage, scriptJson, statusChip } from '../../../src/report/page/html.ts'
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
  return /<main>\n([\s\S]*)<\/main>/.exec(html)![1]!
}

const blockOf = (block: Block): Promise<string> => mainOf({ sections: [{ id: 's', blocks: [block] }] })
const all = (html: string, pattern: RegExp): string[] => [...html.matchAll(pattern)].map((match) => match[1]!)
const short = (text: string): string => `<span class="short">${text}</span>`

describe('a chart', () => {
  const chart = (counts: readonly number[], more: Partial<Counts> = {}): Promise<string> =>
    blockOf({
      kind: 'counts',
      title: 'Ages',
      look: 'chart',
      counts: counts.map((count, index) => ({ name: `bar ${index + 1}`, count, tone: 'bad' })),
      ...more,
    })

  test.each([
    [12, []],
    [13, ['1 more not shown']],
    [1_013, ['1,001 more not shown']],
  ])('with %i bars has the first twelve, and says how many are left out', async (count, more) => {
    const html = await chart(Array.from({ length: count }, () => 1))
    expect(all(html, /<span class="label">(.*?)<\/span>/g)).toHaveLength(12)
    expect(all(html, /<p class="sub">(.*?)<\/p>/g)).toEqual(more)
  })

  test.each([
    ['the longest bar is full', [4, 2, 1], {}, ['100.00%', '50.00%', '25.00%']],
    ['a scale of its own', [4, 2], { scale: 8 }, ['50.00%', '25.00%']],
    ['no bar for nothing', [0, 2], {}, ['100.00%']],
  ])('has %s', async (_, counts, more, widths) => {
    expect(all(await chart(counts, more), /<rect class="tone bad" x="0.00%" width="(.*?)"/g)).toEqual(widths)
  })

  test('has bars in pieces, thick as they weigh but never thinner than can be seen', async () => {
    const bars = [0.5, 0.1].map(
      (weight, index) => ({ tone: 'bad', from: index, to: index + 1, weight }) as const,
    )
    const html = await chart([], {
      counts: [{ name: 'a', count: 2, tone: 'bad', bars, text: 'two' }],
      scale: 2,
    })
    expect(all(html, /<rect class="tone bad" (.*?)\/>/g)).toEqual([
      'x="0.00%" width="50.00%" y="25.0%" height="50.0%"',
      'x="50.00%" width="50.00%" y="42.5%" height="15.0%"',
    ])
    expect(html).toContain('<span class="value">two</span>')
  })

  test('has marks, of which those at the ends stay within', async () => {
    const marks = [0, 4, 5, 90, 91].map((at) => ({ at, text: `m${at}` }))
    const html = await chart([100], { marks })
    expect(all(html, /text-anchor="(\w+)"/g)).toEqual(['start', 'start', 'middle', 'middle', 'end'])
    expect(all(html, /<line x1="(.*?)"/g)).toEqual(['0.00%', '4.00%', '5.00%', '90.00%', '91.00%'])
    expect(await chart([100])).not.toContain('class="axis"')
  })

  test('without bars says what that means, and has no legend', async () => {
    const more = { nothing: 'no list', legend: [['bad', 'old']] as const, foot: 'undated ones left out' }
    expect(await chart([], more)).toContain(
      '<p class="sub">no list</p><p class="sub">undated ones left out</p></figure>',
    )
    expect(await chart([1], more)).toMatch(/<ul class="key" aria-label="colors"><li>.*old<\/li>/)
  })
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

test('all rows are one bar, in pieces as long as their counts', async () => {
  const counts = [1, 0, 3].map((count) => ({ name: `n${count}`, count, tone: 'bad' }) as const)
  const html = await mainOf({ statuses: { kind: 'counts', title: 'RoHS', look: 'line', counts, scale: 4 } })
  expect(
    all(/<svg class="stack".*?<\/svg>/.exec(html)![0], /<rect class="tone bad" (x=".*?" width=".*?")/g),
  ).toEqual(['x="0.00%" width="25.00%"', 'x="25.00%" width="75.00%"'])
  expect(html).toContain('<desc id="stack-words">1 n1, 0 n0, 3 n3</desc>')
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

test.each([
  ['missing', 'bad', 'bad short', '✗'],
  ['compliant with exemptions', 'fair', 'fair', '✓'],
  ['another word', 'none', 'none short', '–'],
] as const)('the status %s is a chip in the tone %s', (status, tone, look, sign) => {
  expect(statusChip(status, tone)).toBe(
    `<span class="chip ${look}"><span aria-hidden="true">${sign} </span>${status}</span>`,
  )
})
