import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReportResult } from '../../src/report/report-result.ts'
import { cli } from '../support/cli.ts'
import { exemptionXml, fileA, HEAD, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { askDuckdb, type DuckRow, hasDuckdb } from '../support/duckdb.ts'
import { fencesIn } from '../support/markdown-commands.ts'
import { needs, pathOf } from '../support/programs.ts'
import { IS_SOAK, soakTest } from '../support/soak.ts'
import { toolCommand } from '../support/tool-command.ts'
import { zip } from '../support/zip.ts'

const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'scale.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'matdecl-scale-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The fenced blocks below a heading. */
function blocksBelow(heading: string): string[] {
  const [, after] = page.split(new RegExp(`^#+ ${heading}$`, 'm'))
  return fencesIn(after!.split(/^#+ /m)[0]!).map(({ text }) => text)
}

interface Declared {
  readonly part: string
  readonly supplier?: string
  readonly date?: string
  readonly rohs?: string
  readonly reach?: string
}

const CLEAN = listXml('EUROHS-1907', rohsCategories())
const LEAD = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true', inside: exemptionXml('6(c)') } }))
const BAD = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))
const NO_SVHC = listXml('EUREACH-0624', [{ name: 'Lead', code: '00167', over: 'false' }])
const SVHCS = listXml('EUREACH-0624', [
  { name: 'Lead', code: '00167', over: 'true' },
  { name: 'Cr(VI) salts', code: '00021', over: 'true' },
])

function declaration({
  part,
  supplier = '100',
  date = '2025-01-01',
  rohs = CLEAN,
  reach = NO_SVHC,
}: Declared) {
  const head = HEAD.replace('2024-09-27', date)
    .replace('123456789', supplier)
    .replace('Example Parts', `Supplier ${supplier}`)
  return fileA(productXml([part], rohs + reach), { head })
}

// The newest declaration of a part is in any archive; two suppliers have the same part number.
const NIGHTS: readonly (readonly Declared[])[] = [
  [{ part: 'A1' }, { part: 'A2', rohs: LEAD, reach: SVHCS }],
  [{ part: 'A1', date: '2026-01-01', rohs: BAD, reach: SVHCS }],
  [
    { part: 'A2', date: '2024-01-01' },
    { part: '00012', supplier: '200', reach: SVHCS },
  ],
  [{ part: 'A1', supplier: '200', rohs: LEAD }],
  [{ part: '00012', supplier: '200', date: '2025-06-01', rohs: LEAD, reach: SVHCS }],
  [
    { part: 'B1', rohs: BAD },
    { part: 'B2', rohs: '', reach: '' },
    { part: 'C1', rohs: '', reach: SVHCS },
  ],
  [
    { part: 'B1', date: '2025-02-02' },
    { part: 'C1', date: '2025-02-02', reach: '' },
  ],
  [{ part: 'B3', supplier: '300', reach: SVHCS }],
]
const PRODUCTS = { RADIO: ['A2', '00012', 'B1', 'LOST'], CLOCK: ['A1', 'B3'] }

let whole: ReportResult

beforeAll(async () => {
  for (const [night, files] of NIGHTS.entries()) {
    const entries = files.map((one, index) => ({ name: `${index}.xml`, data: declaration(one) }))
    const broken = night === 3 ? [{ name: 'broken.xml', data: '<broken' }] : []
    await mkdir(join(folder, 'incoming', `night ${night % 3}`), { recursive: true })
    await writeFile(
      join(folder, 'incoming', `night ${night % 3}`, `${night}.zip`),
      zip([...entries, ...broken]),
    )
  }
  const lines = Object.entries(PRODUCTS).flatMap(([name, parts]) => parts.map((part) => `${name},${part}`))
  await writeFile(join(folder, 'products.csv'), `product,part\n${lines.join('\n')}\n`)
  for (const [name, parts] of Object.entries(PRODUCTS)) {
    const list = parts.map((part) => `${part},1`).join('\n')
    await writeFile(join(folder, `${name}.csv`), `part number,quantity\n${list}\n`)
  }
  whole = await reported()
})

/** The report of all archives. */
async function reported(...more: string[]): Promise<ReportResult> {
  const argv = ['report', 'incoming/', '--json', '--fail-on', 'exemption-expires:2027-06-30', ...more]
  return (await cli(argv, { cwd: folder })).json() as unknown as ReportResult
}

/** Runs a script with `matdecl` as a command, in a new directory with the archives; returns its path. */
async function shellFolder(): Promise<string> {
  const cwd = mkdtempSync(join(folder, 'run-'))
  await mkdir(join(cwd, 'home'))
  await cp(join(folder, 'incoming'), join(cwd, 'incoming'), { recursive: true })
  return cwd
}

async function shell(script: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { program, args } = toolCommand()
  const tool = [program, ...args].map((word) => `'${word}'`).join(' ')
  const prelude = `matdecl() { ${tool} "$@"; }\nexport -f matdecl\nset -e\n`
  await promisify(execFile)('bash', ['--norc', '--noprofile', '-c', `${prelude}${script}`], {
    cwd,
    env: { PATH: process.env.PATH, HOME: join(cwd, 'home'), PARALLEL_SHELL: pathOf('bash'), ...env },
  })
}

const SHARDS = [1, 2, 3]

/** The files that a row rests on. */
const sourcesOf = ({ source }: { readonly source?: unknown }): readonly string[] => String(source).split('; ')

/** Checks that the shards are there, and have the rows of all archives with their older declarations. */
async function expectAllRows(cwd: string): Promise<void> {
  if (!hasDuckdb) return
  const rows = await askDuckdb(cwd, "SELECT source FROM 'parts-*.parquet' WHERE status <> 'superseded'")
  const { rows: all } = await reported('--history')
  const sources = new Set(rows.map(({ source }) => source))
  const newest = whole.rows!.flatMap(sourcesOf)
  expect(newest.filter((source) => !sources.has(source))).toEqual([])
  expect(rows.length).toBeGreaterThan(newest.length)
  const files = new Set(all!.flatMap(sourcesOf))
  expect([...sources].filter((source) => !files.has(String(source)))).toEqual([])
}

describe.skipIf(!needs('bash'))('the shell lines of a recipe', () => {
  soakTest('Slurm array', async () => {
    const [script] = blocksBelow('Slurm array')
    expect(script).toContain('--array=1-3')
    const cwd = await shellFolder()
    for (const shard of SHARDS) {
      await shell(script!, cwd, { SLURM_ARRAY_TASK_ID: String(shard), SLURM_ARRAY_TASK_COUNT: '3' })
    }
    await expectAllRows(cwd)
  })

  it.runIf(IS_SOAK && needs('parallel'))('GNU parallel', async () => {
    const cwd = await shellFolder()
    await shell(blocksBelow('GNU parallel')[0]!, cwd)
    await expectAllRows(cwd)
  })
})

describe.skipIf(!hasDuckdb)('the queries for DuckDB', () => {
  const [views, together, byStatus, byExemption, bySvhc, missing, others] = blocksBelow('DuckDB')

  beforeAll(async () => {
    for (const shard of SHARDS) {
      const output = `parts-${shard}.parquet`
      const { code } = await cli(['report', 'incoming/', '--shard', `${shard}/3`, '-o', output], {
        cwd: folder,
      })
      expect(code).toBe(0)
    }
  })

  const ask = (sql: string): Promise<readonly DuckRow[]> => askDuckdb(folder, `${views}\n${sql}`)

  /** Worst first. */
  const STATUSES = ['not compliant', 'incomplete', 'compliant with exemptions', 'compliant', 'not declared']

  it('find the parts that have a row in several shards, with their sources', async () => {
    const rows = await ask(together!)
    const found = rows.map(({ number }) => String(number))
    expect(found.length).toBeGreaterThan(0)
    const { rows: all } = await reported('--history')
    for (const { number, sources } of rows) {
      const own = all!.filter(({ part }) => part === number).flatMap(sourcesOf)
      expect(own).toEqual(expect.arrayContaining(sources as string[]))
    }
  })

  it('have no part with a better status than the report on all archives, and the same one where a part is in one shard', async () => {
    const several: readonly unknown[] = (await ask(together!)).map(({ number }) => number)
    const rows = await ask('SELECT supplier, part, rohs FROM worst')
    const declared = whole.rows!.filter(({ status }) => status === 'declared')
    expect(rows).toHaveLength(declared.length)
    const rank = (status: unknown): number => STATUSES.indexOf(String(status))
    for (const { supplier, part, rohs } of declared) {
      const found = rows.find((row) => row.supplier === supplier && row.part === part)!
      expect(rank(found.rohs), String(part)).toBeLessThanOrEqual(rank(rohs))
      if (!several.includes(part)) expect(found.rohs).toBe(rohs)
    }
  })

  it('keep an SVHC that only an older declaration in another shard states', async () => {
    expect(await ask(together!)).toContainEqual(expect.objectContaining({ number: 'C1' }))
    const rows = await ask("SELECT rohs FROM worst WHERE part = 'C1'")
    expect(rows).toEqual([{ rohs: 'compliant' }])
    const svhcs = await ask("SELECT svhc_count FROM declared WHERE part = 'C1' AND svhc_count IS NOT NULL")
    expect(svhcs).toEqual([{ svhc_count: 2 }])
  })

  it('count the RoHS status by supplier', async () => {
    const rows = await ask(byStatus!)
    expect(rows).toContainEqual({ supplier: 'Supplier 100', rohs: 'not compliant', parts: expect.anything() })
    const parts = rows.reduce((sum, row) => sum + Number(row.parts), 0)
    expect(parts).toBe(whole.counts.declared)
  })

  it('find the parts that rely on an exemption until a day', async () => {
    const rows = await ask(byExemption!)
    expect(rows.map(({ part }) => part).sort()).toEqual(whole.failOn!.rows.map(({ part }) => part).sort())
    expect(rows).toHaveLength(whole.exemptions![0]!.parts)
    expect(rows[0]).toMatchObject({
      exemption_expires: whole.exemptions![0]!.earliest,
      exemptions: ['6(c) (EL2011/534/EU, Lead)'],
    })
  })

  it('find the SVHCs and the missing parts of a product', async () => {
    const svhcs = await ask(bySvhc!)
    const lost = await ask(missing!)
    expect(svhcs.length).toBeGreaterThan(2)
    for (const product of Object.keys(PRODUCTS)) {
      const { rollup, rows } = await reported('--parts-file', `${product}.csv`)
      const found = svhcs.filter((row) => row.product === product)
      expect(found.map(({ substance, parts }) => [substance, Number(parts)])).toEqual(
        rollup!.svhcs.map(({ substance, count }) => [substance, count]),
      )
      const missed = rows!.filter(({ status }) => status === 'missing').map(({ part }) => ({ product, part }))
      expect(lost.filter((row) => row.product === product)).toEqual(missed)
    }
    expect(lost).toEqual([{ product: 'RADIO', part: 'LOST' }])
  })

  it('find unreadable files, and the counts of each shard', async () => {
    const [unreadable, counts] = others!.split(';').slice(0, 2)
    expect(await ask(unreadable!)).toMatchObject([{ source: expect.stringMatching(/3\.zip!broken\.xml$/) }])
    const shards = (await ask(counts!)).map(
      ({ counts: text }) => JSON.parse(String(text)) as { files: number },
    )
    expect(shards).toHaveLength(3)
    expect(shards.reduce((sum, { files }) => sum + files, 0)).toBe(whole.counts.files)
  })
})
