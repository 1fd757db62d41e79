import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/archive/problem.ts'
import { SILENT } from '../../../src/base/notice.ts'
import { plainList } from '../../../src/report/lines.ts'
import { type ReportOptions, report } from '../../../src/report/report.ts'
import { fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { seeded } from '../../support/seeded.ts'
import { sweep } from '../../support/soak.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const LISTS = listXml('EUROHS-1907', rohsCategories())

async function rowsOf(cwd: string, more: Partial<ReportOptions>): Promise<string[]> {
  const options = { sources: ['in'], limits: DEFAULT_ARCHIVE_LIMITS, substances: false, ...more }
  const rows: string[] = []
  for await (const { parts } of report(testWorld({ cwd }), options, SILENT).batches) {
    rows.push(...parts.map((row) => JSON.stringify(row)))
  }
  return rows
}

/** Archives and XML files with parts of their own, broken ones too, and returns their paths. */
async function writeSources(cwd: string, random: () => number): Promise<string[]> {
  const paths: string[] = []
  for (let n = 0; n < 25; n += 1) {
    const folder = random() < 0.5 ? '' : `night ${n % 3}/`
    const xml = random() < 0.1 ? '<broken' : fileA(productXml([`P${n}`], LISTS))
    const isZip = random() < 0.7
    const path = `in/${folder}${n}.${isZip ? 'zip' : 'xml'}`
    await mkdir(join(cwd, dirname(path)), { recursive: true })
    await writeFile(join(cwd, path), isZip ? zip([{ name: 'x.xml', data: xml }]) : xml)
    paths.push(path)
  }
  return paths
}

describe.each([1, 2, 3].slice(0, sweep(1, 3)))('sources, seed %d', (seed) => {
  it('in shards are the whole, row for row', async () => {
    await withFolder(async (cwd) => {
      const files = await writeSources(cwd, seeded(seed))
      for (const sources of [['in'], files]) {
        const whole = await rowsOf(cwd, { sources })
        expect(whole).toHaveLength(25)
        for (const count of [1, 2, 3, 8, 40]) {
          const shards = await Promise.all(
            Array.from({ length: count }, (_, n) => rowsOf(cwd, { sources, shard: { index: n + 1, count } })),
          )
          expect(shards.flat().sort()).toEqual([...whole].sort())
        }
      }
    })
  })

  it('have the same shards from everywhere', async () => {
    await withFolder(async (cwd) => {
      await writeSources(cwd, seeded(seed))
      const shard = { index: 2, count: 3 }
      const parts = async (at: string, sources: string[]): Promise<unknown[]> =>
        (await rowsOf(at, { sources, shard })).map((row) => (JSON.parse(row) as { part: string }).part)
      const here = await parts(cwd, ['in'])
      expect(here.length).toBeGreaterThan(0)
      expect(await parts(cwd, [join(cwd, 'in')])).toEqual(here)
      expect(await parts(cwd, ['./in/'])).toEqual(here)
      expect(await parts(join(cwd, 'in'), ['.'])).toEqual(here)
    })
  })
})

it('a shard knows no missing parts', async () => {
  await withFolder(async (cwd) => {
    await writeSources(cwd, seeded(1))
    const shards = await Promise.all(
      [1, 2].map((index) =>
        rowsOf(cwd, { lists: [plainList('parts.txt', ['P1', 'NOWHERE'])], shard: { index, count: 2 } }),
      ),
    )
    const rows = shards.flat().map((row) => JSON.parse(row) as { part: string; status: string })
    expect(rows.filter(({ status }) => status !== 'unreadable').map(({ part }) => part)).toEqual(['P1'])
  })
})
