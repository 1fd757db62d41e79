import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/base/failure.ts'
import { run } from '../../../src/cli/run.ts'
import { type CliResult, cli, tree } from '../../support/cli.ts'
import { failingDisk } from '../../support/failing-disk.ts'
import { type Answerer, testService, twoRequests } from '../../support/service.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const DONE = ['out', 'out/A.xml', 'out/B.xml', 'out.zip', 'out.zip.manifest.json', 'miss.txt', 'r.csv'].sort()

/** Runs the same command twice: first with a disk that keeps the records of the job, as a kill after everything else would. */
async function twice(
  answer: Answerer,
  name: string | undefined,
  look: (run: { first: CliResult; again: CliResult; sent: number[]; files: string[] }) => void,
): Promise<void> {
  await withFolder(async (folder) => {
    await using service = await testService(answer)
    const disk = failingDisk((call, _, path) =>
      call === 'rm' && path.endsWith('answers.jsonl') ? 'EIO' : undefined,
    )
    const argv = ['--base-url', service.url, '--part', 'A', '--part', 'B', '--batch-size', '1']
    const extras = [
      '-x',
      '--manifest',
      '--missing',
      'miss.txt',
      '--report',
      'r.csv',
      '--allow-partial',
      '--json',
    ]
    const output = name === undefined ? [] : ['-o', name]
    const first = await cli([...argv, ...output, ...extras], { cwd: folder, disk })
    const sent = [service.requests.length]
    const again = await cli([...argv, ...output, ...extras], { cwd: folder, nowMs: Date.now() + 86_400_000 })
    sent.push(service.requests.length)
    look({ first, again, sent, files: await tree(folder) })
  })
}

const declare: Answerer = ({ target }) => {
  const [part] = new URL(target, 'http://x').searchParams.getAll('partNumbers[]')
  return { body: zip([{ name: `${part}.xml`, data: `<P><ProductID itemNumber="${part}"/></P>` }]) }
}

test.each([
  [[], 10],
  [['--json'], 10],
  [['--fail-if-missing', '-l'], 12],
])(
  'a run whose output nobody reads is complete, and the next one sends its requests: %j',
  async (more, code) => {
    await withFolder(async (folder) => {
      const broken: Answerer = (request, index, response) =>
        request.target.includes('=B') ? { status: 400 } : declare(request, index, response)
      await using service = await testService(broken)
      const argv = twoRequests(service.url, 'out.zip')
      for (const count of [2, 4]) {
        const options = { cwd: folder, isReaderGone: true }
        const run = await cli([...argv, '--allow-partial', '--overwrite', ...more], options)
        expect(run.code).toBe(code)
        expect(service.requests).toHaveLength(count)
        expect(await tree(folder)).toEqual(['out.zip'])
      }
    })
  },
)

test.each([
  ['out.zip', ['out.zip']],
  ['-', []],
])('a run that cannot write its result to standard output fails, and %s leaves %j', async (output, left) => {
  await withFolder(async (folder) => {
    await using service = await testService(declare)
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    })
    const argv = ['--base-url', service.url, '--part', 'A', '-o', output]
    const { code, stderr } = await cli(argv, { cwd: folder, stdout })
    expect(code).toBe(9)
    expect(stderr).toContain('cannot write to standard output (ENOSPC)')
    expect(stderr.includes('out.zip: 1 entry')).toBe(left.length > 0)
    expect(await tree(folder)).toEqual(left)
  })
})

test('what was done before a late failure is beside the error', async () => {
  await withFolder(async (folder) => {
    await using service = await testService(declare)
    const argv = [
      '--base-url',
      service.url,
      '--part',
      'A',
      '-o',
      'out.zip',
      '-x',
      '--report',
      'r.csv',
      '--json',
    ]
    const disk = failingDisk((call, _, path) =>
      call === 'mkdir' && !path.includes('.parts') ? 'ENOSPC' : undefined,
    )
    const failed = await cli(argv, { cwd: folder, disk })
    expect(failed.code).toBe(9)
    expect(failed.json()).toMatchObject({
      status: 'failed',
      requests: [{ parts: ['A'], status: 200 }],
      archive: { path: 'out.zip', entries: 1 },
      extracted: null,
      report: null,
      foundParts: 1,
    })
    const left = await tree(folder)
    expect(left.filter((path) => /\.(?:zip|jsonl|note)$/.test(path))).toEqual([
      'out.zip',
      expect.stringMatching(/^out\.zip\.parts.[0-9a-f]{16}..matdecl.answers\.jsonl$/),
    ])
    expect(left.filter((path) => !path.startsWith('out.zip'))).toEqual([])
  })
})

