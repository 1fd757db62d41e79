import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/archive/problem.ts'
import { listArchive } from '../../../src/archive/read-archive.ts'
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
  test('says that empty responses for parts no longer on the list are not kept', () =>
    stage(async ({ folder, get, sent }) => {
      expect((await get(['EMPTY-1', 'EMPTY-2', ...numbered(0, 6)], 2)).code).toBe(5)
      const again = await get(numbered(0, 6))
      expect(again.code, again.stderr).toBe(0)
      expect(again.stderr).toContain(
        'the parts list has changed: responses are reused part by part; empty responses for 2 parts no longer on the list will not be kept',
      )
      expect(sent()).toHaveLength(2)
      expect(await readdir(folder)).toEqual(['out.zip'])
    }))

  test('and a part more asks for the rest and that part only', () =>
    stage(async ({ folder, get, sent, service }) => {
      expect((await get(numbered(0, 80), 20)).code).toBe(5)
      const again = await get([...numbered(0, 10), 'NEW', ...numbered(10, 80)])
      expect(again.json()).toMatchObject({ status: 'ok', foundParts: 80, missingParts: ['P-7'] })
      // Twenty are paid; one was refused; forty parts and a new one are left.
      expect(sent().flat().sort()).toEqual(['NEW', ...numbered(40, 80)].sort())
      expect(service.requests.length - 1).toBe(41)
      expect(again.stderr).toContain('the parts list has changed: responses are reused part by part')
      expect(await namesIn(join(folder, 'out.zip'))).toHaveLength(81)
      expect(await readdir(folder)).toEqual(['out.zip'])
      const { requests } = again.json() as { requests: { parts: string[]; resumed?: boolean }[] }
      expect(requests.filter(({ resumed }) => resumed)).toHaveLength(20)
      expect(requests.flatMap(({ parts }) => parts).sort()).toEqual([...numbered(0, 80), 'NEW'].sort())
    }))

  test('and another order asks for the rest only', () =>
    stage(async ({ get, sent, service }) => {
      await get(numbered(0, 80), 20)
      const shuffled = numbered(0, 80).sort(
        (a, b) => ((Number(a.slice(2)) * 37) % 80) - ((Number(b.slice(2)) * 37) % 80),
      )
      expect((await get(shuffled)).json()).toMatchObject({
        status: 'ok',
        foundParts: 79,
        missingParts: ['P-7'],
      })
      expect(sent()).toHaveLength(20)
      expect(service.requests.length - 1).toBe(40)
    }))

  test('and fewer parts: removed parts are not in the result, and their archives are kept next to it', () =>
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
        'P-1.xml',
        'P-10.xml',
        'P-2.xml',
        'P-3.xml',
        'README.txt',
      ])
      // P-0 with P-1, and P-4 with P-5.
      expect((await readdir(folder)).sort()).toEqual(['out.zip', 'out.zip.parts.unused'])
      expect(await readdir(join(folder, 'out.zip.parts.unused'))).toHaveLength(2)
      expect(again.stderr).toMatch(
        /2 archives with parts that are no longer requested: kept in .*out\.zip\.parts\.unused;/,
      )
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
  ])('and %s is moved aside, said so, and resumed when its own command comes again', (_, criteria) =>
    stage(async ({ folder, get, sent }) => {
      await get(numbered(0, 8), 2)
      const output = ['-o', 'out.zip', '--overwrite']
      const other = await get(numbered(0, 8), undefined, [...criteria, ...output])
      expect(sent()).toHaveLength(4)
      expect(other.json()).toMatchObject({ status: 'ok' })
      expect(other.stderr).toMatch(
        /moved an unfinished run of another request to .*out\.zip\.parts\.[0-9a-f]{8}/,
      )
      expect(await readdir(folder)).toHaveLength(2)
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
    }))

  test('as CSV does not use a response with parts that are no longer requested', () =>
    withFolder(async (folder) => {
      let isWell = false
      await using service = await testService(({ body }, index) =>
        index === 1 && !isWell
          ? { status: 400 }
          : { body: zip([{ name: `a${index}.csv`, data: body.replace(/secret/g, '') }]) },
      )
      const get = (...parts: string[]): Promise<CliResult> =>
        cli(
          [
            'download',
            '--api',
            'v1',
            '--format',
            'CSV',
            '--batch-size',
            '2',
            '--concurrency',
            '1',
            '-o',
            'x.zip',
            '--base-url',
            service.url,
          ].concat(parts.flatMap((part) => ['--part', part])),
          { cwd: folder, env: { MATDECL_API_KEY: 'secret-key-0123456789' } },
        )
      expect((await get('A', 'B', 'C')).code).toBe(5)
      isWell = true
      expect(await get('B', 'C')).toMatchObject({ code: 0 })
      expect(service.requests.slice(2).map(({ body }) => JSON.parse(body).partNumbers)).toEqual(['"B","C"'])
      expect((await readdir(folder)).sort()).toEqual(['x.zip', 'x.zip.parts.unused'])
      expect((await readFile(join(folder, 'x.zip'))).length).toBeGreaterThan(0)
    }))
})
