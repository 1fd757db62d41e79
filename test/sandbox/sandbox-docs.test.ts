import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { defaultCatalog } from '../../src/sandbox/default-catalog.ts'
import { parseFaults } from '../../src/sandbox/faults.ts'
import { SPECIAL_PARTS } from '../../src/sandbox/special-parts.ts'

const page = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')
const catalog = defaultCatalog()

/** The cells of the table that has this heading in its first column. */
function table(heading: string): readonly (readonly string[])[] {
  const [, rows = ''] = page.split(`| ${heading} |`)
  const lines = rows.split('\n').slice(2)
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    )
}

const words = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)

describe('docs/sandbox.md', () => {
  it('lists existing faults', () => {
    const faults = table('fault').flatMap(([fault = '']) => words(fault))
    expect(faults.length).toBeGreaterThan(6)
    for (const fault of faults) expect([fault, parseFaults(fault).length]).toEqual([fault, 1])
    const [, script = ''] = /--fail '([^']+)'/.exec(page) ?? []
    expect(parseFaults(script).map(({ count }) => count)).toEqual([2, 1, 1])
  })

  it('lists the suppliers with numbers that exist', () => {
    const rows = table('supplier')
    expect(rows.map(([id, name]) => [words(id!)[0], name])).toEqual(
      catalog.suppliers.map(({ id, name }) => [id, name]),
    )
    for (const [, , numbers = ''] of rows) {
      for (const number of words(numbers)) expect([number, catalog.find(number).length]).toEqual([number, 1])
    }
  })

  it('names special parts that exist', () => {
    const named = [...page.matchAll(/`(HA-[A-Z0-9-]+)`/g)].map(([, number]) => number!)
    const known = SPECIAL_PARTS.map(({ numbers }) => numbers[0].number)
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((number) => !known.includes(number))).toEqual([])
  })

  it('requests parts that exist', () => {
    const search = [...page.matchAll(/--part (\S+)|`(4021-[\d.]+)`/g)].map(
      ([, part, number]) => part ?? number!,
    )
    expect(search.length).toBeGreaterThan(2)
    for (const part of search) expect([part, catalog.find(part).length]).toEqual([part, 1])
  })
})
