import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../../src/base/clean-text.ts'
import type { Block, Section } from '../../../src/report/document.ts'
import { PLAIN_LOOK, sectionLines, type TextLook, textFormatter } from '../../../src/report/formats/text.ts'
import { formatAll, partRowOf, SHAPE, sampleRows } from '../../support/report-rows.ts'

const more = (left: number): string => `${left} more`
const look = (width: number): TextLook => ({ ...PLAIN_LOOK, width })

async function linesAt(width: number, rows = sampleRows()): Promise<string[]> {
  return (await formatAll(textFormatter(SHAPE, look(width), more), rows)).toString().split('\n')
}

/** The table: its heading and rows. */
async function tableAt(width: number, rows = sampleRows()): Promise<string[]> {
  const lines = await linesAt(width, rows)
  const heading = lines.findIndex((line) => line.startsWith('PART'))
  return lines.slice(heading, heading + rows.length + 1)
}

describe('a report on a terminal', () => {
  it.each([20, 40, 80, 120, 200, 400])('fits %i columns', async (width) => {
    const rows = [...sampleRows(), partRowOf({ part: '部品-'.repeat(30), name: '🧪'.repeat(50) })]
    for (const line of await tableAt(width, rows)) expect(displayWidth(line)).toBeLessThanOrEqual(width)
  })

  it('answers in its first line', async () => {
    expect((await linesAt(200))[0]).toBe(
      '✗ 1 of 6 parts failed, 3 doubtful; 1 file cannot be read: a.zip!bad.xml',
    )
  })

  it('has six columns at 80 columns: part, verdict, RoHS, REACH, why, supplier', async () => {
    const [heading, ...rows] = await tableAt(80)
    expect(heading!.trim().split(/\s{2,}/)).toEqual(['PART', 'VERDICT', 'ROHS', 'REACH', 'WHY', 'SUPPLIER'])
    for (const row of [heading!, ...rows]) expect(row.length).toBeLessThanOrEqual(80)
  })

  it('shortens a long number in its middle, and the others stay', async () => {
    const part = `${'A'.repeat(40)}-${'9'.repeat(40)}`
    const [, row] = await tableAt(80, [partRowOf({ part })])
    expect(row).toMatch(/^A+…9+ +clean +compliant +no SVHC +Example/)
  })

  it('shows the worst rows first', async () => {
    const parts = (await tableAt(120)).slice(1).map((line) => line.split(/ {2,}/)[0]!)
    expect(parts).toEqual(['P,"3"', 'P9', 'a.zip!bad.xml', '=HYPERLINK("x")', ' spaced', '00012', 'P1'])
  })

  it('shows exemptions without their lists, and the buyer’s number where the supplier’s is missing', async () => {
    const exemption_ids = ['6c', '7(c)-I'].map((identity) => ({ identity, list: 'EL2011/534/EU' }))
    const row = partRowOf({
      part: '',
      requester_part: 'YOURS',
      exemptions: '6c (x); 7(c)-I (x)',
      exemption_ids,
    })
    expect((await tableAt(120, [row]))[1]).toMatch(/^YOURS +clean +compliant .*exemption 6c?/)
  })

  it('ends with the counts', async () => {
    const lines = await linesAt(100)
    expect(lines.slice(-4)).toEqual([
      '7 rows from 6 files: 5 declared, 1 missing, 1 unreadable',
      'RoHS: 1 compliant, 1 compliant with exemptions, 1 not compliant, 1 incomplete, 1 not declared',
      'REACH: 1 with SVHC, 3 without SVHC, 1 not declared',
      '',
    ])
  })

  it('wraps long lines of the summary', async () => {
    const lines = await linesAt(60)
    expect(lines.slice(-5)).toEqual([
      '7 rows from 6 files: 5 declared, 1 missing, 1 unreadable',
      'RoHS: 1 compliant, 1 compliant with exemptions, 1 not',
      '  compliant, 1 incomplete, 1 not declared',
      'REACH: 1 with SVHC, 3 without SVHC, 1 not declared',
      '',
    ])
  })

  it('shows the first fifty rows, and how many others there are', async () => {
    const worst = partRowOf({ part: 'A00599', rohs: 'not compliant' })
    const clean = Array.from({ length: 599 }, (_, index) =>
      partRowOf({ part: `A${String(index).padStart(5, '0')}` }),
    )
    const lines = await linesAt(80, [...clean, worst])
    const parts = lines.filter((line) => /^A\d{5} /.test(line)).map((line) => line.slice(0, 6))
    expect(parts).toHaveLength(50)
    expect([parts[0], parts[1], parts[49]]).toEqual(['A00599', 'A00000', 'A00048'])
    expect(lines[lines.findIndex((line) => line.startsWith(parts[49]!)) + 1]).toBe('550 more')
  })

  it('does not speak of other rows where there are none', async () => {
    expect((await linesAt(80)).join('\n')).not.toContain('more')
  })

  it('styles a cell by its status without changing the layout', async () => {
    const colored = textFormatter(
      SHAPE,
      { ...look(60), tone: (tone, text) => (tone === 'bad' ? `\u001b[31m${text}\u001b[39m` : text) },
      more,
    )
    const text = (await formatAll(colored, sampleRows())).toString()
    expect(text).toContain('\u001b[31mnot compliant\u001b[39m')
    expect(text.replace(/\u001b\[\d+m/g, '')).toBe((await linesAt(60)).join('\n'))
  })

  it('has no character that the terminal lacks', async () => {
    const plain = { ...look(80), plain: (text: string) => text.replaceAll('·', '|') }
    const text = (await formatAll(textFormatter(SHAPE, plain, more), sampleRows())).toString()
    expect(text).toContain('1 missing | 1 unreadable')
    expect(text).not.toContain('·')
  })
})

describe('a section as text', () => {
  const facts = (count: number, isOfMany = true): Block => ({
    kind: 'facts',
    facts: Array.from({ length: count }, (_, index) => [`name ${index + 1}`, 'text'] as const),
    ...(isOfMany ? { of: { count, one: 'fact', many: 'facts' } } : {}),
  })
  const shown = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `  name ${index + 1}: text`)
  const table: Block = {
    kind: 'table',
    name: 't',
    caption: 'Caption',
    columns: [],
    rows: [
      ['電', 'x'],
      ['long', ['P1', 'P2', 'P3', 'P4', 'P5', 'P6'].map((part) => ({ parts: [part], count: 1 }))],
      ['', null],
    ],
    line: ([, second = '']) => second,
  }

  it.each<[string, Block, readonly string[]]>([
    ['a note', { kind: 'note', text: 'see below' }, ['  see below']],
    [
      'six parts',
      { kind: 'note', text: [{ parts: [...'ABCDEF'], count: 6 }] },
      ['  A, B, C, D, E and 1 more'],
    ],
    ['ten facts of ten', facts(10), shown(10)],
    ['ten facts of eleven', facts(11), [...shown(10), '  and 1 more fact']],
    ['all facts where they are not the first of many', facts(11, false), shown(11)],
    ['a table', table, ['  Caption:', '    電    x', '    long  P1P2P3P4P5P6', '']],
    ['counts', { kind: 'counts', title: 'RoHS', look: 'line', counts: [] }, ['  RoHS:']],
  ])('has %s below its title', (_, block, lines) => {
    const found = sectionLines([{ id: 's', title: 'Section', blocks: [block] }], PLAIN_LOOK)
    expect(found.map((line) => line.trimEnd())).toEqual(['Section', ...lines])
  })

  it.each<[string, Partial<Section>, readonly string[]]>([
    ['without a title', { title: undefined } as never, ['note']],
    ['whose lines need no title', { isAside: true }, ['note']],
    ['of remarks without room', { blocks: [{ kind: 'note', text: 'note', isAside: true }] }, []],
    ['without blocks', { blocks: [] }, []],
  ])('%s has no title', (_, change, lines) => {
    const section: Section = { id: 's', title: 'Section', blocks: [{ kind: 'note', text: 'note' }] }
    expect(sectionLines([{ ...section, ...change }], PLAIN_LOOK)).toEqual(lines)
  })
})
