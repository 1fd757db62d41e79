import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import papaparse from 'papaparse'
import { describe, expect, test } from 'vitest'
import { cli, tree } from '../../support/cli.ts'
import { fileA, productXml } from '../../support/declarations.ts'
import { type Answerer, type SeenRequest, testService, twoRequests } from '../../support/service.ts'
import { createFakeClock, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const rowsOf = (csv: string): Record<string, string>[] =>
  papaparse.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true }).data

const PARTS = ['A', 'B', 'C', 'D', 'E', 'F']
const SIX = PARTS.flatMap((part) => ['--part', part])

/** Responds with one file for each part asked for, but for those named. */
function declares(unknown: readonly string[] = []): Answerer {
  return (request) => ({
    headers: { Date: 'Wed, 04 Mar 2026 05:06:07 GMT' },
    body: zip(
      partsOf(request)
        .filter((part) => !unknown.includes(part))
        .map((part) => ({ name: `${part}.xml`, data: `<P><ProductID itemNumber="${part}"/></P>` })),
    ),
  })
}

function partsOf({ target }: SeenRequest): string[] {
  return new URL(target, 'http://x').searchParams.getAll('partNumbers[]')
}

describe('many requests, one archive', () => {
  test('a part that the archive only asks about is missing', async () => {
    await withFolder(async (folder) => {
      const asks = fileA(productXml(['A'], ''), {
        head: '<BusinessInfo mode="Request"><Request/></BusinessInfo>',
      })
      const data = fileA(productXml(['B'], ''))
      await using service = await testService(() => ({
        body: zip([
          { name: 'a.xml', data: asks },
          { name: 'b.xml', data },
        ]),
      }))
      const argv = ['--base-url', service.url, '--part', 'A', '--part', 'B', '-o', 'x.zip', '--json']
      const result = await cli([...argv, '--missing', 'missing.txt'], { cwd: folder })
      expect(result.json()).toMatchObject({ status: 'ok', foundParts: 1, missingParts: ['A'] })
      expect(await readFile(join(folder, 'missing.txt'), 'utf8')).toBe('A\n')
    })
  })

  test('has every entry once, in the requested order, whatever the order of the responses', async () => {
    await withFolder(async (folder) => {
      let othersAreSent = (): void => undefined
      const others = new Promise<void>((resolve) => {
        othersAreSent = resolve
      })
      let sent = 0
      const answer = declares(['E'])
      await using service = await testService(async (request, index, response) => {
        response.once('finish', () => {
          sent += 1
          if (sent === 2) othersAreSent()
        })
        if (index === 0) await others
        return answer(request, index, response)
      })
      const result = await cli(
        ['--base-url', service.url, ...SIX, '--batch-size', '2', '-o', 'x.zip', '-l', '--json'],
        { cwd: folder },
      )
      expect(result.json()).toMatchObject({
        status: 'ok',
        plan: { requests: 3, parts: 6 },
        requests: [
          { parts: ['A', 'B'], status: 200, attempts: 1 },
          { parts: ['C', 'D'] },
          { parts: ['E', 'F'] },
        ],
        archive: { path: 'x.zip', entries: 5 },
        entries: ['A', 'B', 'C', 'D', 'F'].map((part) => ({ name: `${part}.xml` })),
        foundParts: 5,
        missingParts: ['E'],
        unknownParts: [],
      })
      expect(await tree(folder)).toEqual(['x.zip'])
    })
  })

  test('same name and content is there once, other content gets (2)', async () => {
    await withFolder(async (folder) => {
      await using service = await testService((request) => ({
        body: zip([
          { name: 'readme.txt', data: 'the same' },
          { name: 'data.xml', data: `<P><ProductID itemNumber="${partsOf(request)[0]}"/></P>` },
        ]),
      }))
      const argv = [...twoRequests(service.url, 'x.zip'), '-l', '--json']
      const result = await cli(argv, { cwd: folder })
      const names = (result.json().entries as { name: string }[]).map(({ name }) => name)
      expect(names).toEqual(['readme.txt', 'data.xml', 'data (2).xml'])
      expect(result.json()).toMatchObject({ foundParts: 2, missingParts: [] })
    })
  })

  test('-v reports each request', async () => {
    await withFolder(async (folder) => {
      await using service = await testService(declares())
      const argv = ['--base-url', service.url, ...SIX, '--batch-size', '3', '-o', 'x.zip']
      const loud = await cli([...argv, '-v'], { cwd: folder })
      expect(loud.stderr).toMatch(/^request 1 of 2 \(3 parts, 'A' to 'C'\): \d+ B in \d/m)
      expect(loud.stderr).toMatch(/^request 2 of 2 \(3 parts, 'D' to 'F'\): \d+ B in \d/m)
      const plain = await cli([...argv, '--overwrite'], { cwd: folder })
      expect(plain.stderr).not.toContain('request 1 of 2')
    })
  })

  test('a request that is too large is sent in halves', async () => {
    await withFolder(async (folder) => {
      const answer = declares()
      await using service = await testService((request, index, response) =>
        partsOf(request).length > 2 ? { status: 414 } : answer(request, index, response),
      )
      const result = await cli(['--base-url', service.url, ...SIX, '-o', 'x.zip', '--json'], { cwd: folder })
      expect(result.json()).toMatchObject({ status: 'ok', foundParts: 6 })
      expect(service.requests.map((request) => partsOf(request).length).sort()).toEqual([2, 2, 2, 3, 6])
      const [accepted, refused] = [2, 1].map((at) =>
        Buffer.byteLength(`${service.url}${service.requests[at]!.target}`),
      )
      expect(result.stderr).toContain(
        `the service refused URLs of ${refused} bytes: next time use --max-url-length ${accepted}`,
      )
      for (const [, at, of] of result.stderr.matchAll(/request (\d+) of (\d+)/g))
        expect(Number(at)).toBeLessThanOrEqual(Number(of))
    })
  })
})

