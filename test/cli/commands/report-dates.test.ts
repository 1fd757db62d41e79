import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { extensionsOf, FORMATS } from '../../../src/report/formats/choose-format.ts'
import { cli, tree } from '../../support/cli.ts'
import { exemptionXml, fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { workbookTexts } from '../../support/workbook.ts'
import { withFolder } from '../../support/world.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')

const lead = (...numbers: string[]) =>
  rohsCategories({
    Lead: { over: 'true', inside: numbers.map((number) => exemptionXml(number)).join('') },
  })
const REACH = listXml('EUREACH-0624', [{ over: 'false' }])
const FILES: Readonly<Record<string, string>> = {
  'a.xml': fileA(productXml(['P1'], listXml('EUROHS-1907', lead('6c')) + REACH)),
  'b.xml': fileA(
    productXml(
      ['P2'],
      listXml(
        'EUROHS-1907',
        rohsCategories({
          Cadmium: { over: 'true', inside: exemptionXml('8(b)-I') },
          Lead: { over: 'true', inside: exemptionXml('7(c)') },
        }),
      ) + REACH,
    ),
  ),
  'c.xml': fileA(productXml(['P3'], listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } })))),
}

const SVHC = 'date,entries,confidence\n2024-06-27,241,seen\n2026-10-01,260,seen twice\n'
const EXEMPTIONS = 'exemption,annex,expires,confidence,status\n6(c),III,2030-01-01,own reading,under review\n'

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await mkdir(join(folder, 'xml'))
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, 'xml', name), text)
    await writeFile(join(folder, 'lists.csv'), SVHC)
    await writeFile(join(folder, 'dates.csv'), EXEMPTIONS)
    await body(folder)
  })
}

const rowsOf = (csv: string): Record<string, string>[] =>
  parse(csv, { columns: true }) as Record<string, string>[]

