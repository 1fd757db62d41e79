import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { SILENT } from '../../src/base/notice.ts'
import { plainList } from '../../src/report/lines.ts'
import { type ReportOptions, report } from '../../src/report/report.ts'
import type { ReportSummary } from '../../src/report/report-summary.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { pick, seeded } from '../support/seeded.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const LISTS = {
  good: listXml('EUROHS-1907', rohsCategories()),
  bad: listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } })),
}
const MATERIAL =
  '<HomogeneousMaterialList><HomogeneousMaterial name="Tin"><Amount value="2" UOM="mg"/><Substance name="Sn"><Amount value="2" UOM="mg"/></Substance></HomogeneousMaterial></HomogeneousMaterialList>'

interface Declared {
  readonly parts: readonly string[]
  readonly date: string
  readonly duns?: string
  readonly content: 'good' | 'bad' | 'material'
}

function xmlOf({ parts, date, duns = '804735132', content }: Declared): string {
  const info = content === 'material' ? MATERIAL : LISTS[content]
  const head = `<BusinessInfo mode="Distribute"><Response date="${date}"><SupplyCompany name="Supplier ${duns}"><CompanyID identity="${duns}" authority="DUNS"/></SupplyCompany></Response></BusinessInfo>`
  return fileA(productXml(parts, info), { head })
}

/** The rows of both tables without their source, and the summary; `files` are declarations by path, in a ZIP where it ends so. */
async function reportOf(
  files: Readonly<Record<string, Declared | readonly Declared[]>>,
  more: Partial<ReportOptions> = {},
): Promise<{ parts: string[]; substances: string[]; summary: ReportSummary }> {
  return withFolder(async (cwd) => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(cwd, dirname(path)), { recursive: true })
      const all = [content].flat() as Declared[]
      const data = path.endsWith('.zip')
        ? zip(all.map((one, n) => ({ name: `${n}.xml`, data: xmlOf(one) })))
        : xmlOf(all[0]!)
      await writeFile(join(cwd, path), data)
    }
    const { batches, summary } = report(
      testWorld({ cwd }),
      {
        sources: Object.keys(files),
        limits: DEFAULT_ARCHIVE_LIMITS,
        substances: true,
        ...more,
      },
      SILENT,
    )
    const parts: string[] = []
    const substances: string[] = []
    for await (const batch of batches) {
      for (const row of batch.parts)
        parts.push(
          [row.part, row.companyIds.join(' '), row.date, row.judged.rohs.status, row.status].join('|'),
        )
      for (const row of batch.substances) substances.push([row.part, row.substance].join('|'))
    }
    return { parts, substances, summary: await summary() }
  })
}

/** Declarations that all have different dates. */
function nights(random: () => number, count: number): Declared[] {
  const days = Array.from({ length: 28 }, (_, n) => n + 1).sort(() => random() - 0.5)
  return days.slice(0, count).map((day) => ({
    parts: pick(random, [['A'], ['B'], ['A', 'C']]),
    date: `2026-02-${String(day).padStart(2, '0')}`,
    duns: pick(random, ['804735132', '804735133']),
    content: pick(random, ['good', 'bad', 'material'] as const),
  }))
}

const asZips = (declared: readonly Declared[]): Record<string, Declared> =>
  Object.fromEntries(declared.map((one, n) => [`${String(n).padStart(2, '0')}.zip`, one]))