describe('some requests fail permanently', () => {
  const broken: Answerer = (request, index, response) =>
    partsOf(request).includes('C')
      ? { status: 400, body: '{"message":"bad part"}' }
      : declares()(request, index, response)

  test('without --allow-partial there is no output file, and the next run resumes', async () => {
    await withFolder(async (folder) => {
      let isMended = false
      await using service = await testService((request, index, response) =>
        isMended ? declares()(request, index, response) : broken(request, index, response),
      )
      const argv = [
        '--base-url',
        service.url,
        ...SIX,
        '--batch-size',
        '2',
        '--concurrency',
        '1',
        '-o',
        'x.zip',
        '--json',
      ]
      const first = await cli(argv, { cwd: folder })
      expect(first.code).toBe(5)
      expect(first.json()).toMatchObject({
        error: {
          message: expect.stringMatching(/^request 2 of 3 \(2 parts, 'C' to 'D'\): .*bad part/),
          hint: expect.stringContaining('--allow-partial'),
        },
      })
      expect(await tree(folder)).not.toContain('x.zip')
      isMended = true
      const sent = service.requests.length
      const second = await cli(argv, { cwd: folder })
      expect(second.json()).toMatchObject({
        status: 'ok',
        foundParts: 6,
        requests: [{ resumed: true }, {}, {}],
      })
      expect(service.requests.slice(sent).map(partsOf)).toEqual([
        ['C', 'D'],
        ['E', 'F'],
      ])
      expect(await tree(folder)).toEqual(['x.zip'])
    })
  })

  test('a service that has answered nothing leaves no other archives to keep', async () => {
    await withFolder(async (cwd) => {
      await using service = await testService(() => ({ status: 503, body: '' }))
      const argv = ['--base-url', service.url, ...SIX, '--batch-size', '2', '--retries', '0', '-o', 'x.zip']
      const { code, stderr } = await cli(argv, { cwd })
      expect(code).toBe(7)
      expect(stderr).toContain('hint: ')
      expect(stderr).not.toContain('--allow-partial')
    })
  })

  test('with --allow-partial the rest is kept: exit 10, and everything says what is missing', async () => {
    await withFolder(async (folder) => {
      await using service = await testService(broken)
      const result = await cli(
        [
          '--base-url',
          service.url,
          ...SIX,
          '--batch-size',
          '2',
          '--allow-partial',
          '--manifest',
          '--missing',
          'm.txt',
          '--report',
          'r.csv',
          '-o',
          'x.zip',
          '--json',
        ],
        { cwd: folder },
      )
      expect(result.code).toBe(10)
      expect(result.json()).toMatchObject({
        status: 'partial',
        foundParts: 4,
        missingParts: [],
        unknownParts: ['C', 'D'],
        requests: [{}, { status: 400, error: { code: 'rejected' } }, {}],
      })
      expect(result.stderr).toContain('2 unknown because their request failed')
      expect(result.stderr).toContain("unknown: 'C', 'D'")
      const manifest = JSON.parse(await readFile(join(folder, 'x.zip.manifest.json'), 'utf8')) as Record<
        string,
        unknown
      >
      expect(manifest).toMatchObject({ unknownParts: ['C', 'D'] })
      expect(await tree(folder)).toEqual(['m.txt', 'r.csv', 'x.zip', 'x.zip.manifest.json'])
      // A part whose request failed is unknown, not missing.
      const rows = rowsOf(await readFile(join(folder, 'r.csv'), 'utf8'))
      const unknown = { status: 'unknown', note: 'not known: its request failed', verdict: 'doubtful' }
      expect(rows.filter(({ part }) => part === 'C' || part === 'D')).toMatchObject([unknown, unknown])
      expect(rows.find(({ part }) => part === 'A')).toMatchObject({ status: 'missing' })
    })
  })

  test('a report for people says which parts it is without, because their request failed', async () => {
    await withFolder(async (folder) => {
      await using service = await testService((request, index, response) =>
        partsOf(request).includes('C') ? { status: 500 } : declares()(request, index, response),
      )
      const argv = ['--base-url', service.url, ...SIX, '--batch-size', '2', '--retries', '1', '--json']
      const result = await cli([...argv, '--allow-partial', '--report', 'r.md', '-o', 'x.zip'], {
        cwd: folder,
      })
      expect(result.code).toBe(10)
      const report = await readFile(join(folder, 'r.md'), 'utf8')
      expect(report).toContain('- not known: 2 requested parts whose request failed: C, D')
      expect(report).toContain('0 declared, 4 missing, 2 unknown')
      expect(report).toContain('(4 missing, 2 unknown)')
      // The wait before the second attempt is part of the time of the failed request.
      const { requests } = result.json() as { requests: readonly { seconds: number }[] }
      expect(requests[1]!.seconds).toBeGreaterThan(0)
    })
  })

  test('without any response, the failure comes with the requests and the unknown parts, and no file is written', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ status: 400 })
      const files = ['-o', 'x.zip', '--missing', 'm.txt', '--report', 'r.csv', '--manifest']
      const argv = ['--base-url', service.url, ...SIX, '--batch-size', '3', '--allow-partial', '--json']
      const result = await cli([...argv, ...files], { cwd: folder })
      expect(result.code).toBe(5)
      expect(result.json()).toMatchObject({
        status: 'failed',
        error: { code: 'rejected' },
        archive: null,
        report: null,
        foundParts: 0,
        missingParts: [],
        unknownParts: ['A', 'B', 'C', 'D', 'E', 'F'],
      })
      const { requests } = result.json() as { requests: { parts: string[] }[] }
      // A request that is refused without a reason is tried once in smaller ones.
      expect(requests.flatMap(({ parts }) => parts)).toEqual(['A', 'B', 'C', 'D', 'E', 'F'])
      expect(requests).toHaveLength(3)
      for (const request of requests)
        expect(request).toMatchObject({ status: 400, error: { code: 'rejected' } })
      expect(await tree(folder)).toEqual([])
    })
  })

  test('a rejected token ends the whole run, also with --allow-partial', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ status: 401 })
      const result = await cli(
        [
          '--base-url',
          service.url,
          ...SIX,
          '--batch-size',
          '1',
          '--allow-partial',
          '--concurrency',
          '1',
          '-o',
          'x.zip',
        ],
        { cwd: folder },
      )
      expect(result.code).toBe(4)
      expect(service.requests).toHaveLength(1)
      expect(await tree(folder)).toEqual([])
    })
  })
})

