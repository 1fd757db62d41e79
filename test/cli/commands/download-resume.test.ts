import { randomFillSync } from 'node:crypto'
import { chmod, cp, mkdir, readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/base/failure.ts'
import { run } from '../../../src/cli/run.ts'
import { type CliResult, cli, TOKEN, tree } from '../../support/cli.ts'
import { jobFiles, keptIn } from '../../support/jobs.ts'
import { posixTest } from '../../support/programs.ts'
import { type RangeService, rangeService } from '../../support/range-service.ts'
import { testService } from '../../support/service.ts'
import { sweep } from '../../support/soak.ts'
import { type TestWorld, testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const CHUNK = 64 * 1024
// Sixteen chunks and a bit, so that no boundary is that of the archive.
const ARCHIVE = zip([
  {
    name: 'part.xml',
    data: '<MainDeclaration><Product><ProductID itemNumber="A"/></Product></MainDeclaration>',
  },
  { name: 'content.bin', data: randomFillSync(Buffer.alloc(16 * CHUNK)), method: 0 },
])
const STOP = new Failure('interrupted', 'stopped by SIGINT', {
  exitCode: 130,
  again: {},
})

const askFor = (service: RangeService, ...more: string[]): string[] => [
  'download',
  '--base-url',
  service.url,
  '--part',
  'A',
  '-o',
  'out.zip',
  ...more,
]

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs until the service holds its response and all of it has arrived, then does `end`; returns what the run wrote. */
async function stopped(
  service: RangeService,
  folder: string,
  end: (world: TestWorld) => Promise<unknown> | unknown,
  more: readonly string[] = [],
): Promise<CliResult> {
  const env = {
    MATDECL_TOKEN: TOKEN,
    XDG_CONFIG_HOME: join(folder, '.c'),
    XDG_STATE_HOME: join(folder, '.s'),
  }
  const world = testWorld({ argv: askFor(service, ...more), env, cwd: folder, hasSocketTimeouts: true })
  const running = run(world)
  await service.stopped()
  await end(world)
  const code = await running
  const stdout = world.out.text()
  return {
    code,
    stdout,
    stdoutBytes: world.out.bytes(),
    stderr: world.err.text(),
    slept: [],
    json: () => JSON.parse(stdout),
  }
}

/** Resolves when the trace shows the head of the response: run with `-vv`. */
async function headArrived(world: TestWorld): Promise<void> {
  while (!/accept-ranges/i.test(world.err.text())) await turn()
}

/** Waits until the job directory notes that at least `least` bytes are kept. */
async function keptAtLeast(folder: string, least: number): Promise<void> {
  while (Math.max(0, ...(await keptIn(join(folder, 'out.zip.parts')))) < least) await turn()
}

describe('one large response that was stopped', () => {
  test('by a kill at any 64 KiB boundary resumes there: at most one chunk is sent again', {
    timeout: 120_000,
  }, async () => {
    for (let end = CHUNK; end < ARCHIVE.length; end += CHUNK * sweep(11, 1)) {
      await withFolder(async (folder) => {
        await using service = await rangeService(() => ARCHIVE, {
          holdAt: (request) => (request === 0 ? end : undefined),
        })
        const killed = join(folder, 'killed')
        // What a kill leaves is what is on disk before the run can do anything more.
        await stopped(service, folder, async (world) => {
          await keptAtLeast(folder, end - CHUNK / 2)
          await cp(join(folder, 'out.zip.parts'), join(killed, 'out.zip.parts'), { recursive: true })
          world.stop(STOP)
        })
        const again = await cli(askFor(service), { cwd: killed })
        expect(again, again.stderr).toMatchObject({ code: 0 })
        expect(service.sentBytes() - ARCHIVE.length, `killed at ${end}`).toBeLessThanOrEqual(CHUNK)
        expect(service.ranges[1]).toMatch(/^bytes=\d+-$/)
        expect((await readFile(join(killed, 'out.zip'))).equals(ARCHIVE)).toBe(true)
        expect(await tree(killed)).toEqual(['out.zip'])
      })
    }
  })

  test('by a signal keeps every byte, says how much, and the next run counts the whole', () =>
    withFolder(async (folder) => {
      const end = 5 * CHUNK
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request === 0 ? end : undefined),
      })
      const first = await stopped(service, folder, async (world) => {
        await keptAtLeast(folder, end - CHUNK)
        world.stop(STOP)
      })
      expect(first.code).toBe(130)
      expect(first.stderr).toMatch(
        /hint: run the same command again to resume: 320 KiB of 1.0 MiB of 1 request kept$/m,
      )
      expect(await readdir(folder)).not.toContain('out.zip')
      const again = await cli(askFor(service, '--json'), { cwd: folder })
      expect(again.json()).toMatchObject({ status: 'ok', foundParts: 1, archive: { bytes: ARCHIVE.length } })
      expect(again.stderr).toContain('320 KiB of 1.0 MiB of 1 request kept')
      expect(service.ranges).toEqual([undefined, `bytes=${end}-`])
      expect(service.sentBytes()).toBe(ARCHIVE.length)
    }))

  test('of many in flight at once resumes each of them', () =>
    withFolder(async (folder) => {
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request < 3 ? (request + 2) * CHUNK : undefined),
      })
      const more = [
        '--part',
        'B',
        '--part',
        'C',
        '--batch-size',
        '1',
        '--concurrency',
        '3',
        '--start-date',
        '2020-01-01',
      ]
      const first = await stopped(
        service,
        folder,
        async (world) => {
          while ((await keptIn(join(folder, 'out.zip.parts'))).length < 3) await turn()
          world.stop(STOP)
        },
        more,
      )
      expect(first.stderr).toMatch(
        /hint: run the same command again to resume: \d+ KiB of 3.0 MiB of 3 requests kept$/m,
      )
      const again = await cli(askFor(service, ...more), { cwd: folder })
      expect(again, again.stderr).toMatchObject({ code: 0 })
      expect(again.stderr).not.toContain('sending again')
      expect(service.ranges.slice(3).every((range) => range !== undefined)).toBe(true)
      expect(service.sentBytes() - 3 * ARCHIVE.length).toBeLessThanOrEqual(3 * CHUNK)
      expect((await readdir(folder)).filter((name) => !name.startsWith('.'))).toEqual(['out.zip'])
    }))

  test('prints that nothing is kept, and why', () =>
    withFolder(async (folder) => {
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request === 0 ? 5 * CHUNK : undefined),
        headers: { ETag: 'W/"v1"', 'Accept-Ranges': 'bytes' },
      })
      const stopAfterHead = async (world: TestWorld): Promise<void> => {
        await headArrived(world)
        world.stop(STOP)
      }
      const first = await stopped(service, folder, stopAfterHead, ['-vv'])
      expect(first.stderr).toMatch(
        /hint: run the same command again; nothing is kept: the service gave no strong validator \(ETag\) with Accept-Ranges: bytes; 1 request in flight will be sent again/,
      )
      expect((await readdir(folder)).filter((name) => name !== '.s')).toEqual([])
    }))

  test('by a kill, without a validator, is announced before it is sent again, also with --quiet', () =>
    withFolder(async (folder) => {
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request === 0 ? 5 * CHUNK : undefined),
        headers: {},
      })
      const killed = join(folder, 'killed')
      await stopped(service, folder, async (world) => {
        await cp(join(folder, 'out.zip.parts'), join(killed, 'out.zip.parts'), { recursive: true })
        world.stop(STOP)
      })
      const again = await cli(askFor(service, '--quiet'), { cwd: killed })
      expect(again).toMatchObject({ code: 0, stdout: '' })
      expect(again.stderr).toBe(
        'matdecl: warning: 1 request of the unfinished run had no complete response; sending again, which may use allowance twice\n',
      )
      expect(service.ranges).toEqual([undefined, undefined])
    }))

  test('is received whole where a proxy strips Range, and a run that breaks off there keeps nothing for the next', () =>
    withFolder(async (folder) => {
      const end = 3 * CHUNK
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request < 2 ? end : undefined),
        isStripped: true,
      })
      await stopped(service, folder, async (world) => {
        await keptAtLeast(folder, CHUNK)
        world.stop(STOP)
      })
      const limits = ['--retries', '0', '--stall-timeout', '300ms']
      const broken = await cli(askFor(service, ...limits), { cwd: folder, hasSocketTimeouts: true })
      expect(broken.code).toBe(7)
      expect(broken.stderr).not.toContain('to resume')
      expect(await cli(askFor(service), { cwd: folder })).toMatchObject({ code: 0 })
      expect(service.ranges).toEqual([undefined, `bytes=${end}-`, undefined])
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    }))

  test('by retries that ran out keeps its bytes too, and resumes after further refusals', () =>
    withFolder(async (folder) => {
      const end = 3 * CHUNK
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request === 0 ? end : undefined),
        status: (request) => (request === 1 ? 503 : undefined),
      })
      const first = await cli(askFor(service, '--retries', '0', '--stall-timeout', '300ms'), {
        cwd: folder,
        hasSocketTimeouts: true,
      })
      expect(first.code).toBe(7)
      expect(first.stderr).toMatch(
        /hint: run the same command again to resume: 192 KiB of 1.0 MiB of 1 request kept; /,
      )
      const refused = await cli(askFor(service, '--retries', '0'), { cwd: folder })
      expect(refused.code).toBe(7)
      expect(refused.stderr).toContain('192 KiB of 1.0 MiB of 1 request kept')
      expect(await cli(askFor(service), { cwd: folder })).toMatchObject({ code: 0 })
      expect(service.ranges).toEqual([undefined, `bytes=${end}-`, `bytes=${end}-`])
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    }))

  test.each([
    ['a 404', 404],
    ['a 200 that is no archive', 200],
  ])('keeps its bytes after %s that is not about the range', (_, refusal) =>
    withFolder(async (folder) => {
      const end = 3 * CHUNK
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request === 0 ? end : undefined),
        status: (request) => (request === 1 || request === 2 ? refusal : undefined),
      })
      await stopped(service, folder, async (world) => {
        await keptAtLeast(folder, CHUNK)
        world.stop(STOP)
      })
      const refused = await cli(askFor(service), { cwd: folder })
      expect(refused.code).toBe(5)
      expect(refused.stderr).toContain('192 KiB of 1.0 MiB of 1 request kept')
      expect(await cli(askFor(service), { cwd: folder })).toMatchObject({ code: 0 })
      expect(service.ranges).toEqual([undefined, `bytes=${end}-`, undefined, `bytes=${end}-`])
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    }),
  )

  test.each([
    ['that answers alike', [500, 500], [undefined, 'bytes', 'bytes', undefined]],
    ['that answers otherwise', [500, 502, 500], [undefined, 'bytes', 'bytes', 'bytes', 'bytes']],
    ['that refuses the token', [401, 401], [undefined, 'bytes', 'bytes', 'bytes']],
  ])('starts without its bytes after two runs that a server ended %s', (_, statuses, expected) =>
    withFolder(async (folder) => {
      const end = 3 * CHUNK
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request === 0 ? end : undefined),
        status: (request) => statuses[request - 1],
      })
      await stopped(service, folder, async (world) => {
        await keptAtLeast(folder, CHUNK)
        world.stop(STOP)
      })
      for (const status of statuses)
        expect((await cli(askFor(service, '--retries', '0'), { cwd: folder })).code).toBe(
          status === 401 ? 4 : 7,
        )
      const last = await cli(askFor(service), { cwd: folder })
      expect(last.code).toBe(0)
      expect(service.ranges.map((range) => range?.slice(0, 5))).toEqual(expected)
      if (expected.at(-1) === undefined) expect(last.stderr).toContain('which may use allowance twice')
    }),
  )

  test('starts again when the content has changed meanwhile', () =>
    withFolder(async (folder) => {
      const other = Buffer.from(ARCHIVE)
      let body = ARCHIVE
      const headers = { ETag: '"v1"', 'Accept-Ranges': 'bytes' }
      await using service = await rangeService(() => body, {
        holdAt: (request) => (request === 0 ? 5 * CHUNK : undefined),
        headers,
      })
      await stopped(service, folder, async (world) => {
        await keptAtLeast(folder, CHUNK)
        world.stop(STOP)
      })
      headers.ETag = '"v2"'
      body = other
      const again = await cli(askFor(service), { cwd: folder })
      expect(again).toMatchObject({ code: 0 })
      expect(again.stderr).toContain(
        'the content on the server has changed since the transfer began; starting over',
      )
      expect(again.stderr).not.toContain('cannot resume')
      expect(service.ranges[1]).toBe(`bytes=${5 * CHUNK}-`)
      expect((await readFile(join(folder, 'out.zip'))).equals(other)).toBe(true)
    }))

  test('does not trust bytes that were not synced, or a torn record', async () => {
    for (const [harm, range] of [
      ['truncate', undefined],
      ['torn', undefined],
      ['none', `bytes=${5 * CHUNK}-`],
    ] as const) {
      await withFolder(async (folder) => {
        await using service = await rangeService(() => ARCHIVE, {
          holdAt: (request) => (request === 0 ? 5 * CHUNK : undefined),
        })
        await stopped(service, folder, async (world) => {
          await keptAtLeast(folder, CHUNK)
          world.stop(STOP)
        })
        const [body] = await jobFiles(join(folder, 'out.zip.parts'), '.zip')
        const [note] = await jobFiles(join(folder, 'out.zip.parts'), '.note')
        if (harm === 'truncate') await truncate(body!, 4 * CHUNK)
        if (harm === 'torn') await writeFile(note!, (await readFile(note!, 'utf8')).replace('\\"v1', '\\"v2'))
        expect(await cli(askFor(service), { cwd: folder })).toMatchObject({ code: 0 })
        expect(service.ranges[1], harm).toBe(range)
        expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
      })
    }
  })

  test('that had come whole, and was not verified yet, is not sent again', () =>
    withFolder(async (folder) => {
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request === 0 ? 5 * CHUNK : undefined),
      })
      await stopped(service, folder, async (world) => {
        await keptAtLeast(folder, CHUNK)
        world.stop(STOP)
      })
      // As the run would have left it, killed while it verified.
      const [body] = await jobFiles(join(folder, 'out.zip.parts'), '.zip')
      await writeFile(body!, ARCHIVE)
      const again = await cli(askFor(service), { cwd: folder })
      expect(again, again.stderr).toMatchObject({ code: 0 })
      expect(service.ranges).toEqual([undefined])
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    }))

  test('writes neither the token nor an entity tag that contains it', () =>
    withFolder(async (folder) => {
      await using service = await rangeService(() => ARCHIVE, {
        holdAt: (request) => (request === 0 ? 5 * CHUNK : undefined),
        headers: { ETag: `"${TOKEN}"`, 'Accept-Ranges': 'bytes' },
      })
      const copy = join(folder, 'copy')
      await stopped(
        service,
        folder,
        async (world) => {
          await headArrived(world)
          await cp(join(folder, 'out.zip.parts'), copy, { recursive: true })
          world.stop(STOP)
        },
        ['-vv'],
      )
      const entries = await readdir(copy, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile())
      expect(files.map(({ name }) => name.replace(/^.*\./, '')).sort()).toEqual(['jsonl', 'note', 'zip'])
      for (const { parentPath, name } of files)
        expect((await readFile(join(parentPath, name))).includes(TOKEN), name).toBe(false)
      expect((await readdir(folder)).filter((name) => name !== '.s')).toEqual(['copy'])
    }))
})

