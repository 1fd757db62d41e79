import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/archive/problem.ts'
import { listArchive } from '../../../src/archive/read-archive.ts'
import { SILENT } from '../../../src/base/notice.ts'
import { acquireLock } from '../../../src/fs/lock.ts'
import { type CliResult, cli } from '../../support/cli.ts'
import { type Answerer, type TestService, testService } from '../../support/service.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `P-${from + index}`)

const partsIn = (target: string): string[] => new URL(target, 'http://x').searchParams.getAll('partNumbers[]')

/** Declares each part in a file of its own; one file is the same in every response. P-7 is unknown to the service, and so are the parts of an empty response. */
const declare: Answerer = ({ target }) => {
  const parts = partsIn(target)
  if (parts.every((part) => part.startsWith('EMPTY'))) return { status: 204 }
  return {
    body: zip([
      ...parts
        .filter((part) => part !== 'P-7')
        .map((part) => ({ name: `${part}.xml`, data: `<P><ProductID itemNumber="${part}"/></P>` })),
      { name: 'README.txt', data: 'the same everywhere' },
    ]),
  }
}

interface Stage {
  readonly folder: string
  readonly service: TestService
  /** Downloads these parts, two in a request; requests from the `stopAt`-th on are refused. */
  readonly get: (
    parts: readonly string[],
    stopAt?: number,
    more?: readonly string[],
    nowMs?: number,
  ) => Promise<CliResult>
  /** The requests of the last run. */
  readonly sent: () => readonly (readonly string[])[]
}

function stage(body: (stage: Stage) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    let allowed = Number.POSITIVE_INFINITY
    let first = 0
    await using service = await testService((request, index, response) =>
      index - first >= allowed ? { status: 400 } : declare(request, index, response),
    )
    const get: Stage['get'] = (parts, stopAt = Number.POSITIVE_INFINITY, more = ['-o', 'out.zip'], nowMs) => {
      allowed = stopAt
      first = service.requests.length
      const asked = parts.flatMap((part) => ['--part', part])
      const how = ['--batch-size', '2', '--concurrency', '1', '--json', '--base-url', service.url]
      return cli(['download', ...how, ...asked, ...more], {
        cwd: folder,
        ...(nowMs === undefined ? {} : { nowMs }),
      })
    }
    const sent = (): string[][] => service.requests.slice(first).map(({ target }) => partsIn(target))
    await body({ folder, service, get, sent })
  })
}

async function namesIn(path: string): Promise<string[]> {
  const { entries } = await listArchive(testWorld(), path, { limits: DEFAULT_ARCHIVE_LIMITS })
  return entries.map(({ name }) => name).sort()
}

