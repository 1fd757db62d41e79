import { appendFile, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/base/failure.ts'
import { cli, TOKEN, tree } from '../../support/cli.ts'
import { idsXml } from '../../support/declarations.ts'
import { rawServer } from '../../support/raw-server.ts'
import { type Reply, testService } from '../../support/service.ts'
import { type Serving, serving } from '../../support/serving.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const PARTS = ['HA-BETTER', 'HA-WORSE', 'HA-ANSWERED', 'HA-LATE', 'HA-7A']

/** One command against a service on a day, at 02:17 of it. */
async function matdecl(cwd: string, service: Serving, night: string, ...argv: string[]) {
  const run = await cli([...argv, '--base-url', service.url], {
    cwd,
    env: {
      MATDECL_TOKEN: service.token,
      XDG_DATA_HOME: join(cwd, 'data'),
      XDG_STATE_HOME: join(cwd, 'state'),
    },
    nowMs: Date.parse(`${night}T02:17:00Z`),
  })
  return run
}

async function onNights(
  nights: readonly string[],
  body: (night: string, service: Serving) => Promise<void>,
): Promise<void> {
  let port = '0'
  for (const night of nights) {
    await using service = await serving(['--token', 'night', '--date', night, '--port', port])
    port = new URL(service.url).port
    await body(night, service)
  }
}

/** The part numbers that the archives of a library declare, one for each declaration. */
async function declared(cwd: string, library: string): Promise<string[]> {
  const { json } = await cli(['report', library, '--history', '--json'], { cwd })
  return (json().rows as { part: string; status: string }[])
    .filter(({ status }) => status === 'declared' || status === 'superseded')
    .map(({ part }) => part)
    .sort()
}

const NIGHTS = ['2025-03-01', '2025-06-01', '2025-10-01']

test('the rest of a response that broke off is requested by the next run, which says how much is kept', async () => {
  await withFolder(async (cwd) => {
    const body = zip([{ name: 'a.xml', data: idsXml('A') }])
    const half = Math.floor(body.length / 2)
    const tag = { ETag: '"a"', 'Accept-Ranges': 'bytes' }
    await using service = await testService((_, index, response) => {
      if (index > 0) {
        const range = `bytes ${half}-${body.length - 1}/${body.length}`
        return { status: 206, headers: { ...tag, 'Content-Range': range }, body: body.subarray(half) }
      }
      response.writeHead(200, { ...tag, 'Content-Length': body.length })
      response.write(body.subarray(0, half), () => response.destroy())
      return undefined
    })
    const argv = ['sync', '--part', 'A', '--library', 'lib', '--base-url', service.url, '--retries', '0']
    expect((await cli(argv, { cwd })).code).toBe(7)
    const again = await cli(argv, { cwd })
    expect([again.code, service.requests.length], again.stderr).toEqual([0, 2])
    expect(again.stderr).toContain(
      `resuming an unfinished run: ${half} B of ${body.length} B of 1 request kept\n`,
    )
  })
})

describe('nights of a library', () => {
  test('a download by hand in between hides nothing from the next night', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'parts.txt'), PARTS.join('\n'))
      await onNights(NIGHTS, async (night, service) => {
        const sync = await matdecl(
          cwd,
          service,
          night,
          'sync',
          '--parts-file',
          'parts.txt',
          '--library',
          'incoming',
        )
        expect(sync.code, sync.stderr).toBe(0)
        expect(sync.stdout).toBe(`${join(cwd, 'incoming')}\n`)
        const byHand = await matdecl(
          cwd,
          service,
          night,
          'download',
          '--parts-file',
          'parts.txt',
          '-o',
          `${night}.zip`,
        )
        expect(byHand.code, byHand.stderr).toBe(0)
      })
      await using last = await serving(['--token', 'night', '--date', '2025-10-02'])
      const all = await matdecl(
        cwd,
        last,
        '2025-10-02',
        'download',
        '--parts-file',
        'parts.txt',
        '-o',
        'all.zip',
      )
      expect(all.code, all.stderr).toBe(0)
      // Everything that the service has today is in the library.
      const held = new Set(await declared(cwd, 'incoming'))
      for (const part of await declared(cwd, 'all.zip')) expect(held).toContain(part)
    })
  })

  test('two lists with parts in common give each what is new since it was asked for', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.txt'), 'HA-BETTER\nHA-WORSE\n')
      await writeFile(join(cwd, 'b.txt'), 'HA-WORSE\nHA-LATE\n')
      const changed: unknown[] = []
      await onNights(NIGHTS, async (night, service) => {
        for (const list of ['a.txt', 'b.txt']) {
          const run = await matdecl(cwd, service, night, 'sync', '--parts-file', list, '--json')
          expect(run.code, run.stderr).toBe(0)
          const { newParts, changedParts, missingParts } = run.json()
          changed.push([newParts, changedParts, missingParts])
        }
      })
      expect(changed).toEqual([
        [['HA-BETTER', 'HA-WORSE'], [], []],
        [[], [], ['HA-LATE']],
        [[], ['HA-BETTER', 'HA-WORSE'], []],
        [[], [], ['HA-LATE']],
        [[], ['HA-BETTER'], []],
        [['HA-LATE'], [], []],
      ])
    })
  })

  test('without criteria everything that was asked for is refreshed, what was never found for 30 days', async () => {
    await withFolder(async (cwd) => {
      const asked: unknown[] = []
      await onNights(NIGHTS, async (night, service) => {
        const criteria = night === NIGHTS[0] ? PARTS.flatMap((part) => ['--part', part]) : []
        const run = await matdecl(cwd, service, night, 'sync', '--json', ...criteria)
        expect(run.code, run.stderr).toBe(0)
        asked.push((run.json().plan as { parts: number }).parts)
      })
      expect(asked).toEqual([5, 3, 3])
      const library = join(cwd, 'data', 'matdecl', 'library')
      expect(new Set(await declared(cwd, library))).toEqual(new Set(['HA-BETTER', 'HA-WORSE', 'HA-7A']))
    })
  })

  test('without criteria only what was asked of the configured address is asked again', async () => {
    await withFolder(async (cwd) => {
      await using one = await serving(['--token', 'night', '--date', '2025-06-01'])
      await using other = await serving(['--token', 'night', '--date', '2025-06-01'])
      const asked = async (service: Serving, night: string, ...criteria: string[]): Promise<unknown> => {
        const { code, stderr, json } = await matdecl(cwd, service, night, 'sync', '--json', ...criteria)
        expect(code, stderr).toBe(0)
        return (json().plan as { parts: number }).parts
      }
      expect(await asked(one, '2025-06-01', '--part', 'HA-BETTER', '--part', 'HA-WORSE')).toBe(2)
      expect(await asked(other, '2025-06-01', '--part', 'HA-7A')).toBe(1)
      expect(await asked(other, '2025-06-08')).toBe(1)
      expect(await asked(one, '2025-06-08')).toBe(2)
    })
  })

  test('a second run on the same day asks only since two days before, and --quiet prints nothing', async () => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const parts = ['--part', 'HA-BETTER', '--part', 'NOT-THERE']
      const first = await matdecl(cwd, service, '2025-06-01', 'sync', ...parts, '--json')
      expect(first.json()).toMatchObject({ newParts: ['HA-BETTER'], missingParts: ['NOT-THERE'] })
      const plan = await matdecl(cwd, service, '2025-06-01', 'sync', ...parts, '--dry-run', '--json')
      expect(plan.json()).toMatchObject({
        schema: 'matdecl.plan/1',
        parts: 2,
        fresh: 0,
        requests: [{ reasons: { 'since 2025-05-30': 2 } }],
      })
      const again = await matdecl(cwd, service, '2025-06-01', 'sync', ...parts, '--quiet')
      expect([again.code, again.stdout, again.stderr]).toEqual([0, '', ''])
      const fresh = await matdecl(cwd, service, '2025-06-01', 'sync', ...parts, '--max-age', '1h', '--json')
      expect(fresh.json()).toMatchObject({ plan: { requests: 0, fresh: 2 }, requests: [] })
      const full = await matdecl(
        cwd,
        service,
        '2025-06-01',
        'sync',
        ...parts,
        '--full',
        '--dry-run',
        '--json',
      )
      expect(full.json()).toMatchObject({ requests: [{ reasons: { full: 2 } }] })
      expect((full.json().requests as { url: string }[])[0]!.url).not.toContain('startDate')
    })
  })

  test('a dry run changes nothing, and needs no library', async () => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const run = await matdecl(cwd, service, '2025-06-01', 'sync', '--part', 'HA-BETTER', '--dry-run')
      expect(run.code, run.stderr).toBe(0)
      expect(run.stdout).toContain('1 never asked')
      expect(await readdir(cwd)).toEqual([])
    })
  })
})

