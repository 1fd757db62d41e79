import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../../src/base/notice.ts'
import { openLibrary } from '../../../src/library/library.ts'
import { ALL_GROUPS, rohs, xmlOf } from '../../report/meaning/declarations.ts'
import { cli } from '../../support/cli.ts'
import { exemptionXml, fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { serving } from '../../support/serving.ts'
import { testWorld, withFolder } from '../../support/world.ts'

interface ProductFields {
  readonly list: string
  readonly passed: boolean
  readonly verdict: string
  readonly findings: readonly { readonly line: number; readonly part: string; readonly rule: string }[]
  readonly notes: readonly object[]
}

const LIST = 'Part Number,Quantity\nHA-BETTER,2\nNOT-THERE,1\n'

/** Runs the tool in a directory with a library of its own. */
function inFolder(cwd: string, nowMs = Date.parse('2025-06-01T02:17:00Z')) {
  const env = { XDG_DATA_HOME: join(cwd, 'data'), XDG_STATE_HOME: join(cwd, 'state') }
  return (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    cli(argv, { cwd, env: { MATDECL_TOKEN: 'night', ...env, ...more }, nowMs })
}

describe('check', () => {
  test('says for each list whether it passes, then the lines that do not, and exits with 13', async () => {
    await withFolder(async (cwd) => {
      const matdecl = inFolder(cwd)
      await writeFile(join(cwd, 'bom.csv'), LIST)
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const run = await matdecl(['check', 'bom.csv', '--base-url', service.url])
      expect(run.code, run.stderr).toBe(13)
      expect(run.stdout).toMatch(/^[✗x] bom\.csv: .* \(RoHS .*; REACH: .*\)\n/)
      expect(run.stdout).toContain('line 3 NOT-THERE: missing')
      expect(run.stderr.split('\n').length).toBeLessThanOrEqual(9)
      const json = await matdecl(['check', 'bom.csv', '--base-url', service.url, '--json'])
      expect(json.json()).toMatchObject({
        schema: 'matdecl.check/1',
        status: 'failed',
        error: { code: 'policy', exitCode: 13 },
        // Everything was answered within a day.
        sync: { plan: { requests: 0, fresh: 2 } },
        products: [{ list: 'bom.csv', passed: false }],
      })
      const [product] = json.json().products as ProductFields[]
      expect(product!.findings).toContainEqual(
        expect.objectContaining({ line: 3, part: 'NOT-THERE', rule: 'missing' }),
      )
    })
  })

  test('says that it is by the library alone when another run holds it and is not waited for', async () => {
    await withFolder(async (cwd) => {
      const directory = join(cwd, 'library')
      await mkdir(directory)
      await writeFile(join(directory, 'a.xml'), xmlOf({ part: 'P-1001', lists: [rohs()] }))
      await writeFile(join(cwd, 'bom.csv'), 'Part Number\nP-1001\n')
      const options = { isJob: false, lock: 'fail', tool: 'matdecl test', reporter: SILENT } as const
      const verify = () => Promise.reject(new Error('nothing to verify'))
      const signal = new AbortController().signal
      await using held = await openLibrary(testWorld(), directory, { ...options, verify, signal })
      expect(held).toBeDefined()
      const argv = ['check', 'bom.csv', '--library', 'library', '--if-locked', 'skip']
      const { stdout } = await inFolder(cwd)([...argv, '--base-url', 'http://127.0.0.1:1'])
      expect(stdout).toContain('  by the library alone; the service was never asked for 1 part\n')
    })
  })

  test.each([
    [10, undefined],
    [11, '  and 1 more line'],
    [12, '  and 2 more lines'],
  ])('of %i lines that fail, each for its own reason, ten are shown', async (count, more) => {
    await withFolder(async (cwd) => {
      await mkdir(join(cwd, 'library'))
      const parts = Array.from({ length: count }, (_, at) => `LACKING-${at + 101}`)
      for (const [at, part] of parts.entries()) {
        const groups = ALL_GROUPS.filter((_, index) => index !== at % 10 && (at < 10 || index !== at - 7))
        await writeFile(join(cwd, 'library', `${part}.xml`), xmlOf({ part, lists: [rohs({}, { groups })] }))
      }
      await writeFile(join(cwd, 'bom.csv'), `Part Number\n${parts.join('\n')}\n`)
      const { code, stdout } = await inFolder(cwd)(['check', 'bom.csv', '--offline', '--library', 'library'])
      expect(code).toBe(13)
      expect(stdout.match(/^ {2}line \d+ LACKING-/gm)).toHaveLength(10)
      expect(stdout.split('\n').find((line) => line.includes(' more '))).toBe(more)
    })
  })

  test('a waived line beyond the ten that are shown is counted in the verdict', async () => {
    await withFolder(async (cwd) => {
      await mkdir(join(cwd, 'library'))
      const parts = Array.from({ length: 12 }, (_, at) => `LACKING-${at + 101}`)
      for (const [at, part] of parts.entries()) {
        const groups = ALL_GROUPS.filter((_, index) => index !== at % 10 && (at < 10 || index !== at - 7))
        await writeFile(join(cwd, 'library', `${part}.xml`), xmlOf({ part, lists: [rohs({}, { groups })] }))
      }
      await writeFile(join(cwd, 'bom.csv'), `Part Number\n${parts.join('\n')}\n`)
      const waiver = 'LACKING-112,incomplete,last time buy,JD,2999-12-31'
      await writeFile(join(cwd, 'w.csv'), `part,rule,reason,owner,until\n${waiver}\n`)
      const options = ['--offline', '--library', 'library', '--fail-on', 'incomplete', '--waivers', 'w.csv']
      const { code, stdout } = await inFolder(cwd)(['check', 'bom.csv', ...options])
      expect(code).toBe(13)
      expect(stdout).toMatch(/^\S bom\.csv: .*fails incomplete; \d waived finding/)
      expect(stdout).toMatch(/\n {2}and \d more lines?\n/)
      expect(stdout).not.toContain('waived until')
    })
  })

  test.each([
    [1, /^ {2}line 2 GONE-101: missing: no declaration in the library/m],
    [3, /^ {2}lines 2 GONE-101, 3 GONE-102, 4 GONE-103: missing: /m],
    [
      1_200,
      /^ {2}lines 2 GONE-101, (?:\d GONE-10\d, ){3}6 GONE-105 and 995 more: missing: .*\n {2}and 200 more lines$/m,
    ],
  ])('of %i lines that fail for one reason, it is said once', async (count, said) => {
    await withFolder(async (cwd) => {
      const parts = Array.from({ length: count }, (_, at) => `GONE-${at + 101}`)
      await writeFile(join(cwd, 'bom.csv'), `Part Number\n${parts.join('\n')}\n`)
      const { code, stdout } = await inFolder(cwd)(['check', 'bom.csv', '--offline'])
      expect(code).toBe(13)
      expect(stdout).toMatch(said)
      expect(stdout.match(/missing:/g)).toHaveLength(1)
    })
  })

  test('passes when nothing matches the rules of the gate', async () => {
    await withFolder(async (cwd) => {
      const matdecl = inFolder(cwd)
      await writeFile(join(cwd, 'bom.csv'), LIST)
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const run = await matdecl(['check', 'bom.csv', '--base-url', service.url, '--fail-on', 'unreadable'])
      expect(run.code, run.stderr).toBe(0)
      // Doubtful lines are not marked as good.
      expect(run.stdout).not.toContain('✓')
      expect(run.stdout).toContain('passes unreadable')
    })
  })

  test('an assembly that fails by its lines is counted, and its lines are shown', async () => {
    await withFolder(async (cwd) => {
      const list = 'Level,Part Number,Qty\n1,TOP-1,1\n2,SUB-1,2\n3,NOT-THERE,1\n2,HA-BETTER,1\n'
      await writeFile(join(cwd, 'bom.csv'), list)
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const run = await inFolder(cwd)(['check', 'bom.csv', '--base-url', service.url])
      expect(run.stdout).toMatch(/^[✗x] bom\.csv: 3 of 4 lines doubtful \(/)
      expect(run.stdout.match(/^ {2}line .*$/gm)).toEqual([
        expect.stringContaining('line 4 NOT-THERE: missing'),
      ])
      expect(run.stdout).toContain('by the lines in them, 2 assemblies: TOP-1, SUB-1')
    })
  })

  test('several lists are products of one plan, and a directory gets a page for each and an index', async () => {
    await withFolder(async (cwd) => {
      const matdecl = inFolder(cwd)
      await writeFile(join(cwd, 'a.csv'), LIST)
      await writeFile(join(cwd, 'b.csv'), 'Part Number,Quantity\nHA-BETTER,1\nHA-WORSE,1\nNOT-THERE,2\n')
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const run = await matdecl([
        'check',
        'a.csv',
        'b.csv',
        '--base-url',
        service.url,
        '-o',
        'pages/',
        '--json',
      ])
      expect(run.code, run.stderr).toBe(13)
      expect(run.json()).toMatchObject({ sync: { plan: { requests: 1, parts: 3 } }, output: 'pages/' })
      expect((await readdir(join(cwd, 'pages'))).sort()).toEqual(['a.html', 'b.html', 'index.html'])
      const index = await readFile(join(cwd, 'pages', 'index.html'), 'utf8')
      expect(index).toContain('<a href="a.html">a.csv</a>')
      expect(index).toMatch(/NOT-THERE.*<a href="a\.html">a\.csv<\/a>, <a href="b\.html">b\.csv<\/a>/)
    })
  })

  test('a service that cannot be reached: the library decides, with its age, and the exit code is that of the failure', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), LIST)
      const argv = ['check', 'bom.csv', '--retries', '0']
      let url = ''
      {
        await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
        url = service.url
        await inFolder(cwd)([...argv, '--base-url', url])
      }
      const later = inFolder(cwd, Date.parse('2025-06-05T02:17:00Z'))
      const run = await later([...argv, '--base-url', url])
      expect(run.code, run.stderr).toBe(7)
      expect(run.stdout).toContain('bom.csv: ')
      expect(run.stdout).toContain('by the library alone; the oldest answer is 4 d old')
      const json = await later([...argv, '--base-url', url, '--json'])
      expect(json.json()).toMatchObject({
        status: 'failed',
        error: { code: 'unavailable' },
        products: [{ passed: false }],
      })
    })
  })

  test.each([
    ['HA-BETTER', '2025-06-03', /^$/],
    ['HA-BETTER', '2025-06-05', /refused.*bom\.csv: the only line is clean.*4 d old/s],
    ['NOT-THERE', '2025-06-03', /refused.*bom\.csv: the only line is doubtful.*line 2 NOT-THERE/s],
  ])('--quiet, %s, the service not reached on %s', async (part, day, said) => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), `Part Number\nHA-BETTER\n`)
      const argv = ['check', 'bom.csv', '--retries', '0', '-q']
      let url = ''
      {
        await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
        url = service.url
        const first = await inFolder(cwd)([...argv, '--base-url', url])
        expect(first).toMatchObject({ code: 0, stdout: '', stderr: '' })
      }
      await writeFile(join(cwd, 'bom.csv'), `Part Number\n${part}\n`)
      const run = await inFolder(cwd, Date.parse(`${day}T02:17:00Z`))([...argv, '--base-url', url])
      expect(run).toMatchObject({ code: 7, stdout: '' })
      expect(run.stderr).toMatch(said)
    })
  })

  test('--offline asks nothing, needs no settings, and says what has no answer', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), LIST)
      const run = await inFolder(cwd)(['check', 'bom.csv', '--offline'], { MATDECL_TOKEN: '' })
      expect(run.code, run.stderr).toBe(13)
      expect(run.stdout).toContain('the service was never asked for 2 parts')
      expect(run.stderr).toContain('hint: leave out --offline')
      // Nobody asked for it, so that nothing is said of what its supplier declares.
      expect(run.stdout).toContain(
        'lines 2 HA-BETTER, 3 NOT-THERE: missing: no declaration in the library; the service was never asked\n',
      )
    })
  })

  test('a report on the library tells what was asked for from what was not', async () => {
    await withFolder(async (cwd) => {
      const matdecl = inFolder(cwd)
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      await matdecl(['sync', '--part', 'NOT-THERE', '--base-url', service.url])
      await writeFile(join(cwd, 'bom.csv'), 'Part Number,Quantity\nNOT-THERE,1\nNEVER-ASKED,1\n')
      const run = await matdecl(['report', '--parts-file', 'bom.csv', '--json'])
      expect(run.json().rows).toMatchObject([
        { part: 'NOT-THERE', note: 'requested, not declared' },
        { part: 'NEVER-ASKED', note: 'no declaration in the library; the service was never asked' },
      ])
      const before = await matdecl(['report', '--parts-file', 'bom.csv', '--as-of', '2025-05-01', '--json'])
      expect((before.json().rows as object[])[0]).toMatchObject({
        note: 'no declaration in the library; the service was never asked',
      })
    })
  })

  test('lines that fail stand before doubtful ones', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), 'Part Number,Quantity\nNOT-THERE,1\nHA-LEAD,1\n')
      const run = await inFolder(cwd)(['check', 'bom.csv', '--sandbox'])
      expect(run.stdout).toMatch(/line 3 HA-LEAD: not-compliant: .*\n {2}line 2 NOT-THERE: missing: /)
    })
  })

  test('made-up data stands for any manufacturer', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), 'Manufacturer,MPN,Qty\nMurata,GRM155R71C104KA88D,1\n')
      const run = await inFolder(cwd)(['check', 'bom.csv', '--sandbox', '--json'])
      expect(run.code, run.stderr).toBe(0)
      expect(run.json()).toMatchObject({ sandbox: true, products: [{ verdict: 'clean', findings: [] }] })
    })
  })

  test('a report on made-up data says so in every format', async () => {
    await withFolder(async (cwd) => {
      const matdecl = inFolder(cwd)
      await writeFile(join(cwd, 'bom.csv'), 'MPN,Qty\nGRM155R71C104KA88D,1\n')
      await matdecl(['check', 'bom.csv', '--sandbox', '--library', 'lib', '-o', 'checked.html'])
      const json = await matdecl(['report', '--library', 'lib', '--json'])
      expect(json.json()).toMatchObject({ sandbox: true, verdict: 'clean' })
      await matdecl(['report', '--library', 'lib', '-o', 'report.md'])
      await matdecl(['check', 'bom.csv', '--offline', '--library', 'lib', '-o', 'pages/'])
      for (const file of ['checked.html', 'report.md', 'pages/index.html', 'pages/bom.html'])
        expect(await readFile(join(cwd, file), 'utf8'), file).toContain('made-up data: the sandbox says')
    })
  })

  test('a supplier of the sandbox is made up in every format too', async () => {
    await withFolder(async (cwd) => {
      const matdecl = inFolder(cwd)
      await writeFile(join(cwd, 'bom.csv'), 'MPN,Qty\nEXC188R60003KA,1\n')
      await matdecl(['sync', '--parts-file', 'bom.csv', '--sandbox', '--library', 'lib'])
      const check = await matdecl(['check', 'bom.csv', '--offline', '--library', 'lib', '--json'])
      expect(check.json()).toMatchObject({ sandbox: true, products: [{ verdict: 'clean' }] })
      expect((await matdecl(['report', '--library', 'lib', '--json'])).json()).toMatchObject({
        sandbox: true,
        rows: [{ supplier: 'Example Passives (sandbox)' }],
      })
      expect((await matdecl(['check', 'bom.csv', '--offline', '--library', 'lib'])).stdout).toContain(
        'made-up data: the sandbox says',
      )
    })
  })

  test('what the sandbox says is marked as made up', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), LIST)
      const matdecl = inFolder(cwd)
      const run = await matdecl(['check', 'bom.csv', '--sandbox'])
      expect(run.stdout).toContain('made-up data')
      expect((await matdecl(['check', 'bom.csv', '--sandbox', '--offline', '--json'])).json()).toMatchObject({
        sandbox: true,
        sync: null,
      })
    })
  })

  test.each([
    [['check'], 2],
    [['check', 'no-such.csv', '--offline'], 2],
    [['check', 'bom.csv', '--offline', '-o', '-'], 2],
  ])('%j is exit %i', async (argv, code) => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), LIST)
      const run = await inFolder(cwd)(argv)
      expect([run.code, run.stdout]).toEqual([code, ''])
    })
  })
})

