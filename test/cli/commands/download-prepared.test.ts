import { readdir, readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
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
const HALF = Math.floor(ARCHIVE.length / 2)
const WHOLE: Reply = { body: ARCHIVE }
const STOP = new Failure('interrupted', 'stopped by SIGINT', { exitCode: 130, hint: 'run the command again' })

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
  ...(more.includes('--retries') ? [] : ['--retries', '0']),
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

/** Its first bytes, and then no more. */
const cutShort = (response: ServerResponse, headers: Record<string, string> = {}): undefined => {
  const length = { 'Content-Length': String(ARCHIVE.length) }
  response.writeHead(200, { ...headers, ...length }).write(ARCHIVE.subarray(0, HALF))
  setImmediate(() => response.destroy())
}

describe('an archive that the service prepares', () => {
  test('is requested again by the run after a stop: its address is not written to disk', () =>
    withFolder(async (folder) => {
      let isReady = false
      await using service = await testService(({ target }) =>
        isReady && target === '/download/1' ? WHOLE : preparing('/download/1'),
      )
      const stopped = await stoppedWhilePreparing(folder, service)
      expect(stopped.code).toBe(130)
      expect(stopped.stderr).toContain(
        'nothing is kept: the service was still preparing the archive; it may have it ready when it is requested again',
      )
      expect(await readdir(folder)).not.toContain('out.zip.parts')
      isReady = true
      const before = service.requests.length
      const again = await cli(askFor(service), { cwd: folder })
      expect(again.code, again.stderr).toBe(0)
      expect(pathsOf(service).slice(before)).toEqual(['/v2/download', '/download/1'])
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    }))

  test('is fetched from its address by a retry of the run, with a signature too, and waited for again there', () =>
    withFolder(async (folder) => {
      const address = '/download/1?X-Amz-Signature=5ec4e7'
      let fetched = 0
      await using service = await testService(({ target }, _, response) => {
        if (target !== address) return preparing(address)
        fetched += 1
        if (fetched === 1) return cutShort(response)
        return fetched === 2 ? preparing() : WHOLE
      })
      const { code, stdout, stderr } = await cli(askFor(service, '--retries', '1', '-v'), { cwd: folder })
      expect(code, stderr).toBe(0)
      expect(pathsOf(service)).toEqual(['/v2/download', '/download/1', '/download/1', '/download/1'])
      expect(stdout + stderr).not.toContain('5ec4e7')
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    }))

  test.each([404, 410])('is requested again, with a warning, when it is gone (%i)', (status) =>
    withFolder(async (folder) => {
      let fetched = 0
      await using service = await testService(({ target }, _, response) => {
        if (target !== '/download/1') return fetched === 0 ? preparing('/download/1') : WHOLE
        fetched += 1
        return fetched === 1 ? cutShort(response) : { status, body: '' }
      })
      const { code, stderr } = await cli(askFor(service, '--quiet', '--retries', '1'), { cwd: folder })
      expect(code, stderr).toBe(0)
      expect(stderr).toBe(
        `matdecl: warning: request 1 of 1: the archive is no longer where the service had put it (status ${status}); requesting it again, which may use allowance twice\n`,
      )
      expect(pathsOf(service)).toEqual(['/v2/download', '/download/1', '/download/1', '/v2/download'])
    }),
  )

  test('is fetched there again when it is damaged, and requested again by the next run', () =>
    withFolder(async (folder) => {
      let isMended = false
      const damaged: Reply = { body: ARCHIVE.subarray(0, -30) }
      await using service = await testService(({ target }) => {
        if (target === '/download/1') return damaged
        return isMended ? WHOLE : preparing('/download/1')
      })
      expect((await cli(askFor(service), { cwd: folder })).code).toBe(8)
      expect(await readdir(folder)).not.toContain('out.zip.parts')
      expect((await cli(askFor(service, '--retries', '1'), { cwd: folder })).code).toBe(8)
      expect(pathsOf(service).filter((path) => path === '/v2/download')).toHaveLength(2)
      isMended = true
      expect((await cli(askFor(service), { cwd: folder })).code).toBe(0)
    }))

  test.each([
    ['a retry', '1', 1],
    ['the next run', '0', 2],
  ] as const)('and had sent a part of, is continued there by %s', (_, retries, requested) =>
    withFolder(async (folder) => {
      const headers = { ETag: '"a"', 'Accept-Ranges': 'bytes' }
      const ranges: string[] = []
      await using service = await testService(({ target, rawHeaders }, __, response) => {
        if (target !== '/download/1') return preparing('/download/1')
        if (!rawHeaders.includes('Range')) return cutShort(response, headers)
        ranges.push(rawHeaders[rawHeaders.indexOf('Range') + 1]!)
        const rest = {
          'Content-Range': `bytes ${HALF}-${ARCHIVE.length - 1}/${ARCHIVE.length}`,
          'Content-Length': String(ARCHIVE.length - HALF),
        }
        response.writeHead(206, { ...headers, ...rest }).end(ARCHIVE.subarray(HALF))
        return undefined
      })
      const first = await cli(askFor(service, '--retries', retries), { cwd: folder })
      expect(first.code, first.stderr).toBe(requested === 1 ? 0 : 7)
      if (requested > 1) expect((await cli(askFor(service), { cwd: folder })).code).toBe(0)
      expect(ranges).toContain(`bytes=${HALF}-`)
      expect(pathsOf(service).filter((path) => path === '/v2/download')).toHaveLength(requested)
      expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE)).toBe(true)
    }),
  )

  test('at another origin gets no token, from a retry either', () =>
    withFolder(async (folder) => {
      await using store = await testService((_, index, response) =>
        index === 0 ? cutShort(response) : WHOLE,
      )
      await using service = await testService(() => preparing(`${store.url}/download/1`))
      const { code, stderr } = await cli(askFor(service, '--retries', '1'), { cwd: folder })
      expect(code, stderr).toBe(0)
      expect(service.requests).toHaveLength(1)
      expect(store.requests).toHaveLength(2)
      expect(store.requests.flatMap(({ rawHeaders }) => rawHeaders).join()).not.toMatch(
        /authorization|Bearer/i,
      )
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