describe.each(Array.from({ length: 12 }, (_, seed) => seed))('nightly archives, seed %d', (seed) => {
  const random = seeded(seed)
  const declared = nights(random, 3 + Math.floor(random() * 8))

  it('are reported the same in any order', async () => {
    const first = await reportOf(asZips(declared))
    const other = await reportOf(asZips([...declared].sort(() => random() - 0.5)))
    expect(other.parts.sort()).toEqual(first.parts.sort())
    expect(other.substances.sort()).toEqual(first.substances.sort())
    expect(other.summary.counts).toEqual(first.summary.counts)
  })

  it('are reported the same with an older one of the same parts', async () => {
    const older: Declared = { ...pick(random, declared), date: '2019-01-01' }
    const before = await reportOf(asZips(declared))
    const after = await reportOf({ ...asZips(declared), 'older.zip': older })
    expect(after.parts).toEqual(before.parts)
    expect(after.substances).toEqual(before.substances)
    const { files, superseded, ...counts } = after.summary.counts
    expect(counts).toMatchObject({ rohs: before.summary.counts.rohs, rows: before.summary.counts.rows })
    expect(superseded).toBe(before.summary.counts.superseded + older.parts.length)
  })

  it('are reported the same from one archive, from two and from a directory', async () => {
    const cut = 1 + Math.floor(random() * (declared.length - 1))
    const one = await reportOf({ 'all.zip': declared })
    const two = await reportOf({ 'a.zip': declared.slice(0, cut), 'b.zip': declared.slice(cut) })
    const files = Object.fromEntries(declared.map((each, n) => [`in/${n}.xml`, each]))
    const folder = await reportOf(files, { sources: ['in'] })
    for (const other of [two, folder]) {
      expect(other.parts).toEqual(one.parts)
      expect(other.substances).toEqual(one.substances)
      expect(other.summary.counts).toEqual(one.summary.counts)
    }
  })
})

describe('an old failure', () => {
  const old: Declared = { parts: ['A'], date: '2025-01-01', content: 'bad' }
  const now: Declared = { parts: ['A'], date: '2026-01-01', content: 'good' }
  const material: Declared = { ...now, content: 'material' }

  it('is over once a newer declaration is there', async () => {
    const { parts, summary } = await reportOf({ 'old.zip': old, 'now.zip': now })
    expect(parts).toEqual(['A|804735132|2026-01-01|compliant|declared'])
    expect(summary.counts).toMatchObject({ rows: 1, declared: 1, superseded: 1, files: 2 })
    expect(summary.counts.rohs).toMatchObject({ compliant: 1, 'not compliant': 0 })
  })

  it('stays when the newer one states other things or is of another supplier', async () => {
    const together = await reportOf({ 'old.zip': old, 'other.zip': material })
    expect(together.parts).toEqual(['A|804735132|2025-01-01|not compliant|declared'])
    expect(together.summary.counts).toMatchObject({ superseded: 0, rohs: { 'not compliant': 1 } })
    const apart = await reportOf({ 'old.zip': old, 'other.zip': { ...now, duns: '804735133' } })
    expect(apart.parts).toHaveLength(2)
    expect(apart.summary.counts).toMatchObject({ superseded: 0, rohs: { 'not compliant': 1 } })
  })

  it('is in the history, but neither counted nor checked by the gate', async () => {
    const { parts, summary } = await reportOf(
      { 'old.zip': old, 'now.zip': now },
      { history: true, failOn: [{ word: 'any', matches: () => true }] },
    )
    expect(parts).toEqual([
      'A|804735132|2025-01-01|not compliant|superseded',
      'A|804735132|2026-01-01|compliant|declared',
    ])
    expect(summary.counts).toMatchObject({ rows: 2, declared: 1, superseded: 1 })
    expect(summary.counts.rohs).toMatchObject({ compliant: 1, 'not compliant': 0 })
    expect(summary.gate).toMatchObject({ matched: 1 })
  })
})

it('a part that only an old declaration has is not missing', async () => {
  const { parts } = await reportOf(
    {
      'old.zip': { parts: ['A', 'B'], date: '2025-01-01', content: 'good' },
      'now.zip': { parts: ['A'], date: '2026-01-01', content: 'good' },
    },
    { lists: [plainList('parts.txt', ['A', 'B', 'X'])] },
  )
  expect(parts).toEqual([
    'A|804735132|2026-01-01|compliant|declared',
    'B|804735132|2025-01-01|compliant|declared',
    'X|||not declared|missing',
  ])
})
