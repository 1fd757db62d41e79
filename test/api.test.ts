import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { JSON_RESULTS } from '../scripts/reference/json-results.ts'
import {
  diff,
  download,
  extract,
  type LogEvent,
  list,
  MatdeclError,
  plan,
  report,
  verify,
} from '../src/api.ts'
import { type Answerer, testService } from './support/service.ts'
import { withFolder } from './support/world.ts'

const PART = 'EXC188R60000KA'
const OTHER = 'EXC188R60001KA'
const TOKEN = 'tok-S3CRET-0123456789'
const isolated = (cwd: string) => ({ cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } })

async function errorOf(promise: Promise<unknown>): Promise<MatdeclError> {
  const error = await promise.then(
    () => new Error('did not reject'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(MatdeclError)
  return error as MatdeclError
}

/** Parses a result by the schema that its `schema` field names. */
function checked<T extends { readonly schema: string }>(result: T): T {
  JSON_RESULTS.find(({ schema }) => schema === result.schema)!.zod.parse(result)
  return result
}

const ONE_FAILS: Answerer = ({ target }) =>
  target.includes('=B') ? { status: 400, body: '{"message":"no B"}' } : { status: 204 }

describe('download()', () => {
  test('resolves with the result that --json prints', () =>
    withFolder(async (folder) => {
      const events: LogEvent[] = []
      const result = await download({
        ...isolated(folder),
        sandbox: true,
        part: [PART, 'NO SUCH PART'],
        output: 'a.zip',
        extract: true,
        list: true,
        report: 'r.csv',
        manifest: true,
        onEvent: (event) => events.push(event),
      })
      expect(checked(result)).toMatchObject({
        status: 'ok',
        archive: { path: 'a.zip' },
        foundParts: 1,
        missingParts: ['NO SUCH PART'],
        extracted: { path: 'a', files: 1 },
        report: { path: 'r.csv' },
      })
      expect(result.entries).toHaveLength(1)
      expect(events.map(({ event }) => event)).toContain('download.started')
      expect((await readdir(folder)).sort()).toEqual(['a', 'a.zip', 'a.zip.manifest.json', 'r.csv'])
    }))

  test('with allowPartial and a failed request resolves with status partial', () =>
    withFolder(async (folder) => {
      await using service = await testService(ONE_FAILS)
      const result = await download({
        ...isolated(folder),
        baseUrl: service.url,
        token: TOKEN,
        part: ['A', 'B'],
        batchSize: 1,
        allowPartial: true,
        output: 'a.zip',
      })
      expect(checked(result)).toMatchObject({
        status: 'partial',
        archive: null,
        missingParts: ['A'],
        unknownParts: ['B'],
        requests: [{ status: 204 }, { status: 400, error: { code: 'rejected' } }],
      })
    }))

  test('rejects with the complete result when something is missing, and keeps the archive', () =>
    withFolder(async (folder) => {
      const call = { ...isolated(folder), sandbox: true, part: [PART, 'X'], output: 'a.zip' }
      const error = await errorOf(download({ ...call, failIfMissing: true }))
      expect(error).toMatchObject({ code: 'missing', exitCode: 12 })
      expect(error.result).toMatchObject({
        status: 'failed',
        missingParts: ['X'],
        archive: { path: 'a.zip' },
      })
      expect(await readdir(folder)).toEqual(['a.zip'])
    }))

  test('rejects with the facts known by then, without the token', () =>
    withFolder(async (folder) => {
      await using service = await testService({ status: 401, body: `{"message":"what is ${TOKEN}?"}` })
      const events: LogEvent[] = []
      const error = await errorOf(
        download({
          ...isolated(folder),
          baseUrl: service.url,
          token: TOKEN,
          supplier: '100200300',
          onEvent: (event) => events.push(event),
        }),
      )
      expect(error).toMatchObject({
        code: 'auth',
        exitCode: 4,
        result: { request: { supplier: '100200300' } },
      })
      expect(events.map(({ event }) => event)).toContain('error.auth')
      expect(`${JSON.stringify([error.result, events])}${error.message}`).not.toContain(TOKEN)
      expect(await readdir(folder)).toEqual(['state'])
      // Runs that share the token share its rate.
      expect(await readdir(join(folder, 'state', 'matdecl'))).toEqual(['rates'])
    }))

  test.each([
    [{ retries: 'many' }, '--retries'],
    [{ retries: true }, 'retries'],
    [{ supplier: ['1', '2'] }, 'supplier'],
    [{ retrys: 3 }, "no option 'retrys'"],
    [{ output: '-' }, 'standard output'],
    [{ dryRun: true }, 'dry run'],
    [{ part: ' ' }, 'blank'],
  ])('refuses %j before anything is sent', (options, words) =>
    withFolder(async (folder) => {
      const call = { ...isolated(folder), sandbox: true, supplier: '1', ...options } as object
      const error = await errorOf(download(call))
      expect(error).toMatchObject({ code: 'usage', exitCode: 2 })
      expect(error.message).toContain(words)
      expect(await readdir(folder)).toEqual([])
    }),
  )

  test('is stopped by its signal', () =>
    withFolder(async (folder) => {
      const signal = AbortSignal.abort()
      const error = await errorOf(download({ ...isolated(folder), sandbox: true, part: ['A'], signal }))
      expect(error).toMatchObject({ code: 'interrupted', exitCode: 130 })
      expect(await readdir(folder)).toEqual([])
    }))
})

test.each([
  ['list', () => list([]), 'list requires a file'],
  ['list', () => list(['a.zip', '']), 'an argument is empty'],
  ['verify', () => verify(''), 'an argument is empty'],
  ['diff', () => diff('', 'b.zip'), 'an argument is empty'],
])('%s() needs its files', async (command, call, message) => {
  const error = await errorOf(call())
  expect(error).toMatchObject({
    code: 'usage',
    message,
    hint: `matdecl ${command} --help shows its arguments`,
  })
})

test('plan() returns what download() would send', () =>
  withFolder(async (folder) => {
    await using service = await testService({ status: 500 })
    const call = { ...isolated(folder), baseUrl: service.url, part: ['A', 'B'], batchSize: 1 }
    const result = checked(await plan(call))
    expect(result).toMatchObject({ requests: [{ parts: ['A'] }, { parts: ['B'] }], parts: 2 })
    expect(service.requests).toEqual([])
  }))

describe('the functions about archives', () => {
  async function withArchives(use: (folder: string) => Promise<void>): Promise<void> {
    await withFolder(async (folder) => {
      const call = { ...isolated(folder), sandbox: true }
      await download({ ...call, part: [PART, OTHER], output: 'a.zip' })
      await download({ ...call, part: [PART], output: 'b.zip' })
      await writeFile(join(folder, 'bad.zip'), 'PK\u0003\u0004 nothing')
      await use(folder)
    })
  }

  test('list() and verify()', () =>
    withArchives(async (cwd) => {
      const listed = checked(await list(['a.zip', 'b.zip'], { cwd }))
      expect(listed.archives.map(({ entries }) => entries.length)).toEqual([2, 1])
      expect(checked(await verify('a.zip', { cwd }))).toMatchObject({ archives: [{ entries: 2 }] })
      const error = await errorOf(verify(['a.zip', 'bad.zip'], { cwd }))
      expect(error.code).toBe('archive')
      expect(error.result.archives).toMatchObject([{ status: 'ok' }, { status: 'failed' }])
    }))

  test('extract()', () =>
    withArchives(async (cwd) => {
      expect(checked(await extract('a.zip', 'out', { cwd }))).toMatchObject({ extracted: { files: 2 } })
      expect(await errorOf(extract('a.zip', 'out', { cwd }))).toMatchObject({ code: 'io', exitCode: 9 })
    }))

  test('report() with rows, to a file, and with a gate', () =>
    withArchives(async (cwd) => {
      const { rows } = checked(await report('b.zip', { cwd }))
      expect(rows?.map(({ part }) => part)).toEqual([PART])
      const substances = checked(await report('b.zip', { cwd, substances: true }))
      expect(substances).toMatchObject({ kind: 'substances' })
      const file = checked(await report('a.zip', { cwd, output: 'r.csv' }))
      expect(file).toMatchObject({ output: 'r.csv', counts: { rows: 2 } })
      expect(file.rows).toBeUndefined()
      await writeFile(join(cwd, 'asked.txt'), 'NOT THERE\n')
      const gated = await errorOf(report('b.zip', { cwd, failOn: 'missing', partsFile: ['asked.txt'] }))
      expect(gated).toMatchObject({ code: 'policy', exitCode: 13, result: { failOn: { matched: 1 } } })
    }))

  test('diff()', () =>
    withArchives(async (cwd) => {
      const result = checked(await diff('a.zip', 'b.zip', { cwd }))
      expect(result).toMatchObject({ removed: [{ part: OTHER }], counts: { added: 0, removed: 1 } })
    }))
})