describe('what is wrong with a library', () => {
  test('an archive that is gone is asked for again without a start date, and said until it came', async () => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const sync = (...argv: string[]) =>
        matdecl(cwd, service, '2025-06-01', 'sync', '--part', 'HA-BETTER', '--library', 'lib', ...argv)
      await sync()
      const [archive] = (await readdir(join(cwd, 'lib'))).filter((name) => name.endsWith('.zip'))
      expect(archive).toMatch(/^2025-06-01T\d{6}Z-1\.zip$/)
      await rm(join(cwd, 'lib', archive!))
      const gone = await cli(['verify', '--library', 'lib'], { cwd })
      expect(gone.stdout).toMatch(/\.zip: gone or changed\n$/)
      const plan = await sync('--dry-run', '--json')
      expect(plan.json()).toMatchObject({ requests: [{ reasons: { 'archive gone': 1 } }] })
      const again = await sync()
      expect(again.stderr).toContain(`${archive} is gone or has changed: a run that names its parts asks`)
      expect((await sync()).stderr).not.toContain('is gone')
      expect(await declared(cwd, 'lib')).toEqual(['HA-BETTER'])
    })
  })

  test.each([
    ['report', ['report', '--library', 'lib', '--json'], 0],
    ['check', ['check', 'bom.csv', '--offline', '--library', 'lib'], 13],
    ['verify', ['verify', '--library', 'lib'], 8],
  ])(
    '%s finds an archive that is damaged though its size and time are as they were, and the next run asks for its parts again',
    async (_, finder, code) => {
      await withFolder(async (cwd) => {
        await writeFile(join(cwd, 'bom.csv'), 'Part Number\nHA-BETTER\n')
        await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
        const run = (...argv: string[]) => matdecl(cwd, service, '2025-06-01', ...argv)
        const sync = ['sync', '--part', 'HA-BETTER', '--library', 'lib', '--json']
        await run(...sync)
        const [archive] = (await readdir(join(cwd, 'lib'))).filter((name) => name.endsWith('.zip'))
        const path = join(cwd, 'lib', archive!)
        const bytes = await readFile(path)
        const { atime, mtime } = await stat(path)
        bytes[bytes.length >> 1]! ^= 1
        await writeFile(path, bytes)
        await utimes(path, atime, mtime)
        const found = await cli(finder, { cwd })
        expect(found.code, found.stderr).toBe(code)
        expect(found.stderr).toMatch(/matdecl sync asks for (?:its|the) parts again/)
        const plan = await run(...sync, '--dry-run')
        expect(plan.json()).toMatchObject({ requests: [{ reasons: { 'archive gone': 1 } }] })
        const again = await run(...sync)
        expect(again).toMatchObject({ code: 0 })
        expect(again.stderr).toContain(`${archive} is gone or has changed`)
        const clean = await cli(['report', '--library', 'lib', '--json'], { cwd })
        expect(clean.json().rows).toMatchObject([{ part: 'HA-BETTER', status: 'declared' }])
        expect(clean.stderr).not.toMatch(/gone|cannot be read/)
        expect((await cli(['verify', '--library', 'lib'], { cwd })).code).toBe(0)
        expect((await run(...sync)).stderr).not.toContain('is gone')
      })
    },
  )

  test('a part of an archive that is gone is not clean by what an older one says', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), 'Part Number\nHA-WORSE\n')
      await onNights(['2025-03-01', '2025-10-01'], async (night, service) => {
        expect(
          (await matdecl(cwd, service, night, 'sync', '--part', 'HA-WORSE', '--library', 'lib')).code,
        ).toBe(0)
      })
      const check = async () =>
        (await cli(['check', 'bom.csv', '--offline', '--library', 'lib', '--json'], { cwd })).json() as {
          products: [{ passed: boolean; findings: { rule: string }[] }]
        }
      const archives = (await readdir(join(cwd, 'lib'))).filter((name) => name.endsWith('.zip')).sort()
      expect(archives).toHaveLength(2)
      for (const archive of archives.toReversed()) {
        await rm(join(cwd, 'lib', archive))
        const [product] = (await check()).products
        expect(product.passed).toBe(false)
        expect(product.findings.map(({ rule }) => rule)).toContain('unreadable')
      }
    })
  })

  test('a part whose archive is gone is not called withdrawn or missing when the service cannot be asked', async () => {
    await withFolder(async (cwd) => {
      const results: unknown[] = []
      let port = '0'
      for (const fail of [[], ['--fail', '422']]) {
        await using service = await serving([
          '--token',
          'night',
          '--date',
          '2025-06-01',
          '--port',
          port,
          ...fail,
        ])
        port = new URL(service.url).port
        const argv = ['sync', '--part', 'HA-BETTER', '--library', 'lib', '--json']
        const run = await matdecl(cwd, service, '2025-06-01', ...argv)
        const { newParts, missingParts, withdrawnParts } = run.json()
        results.push([run.code, newParts, missingParts, withdrawnParts])
        for (const name of await readdir(join(cwd, 'lib')))
          if (name.endsWith('.zip')) await rm(join(cwd, 'lib', name))
      }
      expect(results).toEqual([
        [0, ['HA-BETTER'], [], []],
        [5, [], [], []],
      ])
    })
  })

  test.each([
    ['a file', 9, async (path: string) => writeFile(path, 'x')],
    [
      'a link as its own directory',
      9,
      async (path: string) => {
        await mkdir(path)
        await mkdir(`${path}-other`)
        await symlink(`${path}-other`, join(path, '.matdecl'))
      },
    ],
    [
      'records of a newer version',
      3,
      async (path: string) => {
        await mkdir(join(path, '.matdecl'), { recursive: true })
        await writeFile(join(path, '.matdecl', 'answers.jsonl'), '2b0a4a0b {"v":2}\n')
      },
    ],
  ])('%s is exit %i before anything is sent', async (_, code, make) => {
    await withFolder(async (cwd) => {
      const log = join(cwd, 'lib')
      await make(log)
      if (code === 3) {
        const { checkedLine } = await import('../../../src/library/answers.ts')
        await writeFile(join(log, '.matdecl', 'answers.jsonl'), checkedLine({ v: 2 }))
      }
      await using service = await serving(['--token', 'night'])
      const run = await matdecl(
        cwd,
        service,
        '2025-06-01',
        'sync',
        '--part',
        'X',
        '--library',
        'lib',
        '--json',
      )
      expect(run.code, run.stderr).toBe(code)
      expect(run.json()).toMatchObject({ schema: 'matdecl.sync/1', status: 'failed' })
      expect(run.stderr).toContain('hint:')
    })
  })

  test('a torn line costs its answer, is said once, and the next lines count', async () => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const sync = (...parts: string[]) =>
        matdecl(
          cwd,
          service,
          '2025-06-01',
          'sync',
          '--library',
          'lib',
          '--json',
          ...parts.flatMap((part) => ['--part', part]),
        )
      await sync('HA-BETTER')
      const records = join(cwd, 'lib', '.matdecl', 'answers.jsonl')
      const [line] = (await readFile(records, 'utf8')).split('\n')
      await writeFile(records, line!.slice(0, -20))
      const run = await sync('HA-BETTER', 'HA-WORSE')
      expect(run.stderr).toContain('1 record of the library cannot be read')
      expect(run.json()).toMatchObject({ newParts: ['HA-BETTER', 'HA-WORSE'] })
      expect((await sync('HA-BETTER')).stderr).not.toContain('cannot be read')
      await appendFile(records, 'garbage\n')
      expect((await sync('HA-BETTER')).stderr).toContain('1 record of the library cannot be read')
    })
  })

  test('files that people put there are never touched', async () => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      await mkdir(join(cwd, 'lib', 'mail'), { recursive: true })
      await writeFile(join(cwd, 'lib', 'mail', 'note.xml'), '<x/>')
      await writeFile(join(cwd, 'lib', '2025-06-01T000000Z-1.zip'), 'of somebody')
      const run = await matdecl(cwd, service, '2025-06-01', 'sync', '--part', 'HA-BETTER', '--library', 'lib')
      expect(run.code, run.stderr).toBe(0)
      expect(await readFile(join(cwd, 'lib', 'mail', 'note.xml'), 'utf8')).toBe('<x/>')
      expect(await readFile(join(cwd, 'lib', '2025-06-01T000000Z-1.zip'), 'utf8')).toBe('of somebody')
      expect((await tree(join(cwd, 'lib'))).filter((name) => name.startsWith('.matdecl'))).toEqual([
        '.matdecl',
        '.matdecl/answers.jsonl',
        '.matdecl/incoming',
      ])
    })
  })
})

