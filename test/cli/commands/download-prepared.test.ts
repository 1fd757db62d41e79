import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/base/failure.ts'
import { run } from '../../../src/cli/run.ts'
import { type CliResult, cli, TOKEN } from '../../support/cli.ts'
import { type Reply, type TestService, testService } from '../../support/service.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const ARCHIVE = zip([
  {
    name: 'A.xml',
    data: '<MainDeclaration><Product><ProductID itemNumber="A"/></Product></MainDeclaration>',
  },
])
const WHOLE: Reply = { body: ARCHIVE }
const STOP = new Failure('interrupted', 'stopped by SIGINT', { exitCode: 130, hint: 'run the command again' })
const ADDRESS_KEPT =
  'hint: run the same command again to resume: the address of 1 archive being prepared kept\n'

const preparing = (location?: string): Reply => ({
  status: 202,
  headers: { 'Retry-After': '1', ...(location === undefined ? {} : { Location: location }) },
  body: '',
})

const askFor = (service: TestService, ...more: string[]): string[] => [
  'download',
  '--base-url',
  service.url,
  '--part',
  'A',
  '-o',
  'out.zip',
  '--retries',
  '0',
  ...more,
]

/** A run that waits for an archive at `location` until it is stopped by Ctrl-C. */
async function stoppedWhilePreparing(
  folder: string,
  service: TestService,
): Promise<Pick<CliResult, 'code' | 'stderr'>> {
  const env = {
    MATDECL_TOKEN: TOKEN,
    XDG_CONFIG_HOME: join(folder, '.c'),
    XDG_STATE_HOME: join(folder, '.s'),
  }
  const world = testWorld({ argv: askFor(service), env, cwd: folder })
  const running = run(world)
  while (service.requests.length < 3) await new Promise((resolve) => setImmediate(resolve))
  world.stop(STOP)
  const code = await running
  return { code, stderr: world.err.text() }
}

const pathsOf = (service: TestService): string[] =>
  service.requests.map(({ target }) => target.replace(/\?.*/, ''))