describe('a job that stopped with half of its requests done', () => {
  test('does not ask again for the parts of an empty response, and says how old the oldest answer is', () =>
    stage(async ({ folder, get, sent }) => {
      const parts = ['EMPTY-1', 'EMPTY-2', ...numbered(0, 6)]
      expect((await get(parts, 2)).code).toBe(5)
      const later = Date.parse('2026-03-04T08:06:07Z')
      const again = await get(parts, undefined, undefined, later)
      expect(again.json()).toMatchObject({ status: 'ok', missingParts: ['EMPTY-1', 'EMPTY-2'] })
      expect(again.stderr).toContain(
        'resuming an unfinished run: 2 responses (the oldest 3 h old) kept; 4 parts to request',
      )
      expect(sent()).toEqual([
        ['P-2', 'P-3'],
        ['P-4', 'P-5'],
      ])
      expect(await readdir(folder)).toEqual(['out.zip'])
    }))

  test('and a part more asks for the rest and that part only', () =>
    stage(async ({ folder, get, sent, service }) => {
      expect((await get(numbered(0, 24), 6)).code).toBe(5)
      const again = await get([...numbered(0, 10), 'NEW', ...numbered(10, 24)])
      expect(again.json()).toMatchObject({ status: 'ok', foundParts: 24, missingParts: ['P-7'] })
      // Six are paid; one was refused; twelve parts and a new one are left.
      expect(sent().flat().sort()).toEqual(['NEW', ...numbered(12, 24)].sort())
      expect(service.requests.length - 1).toBe(13)
      expect(again.stderr).toMatch(
        /resuming an unfinished run: 6 responses \(the oldest .* old\) kept; 13 parts to request/,
      )
      expect(again.stderr).not.toContain('no longer on the list')
      expect(await namesIn(join(folder, 'out.zip'))).toHaveLength(25)
      expect(await readdir(folder)).toEqual(['out.zip'])
      const { requests } = again.json() as { requests: { parts: string[]; resumed?: boolean }[] }
      expect(requests.filter(({ resumed }) => resumed)).toHaveLength(6)
      expect(requests.flatMap(({ parts }) => parts).sort()).toEqual([...numbered(0, 24), 'NEW'].sort())
    }))

  test('and another order asks for the rest only', () =>
    stage(async ({ get, sent, service }) => {
      await get(numbered(0, 24), 6)
      const shuffled = numbered(0, 24).sort(
        (a, b) => ((Number(a.slice(2)) * 13) % 24) - ((Number(b.slice(2)) * 13) % 24),
      )
      expect((await get(shuffled)).json()).toMatchObject({
        status: 'ok',
        foundParts: 23,
        missingParts: ['P-7'],
      })
      expect(sent()).toHaveLength(6)
      expect(service.requests.length - 1).toBe(12)
    }))

  test('and fewer parts: the archive holds everything that was received, and a line says how many are no longer listed', () =>
    stage(async ({ folder, get, sent }) => {
      await get(numbered(0, 12), 3)
      const again = await get(['P-1', 'P-2', 'P-3', 'P-10'])
      expect(sent()).toEqual([['P-10']])
      expect(again.json()).toMatchObject({
        status: 'ok',
        foundParts: 4,
        missingParts: [],
        request: { parts: 4 },
      })
      expect(await namesIn(join(folder, 'out.zip'))).toEqual([
        ...[...numbered(0, 6), 'P-10'].map((part) => `${part}.xml`).sort(),
        'README.txt',
      ])
      expect(await readdir(folder)).toEqual(['out.zip'])
      expect(again.stderr).toContain(
        'the archive also holds 3 parts of the unfinished run that are no longer on the list',
      )
    }))

  test('and one part less: the line is in the singular', () =>
    stage(async ({ get, sent }) => {
      await get(numbered(0, 4), 1)
      const again = await get(numbered(1, 4))
      expect(sent()).toEqual([['P-2', 'P-3']])
      expect(again.stderr).toContain('also holds 1 part of the unfinished run that is no longer on the list')
    }))

  test('counts a part that a verified response does not have as answered', () =>
    stage(async ({ get, sent }) => {
      await get(numbered(6, 12), 2)
      const again = await get(['P-7', 'P-11'])
      expect(sent()).toEqual([['P-11']])
      expect(again.json()).toMatchObject({ foundParts: 1, missingParts: ['P-7'], nearParts: [] })
    }))

  test.each([
    ['another format', ['--format', '1752B']],
    ['another class', ['--format-class', 'D']],
    ['another supplier', ['--supplier', '123456789']],
    ['another start date', ['--start-date', '2026-01-02']],
    ['another parameter', ['--query', 'x=1']],
  ])(
    'and %s has a job of its own, and the first one resumes when its own command comes again',
    (_, criteria) =>
      stage(async ({ folder, get, sent }) => {
        await get(numbered(0, 8), 2)
        const [first] = await readdir(join(folder, 'out.zip.parts'))
        const output = ['-o', 'out.zip', '--overwrite']
        expect((await get(numbered(0, 8), 1, [...criteria, ...output])).code).toBe(5)
        expect(await readdir(join(folder, 'out.zip.parts'))).toHaveLength(2)
        const other = await get(numbered(0, 8), undefined, [...criteria, ...output])
        expect(sent()).toHaveLength(3)
        expect(other.json()).toMatchObject({ status: 'ok' })
        expect(other.json().requests).toHaveLength(4)
        expect(await readdir(folder)).toEqual(['out.zip', 'out.zip.parts'])
        expect(await readdir(join(folder, 'out.zip.parts'))).toEqual([first])
        expect((await get(numbered(0, 8), undefined, output)).json()).toMatchObject({
          status: 'ok',
          foundParts: 7,
        })
        expect(sent()).toEqual([
          ['P-4', 'P-5'],
          ['P-6', 'P-7'],
        ])
        expect(await readdir(folder)).toEqual(['out.zip'])
      }),
  )

  test('is found with a changed list where the name holds the time, unless the list is mostly another', () =>
    stage(async ({ folder, get, sent }) => {
      await get(numbered(0, 8), 2, [])
      await get(['X-1', 'X-2', 'P-3'], 1, [], Date.parse('2026-03-05T00:00:00Z'))
      expect(sent()).toEqual([['X-1', 'X-2'], ['P-3']])
      expect((await readdir(folder)).filter((name) => name.endsWith('.parts'))).toHaveLength(2)
    }))

  test('keeps its name with a changed list where the name holds the time', () =>
    stage(async ({ folder, get, sent }) => {
      await get(numbered(0, 8), 2, [])
      const [job] = await readdir(folder)
      const again = await get([...numbered(0, 8), 'NEW'], undefined, [], Date.parse('2026-03-05T00:00:00Z'))
      expect(again.json()).toMatchObject({ status: 'ok', archive: { path: job!.replace(/\.parts$/, '') } })
      expect(sent().flat()).toEqual([...numbered(4, 8), 'NEW'])
      expect(await readdir(folder)).toEqual([job!.replace(/\.parts$/, '')])
    }))

  test('is not taken up where another file has its name', () =>
    stage(async ({ folder, get, sent }) => {
      await get(numbered(0, 4), 1)
      await writeFile(join(folder, 'out.zip'), 'another')
      const other = await get(numbered(0, 4), undefined, ['--overwrite'])
      expect(other.json()).toMatchObject({ status: 'ok' })
      expect(sent().flat()).toEqual(numbered(0, 4))
      expect(await readFile(join(folder, 'out.zip'), 'utf8')).toBe('another')
    }))

  test('is left to the run that is still at work on it, though the list has changed', () =>
    stage(async ({ folder, get, sent }) => {
      await get(numbered(0, 8), 2, [])
      const [job] = await readdir(folder)
      await using _ = await acquireLock(
        testWorld(),
        join(folder, job!.replace(/\.parts$/, '')),
        'fail',
        SILENT,
      )
      const other = await get([...numbered(0, 8), 'NEW'], undefined, [], Date.parse('2026-03-05T00:00:00Z'))
      expect(other.json()).toMatchObject({ status: 'ok' })
      expect(sent().flat()).toEqual([...numbered(0, 8), 'NEW'])
      expect(await readdir(folder)).toContain(job)
    }))

  test('as CSV keeps the rows of parts that are no longer listed too, and says so', () =>
    withFolder(async (folder) => {
      let isWell = false
      await using service = await testService(({ body }, index) =>
        index === 1 && !isWell
          ? { status: 400 }
          : { body: zip([{ name: `a${index}.csv`, data: body.replace(/secret/g, '') }]) },
      )
      const get = (...parts: string[]): Promise<CliResult> => {
        const how = ['--api', 'v1', '--format', 'CSV', '--batch-size', '2', '--concurrency', '1']
        const asked = parts.flatMap((part) => ['--part', part])
        return cli(['download', ...how, '-o', 'x.zip', '--base-url', service.url, ...asked], {
          cwd: folder,
          env: { MATDECL_API_KEY: 'secret-key-0123456789' },
        })
      }
      expect((await get('A', 'B', 'C')).code).toBe(5)
      isWell = true
      const again = await get('B', 'C')
      expect(again.code, again.stderr).toBe(0)
      expect(service.requests.slice(2).map(({ body }) => JSON.parse(body).partNumbers)).toEqual(['"C"'])
      expect(again.stderr).toContain('also holds 1 part of the unfinished run that is no longer on the list')
      expect(await readdir(folder)).toEqual(['x.zip'])
      expect(await namesIn(join(folder, 'x.zip'))).toEqual(['a0.csv', 'a2.csv'])
    }))

  test.each([
    ['at least half', ['P-0', 'P-1', 'X-1', 'X-2'], true],
    ['less than half', ['P-0', 'X-1', 'X-2', 'X-3'], false],
  ])(
    'where the name holds the time, is taken up when %s of what it received is on the list',
    (_, parts, isTaken) =>
      stage(async ({ folder, get }) => {
        await get(numbered(0, 8), 2, [])
        const again = await get(parts, undefined, [], Date.parse('2026-03-05T00:00:00Z'))
        expect(again.json()).toMatchObject({ status: 'ok' })
        expect((await readdir(folder)).some((name) => name.endsWith('.parts'))).toBe(!isTaken)
      }),
  )

  test('keeps the start date of the first run, where that came from a period', () =>
    stage(async ({ service, get, sent }) => {
      const since = ['--since', '7d', '-o', 'out.zip']
      await get(numbered(0, 6), 2, since)
      const again = await get(numbered(0, 6), undefined, since, Date.parse('2026-03-09T00:00:00Z'))
      expect(sent()).toHaveLength(1)
      expect(service.requests.map(({ target }) => /startDate=([\d-]+)/.exec(target)?.[1])).toEqual([
        '2026-02-25',
        '2026-02-25',
        '2026-02-25',
        '2026-02-25',
      ])
      expect(again.json()).toMatchObject({ status: 'ok', request: { startDate: '2026-02-25' } })
      expect(again.stderr).toContain('the oldest 4 d')
    }))
})
