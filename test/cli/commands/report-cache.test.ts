import { lstat, open, readdir, readFile, rename, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { extensionsOf, FORMATS } from '../../../src/report/formats/choose-format.ts'
import { type CliResult, cli } from '../../support/cli.ts'
import { fileA, fileB, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { failingDisk } from '../../support/failing-disk.ts'
import { posixTest } from '../../support/programs.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const LISTS = listXml('EUROHS-1907', rohsCategories()) + listXml('EUREACH-0624', [{ over: 'false' }])
const SUBSTANCES =
  '<HomogeneousMaterialList><HomogeneousMaterial name="Body"><Amount value="2" UOM="g"/><Substance name="Lead"><SubstanceID identity="7439-92-1" authority="CAS"/><Amount value="1" UOM="g"/></Substance></HomogeneousMaterial></HomogeneousMaterialList>'
const REQUEST = '<BusinessInfo mode="Request/Reply"><Request/></BusinessInfo>'

/** An archive with every kind of row, and entries without one. */
function archive(part: string): Buffer {
  const entries = [
    { name: 'good.xml', data: fileA(productXml([part, `${part}-2`], LISTS)) },
    { name: 'sub/d.xml', data: fileB(productXml([`${part}-D`], SUBSTANCES)) },
    { name: 'broken.xml', data: '<MainDeclaration><Product></MainDeclaration>' },
    { name: 'ask.xml', data: fileA(productXml([`${part}-ASK`], ''), { head: REQUEST }) },
    { name: 'readme.txt', data: 'not XML at all' },
  ]
  // Stored, so that archives of other parts have the same size.
  return zip(entries.map((entry) => ({ ...entry, method: 0 })))
}

interface Setting {
  readonly cwd: string
  readonly run: (argv: readonly string[], overrides?: Parameters<typeof cli>[1]) => Promise<CliResult>
  /** How many archives came from the cache in a verbose report on `nightly`, and its standard output. */
  readonly report: (...argv: readonly string[]) => Promise<{ readonly kept: string; readonly stdout: string }>
  readonly entries: () => Promise<readonly string[]>
}

/** Two archives and a file in `nightly`, and a cache of its own. */
async function inFolder(body: (setting: Setting) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    const world = testWorld()
    await world.disk.mkdir(join(cwd, 'nightly'))
    await writeFile(join(cwd, 'nightly', 'a.zip'), archive('A'))
    await writeFile(join(cwd, 'nightly', 'b.zip'), archive('B'))
    await writeFile(join(cwd, 'nightly', 'c.xml'), fileA(productXml(['C'], LISTS)))
    const rows = join(cwd, 'cache', 'matdecl', 'rows')
    const run: Setting['run'] = (argv, overrides) =>
      cli(argv, { cwd, ...overrides, env: { XDG_CACHE_HOME: join(cwd, 'cache'), ...overrides?.env } })
    await body({
      cwd,
      run,
      report: async (...argv) => {
        const { code, stdout, stderr } = await run(['report', 'nightly', '-v', ...argv])
        expect(code, stderr).toBe(0)
        return { kept: /rows of (.*) archives? came from the cache/.exec(stderr)?.[1] ?? 'none', stdout }
      },
      entries: async () => (await readdir(rows).catch(() => [])).map((name) => join(rows, name)).sort(),
    })
  })
}