describe('lists', () => {
  test('text, CSV and standard input together, in order, each part once', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'a.txt'), '\ufeffA\r\n\r\nB\r\n')
      await writeFile(join(folder, 'b.csv'), 'Qty,Part Number\n1,C\n2,"B"\n')
      await using service = await testService(declares())
      const result = await cli(
        [
          '--base-url',
          service.url,
          '--part',
          'Z',
          '--parts-file',
          'a.txt',
          '--parts-file=b.csv',
          '--parts-file',
          '-',
          '-o',
          'x.zip',
          '--json',
        ],
        { cwd: folder, stdinText: 'A\nD' },
      )
      expect(partsOf(service.requests[0]!)).toEqual(['Z', 'A', 'B', 'C', 'D'])
      expect(result.json()).toMatchObject({ duplicates: 2, foundParts: 5 })
      expect(result.stderr).toContain('2 duplicate parts requested once')
    })
  })

  test.each<[string, string, string[]]>([
    ['an empty list', '\n \n', []],
    ['a column that is not there', 'a,b\n1,2\n', ['--parts-column', 'part']],
    ['what a spreadsheet did, when that is refused', 'part number\n1.0E+10\n', ['--strict-parts']],
  ])('%s is exit 2 before anything is sent', async (_, text, argv) => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'l.csv'), text)
      await using service = await testService(declares())
      const result = await cli(['--base-url', service.url, '--parts-file', 'l.csv', ...argv], { cwd: folder })
      expect(result).toMatchObject({ code: 2, stdout: '' })
      expect(service.all).toEqual([])
    })
  })

  test('what a spreadsheet did is a warning with file and line; the part is requested unchanged', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'l.csv'), 'part number\nA1\n1.0E+10\nMAR-01\n')
      await using service = await testService(declares())
      const result = await cli(['--base-url', service.url, '--parts-file', 'l.csv', '-o', 'x.zip'], {
        cwd: folder,
      })
      expect(result.code).toBe(0)
      expect(result.stderr).toContain('l.csv:3')
      expect(result.stderr).toContain('l.csv:4')
      expect(partsOf(service.requests[0]!)).toEqual(['A1', '1.0E+10', 'MAR-01'])
    })
  })
})