describe('a report by date', () => {
  it('has the shipped dates in its columns, and no word for an end that is not known', async () => {
    await inFolder(async (cwd) => {
      const { code, stdout, stderr } = await cli(['report', 'xml', '-v', '-o', 'r.csv'], { cwd, nowMs: NOW })
      expect(code).toBe(0)
      expect(stdout).toBe('r.csv\n')
      const text = await readFile(join(cwd, 'r.csv'), 'utf8')
      expect(rowsOf(text).map((row) => [row.part, row.exemption_expires, row.svhc_list_behind])).toEqual([
        ['P1', '2027-06-30', '12'],
        ['P2', '2021-07-21', '12'],
        ['P3', '', ''],
      ])
      expect(stderr).toContain(
        'Candidate List: 241 entries of June 2024, 12 entries behind the newest list in the table (2 rows); the newest list in the table has 253 entries (2026-02-04',
      )
      expect(text).toContain('0 of 241 entries of EUREACH-0624 (June 2024); not stated')
      expect(stderr).toContain('  8(b)-I  nominal date passed 2021-07-21, no renewal decision found')
      expect(stderr).toMatch(/ {2}7\(c\) +not judged \(ambiguous: the table has 7\(c\)-I, /)
      expect(`${text}${stderr}`).not.toMatch(/expired/i)
    })
  })

  it.each(extensionsOf(FORMATS).filter((one) => !['.csv', '.tsv', '.ndjson'].includes(one)))(
    'says in %s which tables it used',
    async (extension) => {
      await inFolder(async (cwd) => {
        const path = `r${extension}`
        const own = ['--svhc-updates', 'lists.csv', '--rohs-exemptions', 'dates.csv']
        const { code } = await cli(['report', 'xml', '-o', path, ...own], { cwd, nowMs: NOW })
        expect(code).toBe(0)
        const bytes = await readFile(join(cwd, path))
        const text =
          extension === '.xlsx'
            ? [...(await workbookTexts(bytes)).values()].join('\n')
            : bytes.toString('utf8')
        for (const fact of ['lists.csv', '2026-10-01', 'dates.csv', '2030-01-01', 'seen twice']) {
          expect(text.replaceAll('\\', ''), fact).toContain(fact)
        }
        expect(text).not.toMatch(/expired/i)
      })
    },
  )

  it('takes its tables from options, the environment and the config file', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'matdecl.toml'), 'rohs-exemptions = "dates.csv"\n')
      const env = { MATDECL_SVHC_UPDATES: 'lists.csv' }
      const argv = ['report', 'xml', '--json', '--config', 'matdecl.toml']
      const result = (await cli(argv, { cwd, env, nowMs: NOW })).json()
      expect(result).toMatchObject({
        tables: {
          svhcUpdates: {
            file: 'lists.csv',
            shipped: false,
            rows: 2,
            newest: '2026-10-01',
            checked: null,
            confidence: 'seen twice',
          },
          rohsExemptions: { file: 'dates.csv', shipped: false, newest: '2030-01-01' },
        },
        candidateLists: [{ list: 'EUREACH-0624', parts: 2, date: '2024-06-27', entries: 241, behind: 19 }],
        exemptionsNotJudged: 1,
      })
      const [first, ...others] = result.exemptions as readonly object[]
      expect(first).toMatchObject({
        exemption: '6c',
        number: '6(c)',
        parts: 1,
        firstParts: ['P1'],
        earliest: '2030-01-01',
        latest: '2030-01-01',
        status: 'under review',
        confidence: 'own reading',
      })
      for (const other of others) expect(other).toMatchObject({ earliest: null, status: 'not judged' })
    })
  })

  it.each([
    [
      '--svhc-updates',
      'date,entries,confidence\n2026-01-01,many,x\n',
      "bad.csv:2: entries: invalid value 'many': expected a positive",
    ],
    ['--rohs-exemptions', 'exemption,annex\n6(c),III\n', 'bad.csv:1: no column "expires"'],
    [
      '--waivers',
      'part,rule,reason,owner,until\nP1,svhc,why,,2027-01-01\n',
      'bad.csv:2: owner: expected who',
    ],
  ])('stops before it writes anything when the file of %s is wrong', async (option, text, message) => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'bad.csv'), text)
      const { code, stdout, stderr } = await cli(['report', 'xml', '-o', 'r.csv', option, 'bad.csv'], { cwd })
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toContain(`matdecl: error: ${message}`)
      expect(stderr).toContain(option)
      expect(await tree(cwd)).not.toContain('r.csv')
    })
  })

  it('notices a wrong table before a download requests anything', async () => {
    await inFolder(async (cwd) => {
      const report = ['--report', 'r.csv', '--svhc-updates', 'none.csv', '-o', 'a.zip']
      const argv = ['--sandbox', '--supplier', '100200300', ...report]
      const { code, stderr } = await cli(argv, { cwd })
      expect(code).toBe(2)
      expect(stderr).toContain('none.csv does not exist')
      expect(stderr).not.toContain('requesting')
      expect(await tree(cwd)).not.toContain('a.zip')
    })
  })

  it('fails on exemptions that nominally end by a day, and counts those without a date', async () => {
    await inFolder(async (cwd) => {
      const gate = (rule: string) => cli(['report', 'xml', '--fail-on', rule, '-o', '-'], { cwd, nowMs: NOW })
      const before = await gate('exemption-expires:2027-06-29')
      expect(before.code).toBe(13)
      expect(before.stderr).toContain('1 row matches --fail-on exemption-expires:2027-06-29')
      expect(before.stderr).toContain('1 part relies on an exemption whose date is not known')
      const day = await gate('exemption-expires:2027-06-30')
      expect(day.stderr).toContain('2 rows match --fail-on exemption-expires:2027-06-30')
      const none = await gate('exemption-expires:2021-07-20')
      expect(none.code).toBe(0)
    })
  })

  it('does so in a diff too', async () => {
    await inFolder(async (cwd) => {
      await mkdir(join(cwd, 'old'))
      await writeFile(join(cwd, 'old', 'c.xml'), FILES['c.xml']!)
      const argv = ['diff', 'old', 'xml', '--fail-on', 'exemption-expires:2027-06-30']
      const { code, stderr } = await cli(argv, { cwd, nowMs: NOW })
      expect(code).toBe(13)
      expect(stderr).toContain('2 parts match --fail-on exemption-expires:2027-06-30')
      const own = await cli([...argv, '--rohs-exemptions', 'dates.csv'], { cwd, nowMs: NOW })
      expect(own.code).toBe(0)
    })
  })
})