describe('a download to standard output without a state directory', () => {
  const args = ['--part', 'A', '--part', 'B', '--batch-size', '1', '--concurrency', '1', '-o', '-']

  test('resumes from a private directory among temporary files', async () => {
    await withFolder(async (folder) => {
      let isDown = true
      await using service = await testService((_, index) =>
        isDown && index > 0 ? { status: 501 } : { body: ARCHIVE },
      )
      const host = { ...testWorld().host, tempDir: folder }
      const options = { cwd: folder, host, env: { XDG_STATE_HOME: '' } }
      const failed = await cli(['--base-url', service.url, ...args], options)
      expect(failed.code).toBe(7)
      expect(failed.stderr).toContain('to resume: 1 of 2 requests kept')
      expect((await stat(join(folder, `matdecl-${host.uid ?? 'jobs'}`))).mode & 0o077).toBe(0)
      isDown = false
      const again = await cli(['--base-url', service.url, ...args], options)
      expect([again.code, service.requests.length], again.stderr).toEqual([0, 3])
      expect(await tree(folder)).toEqual([`matdecl-${host.uid ?? 'jobs'}`])
    })
  })

  posixTest('sends nothing when another user can change that', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const host = { ...testWorld().host, tempDir: folder }
      const directory = join(folder, `matdecl-${host.uid}`)
      await mkdir(directory)
      await chmod(directory, 0o777)
      const env = { XDG_STATE_HOME: '' }
      const refused = await cli(['--base-url', service.url, ...args], { cwd: folder, host, env })
      expect(refused).toMatchObject({ code: 9, stdout: '' })
      expect(refused.stderr).toContain('another user can change it')
      expect(refused.stderr).toContain('XDG_STATE_HOME')
      expect(service.all).toEqual([])
    })
  })
})