test('a late failure says that the archive is complete, and that the next run sends nothing', async () => {
  await withFolder(async (folder) => {
    await using service = await testService(declare)
    const argv = ['--base-url', service.url, '--part', 'A', '-o', 'out.zip', '-x', '--report']
    const disk = failingDisk((call, _, path) =>
      call === 'open' && path.includes('.r.csv') ? 'ENOSPC' : undefined,
    )
    const failed = await cli([...argv, 'r.csv'], { cwd: folder, disk })
    expect(failed.code).toBe(9)
    expect(failed.stderr).toMatch(
      /: --report; then run the same command again; out\.zip is complete, and nothing is sent again\n$/,
    )
    const again = await cli([...argv, 'other.csv'], { cwd: folder })
    expect([again.code, service.requests.length], again.stderr).toEqual([0, 1])
    expect(await tree(folder)).toEqual(['other.csv', 'out', 'out/A.xml', 'out.zip'].sort())
  })
})

describe('an archive for standard output that nobody reads', () => {
  const args = (url: string): string[] => ['--base-url', url, '--part', 'A', '-o', '-']
  const again = 'run the same command again; nothing is sent again'

  test.each([
    [new Failure('interrupted', 'stopped by SIGTERM', { exitCode: 143, again: {} }), [], 143],
    [undefined, ['--timeout', '5s'], 7],
  ] as const)('is kept when the run ends: %s %j', async (reason, more, code) => {
    await withFolder(async (folder) => {
      await using service = await testService(declare)
      const env = { XDG_STATE_HOME: join(folder, 'state') }
      const stdout = new Writable({
        write: () => {
          if (reason !== undefined) return world.stop(reason)
          return expire()
        },
      })
      let expire = (): void => undefined
      const world = testWorld({
        argv: [...args(service.url), ...more],
        env: { MATDECL_TOKEN: 't', ...env },
        cwd: folder,
        stdout,
      })
      const sleep: typeof world.clock.sleep = (ms, signal) =>
        ms === 5_000 ? new Promise((resolve) => (expire = resolve)) : world.fakeClock.sleep(ms, signal)
      expect(await run({ ...world, clock: { ...world.clock, sleep } })).toBe(code)
      expect(world.err.text()).toContain(again)
      const next = await cli(args(service.url), { cwd: folder, env })
      expect([next.code, service.requests.length], next.stderr).toEqual([0, 1])
      expect(next.stdoutBytes.subarray(0, 2).toString()).toBe('PK')
    })
  })
})

describe('a run that was stopped when everything but its clearing up was done', () => {
  test('succeeds when it is run again: the files beside the archive are its own, and nothing is sent again', async () => {
    await twice(declare, 'out.zip', ({ first, again, sent, files }) => {
      expect(first.code).toBe(0)
      expect(first.stderr).toContain('could not be removed')
      expect(again.stderr).not.toContain('error')
      expect(again.json()).toMatchObject({ status: 'ok', foundParts: 2, extracted: { files: 2 } })
      expect(sent).toEqual([2, 2])
      expect(files).toEqual(DONE)
    })
  })

  test('is found again where the name holds the time', async () => {
    await twice(declare, undefined, ({ again, sent, files }) => {
      expect(again.code, again.stderr).toBe(0)
      expect(sent).toEqual([2, 2])
      expect(files.filter((file) => file.endsWith('.zip'))).toHaveLength(1)
    })
  })

  test('still says which parts it could not get', async () => {
    const broken: Answerer = (request, index, response) =>
      request.target.includes('=B') ? { status: 400 } : declare(request, index, response)
    await twice(broken, join('deep', 'out.zip'), ({ again, sent }) => {
      expect(again.code).toBe(10)
      expect(again.json()).toMatchObject({
        status: 'partial',
        foundParts: 1,
        missingParts: [],
        unknownParts: ['B'],
      })
      expect(sent).toEqual([2, 2])
    })
  })
})