describe('the plan', () => {
  test('--dry-run sends no download and writes nothing', async () => {
    await withFolder(async (folder) => {
      await using service = await testService(declares())
      const result = await cli(
        ['--base-url', service.url, ...SIX, '--batch-size', '4', '--dry-run', '--json', '-o', 'x.zip'],
        { cwd: folder },
      )
      expect(result.json()).toEqual({
        schema: 'matdecl.plan/1',
        requests: [
          {
            url: `${service.url}/v2/download?format=1752A&partNumbers[]=A&partNumbers[]=B&partNumbers[]=C&partNumbers[]=D`,
            parts: ['A', 'B', 'C', 'D'],
          },
          {
            url: `${service.url}/v2/download?format=1752A&partNumbers[]=E&partNumbers[]=F`,
            parts: ['E', 'F'],
          },
        ],
        parts: 6,
        seconds: 1.2,
        allowance: { used: 2 },
        warnings: [],
        warningCount: 0,
      })
      expect(service.requests).toEqual([])
      expect(await tree(folder)).toEqual([])
    })
  })

  test('needs no token', async () => {
    const result = await cli(['--base-url', 'https://api.example.com', ...SIX, '-n'], {
      env: { MATDECL_TOKEN: '' },
    })
    expect(result.code).toBe(0)
    expect(result.stdout).toContain('1 request for 6 parts')
  })

  test('prints the remaining allowance when the service sends it', async () => {
    // A clock whose waits only end when they are called off.
    const sleep = (_: number, signal?: AbortSignal): Promise<void> =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    const clock = { ...createFakeClock(), sleep }
    const result = await cli(['--sandbox', '--supplier', '100200300', '-n', '--json'], { clock })
    expect(result.json()).toMatchObject({ allowance: { used: 1, limit: 100_000, left: 100_000 } })
    const text = await cli(['--sandbox', '--supplier', '100200300', '-n'], { clock })
    expect(text.stdout).toContain('allowance: uses 1 of the 100,000 left (100,000 in all)\n')
  })
})