describe('the second report', () => {
  test.each([...extensionsOf(FORMATS)])(
    'in %s has the bytes of the first and of one without the cache',
    (extension) =>
      inFolder(async ({ cwd, run, entries }) => {
        const outputs: Buffer[] = []
        const messages: string[] = []
        for (const more of [['--no-cache'], [], []]) {
          const output = `out${extension}`
          const done = await run(['report', 'nightly', '-o', output, '--overwrite', ...more])
          outputs.push(await readFile(join(cwd, output)))
          messages.push(done.stderr)
        }
        expect(await entries()).toHaveLength(2)
        expect(outputs[1]).toEqual(outputs[0])
        expect(outputs[2]).toEqual(outputs[0])
        expect(new Set(messages).size).toBe(1)
        expect(messages[0]).toContain('2 entries skipped')
      }),
  )

  test('takes archives from the cache, and reads those that are new', () =>
    inFolder(async ({ cwd, report }) => {
      expect((await report()).kept).toBe('0 of 2')
      expect((await report()).kept).toBe('2 of 2')
      await writeFile(join(cwd, 'nightly', 'd.zip'), archive('D'))
      const third = await report()
      expect(third.kept).toBe('2 of 3')
      expect(third.stdout).toContain('nightly/d.zip!good.xml')
      expect((await report('--no-cache')).stdout).toBe(third.stdout)
    }))

  test('does not open the declarations of an archive again', () =>
    inFolder(async ({ cwd, run, report }) => {
      const world = testWorld()
      let workers = 0
      const big = zip(
        Array.from({ length: 400 }, (_, n) => ({
          name: `${n}.xml`,
          data: fileA(productXml([`P${n}`], `${LISTS}<!--${'x'.repeat(15_000)}-->`)),
        })),
      )
      await writeFile(join(cwd, 'nightly', 'big.zip'), big)
      const startWorker: typeof world.startWorker = (...args) => {
        workers += 1
        return world.startWorker(...args)
      }
      const first = await run(['report', 'nightly'], { startWorker })
      expect(workers).toBeGreaterThan(0)
      workers = 0
      const second = await run(['report', 'nightly'], { startWorker })
      expect(workers).toBe(0)
      expect(second.stdout).toBe(first.stdout)
      // Archives from the cache between others that worker threads read.
      await writeFile(join(cwd, 'nightly', 'c.zip'), big)
      const third = await report()
      expect(third.kept).toBe('3 of 4')
      expect((await report('--no-cache')).stdout).toBe(third.stdout)
    }))

  test('with substances has its own entries', () =>
    inFolder(async ({ report, entries }) => {
      await report()
      const first = await report('--substances')
      expect(first.kept).toBe('0 of 2')
      expect(first.stdout).toContain('7439-92-1')
      expect(await entries()).toHaveLength(4)
      expect(await report('--substances')).toEqual({ kept: '2 of 2', stdout: first.stdout })
    }))

  test('names the archives as they are named now', () =>
    inFolder(async ({ cwd, run, report }) => {
      await report()
      const other = ['report', join(cwd, 'nightly', 'a.zip'), '-v']
      const { stdout, stderr } = await run(other)
      expect(stderr).toContain('1 of 1 archive came from the cache')
      expect(stdout).toBe((await run([...other, '--no-cache'])).stdout)
      expect(stdout).toContain(`${cwd}/nightly/a.zip!sub/d.xml`)
    }))

  test('applies the date, the gate and the parts list again', () =>
    inFolder(async ({ cwd, run, report }) => {
      await report()
      await writeFile(join(cwd, 'parts.txt'), 'A\nMISSING\n')
      const argv = ['report', 'nightly', '--parts-file', 'parts.txt', '--fail-on', 'missing,stale:12m']
      const nowMs = Date.parse('2031-01-01')
      const kept = await run(argv, { nowMs })
      expect(kept.code).toBe(13)
      const { code, stdout, stderr } = await run([...argv, '--no-cache'], { nowMs })
      expect(kept).toMatchObject({ code, stdout, stderr })
    }))

  test('is the same for diff', () =>
    inFolder(async ({ run, entries }) => {
      const argv = ['diff', 'nightly/a.zip', 'nightly/b.zip']
      const first = await run(argv)
      expect(await entries()).toHaveLength(2)
      const second = await run([...argv, '-v'])
      expect(second.stderr).toContain('1 of 1 archive came from the cache')
      expect(second.stdout).toBe(first.stdout)
    }))
})

