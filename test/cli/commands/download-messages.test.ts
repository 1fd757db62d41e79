import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, TOKEN, tree } from '../../support/cli.ts'
import { idsXml } from '../../support/declarations.ts'
import { type Answerer, testService } from '../../support/service.ts'
import { createFakeClock, testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: idsXml('A', 'A,', 'A,B', 'A, B') }])

/** Runs a download in an empty directory against a service with this response. */
async function download(argv: readonly string[], answer: Answerer, isTTY = false) {
  return withFolder(async (cwd) => {
    await using service = await testService(answer)
    const result = await cli(['--base-url', service.url, ...argv], {
      cwd,
      isTTY,
      columns: 200,
      env: { MATDECL_TOKEN: TOKEN, NO_COLOR: '1' },
    })
    return { ...result, url: service.url, files: await tree(cwd), requests: service.requests }
  })
}

describe('a download', () => {
  test('shows the URL that was not found', async () => {
    const { code, stderr, url, files } = await download(['--part', 'A/B'], () => ({ status: 404 }))
    expect(code).toBe(5)
    expect(stderr).toContain(`(status 404): ${url}/v2/download?format=1752A&partNumbers[]=A%2FB`)
    expect(stderr).not.toContain(TOKEN)
    expect(files).toEqual([])
  })

  test.each([
    ['A,B', true],
    ['A, B', true],
    ['A,', false],
    ['A', false],
  ])('with --part %j says that commas do not separate: %s', async (part, isSaid) => {
    const { code, stderr } = await download(['--part', part, '-o', 'x.zip'], () => ({ body: ARCHIVE }))
    expect(code).toBe(0)
    expect(stderr.includes('is one part number, commas included; for several: --part A --part B')).toBe(
      isSaid,
    )
  })

  test.each([
    [10, ''],
    [11, ' and 1 more (all of them: --missing FILE)'],
    [1_012, ' and 1,002 more (all of them: --missing FILE)'],
    [12, ' and 2 more (all of them: m.txt)', ['--missing', 'm.txt']],
  ])('of %i parts that are missing names ten%s', async (count, rest, more: string[] = []) => {
    const parts = Array.from({ length: count }, (_, index) => ['--part', `P${index + 1}`]).flat()
    const { stderr } = await download([...parts, '-o', 'x.zip', ...more], () => ({ body: ARCHIVE }))
    const named = Array.from({ length: 10 }, (_, index) => `'P${index + 1}'`).join(', ')
    expect(stderr).toContain(`\nmissing: ${named}${rest}\n`)
  })

  test('says which directory it created', async () => {
    const { stderr, files } = await download(['--part', 'A', '-o', 'new/sub/x.zip'], () => ({
      body: ARCHIVE,
    }))
    expect(stderr).toMatch(/created directory .*new\/sub\n/)
    expect(files).toContain(join('new', 'sub', 'x.zip'))
  })

  test.each([
    [true, 1],
    [false, 2],
  ])('names the archive once on a terminal (%s)', async (isTTY, times) => {
    const { stdout, stderr } = await download(
      ['--part', 'A', '-o', 'x.zip'],
      () => ({ body: ARCHIVE }),
      isTTY,
    )
    expect(`${stdout}${stderr}`.match(/x\.zip\b/g)).toHaveLength(times)
    expect(stdout).toBe(isTTY ? '' : 'x.zip\n')
  })
})

describe('a plan of many requests', () => {
  const SIX = [...'ABCDEF'].flatMap((part) => ['--part', part])
  const argv = [...SIX, '--batch-size', '1', '--dry-run']

  test('shows the first and the last one, and all with -v', async () => {
    const { stdout } = await download(argv, () => ({ status: 404 }))
    expect(stdout).toContain('6 requests for 6 parts')
    expect(stdout.match(/partNumbers\[\]=./g)).toEqual(['partNumbers[]=A', 'partNumbers[]=F'])
    expect(stdout).toContain('… 4 requests more; -v prints all of them, with complete URLs')
    const whole = await download([...argv, '-v'], () => ({ status: 404 }))
    expect(whole.stdout.match(/partNumbers\[\]=./g)).toHaveLength(6)
    const json = await download([...argv, '--json'], () => ({ status: 404 }))
    expect(json.json()).toMatchObject({ requests: { length: 6 } })
  })
})

