import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { link, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { Failure } from '../../src/base/failure.ts'
import { type Notice, type Progress, SILENT } from '../../src/base/notice.ts'
import { Secrets } from '../../src/base/redact.ts'
import { type Download, type DownloadOptions, download } from '../../src/download/download.ts'
import { resolveOutput } from '../../src/download/output-path.ts'
import { Plan } from '../../src/download/plan.ts'
import { draftBeside } from '../../src/fs/draft.ts'
import { openService } from '../../src/http/service.ts'
import { type TestService, testService } from '../support/service.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const ARCHIVE = zip([
  {
    name: 'A.xml',
    data: '<MainDeclaration><Product><ProductID itemNumber="A"/></Product></MainDeclaration>',
  },
])
const CRITERIA = { api: 'v2', format: '1752A' } as const

/** Downloads the parts A and B into `out.zip` of a directory. */
async function run(
  service: TestService,
  folder: string,
  options: Partial<DownloadOptions> & { readonly nowMs?: number } = {},
  reporter = SILENT,
): Promise<Download | undefined> {
  const world = testWorld({ cwd: folder, ...(options.nowMs === undefined ? {} : { nowMs: options.nowMs }) })
  Object.defineProperty(world, 'stdin', { get: () => expect.fail('a download opened standard input') })
  const { baseUrl, ...more } = { baseUrl: service.url, ...options }
  const names = {
    supplier: undefined,
    format: '1752A',
    formatClass: undefined,
    startDate: undefined,
    nowMs: 0,
  }
  const files = { overwrite: false, extract: undefined, manifest: undefined, others: [] }
  const way = await openService(world, {
    baseUrl,
    token: 'token',
    secrets: new Secrets(),
    userAgent: 'matdecl/0.0.0-test',
    connectTimeoutMs: 2_000,
    responseTimeoutMs: 2_000,
    stallTimeoutMs: 2_000,
  })
  try {
    return await download(
      world,
      {
        plan: new Plan(baseUrl, CRITERIA, { parts: ['A', 'B'] }, { maxUrlLength: 8000 }),
        service: way,
        output: await resolveOutput(world, { output: 'out.zip', ...files }, names),
        ifLocked: 'fail',
        tool: 'test',
        limits: DEFAULT_ARCHIVE_LIMITS,
        reconcile: true,
        allowPartial: false,
        finishMs: 5_000,
        userAgent: 'matdecl/0.0.0-test',
        apiKey: undefined,
        concurrency: 1,
        retries: 0,
        maxWaitMs: 1_000,
        ratePerMinute: 10_000,
        signal: world.interrupt,
        address: baseUrl,
        since: undefined,
        ...more,
      },
      reporter,
    )
  } finally {
    await way.close()
  }
}

const names = async (folder: string): Promise<string[]> => (await readdir(folder)).sort()

describe('download()', () => {
  test('returns the archive and the account, and holds lock and job directory until it is disposed', () =>
    withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      {
        await using result = await run(service, folder)
        expect(result).toMatchObject({
          archive: { path: join(folder, 'out.zip'), bytes: ARCHIVE.length },
          account: { foundCount: 1, missing: ['B'], unknown: [] },
          requests: [{ parts: ['A', 'B'], status: 200, isResumed: false }],
        })
        expect(await names(folder)).toEqual(['.out.zip.lock', 'out.zip', 'out.zip.parts'])
        expect(await readFile(join(folder, 'out.zip'))).toEqual(ARCHIVE)
        await result?.complete()
        expect(await names(folder)).toEqual(['.out.zip.lock', 'out.zip'])
      }
      expect(await names(folder)).toEqual(['out.zip'])
    }))

  test('that was not completed is repeated without a request', () =>
    withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      await (await run(service, folder))?.[Symbol.asyncDispose]()
      expect(await names(folder)).toEqual(['out.zip', 'out.zip.parts'])
      const notices: Notice[] = []
      const reporter = { ...SILENT, notice: (notice: Notice) => void notices.push(notice) }
      await using again = await run(service, folder, {}, reporter)
      expect(again).toMatchObject({ account: { foundCount: 1 }, requests: [{ isResumed: true }] })
      expect(notices.map(({ event }) => event)).toEqual(['job.published'])
      expect(service.requests).toHaveLength(1)
      await again?.complete()
    }))

  test('that was killed while publishing leaves no draft behind', () =>
    withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const output = join(folder, 'out.zip')
      await (await run(service, folder))?.[Symbol.asyncDispose]()
      const ended = spawnSync(process.execPath, ['-e', '']).pid
      const draft = (await draftBeside(testWorld(), output)).replace(`.${process.pid}-`, `.${ended}-`)
      await link(output, draft)
      await using _ = await run(service, folder)
      expect(await names(folder)).toEqual(['.out.zip.lock', 'out.zip', 'out.zip.parts'])
    }))

  test('is undefined when another run holds the output and is to be skipped', () =>
    withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      await using first = await run(service, folder)
      expect(first).toBeDefined()
      const output = { ifLocked: 'skip' } as const
      expect(await run(service, join(folder), { ...output, ...renamed(first!) })).toBeUndefined()
      expect(service.requests).toHaveLength(1)
    }))

  test('that is stopped while it merges says what is kept, and the next run sends nothing', () =>
    withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const plan = new Plan(
        service.url,
        CRITERIA,
        { parts: ['A', 'B'] },
        { maxUrlLength: 8000, batchSize: 1 },
      )
      const stop = new AbortController()
      const reason = new Failure('interrupted', 'stopped by Ctrl-C', { again: {} })
      const progress = ({ phase }: Progress): void => {
        if (phase === 'merging') stop.abort(reason)
      }
      {
        await using stopped = await run(
          service,
          folder,
          { plan, signal: stop.signal },
          { ...SILENT, progress },
        )
        expect(stopped).toMatchObject({ archive: undefined, failure: { kind: 'interrupted' } })
        expect((stopped!.failure as Failure).details.again).toEqual({ kept: '2 of 2 requests', notes: [] })
      }
      expect(await names(folder)).toEqual(['out.zip.parts'])
      await using again = await run(service, folder, { plan })
      expect(again).toMatchObject({
        failure: undefined,
        requests: [{ isResumed: true }, { isResumed: true }],
      })
      expect(service.requests).toHaveLength(2)
    }))

  test('that cannot publish says what is kept', () =>
    withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const progress = ({ phase }: Progress): void => {
        if (phase === 'verifying') writeFileSync(join(folder, 'out.zip'), 'of another program')
      }
      await using stopped = await run(service, folder, {}, { ...SILENT, progress })
      expect(stopped).toMatchObject({ archive: undefined, failure: { kind: 'io' } })
      expect((stopped!.failure as Failure).details.again).toEqual({ kept: '1 of 1 request', notes: [] })
      expect(await readFile(join(folder, 'out.zip'), 'utf8')).toBe('of another program')
    }))

  test('that fails leaves nothing that it cannot use again', () =>
    withFolder(async (folder) => {
      await using service = await testService({ status: 400, body: '{"message":"no"}' })
      {
        await using result = await run(service, folder)
        expect(result).toMatchObject({
          failure: { kind: 'rejected' },
          archive: undefined,
          account: undefined,
        })
      }
      expect(await names(folder)).toEqual([])
    }))
})

// The first run has published its archive: the second one may replace it, if it gets the lock.
function renamed({ output }: Download): Pick<DownloadOptions, 'output'> {
  return { output: { ...output, overwrite: true } }
}