describe('report without a source', () => {
  test('reads the library, and with --as-of what it had on a day', async () => {
    await withFolder(async (cwd) => {
      let port = '0'
      for (const night of ['2025-03-01', '2025-06-01', '2025-10-01']) {
        await using service = await serving(['--token', 'night', '--date', night, '--port', port])
        port = new URL(service.url).port
        const matdecl = inFolder(cwd, Date.parse(`${night}T02:17:00Z`))
        const run = await matdecl([
          'sync',
          '--part',
          'HA-BETTER',
          '--part',
          'HA-WORSE',
          '--base-url',
          service.url,
        ])
        expect(run.code, run.stderr).toBe(0)
      }
      const matdecl = inFolder(cwd, Date.parse('2025-10-02T02:17:00Z'))
      const statuses = async (...argv: string[]): Promise<unknown> => {
        const run = await matdecl(['report', '--json', ...argv])
        expect(run.code, run.stderr).toBe(0)
        return (run.json().rows as { part: string; rohs: string; svhc_count: number }[])
          .map(({ part, rohs }) => `${part} ${rohs}`)
          .sort()
      }
      expect(await statuses('--as-of', '2025-03-01')).toEqual([
        'HA-BETTER not compliant',
        'HA-WORSE compliant',
      ])
      expect(await statuses('--as-of', '2025-09-30')).toEqual([
        'HA-BETTER compliant with exemptions',
        'HA-WORSE compliant',
      ])
      expect(await statuses()).toEqual(['HA-BETTER compliant', 'HA-WORSE compliant'])
      const ahead = 'warning: 2025-10-03 is in the future: the library has what came until today'
      for (const [day, isAhead] of [
        ['2025-10-02', false],
        ['2025-10-03', true],
      ] as const) {
        expect((await matdecl(['report', '--as-of', day])).stderr.includes(ahead)).toBe(isAhead)
        expect((await matdecl(['diff', '--since', day])).stderr.includes(ahead)).toBe(isAhead)
      }
      // What people put there is read too, by the time of the file.
      const library = join(cwd, 'data', 'matdecl', 'library')
      const [first] = (await readdir(library)).filter((name) => name.endsWith('.zip')).sort()
      await writeFile(join(library, 'mail.xml'), '<no-declaration/>')
      await utimes(join(library, 'mail.xml'), new Date('2025-09-01'), new Date('2025-09-01'))
      expect(await statuses('--as-of', '2025-08-31')).toHaveLength(2)
      expect(await statuses('--as-of', '2025-09-01')).toHaveLength(3)
      // An archive that has changed is said, and not read: it is a row.
      await writeFile(join(library, first!), 'changed')
      const run = await matdecl(['report', '--as-of', '2025-03-01', '--json'])
      expect(run.code, run.stderr).toBe(0)
      expect(run.stderr).toContain('1 archive of the library is gone or changed')
      expect(run.json().rows).toMatchObject([{ status: 'unreadable', note: 'gone, or not what came' }])
    })
  })

  test('an archive is read once; what was kept is read anew when it is damaged', async () => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const matdecl = inFolder(cwd)
      await matdecl(['sync', '--part', 'HA-BETTER', '--base-url', service.url, '--library', 'lib'])
      const report = () => matdecl(['report', '--library', 'lib', '-v'])
      const first = await report()
      const second = await report()
      expect(second.stdout).toBe(first.stdout)
      expect(first.stderr).toContain('the rows of 0 of 1 archive were kept')
      expect(second.stderr).toContain('the rows of 1 of 1 archive were kept')
      const rows = join(cwd, 'lib', '.matdecl', 'rows')
      const [kept] = await readdir(rows)
      const bytes = await readFile(join(rows, kept!))
      bytes[bytes.length - 1]! ^= 1
      await writeFile(join(rows, kept!), bytes)
      const third = await report()
      expect(third.stdout).toBe(first.stdout)
      expect(third.stderr).toContain('the rows of 0 of 1 archive were kept')
    })
  })

  test('without a library it says what to do', async () => {
    await withFolder(async (cwd) => {
      const run = await inFolder(cwd)(['report'])
      expect([run.code, run.stdout]).toEqual([2, ''])
      expect(run.stderr).toContain('matdecl sync')
    })
  })

  test.each([
    ['report', 'x.zip', '--as-of', '2025-01-01'],
    ['report', 'x.zip', '--library', 'lib'],
  ])('%s %s %s is a mistake', async (...argv) => {
    await withFolder(async (cwd) => {
      expect((await inFolder(cwd)(argv)).code).toBe(2)
    })
  })
})