test('with --sandbox a mistake keeps its own hint', async () => {
  const wrong = await cli(['--sandbox', '--supplier', '100200300', '--format', 'XML'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('use 1752A or 1752B')
  expect(wrong.stderr).not.toContain('the sandbox has')
  expect((await cli(['--sandbox'])).stderr).toContain('the sandbox has supplier')
})

test('with --sandbox a search without a match says what the sandbox has', async () => {
  await withFolder(async (cwd) => {
    const clock = { ...createFakeClock(), nowMs: Date.now }
    const none = await cli(['--sandbox', '--part', 'NOPE', '-o', 'none.zip'], { cwd, clock })
    expect(none.code).toBe(12)
    expect(none.stderr).toMatch(
      /missing: 'NOPE'\n.*error: .*'NOPE' was not found\n {2}hint: the sandbox has supplier \d+ and part \S+, among others\n$/,
    )
  })
})

test.each([['list'], ['verify'], ['extract'], ['report']])(
  '%s knows a web page saved as an archive',
  async (command) => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'x.zip'), '<!DOCTYPE html><html><title>Sign in</title></html>')
      const result = await cli([command, 'x.zip'], { cwd })
      expect(`${result.stdout}${result.stderr}`).toContain('web page (HTML), probably a login page')
      expect(await tree(cwd)).toEqual(['x.zip'])
    })
  },
)

describe('a failure is said once, with what helps', () => {
  const FULL = { ...testWorld().disk, statfs: async () => ({ bavail: 1, bsize: 1024 * 1024 }) as never }
  const cut: Answerer = (_request, _index, response) => {
    response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': 4 * 1024 * 1024 })
    response.write(ARCHIVE.subarray(0, 100), () => response.destroy())
    return undefined
  }

  test.each([[['download', '--allow-partial', '-o', 'x.zip']], [['sync', '--library', 'lib']]])(
    'of the only request: %j',
    async (argv) => {
      await withFolder(async (cwd) => {
        await using service = await testService({ status: 503 })
        const asked = ['--base-url', service.url, '--part', 'A', '--retries', '0']
        const { stderr, code } = await cli([...argv, ...asked], { cwd })
        expect([code, stderr.split('is failing (status 503)').length]).toEqual([7, 2])
        expect(stderr).not.toContain('continuing')
      })
    },
  )

  test.each([
    [['--supplier', '123456789'], ''],
    [['--part', 'A'], ''],
    [['--part', 'A', '--part', 'B'], '; if it persists, request fewer parts at once: --batch-size'],
  ])('of a transfer that was cut short, with %j', async (argv, rest) => {
    const { stderr } = await download([...argv, '--retries', '0', '-o', 'x.zip'], cut)
    const again = 'run the same command again; 1 request in flight will be sent again'
    expect(stderr).toMatch(new RegExp(`hint: ${again}, which may use allowance twice${rest}\\n$`))
    const detailed = await download([...argv, '--retries', '0', '-o', 'x.zip', '-v'], cut)
    expect(detailed.stderr).toContain('nothing is kept: the service gave no strong validator')
  })

  test('of a disk without room', () =>
    withFolder(async (cwd) => {
      await using service = await testService(cut)
      const argv = ['--base-url', service.url, '--part', 'A', '-o', 'x.zip']
      const { code, stderr } = await cli(argv, { cwd, disk: FULL })
      expect(code).toBe(9)
      expect(stderr).toMatch(
        /hint: free 3\.0 MiB on \S+, or choose another path: --output; then run the same command again; 1 request /,
      )
    }))
})