describe('an archive of a job that was damaged on disk, its size and time as before', () => {
  const two = ['--part', 'A', '--part', 'B', '--batch-size', '1', '--concurrency', '1', '-o', 'out.zip']
  const damage = async (folder: string): Promise<void> => {
    const [path = ''] = (await jobFiles(join(folder, 'out.zip.parts'), '-1.zip')).sort()
    const { atime, mtime } = await stat(path)
    const bytes = await readFile(path)
    bytes[100]! ^= 1
    await writeFile(path, bytes)
    await utimes(path, atime, mtime)
  }

  test.each([[[]], [['--query', 'format=CSV']]])(
    'is found by the next run, which says so, and requested again by the one after it %j',
    (more) =>
      withFolder(async (folder) => {
        let isDown = true
        await using service = await testService((_, index) =>
          isDown && index > 0 ? { status: 501 } : { body: ARCHIVE },
        )
        const get = () => cli(['--base-url', service.url, ...two, ...more], { cwd: folder })
        expect((await get()).code).toBe(7)
        await damage(folder)
        isDown = false
        const damaged = await get()
        expect([damaged.code, service.requests.length], damaged.stderr).toEqual([8, 3])
        expect(damaged.stderr).toContain(
          'to resume: 1 of 2 requests kept; 1 response will be requested again, which uses allowance again',
        )
        expect(await tree(folder)).not.toContain('out.zip')
        const last = await get()
        expect([last.code, service.requests.length], last.stderr).toEqual([0, 4])
        expect(await tree(folder)).toEqual(['out.zip'])
      }),
  )

  test('is not one that a lower limit refuses', () =>
    withFolder(async (folder) => {
      await using service = await testService((_, index) => (index > 0 ? { status: 501 } : { body: ARCHIVE }))
      const argv = ['--base-url', service.url, ...two]
      await cli(argv, { cwd: folder })
      const limited = await cli([...argv, '--max-entries', '1'], { cwd: folder })
      expect(limited.stderr).toContain('to resume: 1 of 2 requests kept; ')
      expect(limited.stderr).not.toContain('again, which uses')
    }))
})