describe('verify --library', () => {
  test('checks every archive against its record', async () => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const matdecl = inFolder(cwd)
      await matdecl(['sync', '--part', 'HA-BETTER', '--base-url', service.url, '--library', 'lib'])
      const good = await matdecl(['verify', '--library', 'lib', '--json'])
      expect(good.code, good.stderr).toBe(0)
      expect(good.json().archives).toHaveLength(1)
      const [name] = (await readdir(join(cwd, 'lib'))).filter((one) => one.endsWith('.zip'))
      await matdecl(['sync', '--part', 'HA-WORSE', '--base-url', service.url, '--library', 'other'])
      const [other] = (await readdir(join(cwd, 'other'))).filter((one) => one.endsWith('.zip'))
      // Another good archive under its name.
      await writeFile(join(cwd, 'lib', name!), await readFile(join(cwd, 'other', other!)))
      const bad = await matdecl(['verify', '--library', 'lib'])
      expect(bad.code, bad.stderr).toBe(8)
      expect(bad.stderr).toContain('is not what was recorded')
    })
  })

  test.each([
    ['gone', true],
    ['changed', false],
  ])('passes again when the parts of an archive that is %s were answered anew', async (_, isGone) => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const sync = ['sync', '--part', 'HA-BETTER', '--base-url', service.url, '--library', 'lib']
      const verify = ['verify', '--library', 'lib']
      const matdecl = inFolder(cwd)
      await matdecl(sync)
      const [name] = (await readdir(join(cwd, 'lib'))).filter((one) => one.endsWith('.zip'))
      const path = join(cwd, 'lib', name!)
      if (isGone) await rm(path)
      else await writeFile(path, 'something else')
      expect((await matdecl(verify)).code).toBe(8)
      expect((await matdecl(sync)).code).toBe(0)
      const again = await matdecl(verify)
      expect(again.code, again.stderr).toBe(0)
      expect(again.stderr).toContain(`${name} is gone or has changed; its parts were answered anew`)
    })
  })
})