describe('failures', () => {
  test('what came stays, what failed is asked for again as before, and the exit code is that of the failure', async () => {
    await withFolder(async (cwd) => {
      const argv = [
        'sync',
        '--batch-size',
        '1',
        '--retries',
        '0',
        '--concurrency',
        '1',
        '--library',
        'lib',
        '--json',
      ]
      const parts = ['--part', 'HA-BETTER', '--part', 'HA-WORSE']
      {
        await using service = await serving(['--token', 'night', '--date', '2025-06-01', '--fail', '500x1'])
        const run = await matdecl(cwd, service, '2025-06-01', ...argv, ...parts)
        expect(run.code, run.stderr).toBe(7)
        expect(run.json()).toMatchObject({
          status: 'failed',
          error: { code: 'unavailable' },
          requests: [{ error: { code: 'unavailable' } }, { parts: ['HA-WORSE'], status: 200 }],
          newParts: ['HA-WORSE'],
        })
        const plan = await matdecl(cwd, service, '2025-06-01', ...argv, ...parts, '--dry-run')
        // The other one was answered in a run that had failures, less than twelve hours ago.
        expect(plan.json()).toMatchObject({
          fresh: 1,
          requests: [{ parts: ['HA-BETTER'], reasons: { 'never asked': 1 } }],
        })
        const again = await matdecl(cwd, service, '2025-06-01', ...argv, ...parts)
        expect(again.code, again.stderr).toBe(0)
        expect(again.json()).toMatchObject({ newParts: ['HA-BETTER'], plan: { fresh: 1 } })
      }
    })
  })

  test('requests that were refused as too long, and how the next run avoids them', async () => {
    await withFolder(async (cwd) => {
      await using service = await testService(({ target }) =>
        target.length > 400
          ? { status: 400, body: 'Request Line is too large (500 > 400)' }
          : { body: zip([{ name: `${target.length}.xml`, data: idsXml('PART-1') }]) },
      )
      await writeFile(join(cwd, 'parts.txt'), Array.from({ length: 60 }, (_, at) => `PART-${at}`).join('\n'))
      const argv = [
        'sync',
        '--base-url',
        service.url,
        '--parts-file',
        'parts.txt',
        '--library',
        'lib',
        '--full',
      ]
      const first = await cli(argv, { cwd })
      expect(first.code, first.stderr).toBe(0)
      const [, length = ''] =
        /refused URLs of [\d,]+ bytes: next time use --max-url-length (\d+)/.exec(first.stderr) ?? []
      const before = service.requests.length
      const again = await cli([...argv, '--max-url-length', length], { cwd })
      expect(again.stderr).not.toContain('too many')
      expect(again.stderr).not.toContain('next time')
      expect(service.requests.slice(before).every(({ target }) => target.length <= 400)).toBe(true)
    })
  })

  test('a token that is refused ends the run', async () => {
    await withFolder(async (cwd) => {
      await using service = await serving(['--token', 'night'])
      const run = await matdecl(
        cwd,
        { ...service, token: 'wrong-token' },
        '2025-06-01',
        'sync',
        '--part',
        'A',
      )
      expect(run.code).toBe(4)
    })
  })

  test('a request of which no byte has left costs nothing: neither this run nor the next says so', async () => {
    await withFolder(async (cwd) => {
      const stop = new AbortController()
      // It does not answer the TLS handshake.
      const server = await rawServer(() => undefined, {
        onConnection: () =>
          stop.abort(new Failure('interrupted', 'stopped by Ctrl-C', { exitCode: 130, hint: 'run again' })),
      })
      const argv = ['sync', '--part', 'A', '--library', 'lib', '--retries', '0', '--base-url']
      const url = `https://127.0.0.1:${server.port}`
      const run = await cli([...argv, url], { cwd, interrupt: stop.signal })
      expect(run.code, run.stderr).toBe(130)
      expect(run.stderr).toMatch(/stopped by Ctrl-C\n {2}hint: run again\n$/)
      expect(await readdir(join(cwd, 'lib', '.matdecl', 'incoming'))).toEqual([])
      const next = await cli([...argv, 'http://127.0.0.1:1', '-q'], { cwd })
      expect(next.stderr).not.toContain('allowance')
      await server.close()
    })
  })

  test('what came of a response that was cut off is left for its own list: another one drops nothing', async () => {
    await withFolder(async (cwd) => {
      const archive = zip([{ name: 'a.xml', data: idsXml('A').padEnd(200_000), method: 0 }])
      const STRONG = { ETag: '"v1"', 'Accept-Ranges': 'bytes' }
      const ranges: string[] = []
      await using service = await testService(({ target, rawHeaders }, index, response) => {
        if (!target.includes('=A')) return { status: 204 }
        const range = rawHeaders.find((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'range')
        ranges.push(range ?? 'all')
        if (index === 0) {
          response.writeHead(200, { ...STRONG, 'Content-Length': archive.length })
          response.write(archive.subarray(0, 150_000), () => response.destroy())
          return undefined
        }
        const from = Number(/\d+/.exec(range ?? '0'))
        const rest = { 'Content-Range': `bytes ${from}-${archive.length - 1}/${archive.length}` }
        return { status: 206, headers: { ...STRONG, ...rest }, body: archive.subarray(from) }
      })
      const sync = (part: string) =>
        cli(['sync', '--part', part, '--library', 'lib', '--retries', '0', '--base-url', service.url], {
          cwd,
        })
      expect((await sync('A')).code).toBe(7)
      expect((await sync('B')).code).toBe(12)
      const again = await sync('A')
      expect([again.code, ranges]).toEqual([0, ['all', expect.stringMatching(/^bytes=[1-9]\d*-$/)]])
    })
  })

  test('what came of a response that was cut off is dropped once one of its parts is answered otherwise', async () => {
    await withFolder(async (cwd) => {
      const archive = zip([{ name: 'a.xml', data: idsXml('A').padEnd(200_000), method: 0 }])
      const STRONG = { ETag: '"v1"', 'Accept-Ranges': 'bytes' }
      const asked: string[] = []
      await using service = await testService(({ target, rawHeaders }, index, response) => {
        const hasRange = rawHeaders.some((name) => name.toLowerCase() === 'range')
        asked.push(`${[...target.matchAll(/\[\]=(\w)/g)].map(([, part]) => part)}${hasRange ? ' rest' : ''}`)
        if (index > 0) return { status: 200, headers: { Date: new Date().toUTCString() }, body: archive }
        response.writeHead(200, { ...STRONG, 'Content-Length': archive.length })
        response.write(archive.subarray(0, 150_000), () => response.destroy())
        return undefined
      })
      const sync = async (...parts: string[]) => {
        const criteria = parts.flatMap((part) => ['--part', part])
        const rest = ['--library', 'lib', '--retries', '0', '--base-url', service.url]
        return (await cli(['sync', ...criteria, ...rest], { cwd, nowMs: Date.now() })).code
      }
      expect(await sync('A', 'B')).toBe(7)
      expect(await sync('A')).toBe(0)
      // The rest of the first response would be older than what is known of A.
      expect(await sync('A', 'B')).toBe(0)
      expect([...asked.slice(0, 2), ...asked.slice(2).sort()]).toEqual(['A,B', 'A', 'A', 'B'])
    })
  })

  test.each([[['sync']], [['sync', '--quiet']], [['sync', '--dry-run']]])(
    'without criteria a library that knows nothing to refresh is exit 2, not a quiet night: %j',
    async (argv) => {
      await withFolder(async (cwd) => {
        await using service = await serving(['--token', 'night'])
        const run = await matdecl(cwd, service, '2025-06-01', ...argv, '--library', 'lib')
        expect([run.code, run.stdout]).toEqual([2, ''])
        expect(run.stderr).toContain('the library knows nothing to refresh from 127.0.0.1')
        expect(await readdir(cwd)).toEqual([])
      })
    },
  )

  test('nor is one that was asked of another address', async () => {
    await withFolder(async (cwd) => {
      await using one = await serving(['--token', 'night', '--date', '2025-06-01'])
      await using other = await serving(['--token', 'night', '--date', '2025-06-01'])
      expect((await matdecl(cwd, one, '2025-06-01', 'sync', '--part', 'HA-BETTER')).code).toBe(0)
      const run = await matdecl(cwd, other, '2025-06-02', 'sync', '--quiet')
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(new URL(other.url).host)])
    })
  })
})

