import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { readSheet } from 'read-excel-file/node'
import { expect } from 'vitest'
import type { PageData } from '../../../src/report/page/page-data.ts'
import { cli } from '../../support/cli.ts'
import { fileA, HEAD, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { soakTest } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const DOWNLOAD = ['download', '--sandbox', '--supplier', '800900100', '--format-class', 'checkDthenC']
const GATE = 'not-compliant,svhc,missing,incomplete,unreadable,stale:24m'

type Row = Readonly<Record<string, string>>

/** A corpus with every kind of row: superseded, missing, unreadable, waived, requests, and parts that were not asked for. */
async function lay(cwd: string): Promise<void> {
  await cli([...DOWNLOAD, '-o', 'special.zip', '-q'], { cwd })
  const lead = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))
  const older = fileA(productXml(['NIGHTLY'], lead), { head: HEAD.replace('2024-09-27', '2023-01-01') })
  const newer = fileA(productXml(['NIGHTLY'], listXml('EUROHS-1907', rohsCategories())))
  const files = [
    older,
    newer,
    '<?xml version="1.0"?><MainDeclaration><Product>',
    fileA(productXml(['EXTRA'], lead)),
  ]
  await writeFile(join(cwd, 'other.zip'), zip(files.map((data, index) => ({ name: `${index}.xml`, data }))))
  const parts = [
    'HA-REQUEST',
    'HA-LEAD',
    'HA-SVHC',
    'HA-6A',
    'HA-42',
    'HA-FORM',
    'HA-CLASS-A',
    'HA-NESTED',
    'NIGHTLY',
  ]
  const list = [...parts, '00012'].map((part) => `${part},2`)
  await writeFile(join(cwd, 'bom.csv'), `part number,quantity\n${list.join('\n')}\n`)
  await writeFile(
    join(cwd, 'waivers.csv'),
    'part,rule,reason,owner,until\nHA-LEAD,not-compliant,last time buy,J. Doe,2027-01-31\n',
  )
}

/** The rows of a page by verdict. */
function verdictsOf(page: string): Record<string, number> {
  const text = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)![1]!
  const counts: Record<string, number> = {}
  for (const { part } of (JSON.parse(text) as PageData).rows)
    for (const name of part!.filters.verdict ?? []) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** The lines of the first sheet by heading. */
async function summaryOf(file: string): Promise<Record<string, Record<string, unknown>>> {
  const sections: Record<string, Record<string, unknown>> = {}
  let heading = ''
  let isHeading = true
  for (const [name, value] of await readSheet(file, 'Summary')) {
    if (name === null) isHeading = true
    else if (isHeading) {
      heading = String(name)
      isHeading = false
    } else sections[heading] = { ...sections[heading], [String(name)]: value }
  }
  return sections
}

const count = (rows: readonly Row[], is: (row: Row) => boolean): number => rows.filter(is).length

soakTest('the page, the workbook, JSON and CSV of one report have the same numbers', async () => {
  await withFolder(async (cwd) => {
    await lay(cwd)
    const argv = [
      'report',
      'special.zip',
      'other.zip',
      '--parts-file',
      'bom.csv',
      '--history',
      '--fail-on',
      GATE,
    ]
    for (const name of ['r.html', 'r.xlsx', 'r.csv', 'r.json']) {
      const { code } = await cli([...argv, '--waivers', 'waivers.csv', '-o', name], { cwd, nowMs: NOW })
      expect(code, name).toBe(13)
    }
    const rows: readonly Row[] = parse(await readFile(join(cwd, 'r.csv')), { columns: true })
    const page = await readFile(join(cwd, 'r.html'), 'utf8')
    const json = JSON.parse(await readFile(join(cwd, 'r.json'), 'utf8'))
    const { Rows, RoHS: rohs, REACH: reach, Sheets, Verdict } = await summaryOf(join(cwd, 'r.xlsx'))

    const declared = rows.filter(({ status }) => status === 'declared')
    const status = (name: string): number => count(rows, (row) => row.status === name)
    const verdict = (name: string): number => count(declared, (row) => row.rohs === name)
    const statuses = ['missing', 'unreadable', 'superseded'].map((name) => [name, status(name)])
    expect(statuses).toEqual([
      ['missing', 2],
      ['unreadable', 1],
      ['superseded', 1],
    ])
    const withSvhc = count(declared, ({ svhc_count }) => Number(svhc_count) > 0)
    expect(withSvhc).toBe(1)

    const { counts } = json
    const byVerdict = (some: readonly Row[]): Readonly<Record<string, number>> =>
      Object.fromEntries(
        ['failed', 'doubtful', 'clean'].map((name) => [name, count(some, (row) => row.verdict === name)]),
      )
    expect(verdictsOf(page)).toEqual(byVerdict(rows))
    // The count is one of lines: a file that cannot be read is a row, and no line.
    const lines = rows.filter(({ line }) => line !== '')
    expect(lines).toHaveLength(rows.length - status('unreadable'))
    expect(counts).toMatchObject(byVerdict(lines))
    expect(page).toContain(`>${withSvhc} with an SVHC</a>`)
    expect(counts).toMatchObject({
      rows: rows.length,
      declared: declared.length,
      ...Object.fromEntries(statuses),
      requests: 1,
    })
    expect(Rows).toEqual({
      rows: rows.length,
      declared: declared.length,
      missing: status('missing'),
      unreadable: status('unreadable'),
      'superseded by newer declarations': status('superseded'),
      'not on the parts list': counts.notListed,
      requests: 1,
      files: counts.files,
    })
    const byRohs = Object.fromEntries(Object.keys(counts.rohs).map((name) => [name, verdict(name)]))
    expect(counts.rohs).toEqual(byRohs)
    expect(rohs).toEqual(byRohs)
    expect(counts.reach.withSvhc).toBe(withSvhc)
    expect(reach!['with SVHC']).toBe(withSvhc)
    expect(reach!['not declared']).toBe(counts.reach.notDeclared)

    const isOpen = (word: string): boolean => word !== '' && !word.includes('(waived until')
    const gated = rows.filter(({ gate }) => gate!.split('; ').some(isOpen))
    expect(json.failOn.matched).toBe(gated.length)
    expect(page).toContain(`gate failed: ${gated.length} lines match`)
    expect(Verdict!.Gate).toContain(`gate failed: ${gated.length} lines match`)
    expect(Sheets).toMatchObject({
      Lines: rows.length,
      'Failed and doubtful': count(
        rows,
        (row) => ['failed', 'doubtful'].includes(row.verdict!) || gated.includes(row),
      ),
      Missing: status('missing'),
    })
    for (const rule of GATE.split(',')) {
      const found = count(rows, ({ gate }) => gate!.split('; ').includes(rule))
      expect(page, rule).toContain(found === 0 ? rule : `${rule} (${found})`)
    }
    const waived = rows
      .flatMap(({ gate }) => gate!.split('; '))
      .filter((word) => word.includes('(waived until'))
    expect(waived).toHaveLength(1)
    expect(json.waivers.findings).toBe(waived.length)
    expect(page).toContain('1 finding waived')

    const exempted = count(declared, ({ exemptions }) => exemptions !== '')
    expect(
      new Set(json.exemptions.flatMap(({ firstParts }: { firstParts: string[] }) => firstParts)).size,
    ).toBe(exempted)
    expect(Sheets!.Exemptions).toBe(json.exemptions.length)
    expect(page.match(/<tbody>(.*?)<\/tbody>/gs)!.some((body) => body.includes('exemption='))).toBe(true)
  })
})
