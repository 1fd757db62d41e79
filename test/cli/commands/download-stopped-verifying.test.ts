import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/base/failure.ts'
import { cli, tree } from '../../support/cli.ts'
import { failingDisk } from '../../support/failing-disk.ts'
import { type Answerer, testService } from '../../support/service.ts'
import { sweep } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: '<Product><ProductID itemNumber="A"/></Product>'.padEnd(5_000) }])

const whole: Answerer = () => ({ body: ARCHIVE })
const withTag: Answerer = () => ({ body: ARCHIVE, headers: { ETag: '"v1"', 'Accept-Ranges': 'bytes' } })
const withoutLength: Answerer = (_, __, response) => {
  response.writeHead(200, { 'Content-Type': 'application/zip' }).end(ARCHIVE)
  return undefined
}

describe('a run that is stopped between the last byte of the response and the published archive', () => {
  test.each([
    ['that cannot be resumed', whole, 143],
    ['with an entity tag', withTag, 129],
    ['without a length', withoutLength, 130],
  ])('keeps a response %s: the next run needs no request', async (_, answerer, exitCode) => {
    let stopped = 0
    for (let at = 1; await stopAt(at, answerer, exitCode); at += sweep(9, 1)) stopped += 1
    expect(stopped).toBeGreaterThan(sweep(2, 20))
  })
})

/** Stops a run at a call of the disk after the last byte, then runs the command again. False when there was no such call. */
function stopAt(at: number, answerer: Answerer, exitCode: number): Promise<boolean> {
  return withFolder(async (folder) => {
    await using service = await testService(answerer)
    const argv = ['--base-url', service.url, '--part', 'A', '-o', 'out.zip']
    const stop = new AbortController()
    let calls = 0
    // All bytes have come when they are written.
    const disk = failingDisk((call, _, path) => {
      if (calls > 0 || (call === 'handle.writev' && /incoming.*\.zip$/.test(path))) calls += 1
      if (calls === at) stop.abort(new Failure('interrupted', 'stopped by a signal', { exitCode }))
      return undefined
    })
    const first = await cli(argv, { cwd: folder, disk, interrupt: stop.signal })
    const label = `stopped at call ${at} of ${calls}: ${first.stderr}`
    if (!stop.signal.aborted) {
      expect(first.code, label).toBe(0)
      return false
    }
    expect([0, exitCode], label).toContain(first.code)
    if (first.code !== 0) {
      expect(first.stderr, label).toMatch(/hint: run the same command again to resume: .* kept\n/)
      expect(await tree(folder), label).not.toContain('out.zip')
      const second = await cli(argv, { cwd: folder })
      expect([second.code, second.stderr], label).toEqual([0, expect.not.stringContaining('twice')])
    }
    expect(service.requests.length, label).toBe(1)
    expect((await readFile(join(folder, 'out.zip'))).equals(ARCHIVE), label).toBe(true)
    expect(await tree(folder), label).toEqual(['out.zip'])
    return true
  })
}