/** A library of these files, without a service. */
async function withFiles(
  files: Readonly<Record<string, string>>,
  body: (check: (...argv: readonly string[]) => ReturnType<typeof cli>, cwd: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (cwd) => {
    await mkdir(join(cwd, 'lib'))
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
    const nowMs = Date.parse('2026-06-01T00:00:00Z')
    await body(
      (...argv) => cli(['check', ...argv, '--offline', '--library', 'lib'], { cwd, nowMs, columns: 120 }),
      cwd,
    )
  })
}

const partXml = (part: string, ...lists: readonly string[]): string =>
  fileA(productXml([part], lists.join(''))).replaceAll('2024-09-27', '2026-05-01')
const ROHS = listXml('EUROHS-1907', rohsCategories())
const BAD = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))
const GATE = ['--fail-on', 'not-compliant,missing,unreadable']

describe('what a check says', () => {
  test('on the page of a list, a waiver that matches in another list is not said to match nothing', async () => {
    const files = {
      'lib/1.xml': partXml('P1', BAD),
      'lib/2.xml': partXml('P2', BAD),
      'a.csv': 'MPN\nP1\n',
      'b.csv': 'MPN\nP2\n',
      'w.csv': `part,rule,reason,owner,until\n${['P1', 'P2', 'P3'].map((part) => `${part},not-compliant,a test,JD,2026-12-31\n`).join('')}`,
    }
    await withFiles(files, async (check, cwd) => {
      const { stderr } = await check('a.csv', 'b.csv', ...GATE, '--waivers', 'w.csv', '-o', 'pages/')
      expect(stderr).toContain('1 waiver matches no finding of the gate: P3')
      for (const [name, own] of [
        ['a', 'P1'],
        ['b', 'P2'],
      ] as const) {
        const text = (await readFile(join(cwd, 'pages', `${name}.html`), 'utf8')).replace(/<[^>]*>/g, ' ')
        expect(text).toMatch(new RegExp(`${own} +not-compliant +in use`))
        expect(text).toMatch(/P3 +not-compliant +matches nothing/)
        expect(text).toContain('! gate passed: no other lines match')
        const other = own === 'P1' ? 'P2' : 'P1'
        expect(text).not.toMatch(new RegExp(`${other} +not-compliant`))
      }
      const index = (await readFile(join(cwd, 'pages', 'index.html'), 'utf8')).replace(/<[^>]*>/g, ' ')
      expect(index).toMatch(/! +all 2 products pass/)
      expect(index).not.toContain('✓')
    })
  })

  test('many warnings of lists are two lines, and all of them with -v', async () => {
    const odd = 'MPN,Qty\n1.2E+05,3\nMAR-01,1\nABC\u2013771,2\n'
    await withFiles({ 'a.csv': odd, 'b.csv': odd, 'c.csv': odd, 'd.csv': odd }, async (check) => {
      const lists = ['a.csv', 'b.csv', 'c.csv', 'd.csv']
      const { stderr } = await check(...lists)
      expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(8)
      expect(stderr).toContain('and 2 more warnings about the lists: matdecl parts LIST shows them')
      expect((await check(...lists, '-v')).stderr).toContain('looks like a part number that a spreadsheet')
    })
  })

  test('a file that cannot be read is told beside the verdict, unless a gate asks for it or a line has its name', async () => {
    const files = { 'lib/1.xml': partXml('P1', ROHS), 'lib/stray.xml': '<a/>', 'b.csv': 'MPN,Qty\nP1,1\n' }
    await withFiles(files, async (check, cwd) => {
      const said = '1 file in the library cannot be read and may be about any of them: stray.xml'
      const passed = await check('b.csv', '--fail-on', 'failed,missing')
      expect(passed.code, passed.stderr).toBe(0)
      expect(passed.stdout).toContain(said)
      expect(passed.stdout).not.toContain('✓')
      expect(passed.stderr).not.toContain('cannot be read')
      // Silence would mean that nothing needs a look.
      const quiet = await check('b.csv', '--fail-on', 'failed,missing', '-q')
      expect([quiet.code, quiet.stdout]).toEqual([0, ''])
      expect(quiet.stderr).toContain(`warning: b.csv: the only line is doubtful`)
      expect(quiet.stderr).toContain(said)
      const failed = await check('b.csv', ...GATE)
      expect(failed.code).toBe(13)
      expect(failed.stderr).toContain('hint: remove or replace')
      const pages = await check('b.csv', 'b.csv', ...GATE, '-o', 'both/')
      const warnings = pages.stderr.split('\n').filter((line) => line.includes('warning:'))
      expect(new Set(warnings).size).toBe(warnings.length)
      // Its name is what a waiver accepts it by.
      const waivers = 'part,rule,reason,owner,until\nstray.xml,unreadable,a test,JD,2026-12-31\n'
      await writeFile(join(cwd, 'w.csv'), waivers)
      const waived = await check('b.csv', ...GATE, '--waivers', 'w.csv')
      expect(waived.code, waived.stdout).toBe(0)
      expect((await check('b.csv', ...GATE, '--waivers', 'w.csv', '-q')).stderr).not.toContain('stray.xml')
      expect(waived.stdout).toContain('stray.xml: unreadable, waived until 2026-12-31: a test (JD)')
      await writeFile(join(cwd, 'lib', 'acme_p1_2026.xml'), '<a/>')
      const named = await check('b.csv', '--fail-on', 'doubtful', '--json')
      const [own] = named.json().products as ProductFields[]
      expect(own!.findings).toContainEqual(
        expect.objectContaining({
          part: 'P1',
          rule: 'unreadable',
          note: expect.stringContaining('acme_p1_2026.xml'),
        }),
      )
      const index = await check('b.csv', ...GATE, '-o', 'pages/')
      expect(index.code).toBe(13)
      expect(await readFile(join(cwd, 'pages', 'index.html'), 'utf8')).toContain('cannot be read')
    })
  })

  test('a list that is given twice is judged twice, and its notes are said once', async () => {
    const svhc = listXml('EUREACH-0226', [{ name: 'Lead', code: '00167', over: 'true' }])
    const list = 'MPN,Qty\nP1,1\nP2,1\n'
    const files = { 'lib/1.xml': partXml('P1', ROHS, svhc), 'lib/2.xml': partXml('P2', ROHS, svhc) }
    await withFiles({ ...files, 'a.csv': list, 'b.csv': list }, async (check) => {
      const notes = async (...lists: string[]): Promise<string[]> =>
        (await check(...lists, ...GATE)).stdout.split('\n').filter((line) => line.includes('note: '))
      expect(await notes('a.csv', 'a.csv')).toEqual([
        expect.stringContaining('note: a.csv lines 2 P1, 3 P2: Lead above 0.1 %'),
      ])
      expect(await notes('a.csv', 'b.csv')).toHaveLength(2)
    })
  })

  test('waived lines are shown with who, why and until when; notes do not fail', async () => {
    const svhc = listXml('EUREACH-0226', [{ name: 'Lead', code: '00167', over: 'true' }])
    const files = {
      'lib/1.xml': partXml('P1', BAD),
      'lib/2.xml': partXml('P2', ROHS, svhc),
      'b.csv': 'MPN,Qty\nP1,1\nP2,1\n',
      'w.csv': 'part,rule,reason,owner,until\nP1,not-compliant,last time buy,JD,2026-12-31\n',
    }
    await withFiles(files, async (check) => {
      const argv = ['b.csv', ...GATE, '--waivers', 'w.csv']
      const run = await check(...argv)
      expect(run.code, run.stderr).toBe(0)
      expect(run.stdout).toContain(
        'b.csv: 1 of 2 lines failed, 1 doubtful; passes not-compliant,missing,unreadable, with 1 waived finding and 1 note',
      )
      expect(run.stdout).toMatch(/^! b\.csv/)
      expect(run.stdout).toContain('line 2 P1: not-compliant, waived until 2026-12-31: last time buy (JD)')
      expect(run.stdout).toContain('note: line 3 P2: Lead above 0.1 %')
      expect(
        run.stderr
          .trim()
          .split('\n')
          .filter((line) => !line.includes('warning:')).length,
      ).toBeLessThanOrEqual(4)
      const [product] = (await check(...argv, '--json')).json().products as ProductFields[]
      expect(product!.findings[0]).toMatchObject({
        rule: 'not-compliant',
        waived: { reason: 'last time buy', owner: 'JD', until: '2026-12-31' },
      })
      expect(product!.notes).toMatchObject([{ line: 3, part: 'P2', rule: 'svhc' }])
    })
  })

  test('each thing once; with --quiet the error has it; --junit has a case for each line', async () => {
    const files = { 'lib/1.xml': partXml('P1', BAD), 'b.csv': 'MPN,Qty\nP1,1\nGONE,1\n' }
    await withFiles(files, async (check, cwd) => {
      const run = await check('b.csv', '--junit', 'j.xml')
      expect(run.code).toBe(13)
      const all = run.stdout + run.stderr
      expect(all.split('2 lines failed')).toHaveLength(2)
      expect(all.split('GONE')).toHaveLength(2)
      expect(run.stderr).toContain('b.csv does not pass\n')
      const junit = await readFile(join(cwd, 'j.xml'), 'utf8')
      expect(junit).toContain(
        '<testsuite name="b.csv: 1 of 2 lines failed, 1 doubtful" tests="2" failures="2"',
      )
      const quiet = await check('b.csv', '-q')
      expect(quiet.stdout).toBe('')
      expect(quiet.stderr).toContain('b.csv does not pass: 1 of 2 lines failed, 1 doubtful')
      expect(quiet.stderr).toContain('line 3 GONE: missing')
    })
  })

  test('--quiet is silent only where nothing is found: what a narrow gate does not name is, and what is waived is not', async () => {
    const files = {
      'lib/1.xml': partXml('P1', BAD),
      'lib/2.xml': partXml('P2', ROHS),
      'b.csv': 'MPN,Qty\nP1,1\nGONE,1\n',
      'p1.csv': 'MPN,Qty\nP1,1\n',
      'w.csv':
        'part,rule,reason,owner,until\nP1,not-compliant,a test,JD,2026-12-31\nP1,reach-not-declared,a test,JD,2026-12-31\n',
    }
    await withFiles(files, async (check) => {
      const quiet = await check('b.csv', '--fail-on', 'svhc', '-q')
      expect([quiet.code, quiet.stdout]).toEqual([0, ''])
      expect(quiet.stderr).toBe(
        'matdecl: warning: b.csv: 1 of 2 lines failed, 1 doubtful; passes svhc (RoHS not compliant; REACH: not declared)\n',
      )
      const waived = await check('p1.csv', '--waivers', 'w.csv', '-q')
      expect([waived.code, waived.stdout, waived.stderr]).toEqual([0, '', ''])
    })
  })
})

test('a report on an earlier day counts days to an end from that day, and waivers of that day', async () => {
  await withFolder(async (cwd) => {
    await mkdir(join(cwd, 'lib'))
    const exempt = listXml(
      'EUROHS-1907',
      rohsCategories({ Lead: { over: 'true', inside: exemptionXml('6(c)') } }),
    )
    await writeFile(join(cwd, 'lib', '1.xml'), partXml('P1', exempt))
    const day = new Date('2026-05-10')
    await utimes(join(cwd, 'lib', '1.xml'), day, day)
    const said = async (...argv: readonly string[]): Promise<string> => {
      const nowMs = Date.parse('2026-11-26T00:00:00Z')
      await cli(['report', '--library', 'lib', ...argv, '-o', 'r.md', '--overwrite'], { cwd, nowMs })
      return readFile(join(cwd, 'r.md'), 'utf8')
    }
    expect(await said()).toContain('in 216 days (2027-06-30)')
    expect(await said('--as-of', '2026-06-30')).toContain('in 365 days (2027-06-30)')
    // When the file was written is another day.
    expect(await said('--as-of', '2026-06-30')).toContain('declarations, 2026-11-26')
    expect(await said('--as-of', '2026-06-30')).toContain('as of: 2026-06-30')
  })
})