describe('an archive is read again', () => {
  test('when its directory is another, with the same size and time', () =>
    inFolder(async ({ cwd, report }) => {
      const path = join(cwd, 'nightly', 'a.zip')
      await utimes(path, 1e9, 1e9)
      await report()
      const { size } = await lstat(path)
      await writeFile(path, archive('Z'))
      await utimes(path, 1e9, 1e9)
      expect((await lstat(path)).size).toBe(size)
      const { kept, stdout } = await report()
      expect(kept).toBe('1 of 2')
      expect(stdout).toContain('Z-2')
      expect(stdout).not.toContain('A-2')
    }))

  // Windows keeps no time that a program cannot set.
  posixTest('when its data was changed, with the same size, time and directory', () =>
    inFolder(async ({ cwd, run, report }) => {
      const path = join(cwd, 'nightly', 'a.zip')
      await utimes(path, 1e9, 1e9)
      await report()
      const file = await open(path, 'r+')
      await file.write(Buffer.from([0xff]), 0, 1, 60)
      await file.close()
      await utimes(path, 1e9, 1e9)
      const { code, stderr } = await run(['report', 'nightly'])
      expect(code).toBe(8)
      expect(stderr).toContain('a.zip')
    }),
  )

  test('when it failed before: nothing of it is kept', () =>
    inFolder(async ({ cwd, run, entries }) => {
      const damaged = archive('X')
      damaged[60]! ^= 0xff
      await writeFile(join(cwd, 'x.zip'), damaged)
      for (const _ of [1, 2]) expect((await run(['report', 'x.zip'])).code).toBe(8)
      expect(await entries()).toEqual([])
    }))

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['truncated', (path) => truncate(path, 40)],
    ['empty', (path) => truncate(path, 0)],
    [
      'damaged',
      async (path) => {
        const bytes = await readFile(path)
        bytes[bytes.length - 3]! ^= 1
        await writeFile(path, bytes)
      },
    ],
    ['something else', (path) => writeFile(path, 'not an entry')],
  ])('when its entry is %s, and the entry is repaired', (_, damage) =>
    inFolder(async ({ report, entries }) => {
      const { stdout } = await report()
      await damage((await entries())[0]!)
      expect(await report()).toEqual({ kept: '1 of 2', stdout })
      expect(await report()).toEqual({ kept: '2 of 2', stdout })
    }),
  )

  test('when its entry has the name of another', () =>
    inFolder(async ({ report, entries }) => {
      const { stdout } = await report()
      const [one, other] = await entries()
      await rename(one!, other!)
      expect(await report()).toEqual({ kept: '0 of 2', stdout })
    }))
})

describe('there is no cache', () => {
  test('with --no-cache: neither read nor written', () =>
    inFolder(async ({ report, entries }) => {
      expect((await report('--no-cache')).kept).toBe('none')
      expect(await entries()).toEqual([])
    }))

  test('of XML files and standard input', () =>
    inFolder(async ({ cwd, run, entries }) => {
      const stdinText = await readFile(join(cwd, 'nightly', 'a.zip'))
      expect((await run(['report', '-', 'nightly/c.xml'], { stdinText })).stdout).toContain('A-2')
      expect(await readdir(cwd)).toEqual(['nightly'])
      expect(await entries()).toEqual([])
    }))

  test('without a home directory; only a verbose report mentions it', () =>
    inFolder(async ({ run }) => {
      const env = { XDG_CACHE_HOME: '' }
      expect((await run(['report', 'nightly'], { env })).stderr).not.toContain('cache')
      const { code, stderr } = await run(['report', 'nightly', '-v'], { env })
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('HOME is not set') })
    }))

  test.each([
    ['cannot be created', 'mkdir'],
    ['is read-only', 'open'],
  ])('if its directory %s; only a verbose report mentions it', (_, call) =>
    inFolder(async ({ run, report, entries }) => {
      const disk = failingDisk((name, __, at) => (name === call && at.includes('rows') ? 'EROFS' : undefined))
      const quiet = await run(['report', 'nightly'], { disk })
      expect(quiet.stderr).not.toContain('cache')
      const verbose = await run(['report', 'nightly', '-v'], { disk })
      expect(verbose.stderr).toContain('the file system is read-only')
      expect(await entries()).toEqual([])
      expect(verbose.stdout).toBe((await report()).stdout)
    }),
  )

  test('for a user whom its directory does not belong to', () =>
    inFolder(async ({ run, report, entries }) => {
      const { stdout } = await report()
      const before = await entries()
      const { host } = testWorld()
      const other = await run(['report', 'nightly', '-v'], { host: { ...host, uid: (host.uid ?? 0) + 1 } })
      if (host.uid !== undefined) expect(other.stderr).toContain('another user can change it')
      expect(other.stdout).toBe(stdout)
      expect(await entries()).toEqual(before)
    }))
})
