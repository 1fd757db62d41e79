import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { IS_SOAK } from '../../support/soak.ts'
import { workbookTexts } from '../../support/workbook.ts'

// Everything that reports of the same declarations say, as files beside this one: a change to what users see is a change to these.
// After an intended change: npx vitest run test/report/golden -u

const NOW = Date.parse('2026-11-22T12:00:00Z')
const PARTS = `Level,Part Number,Qty,Manufacturer
1,TOP-1,1,
2,EXC188R60001KA,4,Example Components
2,HA-LEAD,2,
2,SUB-1,3,
3,HA-8B-I,10,
3,EXC188R60016KA,0.5,
2,NOT-DECLARED-9,1,
2,=1+1,1,
`
const WAIVERS = `part,rule,reason,owner,until
HA-LEAD,not-compliant,spare part,Ann,2027-01-01
HA-8B-I,exemption-expires:2026-12-31,too late,Bob,2026-01-01
`
/** In the suite the formats that the others are made from; in the soak all of them. */
const FIRST = ['list.csv', 'list.html', 'list.xlsx', 'diff.json']
const isRun = (file: string): boolean => IS_SOAK || FIRST.includes(file)
const GATE = 'not-compliant,svhc,missing,incomplete,contradictory,indicated,exemption-expires:2026-12-31'
const SOURCES = ['C.zip', 'D.zip', 'special.zip', 'broken']
const LIST = ['--parts-file', 'parts.csv', '--quantity-column', 'Qty', '--level-column', 'Level']
const GATED = [...LIST, '--fail-on', GATE, '--waivers', 'waivers.csv']
const TIMEOUT = { timeout: 120_000 }

/** What every test reads; a test writes only files of its own. */
let cwd = ''
const run = (argv: readonly string[], more: Parameters<typeof cli>[1] = {}) =>
  cli(argv, { cwd, nowMs: NOW, ...more })

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'matdecl-golden-'))
  for (const options of [
    ['--supplier', '100200300', '-o', 'C.zip'],
    ['--supplier', '100200300', '--format-class', 'D', '--format', '1752B', '-o', 'D.zip'],
    ['--supplier', '800900100', '--format-class', 'checkDthenC', '-o', 'special.zip'],
  ])
    expect((await run(['download', '--sandbox', '-q', ...options])).code).toBe(0)
  await writeFile(join(cwd, 'parts.csv'), PARTS)
  await writeFile(join(cwd, 'waivers.csv'), WAIVERS)
  await mkdir(join(cwd, 'broken'))
  await writeFile(join(cwd, 'broken', 'cut.xml'), '<MainDeclaration><Product>')
  // A year later: other dates, values, lists and files.
  await run(['extract', 'C.zip', 'later'])
  for (const [index, name] of (await readdir(join(cwd, 'later'))).sort().entries()) {
    const path = join(cwd, 'later', name)
    if (index % 9 === 8) await rm(path)
    else await writeFile(path, laterText(await readFile(path, 'utf8'), index % 9))
  }
  await run(['extract', 'special.zip', 'later', '--overwrite', '--include', '*HA-LEAD*'])
}, TIMEOUT.timeout)

afterAll(() => rm(cwd, { recursive: true, force: true }))

const REPORTS: readonly (readonly [file: string, options: readonly string[]])[] = [
  ['all.csv', []],
  ['all.json', []],
  ['all.md', ['--history']],
  ['substances.csv', ['--substances']],
  ['list.csv', LIST],
  ['list.md', GATED],
  ['list.html', GATED],
  ['list.xlsx', GATED],
]

test.each(REPORTS.filter(([file]) => isRun(file)))(
  'the report %s is unchanged',
  TIMEOUT,
  async (file, options) => {
    await run(['report', ...SOURCES, '-o', file, ...options])
    await expectSame(file)
  },
)

const DIFFS = ['diff.md', 'diff.html', 'diff.json', 'diff.csv', 'diff.xlsx']

test.each(DIFFS.filter(isRun))('the comparison %s is unchanged', TIMEOUT, async (file) => {
  expect([0, 13]).toContain((await run(['diff', 'C.zip', 'later', '--fail-on', GATE, '-o', file])).code)
  await expectSame(file)
})

test('the comparison on standard output is unchanged', TIMEOUT, async () => {
  const argv = ['diff', 'C.zip', 'later', '--fail-on', GATE]
  const { stdout } = await run(argv, { env: { LANG: 'C.UTF-8' } })
  await expect(stdout).toMatchFileSnapshot('files/diff.txt')
})

test('the JUnit file and the letters are unchanged', TIMEOUT, async () => {
  const options = ['-o', 'letters.csv', '--junit', 'list.junit.xml', '--requests', 'requests']
  await run(['report', ...SOURCES, ...GATED, ...options])
  await expectSame('list.junit.xml')
  const requests = (await readdir(join(cwd, 'requests'))).sort()
  const texts = await Promise.all(
    requests.map(async (name) => `== ${name}\n${await readFile(join(cwd, 'requests', name), 'utf8')}`),
  )
  await expect(texts.join('\n')).toMatchFileSnapshot('files/requests.txt')
})

test.each([
  ['terminal-all.txt', []],
  ['terminal-list.txt', GATED],
])('what a terminal shows, %s, is unchanged', TIMEOUT, async (file, options) => {
  const seen = await run(['report', ...SOURCES, '--no-progress', '--no-color', ...options], {
    isTTY: true,
    columns: 120,
    env: { LANG: 'C.UTF-8' },
  })
  await expect(`${seen.stdout}\n== ${seen.code}\n${seen.stderr}`.replaceAll(cwd, '')).toMatchFileSnapshot(
    `files/${file}`,
  )
})

async function expectSame(file: string): Promise<void> {
  const isWorkbook = file.endsWith('.xlsx')
  const bytes = await readFile(join(cwd, file))
  const shown = isWorkbook ? await workbookText(bytes) : pageText(bytes.toString('utf8'))
  await expect(shown).toMatchFileSnapshot(`files/${file}${isWorkbook ? '.txt' : ''}`)
}

/** A declaration with one of eight changes. */
function laterText(text: string, change: number): string {
  const later = text.replace(/date="(\d{4})-/, (_, year: string) => `date="${Number(year) + 1}-`)
  if (change === 0) return text
  if (change === 1) return later.replace('overThreshold="false"', 'overThreshold="true"')
  if (change === 2) return later.replaceAll('overThreshold="true"', 'overThreshold="false"')
  if (change === 3) return later.replaceAll('EUREACH-0624', 'EUREACH-0126')
  if (change === 4) return later.replace(/<SubstanceCategory name="Lead[\s\S]*?<\/SubstanceCategory>/, '')
  if (change === 5) return later.replace(/value="[\d.]+" UOM="mg"/, 'value="77.5" UOM="mg"')
  if (change === 6) return later.replace('</MaterialInfo>', '')
  if (change === 7) return later.replace('supplierAcceptance="true"', 'supplierAcceptance="false"')
  return later
}

/** A page without its script and styles, which have tests of their own, and each element of XML on a line. */
function pageText(text: string): string {
  return text
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
    .replace(/'sha256-[^']*'/g, '')
    .replace(/></g, '>\n<')
    .replaceAll('\r\n', '\n')
}

async function workbookText(bytes: Buffer): Promise<string> {
  const texts = [...(await workbookTexts(bytes))].map(
    ([name, text]) =>
      `== ${name}\n${text.replace(/(<\/row>|<row|<col |<xf |<font|<fill|<border|<Override|<Relationship )/g, '\n$1')}`,
  )
  return texts.join('\n')
}