describe('an archive that the service was preparing when the run was stopped', () => {
  test('is fetched from there by the next run, which does not request it again', () =>
    withFolder(async (folder) => {
      let isReady = false
      await using service = await testService(({ target }) =>
        isReady && target === '/download/1' ? WHOLE : preparing('/download/1'),
      )
      const stopped = await stoppedWhilePreparing(folder, service)
      expect(stopped.code).toBe(130)
      expect(stopped.stderr).toContain(ADDRESS_KEPT)
      isReady = true
      const before = service.requests.length
      const again = await cli(askFor(service), { cwd: folder })
      expect(again.code, again.stderr).toBe(0)
      expect(again.stderr).toContain(
        'resuming an unfinished run: 0 of 1 request done, the address of 1 archive being prepared kept',
      )
      expect(again.stderr).not.toContain('allowance')
      expect(pathsOf(service).slice(before)).toEqual(['/download/1'])
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
      expect(await readdir(folder)).not.toContain('out.zip.parts')
    }))

  test('is waited for again when it is still not ready', () =>
    withFolder(async (folder) => {
      let polls = 0
      await using service = await testService(({ target }) => {
        if (target === '/download/1') polls += 1
        return polls > 20 ? WHOLE : preparing(polls < 12 ? '/download/1' : undefined)
      })
      const first = await cli(askFor(service, '--response-timeout', '10s'), { cwd: folder })
      expect(first.code).toBe(7)
      expect(first.stderr).toContain('did not finish preparing the archive within 10 s')
      const requested = pathsOf(service).filter((path) => path === '/v2/download').length
      expect(requested).toBe(1)
      const again = await cli(askFor(service), { cwd: folder })
      expect(again.code, again.stderr).toBe(0)
      expect(pathsOf(service).filter((path) => path === '/v2/download')).toHaveLength(requested)
    }))

  test.each([404, 410])('is requested again, with a warning, when it is gone (%i)', (status) =>
    withFolder(async (folder) => {
      let isGone = false
      await using service = await testService(({ target }) => {
        if (!isGone) return preparing('/download/1')
        return target === '/download/1' ? { status, body: '' } : WHOLE
      })
      expect((await stoppedWhilePreparing(folder, service)).code).toBe(130)
      isGone = true
      const before = service.requests.length
      const again = await cli(askFor(service, '--quiet'), { cwd: folder })
      expect(again.code, again.stderr).toBe(0)
      expect(again.stderr).toBe(
        `matdecl: warning: request 1 of 1: the archive that the service was preparing is no longer there (status ${status}); requesting it again, which may use allowance twice\n`,
      )
      expect(pathsOf(service).slice(before)).toEqual(['/download/1', '/v2/download'])
    }),
  )

  test('is requested again when it is damaged, also by the next run', () =>
    withFolder(async (folder) => {
      let isMended = false
      const damaged: Reply = { body: ARCHIVE.subarray(0, -30) }
      await using service = await testService(({ target }) => {
        if (target === '/download/1') return damaged
        return isMended ? WHOLE : preparing('/download/1')
      })
      expect((await cli(askFor(service), { cwd: folder })).code).toBe(8)
      expect(await readdir(folder)).not.toContain('out.zip.parts')
      const retried = await cli(
        askFor(service).map((word) => (word === '0' ? '1' : word)),
        { cwd: folder },
      )
      expect(retried.code).toBe(8)
      expect(pathsOf(service).filter((path) => path === '/v2/download')).toHaveLength(3)
      isMended = true
      expect((await cli(askFor(service), { cwd: folder })).code).toBe(0)
    }))

  test('and had sent a part of, is continued there', () =>
    withFolder(async (folder) => {
      const half = Math.floor(ARCHIVE.length / 2)
      const headers = { ETag: '"a"', 'Accept-Ranges': 'bytes', 'Content-Length': String(ARCHIVE.length) }
      const ranges: string[] = []
      await using service = await testService(({ target, rawHeaders }, _, response) => {
        if (target !== '/download/1') return preparing('/download/1')
        const range = rawHeaders[rawHeaders.indexOf('Range') + 1]!
        if (!rawHeaders.includes('Range')) {
          response.writeHead(200, headers).write(ARCHIVE.subarray(0, half))
          setImmediate(() => response.destroy())
          return undefined
        }
        ranges.push(range)
        const from = Number(/\d+/.exec(range)![0])
        const length = String(ARCHIVE.length - from)
        const rest = { 'Content-Range': `bytes ${from}-${ARCHIVE.length - 1}/${ARCHIVE.length}` }
        response.writeHead(206, { ...headers, ...rest, 'Content-Length': length }).end(ARCHIVE.subarray(from))
        return undefined
      })
      const first = await cli(askFor(service), { cwd: folder })
      expect(first.code, first.stderr).toBe(7)
      const again = await cli(askFor(service), { cwd: folder })
      expect(again.code, again.stderr).toBe(0)
      expect(ranges).toEqual([`bytes=${half}-`])
      expect(pathsOf(service).filter((path) => path === '/v2/download')).toHaveLength(1)
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    }))

  test('at another origin gets no token', () =>
    withFolder(async (folder) => {
      let isReady = false
      await using store = await testService(() => (isReady ? WHOLE : preparing()))
      await using service = await testService(() => preparing(`${store.url}/download/1`))
      const first = await cli(askFor(service, '--response-timeout', '3s'), { cwd: folder })
      expect(first.code).toBe(7)
      isReady = true
      const again = await cli(askFor(service), { cwd: folder })
      expect(again.code, again.stderr).toBe(0)
      expect(service.requests).toHaveLength(1)
      expect(store.requests.length).toBeGreaterThan(1)
      expect(store.requests.flatMap(({ rawHeaders }) => rawHeaders).join()).not.toMatch(
        /authorization|Bearer/i,
      )
    }))

  test('at an address with a signature is requested again: no secret is written to disk', () =>
    withFolder(async (folder) => {
      await using service = await testService(() => preparing('/download/1?X-Amz-Signature=5ec4e7'))
      const stopped = await stoppedWhilePreparing(folder, service)
      expect(stopped.stderr).toContain(
        'nothing is kept: the service was still preparing the archive; it may have it ready when it is requested again',
      )
      expect(await readdir(folder)).not.toContain('out.zip.parts')
    }))
})

describe('the next run', () => {
  test('does not warn of a request that the service refused completely (429)', () =>
    withFolder(async (folder) => {
      let isLimited = true
      const headers = { ETag: '"a"', 'Accept-Ranges': 'bytes' }
      await using service = await testService((_, index) =>
        isLimited && index === 2 ? { status: 429, headers: { 'Retry-After': '900' } } : { ...WHOLE, headers },
      )
      const parts = ['--part', 'B', '--part', 'C', '--batch-size', '1', '--concurrency', '1']
      const first = await cli(askFor(service, ...parts), { cwd: folder })
      expect(first.code, first.stderr).toBe(6)
      expect(first.stderr).toMatch(/to resume: .* kept/)
      isLimited = false
      const again = await cli(askFor(service, ...parts), { cwd: folder })
      expect(again.code, again.stderr).toBe(0)
      expect(again.stderr).toContain('resuming an unfinished run')
      expect(again.stderr).not.toContain('no complete response')
    }))
})
