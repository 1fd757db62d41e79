import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { declarationXml } from '../../../src/sandbox/declaration-xml.ts'
import { describePart } from '../../../src/sandbox/made-up.ts'
import { cli, tree } from '../../support/cli.ts'
import { askDuckdb, hasDuckdb } from '../../support/duckdb.ts'
import { IS_SOAK, soakTest, sweep } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

/** The generated declarations of sixty parts, in both standards and classes, and a broken one. */
const ENTRIES = Array.from({ length: sweep(24, 60) }, (_, n) => describePart(n)).flatMap((part, n) =>
  (['1752A', '1752B'] as const).flatMap((standard) =>
    (['C', 'D'] as const).flatMap((letter) => {
      const data = declarationXml(part, standard, letter)
      return data === undefined ? [] : [{ name: `${n}-${standard}-${letter}.xml`, data }]
    }),
  ),
)

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'bom.zip'), zip([...ENTRIES, { name: 'broken.xml', data: '<broken' }]))
    await body(folder)
  })
}

async function rowsOf(bytes: Buffer): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file: new Uint8Array(bytes).buffer })
}

/** A value as CSV has it, but for the apostrophe before text that a spreadsheet would run. */
function asCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join('; ')
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value)
}

describe('matdecl report -o FILE.parquet', () => {
  it.each([
    ['parts', []],
    ['substances', ['--substances']],
  ])('has the rows of the CSV: %s', async (_, more) => {
    await inFolder(async (cwd) => {
      const result = await cli(['report', 'bom.zip', ...more, '-o', 'rows.parquet', '--json'], { cwd })
      expect(result).toMatchObject({ code: 0 })
      const rows = await rowsOf(await readFile(join(cwd, 'rows.parquet')))
      const csv = await cli(['report', 'bom.zip', ...more], { cwd })
      const lines = parse(csv.stdout, { columns: true }) as Record<string, string>[]
      expect(lines.length).toBeGreaterThan(sweep(20, 50))
      const inert = (value: unknown): string => asCell(value).replace(/^[=+\-@]/, "'$&")
      expect(rows.map((row) => Object.values(row).map(inert))).toEqual(lines.map((row) => Object.values(row)))
      const bytes = (await readFile(join(cwd, 'rows.parquet'))).length
      expect(result.json()).toMatchObject({ output: 'rows.parquet', bytes })
    })
  })

  it('leaves no file after a failure', async () => {
    await withFolder(async (cwd) => {
      const bytes = zip(ENTRIES)
      await writeFile(join(cwd, 'cut.zip'), bytes.subarray(0, bytes.length / 2))
      const { code, stdout } = await cli(['report', 'cut.zip', '-o', 'rows.parquet'], { cwd })
      expect([code, stdout]).toEqual([8, ''])
      expect(await tree(cwd)).toEqual(['cut.zip'])
    })
  })

  soakTest('gives the same bytes each time', async () => {
    await inFolder(async (cwd) => {
      for (const [name, later] of [
        ['a', 0],
        ['b', 86_400_000],
      ] as const)
        await cli(['report', 'bom.zip', '-o', `${name}.parquet`], { cwd, nowMs: 1_772_600_000_000 + later })
      const [first, second] = await Promise.all(
        ['a', 'b'].map((name) => readFile(join(cwd, `${name}.parquet`))),
      )
      expect(first!.equals(second!)).toBe(true)
    })
  })

  it.runIf(IS_SOAK && hasDuckdb)('gives DuckDB the counts of the summary', async () => {
    await inFolder(async (cwd) => {
      const { counts } = (
        await cli(['report', 'bom.zip', '-o', 'rows.parquet', '--json'], { cwd })
      ).json() as {
        counts: Record<string, unknown> & { rohs: Record<string, number>; reach: { withSvhc: number } }
      }
      const [found] = await askDuckdb(
        cwd,
        `SELECT count(*)::INT AS rows,
          count(*) FILTER (status = 'declared')::INT AS declared,
          count(*) FILTER (status = 'unreadable')::INT AS unreadable,
          count(*) FILTER (svhc_count > 0)::INT AS "withSvhc"
        FROM 'rows.parquet'`,
      )
      const { rows, declared, unreadable, reach } = counts
      expect(found).toEqual({ rows, declared, unreadable, withSvhc: reach.withSvhc })
      expect(unreadable).toBe(1)
      const statuses = await askDuckdb(
        cwd,
        "SELECT rohs, count(*)::INT AS parts FROM 'rows.parquet' WHERE status = 'declared' GROUP BY rohs",
      )
      const nonzero = Object.entries(counts.rohs).filter(([, parts]) => parts > 0)
      expect(Object.fromEntries(statuses.map((row) => [row.rohs, row.parts]))).toEqual(
        Object.fromEntries(nonzero),
      )
    })
  })
})