describe('none of the parts was ever found', () => {
  const NEVER = ['--parts-file', 'bom.csv', '--library', 'lib']

  test('is exit 12 on every night, with the column, also without criteria and with --quiet', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), 'Pos,MPN\n1,NOT-HERE\n2,NOR-HERE\n')
      await using service = await serving(['--token', 'night', '--date', '2025-06-01'])
      const from = 'none of the 2 requested parts, read from column "MPN" of bom.csv, was found'
      for (const [night, ...argv] of [
        ['2025-06-01', ...NEVER],
        ['2025-06-02', ...NEVER, '--quiet'],
        ['2025-06-02', ...NEVER, '--max-age', '1h', '--json'],
        ['2025-06-03', '--library', 'lib', '--quiet'],
      ] as const) {
        const run = await matdecl(cwd, service, night, 'sync', ...argv)
        expect(run.code, run.stderr).toBe(12)
        const isListed = argv.includes('--parts-file')
        expect(run.stderr).toContain(
          `matdecl: error: ${isListed ? from : 'none of the 2 requested parts was found'}\n`,
        )
        if (argv.includes('--json'))
          expect(run.json()).toMatchObject({
            schema: 'matdecl.sync/1',
            status: 'failed',
            error: { code: 'missing', exitCode: 12, message: from },
            plan: { requests: 0, fresh: 2 },
            foundParts: 0,
            missingParts: ['NOT-HERE', 'NOR-HERE'],
          })
        else expect(run.stdout).toBe('')
      }
      // One that was found once is enough.
      const both = await matdecl(
        cwd,
        service,
        '2025-06-03',
        'sync',
        ...NEVER,
        '--part',
        'HA-BETTER',
        '--json',
      )
      expect([both.code, both.json().foundParts]).toEqual([0, 1])
    })
  })

  test('is exit 12 where an answer has declarations without a ProductID', async () => {
    await withFolder(async (cwd) => {
      await using service = await testService({ body: zip([{ name: 'a.xml', data: '<r/>' }]) })
      const argv = ['sync', '--base-url', service.url, '--library', 'lib', '-q']
      const run = await cli([...argv, '--part', 'A'], { cwd })
      expect([run.code, run.stdout, run.stderr]).toEqual([
        12,
        '',
        "matdecl: error: the requested part 'A' was not found\n  hint: check the part number: it must be exactly as the supplier writes it\n",
      ])
      // A supplier has no parts to be found.
      expect((await cli([...argv, '--supplier', '123456789'], { cwd })).code).toBe(0)
    })
  })

  test('is not known of a request that failed', async () => {
    await withFolder(async (cwd) => {
      await using service = await testService(({ target }) => ({ status: target.includes('=A') ? 204 : 400 }))
      const argv = ['sync', '--base-url', service.url, '--library', 'lib', '--batch-size', '1', '-q']
      expect((await cli([...argv, '--part', 'A', '--part', 'B'], { cwd })).code).toBe(5)
    })
  })

  test('is why check does not pass, whatever its gate asks for', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), 'Pos,MPN\n1,NOT-HERE\n2,NOR-HERE\n')
      const from = 'none of the 2 requested parts, read from column "MPN" of bom.csv, was found'
      for (const [code, ...argv] of [
        [13],
        [13, '-q'],
        [13, '--fail-on', 'svhc'],
        [13, '--fail-on', 'svhc', '-q'],
      ])
        await expectNoneFound(cwd, from, Number(code), argv.map(String))
    })
  })

  async function expectNoneFound(cwd: string, from: string, code: number, argv: readonly string[]) {
    const env = { XDG_DATA_HOME: join(cwd, 'data') }
    const run = await cli(['check', 'bom.csv', '--sandbox', ...argv], { cwd, env })
    expect(run.code, run.stderr).toBe(code)
    expect(`${run.stdout}${run.stderr}`.split(from)).toHaveLength(2)
  }
})