describe('only what is new', () => {
  test('what is absent may be unchanged, and the summary says so', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ status: 204 })
      const argv = ['--base-url', service.url, '--start-date', '2026-01-31', '--part', 'A', '-o', 'x.zip']
      const result = await cli(argv, { cwd: folder })
      expect(result.stderr).toContain("missing, or unchanged since 2026-01-31: 'A'")
    })
  })

  test('the date it resolves to is in the result, the manifest and the name', async () => {
    await withFolder(async (folder) => {
      await using service = await testService(declares())
      const argv = [
        '--base-url',
        service.url,
        '--part',
        'A',
        '--since',
        '7d',
        '--manifest',
        'm.json',
        '--json',
      ]
      const result = await cli([...argv, '-o', '{start}.zip'], {
        cwd: folder,
        nowMs: Date.parse('2026-03-10T12:00:00Z'),
      })
      expect(result.json()).toMatchObject({
        request: { startDate: '2026-03-03' },
        archive: { path: '2026-03-03.zip' },
      })
      expect(JSON.parse(await readFile(join(folder, 'm.json'), 'utf8'))).toMatchObject({
        request: { startDate: '2026-03-03', parts: ['A'] },
      })
    })
  })

  test.each([
    ['7d', '2026-02-25'],
    ['2w', '2026-02-18'],
    ['yesterday', '2026-03-03'],
  ])('--since %s is a start date of %s', async (since, date) => {
    const result = await cli(
      ['--base-url', 'https://api.example.com', '--supplier', '123456789', '--since', since, '-n', '--json'],
      { env: { MATDECL_TOKEN: '' } },
    )
    expect(JSON.stringify(result.json())).toContain(`startDate=${date}`)
  })

  test.each([
    ['2100-01-01', 1],
    ['2026-03-04', 0],
  ])('--since with a clock at %s is warned of %i times, also with --quiet', (today, times) =>
    withFolder(async (folder) => {
      await using service = await testService({ status: 204 })
      const argv = [
        '--base-url',
        service.url,
        '--supplier',
        '1',
        '--part',
        'A',
        '--part',
        'B',
        '--batch-size',
        '1',
      ]
      const result = await cli([...argv, '--since', '2w', '-o', 'out.zip', '-q'], {
        cwd: folder,
        nowMs: Date.parse(today),
      })
      expect(result.code, result.stderr).toBe(0)
      const warned =
        result.stderr.match(/nothing can match: the start date 2099-12-18 is in the future/g) ?? []
      expect(warned).toHaveLength(times)
    }),
  )

  test.each(['7', 'tomorrow', '-1d', '0d', '', 'last-run'])('--since %j is invalid', async (since) => {
    const result = await cli(['--base-url', 'https://api.example.com', '--part', 'A', `--since=${since}`])
    expect(result).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('time and other runs', () => {
  test('--timeout ends the run with 7', async () => {
    await withFolder(async (folder) => {
      let arrive = (): void => undefined
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      await using service = await testService(() => {
        arrive()
        return new Promise(() => undefined)
      })
      const fake = createFakeClock()
      // The timer of the run ends once the request is on its way.
      const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
        ms === 60 ? arrived : fake.sleep(ms, signal)
      const result = await cli(
        ['--base-url', service.url, '--part', 'A', '--timeout', '60ms', '-o', 'x.zip', '--json'],
        { cwd: folder, clock: { ...fake, sleep } },
      )
      expect(result.code).toBe(7)
      expect(result.json()).toMatchObject({
        error: { code: 'unavailable', message: expect.stringContaining('--timeout') },
      })
      expect(await tree(folder)).toEqual([])
    })
  })

  test('--timeout also ends the wait for another run', async () => {
    await withFolder(async (folder) => {
      let arrive = (): void => undefined
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      let go = (): void => undefined
      const gate = new Promise<void>((resolve) => {
        go = resolve
      })
      await using service = await testService(async (request, index, response) => {
        arrive()
        await gate
        return declares()(request, index, response)
      })
      const argv = ['--base-url', service.url, '--part', 'A', '-o', 'x.zip', '--json']
      const first = cli(argv, { cwd: folder })
      await arrived
      const waiting = await cli([...argv, '--if-locked', 'wait', '--timeout', '60s'], {
        cwd: folder,
        clock: createFakeClock(),
      })
      go()
      expect(waiting.code).toBe(7)
      expect(waiting.json()).toMatchObject({
        error: { code: 'unavailable', message: 'the run took longer than 1 min (--timeout)' },
      })
      expect(service.requests).toHaveLength(1)
      expect((await first).code).toBe(0)
    })
  })

  test('a second run of the same output learns who holds it', async () => {
    await withFolder(async (folder) => {
      let go = (): void => undefined
      const gate = new Promise<void>((resolve) => {
        go = resolve
      })
      let arrive = (): void => undefined
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      await using service = await testService(async (request, index, response) => {
        arrive()
        await gate
        return declares()(request, index, response)
      })
      const argv = ['--base-url', service.url, '--part', 'A', '-o', 'x.zip', '--json']
      const first = cli(argv, { cwd: folder })
      await arrived
      const second = await cli(argv, { cwd: folder })
      expect(second.json()).toMatchObject({ status: 'failed', error: { code: 'locked', exitCode: 11 } })
      expect(second.stderr).toContain(String(process.pid))
      const skipped = await cli([...argv, '--if-locked', 'skip'], { cwd: folder })
      expect(skipped.code).toBe(0)
      expect(skipped.json()).toMatchObject({ skipped: true, archive: null })
      expect(service.requests).toHaveLength(1)
      go()
      expect((await first).code).toBe(0)
      expect(await tree(folder)).toEqual(['x.zip'])
    })
  })
})

test('the last line tells the requests of this run from those that an earlier one had answered', () =>
  withFolder(async (folder) => {
    let isWell = false
    await using service = await testService(({ target }) => {
      const part = new URL(target, 'http://x').searchParams.get('partNumbers[]')!
      if (part === 'C' && !isWell) return { status: 422 }
      return { body: zip([{ name: `${part}.xml`, data: `<P><ProductID itemNumber="${part}"/></P>` }]) }
    })
    const argv = ['--base-url', service.url, ...['A', 'B', 'C'].flatMap((part) => ['--part', part])]
    const how = ['--batch-size', '1', '--concurrency', '1', '-o', 'out.zip']
    expect((await cli([...argv, ...how], { cwd: folder })).code).toBe(5)
    isWell = true
    const { code, stderr } = await cli([...argv, ...how], { cwd: folder })
    expect(code).toBe(0)
    expect(stderr).toMatch(/verified \(1 request, 2 kept from an earlier run, [\d.]+ m?s\)/)
  }))