describe('waivers', () => {
  const CSV = [
    'part,rule,reason,owner,until',
    'P3,not-compliant,"last time buy; replaced in June",Jo,2026-11-22',
    'P1,exemption-expires,redesign,Jo,2026-11-21',
    'P9,svhc,none,Jo,2027-01-01',
  ].join('\n')
  const TOML = CSV.split('\n')
    .slice(1)
    .map((line) => {
      const [part, rule, reason, owner, until] = line.replaceAll('"', '').split(',')
      return `[[waiver]]\npart = "${part}"\nrule = "${rule}"\nreason = "${reason}"\nowner = "${owner}"\nuntil = ${until}\n`
    })
    .join('\n')

  it.each([
    ['waivers.csv', CSV],
    ['waivers.toml', TOML],
  ])('in %s leave the finding in the report and out of the gate', async (name, text) => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, name), text)
      const argv = ['report', 'xml', '--json', '--waivers', name, '--fail-on', 'not-compliant']
      const { code, json, stderr } = await cli(argv, { cwd, nowMs: NOW })
      expect(code).toBe(0)
      const result = json()
      const rows = result.rows as readonly Record<string, unknown>[]
      expect(rows.find(({ part }) => part === 'P3')).toMatchObject({
        rohs: 'not compliant',
        gate: 'not-compliant (waived until 2026-11-22: last time buy, replaced in June)',
      })
      expect(result).toMatchObject({
        status: 'ok',
        failOn: { matched: 0, rows: [] },
        waivers: {
          file: name,
          findings: 1,
          used: [{ part: 'P3', owner: 'Jo', until: '2026-11-22' }],
          runOut: [{ part: 'P1' }],
          unmatched: [{ part: 'P9' }],
        },
      })
      expect(stderr).toContain('1 waiver has expired: P1 exemption-expires (until 2026-11-21, Jo)')
      expect(stderr).toContain('1 waiver matches no finding of the gate: P9 svhc')
    })
  })

  it('end with their day, UTC', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'w.csv'), CSV)
      const argv = [
        'report',
        'xml',
        '-o',
        'r.csv',
        '--waivers',
        'w.csv',
        '--fail-on',
        'not-compliant',
        '--junit',
        'j.xml',
      ]
      const last = await cli(argv, { cwd, nowMs: Date.parse('2026-11-22T23:59:59Z') })
      expect(last.code).toBe(0)
      expect(last.stderr).toContain('w.csv: 1 finding waived, 1 waiver has expired, 1 matches nothing')
      expect(await readFile(join(cwd, 'j.xml'), 'utf8')).toContain('failures="0"')
      const next = await cli([...argv, '--overwrite', '-v'], {
        cwd,
        nowMs: Date.parse('2026-11-23T00:00:00Z'),
      })
      expect(next.code).toBe(13)
      expect(next.stderr).toContain('w.csv: 0 findings waived, 2 waivers have expired')
      expect(await readFile(join(cwd, 'j.xml'), 'utf8')).toContain('failures="1"')
    })
  })

  it.each([
    [
      'w.csv',
      'part,rule,reason,owner,until\nP1,svch,why,Jo,2027-01-01\n',
      'w.csv:2: rule: unknown rule "svch"; did you mean svhc?',
    ],
    [
      'w.csv',
      'part,rule,reason,owner,until\n\nP1,svhc,why,Jo,soon\n',
      "w.csv:3: until: invalid value 'soon': expected the last day as YYYY-MM-DD",
    ],
    [
      'w.csv',
      'part,rule,reason,owner,until\nP1,svhc,,Jo,2027-01-01\n',
      'w.csv:2: reason: expected why the finding is accepted',
    ],
    ['w.csv', 'part,rule,reason,owner\nP1,svhc,why,Jo\n', 'w.csv:1: no column "until"'],
    [
      'w.toml',
      `[[waiver]]\npart = "P1"\nrule = "svhc"\nreason = "why"\nowner = "Jo"\nuntil = 2027-01-01\n\n[[waiver]]\npart = "P2"\n`,
      'w.toml:8: rule: expected a rule of the gate',
    ],
    ['w.toml', '[[waiver]]\npart = 5\n', "w.toml:1: part: invalid value '5': expected a part number"],
    ['w.toml', '[[waiver]]\npart = "P1\n', 'w.toml:2:'],
    ['w.toml', 'part = "P1"\n', 'w.toml has no [[waiver]] tables'],
  ])('that are not complete are a usage error: %s %j', async (name, text, message) => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, name), text)
      const { code, stdout, stderr } = await cli(['report', 'xml', '--fail-on', 'svhc', '--waivers', name], {
        cwd,
      })
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(`matdecl: error: ${message}`)
    })
  })
})