describe('with --quiet, a night on which the service fails', () => {
  const ARCHIVE = zip([{ name: 'a.xml', data: idsXml('A', 'B') }])
  const DOWN = { status: 503 }
  const LIMITED = { status: 429, headers: { 'Retry-After': '3600' } }
  const NIGHTLY = [
    '--parts-file',
    'parts.txt',
    '--library',
    'lib',
    '--retries',
    '0',
    '--max-wait',
    '1m',
    '-q',
  ]

  /** Runs each night at the given hour after the first: what the service answers, and the exit code, followed by `says` if it prints. */
  async function nights(
    rows: readonly (readonly [hours: number, reply: Reply, expected: string, ...argv: string[]])[],
  ): Promise<void> {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'parts.txt'), 'A\nB\n')
      let reply: Reply = DOWN
      await using service = await testService(() => reply)
      const seen: string[] = []
      for (const [hours, now, , ...argv] of rows) {
        reply = now
        const nowMs = Date.parse('2026-03-01T02:17:00Z') + hours * 3_600_000
        const env = { MATDECL_TOKEN: TOKEN, XDG_STATE_HOME: join(cwd, `state-${hours}`) }
        const run = await cli(['sync', '--base-url', service.url, ...NIGHTLY, ...argv], { cwd, env, nowMs })
        expect(run.stdout).toBe('')
        seen.push(`${run.code}${run.stderr === '' ? '' : ' says'}`)
      }
      expect(seen).toEqual(rows.map(([, , expected]) => expected))
    })
  }

  test('prints nothing for three nights after the last answer, then says it', () =>
    nights([
      [0, { body: ARCHIVE }, '0'],
      [24, DOWN, '7'],
      [48.1, LIMITED, '6'],
      [72.4, DOWN, '7'],
      [96, DOWN, '7 says'],
      [97, { body: ARCHIVE }, '0'],
      [120, DOWN, '7'],
    ]))

  test('says it on the first night, for a part that was never answered, and anything else', () =>
    nights([
      [0, DOWN, '7 says'],
      [1, LIMITED, '6 says'],
      [24, { body: ARCHIVE }, '0'],
      [48, DOWN, '7 says', '--part', 'NEW'],
      [48, { status: 401 }, '4 says'],
      [48, { status: 400 }, '5 says'],
      [48, { body: '<html>' }, '5 says'],
      [49, DOWN, '7'],
    ]))

  test('keeps what would be said of requests that were cut short, unless it is to be said', async () => {
    await withFolder(async (cwd) => {
      let isUp = true
      await using service = await testService((_request, _index, response) => {
        if (isUp) return { body: ARCHIVE }
        response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': ARCHIVE.length })
        response.write(ARCHIVE.subarray(0, 100), () => response.destroy())
        return undefined
      })
      const run = async (day: number, ...argv: string[]) => {
        const nowMs = Date.parse('2026-03-01T02:17:00Z') + day * 86_400_000
        await writeFile(join(cwd, 'parts.txt'), 'A\nB\n')
        const { code, stderr } = await cli(['sync', '--base-url', service.url, ...NIGHTLY, ...argv], {
          cwd,
          nowMs,
        })
        return `${code} ${stderr}`
      }
      expect(await run(0)).toBe('0 ')
      isUp = false
      expect(await run(1)).toBe('7 ')
      expect(await run(2)).toBe('7 ')
      expect(await run(4)).toMatch(/^7 .*warning: 1 request .* had no complete response.*\nmatdecl: error: /)
    })
  })

  test('says it without --quiet, and as JSON', async () => {
    await withFolder(async (cwd) => {
      let reply: Reply = { body: ARCHIVE }
      await using service = await testService(() => reply)
      const argv = ['sync', '--base-url', service.url, '--part', 'A', '--library', 'lib', '--retries', '0']
      expect((await cli(argv, { cwd })).code).toBe(0)
      reply = DOWN
      expect((await cli(argv, { cwd })).stderr).toContain('matdecl: error: ')
      const run = await cli([...argv, '-q', '--json'], { cwd })
      expect([run.code, run.stderr]).toEqual([7, ''])
      expect(run.json()).toMatchObject({ status: 'failed', error: { code: 'unavailable', exitCode: 7 } })
    })
  })
})
