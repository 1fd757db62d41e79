import * as realDisk from 'node:fs/promises'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { Failure, isFailure } from '../../src/base/failure.ts'
import type { Notice, Progress } from '../../src/base/notice.ts'
import { Secrets } from '../../src/base/redact.ts'
import { Plan } from '../../src/download/plan.ts'
import type { RequestSettings, RunContext } from '../../src/download/run-context.ts'
import {
  answeredResult,
  type Responses,
  sendRequests,
  verifyResponse,
} from '../../src/download/send-requests.ts'
import type { Lock } from '../../src/fs/lock.ts'
import { openService } from '../../src/http/service.ts'
import { readNote } from '../../src/library/incoming.ts'
import { type Library, openLibrary, readLibrary } from '../../src/library/library.ts'
import { type Answerer, type Reply, type TestService, testService } from '../support/service.ts'
import { type TestWorld, testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const TOKEN = 'tok-Zm9vYmFy.9f8e7d6c5b4a'
const FINISH_MS = 5_000
const DATE = 'Wed, 04 Mar 2026 05:06:07 GMT'

interface Outcome {
  readonly result: Responses
  readonly failure: Failure | undefined
  readonly notices: readonly Notice[]
  /** Parts of each request that reached the service in this run. */
  readonly sent: readonly (readonly string[])[]
}

type Options = Partial<RequestSettings> & {
  readonly parts?: readonly string[]
  readonly batchSize?: number
  readonly world?: TestWorld
  readonly onProgress?: (progress: Progress) => unknown
  readonly onNotice?: (notice: Notice) => unknown
}

/** The directory of the job. */
const jobIn = (folder: string): string => join(folder, 'job')

/** Requests what the job in `folder` has no answer for, with the code of the service, the archive and the disk as they are. */
async function run(service: TestService, folder: string, options: Options = {}): Promise<Outcome> {
  const { parts = numbered(10), batchSize = 2, world = testWorld(), onProgress, onNotice, ...more } = options
  const criteria = { api: 'v2', format: '1752A' } as const
  const plan = new Plan(service.url, criteria, { parts }, { maxUrlLength: 8000, batchSize })
  const notices: Notice[] = []
  const reporter = {
    notice: (notice: Notice) => {
      notices.push(notice)
      onNotice?.(notice)
    },
    progress: (progress: Progress) => void onProgress?.(progress),
  }
  const way = await openService(world, {
    baseUrl: service.url,
    token: TOKEN,
    secrets: new Secrets(),
    userAgent: 'matdecl/0.0.0-test',
    connectTimeoutMs: 2_000,
    responseTimeoutMs: 2_000,
    stallTimeoutMs: 2_000,
  })
  const before = service.requests.length
  const context: RunContext = {
    world,
    reporter,
    service: way,
    userAgent: 'matdecl/0.0.0-test',
    apiKey: undefined,
    ratePerMinute: 10_000,
    concurrency: 3,
    retries: 0,
    maxWaitMs: 300_000,
    limits: DEFAULT_ARCHIVE_LIMITS,
    allowPartial: false,
    finishMs: FINISH_MS,
    reconcile: true,
    signal: world.interrupt,
    ...more,
  }
  try {
    await using library = await openJob(context, folder)
    const done = new Set(library.answers.flatMap((answer) => plan.positionsOf(answer.parts)))
    const reused = library.answers.map((answer) =>
      answeredResult(plan.positionsOf(answer.parts)[0]!, answer.parts, answer, true),
    )
    const search = { ...criteria, baseUrl: service.url }
    const todo = { search, plan, done, begun: library.begun(), isListed: true }
    const result = await sendRequests(context, library, [todo], reused)
    if (result.failure !== undefined && !isFailure(result.failure)) throw result.failure
    return {
      result,
      failure: result.failure,
      notices,
      sent: sentSince(service, before),
    }
  } finally {
    await way.close()
  }
}

/** The lock that the caller of a job holds. */
const HELD: Lock = { requireHeld: async () => undefined, [Symbol.asyncDispose]: async () => undefined }

async function openJob(context: RunContext, folder: string): Promise<Library> {
  const { world, reporter, signal } = context
  const verify = (path: string) => verifyResponse(context, path)
  const how = { isJob: true, tool: 'test', lock: HELD, reporter, signal, verify }
  return (await openLibrary(world, jobIn(folder), how))!
}

/** What a later run could use: every file but an empty list of answers, and notes of requests, of which it only warns. */
async function leftIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size))
  return files.filter(
    (path, index) => !path.endsWith('.note') && (!path.endsWith('answers.jsonl') || sizes[index]! > 0),
  )
}

const archivesIn = async (folder: string): Promise<number> =>
  (await readdir(jobIn(folder))).filter((name) => name.endsWith('.zip')).length

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `P-${index}`)

const partsIn = (target: string): string[] => new URL(target, 'http://x').searchParams.getAll('partNumbers[]')

const sentSince = (service: TestService, before: number): string[][] =>
  service.requests.slice(before).map(({ target }) => partsIn(target))

function archiveOf(parts: readonly string[]): Reply {
  const entries = parts.map((part) => ({
    name: `${part}.xml`,
    data: `<MainDeclaration><Product><ProductID itemNumber="${part}"/></Product></MainDeclaration>`,
  }))
  return { body: zip(entries), headers: { Date: DATE } }
}

const answerAll: Answerer = ({ target }) => archiveOf(partsIn(target))

/** Responses everything but what `refuse` has a reply for. */
const answerBut =
  (refuse: (parts: readonly string[]) => Reply | undefined): Answerer =>
  ({ target }) =>
    refuse(partsIn(target)) ?? archiveOf(partsIn(target))

const status = (code: number): Reply => ({ status: code, body: '{"message":"no"}' })

describe('a job', () => {
  test('requests each part once, several requests at once, and returns the results in order', () =>
    withFolder(async (folder) => {
      let active = 0
      let most = 0
      let open = (): void => undefined
      const threeAreUnderWay = new Promise<void>((resolve) => {
        open = resolve
      })
      let thirdIsSent = (): void => undefined
      const third = new Promise<void>((resolve) => {
        thirdIsSent = resolve
      })
      await using service = await testService(async ({ target }, _, response) => {
        active += 1
        most = Math.max(most, active)
        const parts = partsIn(target)
        if (active === 3) open()
        await threeAreUnderWay
        if (parts[0] === 'P-4') response.once('finish', thirdIsSent)
        else if (parts[0] === 'P-0') await third
        active -= 1
        return archiveOf(parts)
      })
      const { result, sent } = await run(service, folder)
      expect(sent.flat().sort()).toEqual(numbered(10))
      expect(result.requests.map(({ parts }) => parts)).toEqual([
        ['P-0', 'P-1'],
        ['P-2', 'P-3'],
        ['P-4', 'P-5'],
        ['P-6', 'P-7'],
        ['P-8', 'P-9'],
      ])
      expect(most).toBe(3)
      for (const { answer, bytes, ...request } of result.requests) {
        expect(request).toMatchObject({ status: 200, attempts: 1, isResumed: false })
        expect(answer).toMatchObject({ date: Date.parse(DATE), found: request.parts })
        expect((await readFile(join(jobIn(folder), answer!.archive!))).length).toBe(bytes)
      }
    }))

  test('says the last rate limit that the service has told', () =>
    withFolder(async (folder) => {
      await using service = await testService(({ target }, index) => {
        const limit = { 'X-RateLimit-Limit': '500', 'X-RateLimit-Remaining': String(500 - index) }
        const reply = archiveOf(partsIn(target))
        return index > 2 ? reply : { ...reply, headers: { ...reply.headers, ...limit } }
      })
      const { result } = await run(service, folder, { concurrency: 1 })
      expect(result.requests).toHaveLength(5)
      expect(result.rateLimit).toMatchObject({ limit: 500, remaining: 498 })
    }))

  test('of one request brings what verifying found', () =>
    withFolder(async (folder) => {
      await using service = await testService(answerAll)
      const { result } = await run(service, folder, { batchSize: 100 })
      expect(result.verified!.entries).toHaveLength(10)
      expect([...result.verified!.products.values()].flat()).toContainEqual({ itemNumber: 'P-3' })
    }))

  test('notes each request before it is sent', () =>
    withFolder(async (folder) => {
      const incoming = join(jobIn(folder), '.matdecl', 'incoming')
      const noted: boolean[] = []
      await using service = await testService(async ({ target }) => {
        const names = (await readdir(incoming)).filter((name) => name.endsWith('.note'))
        const notes = await Promise.all(names.map((name) => readFile(join(incoming, name), 'utf8')))
        const parts = notes.map((text) => readNote(text)?.request.parts)
        noted.push(parts.some((some) => some?.join() === partsIn(target).join()))
        return archiveOf(partsIn(target))
      })
      await run(service, folder)
      expect(noted).toEqual([true, true, true, true, true])
    }))

  test('keeps no secret in its directory', () =>
    withFolder(async (folder) => {
      await using service = await testService(
        answerBut(([first]) => (first === 'P-8' ? status(400) : undefined)),
      )
      await run(service, folder)
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile())
      expect(files.length).toBeGreaterThan(1)
      for (const { parentPath, name } of files) {
        const bytes = await readFile(join(parentPath, name))
        expect(bytes.includes(TOKEN) || bytes.includes('Bearer'), name).toBe(false)
      }
    }))

  test('accepts an empty response', () =>
    withFolder(async (folder) => {
      const empty: Answerer = answerBut(([first]) =>
        first === 'P-0' ? { status: 204 } : first === 'P-2' ? { body: zip([]) } : undefined,
      )
      await using service = await testService(empty)
      const { result } = await run(service, folder, { parts: numbered(6) })
      expect(
        result.requests.map(({ status: code, answer }) => [code, answer!.archive !== undefined]),
      ).toEqual([
        [204, false],
        [200, false],
        [200, true],
      ])
      const sizes = [0, zip([]).length, archiveOf(['P-4', 'P-5']).body!.length]
      expect(result.requests.map(({ bytes }) => bytes)).toEqual(sizes)
      const again = await run(service, folder, { parts: numbered(6) })
      expect(again.sent).toEqual([])
      expect(again.result.requests.map(({ bytes }) => bytes)).toEqual(sizes)
    }))
})

describe('a job that failed', () => {
  const refuseThird: Answerer = answerBut(([first]) => (first === 'P-4' ? status(400) : undefined))

  test('lets requests in flight finish, sends nothing more, and reports what is kept', () =>
    withFolder(async (folder) => {
      await using service = await testService(refuseThird)
      const { failure, sent, notices } = await run(service, folder, { concurrency: 1 })
      expect(failure).toMatchObject({ kind: 'rejected', details: { httpStatus: 400 } })
      expect(sent).toHaveLength(3)
      expect(notices.map(({ event }) => event)).toContain('job.kept')
    }))

  test('resumes: what was verified is not sent again', () =>
    withFolder(async (folder) => {
      let isWell = false
      await using service = await testService((request, index, response) =>
        isWell ? answerAll(request, index, response) : refuseThird(request, index, response),
      )
      expect((await run(service, folder, { concurrency: 1 })).sent).toHaveLength(3)
      isWell = true
      const again = await run(service, folder)
      expect(again.sent.flat().sort()).toEqual(['P-4', 'P-5', 'P-6', 'P-7', 'P-8', 'P-9'])
      expect(again.result.requests.map(({ isResumed }) => isResumed)).toEqual([
        true,
        true,
        false,
        false,
        false,
      ])
      expect(again.result.requests.flatMap(({ parts }) => parts)).toEqual(numbered(10))
      expect([...again.result.declared].sort()).toEqual(numbered(10))
      expect((await run(service, folder)).sent).toEqual([])
    }))

  test('leaves nothing when nothing came', () =>
    withFolder(async (folder) => {
      await using service = await testService(status(400))
      const { failure } = await run(service, folder)
      expect(failure!.kind).toBe('rejected')
      expect(await leftIn(folder)).toEqual([])
    }))

  test('because the token was refused stops all the others at once', () =>
    withFolder(async (folder) => {
      let allArrived = (): void => undefined
      const arrived = new Promise<void>((resolve) => {
        allArrived = resolve
      })
      await using service = await testService(async (_, index, response) => {
        if (index === 2) allArrived()
        await arrived
        if (index === 1) return status(401)
        await new Promise((resolve) => response.on('close', resolve))
        return undefined
      })
      const { failure, sent } = await run(service, folder, { allowPartial: true })
      expect(failure!.kind).toBe('auth')
      expect(sent).toHaveLength(3)
      expect(await leftIn(folder)).toEqual([])
    }))

  test('because it was stopped keeps complete archives and no partial one', () =>
    withFolder(async (folder) => {
      const world = testWorld()
      const stop = new Failure('interrupted', 'stopped by SIGINT', { exitCode: 130 })
      await using service = await testService(async ({ target }, _, response) => {
        const parts = partsIn(target)
        if (parts[0] !== 'P-4') return archiveOf(parts)
        response.writeHead(200, { 'Content-Type': 'application/zip', 'Content-Length': 5000 })
        response.write(archiveOf(parts).body)
        return undefined
      })
      const half = archiveOf(['P-4', 'P-5']).body!.length
      const { failure, notices } = await run(service, folder, {
        concurrency: 1,
        world,
        onProgress: ({ phase, bytes = 0 }) => {
          if (phase === 'receiving' && service.requests.length === 3 && bytes > half) world.stop(stop)
        },
      })
      expect(failure).toMatchObject({ kind: 'interrupted', exitCode: 130 })
      expect(await archivesIn(folder)).toBe(2)
      expect((await leftIn(folder)).filter((path) => path.includes('incoming'))).toEqual([])
      expect(notices.at(-1)!.event).toBe('job.kept')
    }))

  /** A clock on which the time to finish responses never ends. */
  const patient = ({ fakeClock }: Pick<TestWorld, 'fakeClock'> = testWorld()): TestWorld => {
    const sleep: typeof fakeClock.sleep = (ms, signal) =>
      ms === FINISH_MS
        ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : fakeClock.sleep(ms, signal)
    return testWorld({ clock: { ...fakeClock, sleep } })
  }

  test('because the token was refused finishes the responses that have begun, and keeps them', () =>
    withFolder(async (folder) => {
      let refuse = (): void => undefined
      const hasBegun = new Promise<void>((resolve) => {
        refuse = resolve
      })
      let finish = (): void => undefined
      let isValid = false
      await using service = await testService(async ({ target }, index, response) => {
        const parts = partsIn(target)
        if (isValid) return archiveOf(parts)
        if (index === 0) {
          const body = archiveOf(parts).body as Buffer
          response.writeHead(200, { 'Content-Length': body.length }).write(body.subarray(0, 40))
          finish = () => response.end(body.subarray(40))
          return undefined
        }
        await hasBegun
        if (index === 1) return status(401)
        await new Promise((resolve) => response.on('close', resolve))
        return undefined
      })
      const { failure, sent, notices } = await run(service, folder, {
        world: patient(),
        onProgress: ({ phase }) => phase === 'receiving' && refuse(),
        onNotice: ({ event }) => event === 'job.finishing' && finish(),
      })
      expect(failure!.kind).toBe('auth')
      expect(sent).toHaveLength(3)
      expect(notices.map(({ message }) => message).join()).toMatch(
        /finishing 1 response that has begun, for up to 5\.0 s(?!; Ctrl)/,
      )
      expect(failure!.details.again?.kept).toBe('1 of 5 requests')
      isValid = true
      const again = await run(service, folder)
      expect(again.sent).toHaveLength(4)
      expect(again.sent).not.toContainEqual(sent[0])
      expect(again.result.requests.flatMap(({ parts }) => parts)).toEqual(numbered(10))
    }))

  test('because the disk is full does not wait for the response that did not fit', () =>
    withFolder(async (folder) => {
      const disk = new Proxy(testWorld().disk, {
        get: (target, key) =>
          key === 'statfs' ? async () => ({ bavail: 1, bsize: 16 }) : Reflect.get(target, key),
      })
      await using service = await testService(answerAll)
      const { failure, notices } = await run(service, folder, { world: testWorld({ disk }), concurrency: 1 })
      expect(failure).toMatchObject({ kind: 'io', message: expect.stringContaining('not enough space') })
      expect(notices.map(({ event }) => event)).not.toContain('job.finishing')
      expect(await leftIn(folder)).toEqual([])
    }))

  test.each([
    ['SIGINT', 130, {}, ['P-0', 'P-2']],
    ['SIGINT', 130, { ETag: '"a"', 'Accept-Ranges': 'bytes' }, ['P-0']],
    ['SIGTERM', 143, {}, ['P-0']],
  ] as const)(
    'because of %s (%i) finishes only a response that no later run can continue: %j',
    (signal, exitCode, headers, kept) =>
      withFolder(async (folder) => {
        const world = patient()
        const stop = new Failure('interrupted', `stopped by ${signal}`, { exitCode })
        let finish = (): void => undefined
        await using service = await testService(async ({ target }, index, response) => {
          const { body } = archiveOf(partsIn(target)) as { readonly body: Buffer }
          if (index === 0) return { body }
          response.writeHead(200, { ...headers, 'Content-Length': body.length }).write(body.subarray(0, 40))
          finish = () => response.end(body.subarray(40))
          return undefined
        })
        const { failure, sent } = await run(service, folder, {
          concurrency: 1,
          world,
          onProgress: ({ phase }) =>
            phase === 'receiving' && service.requests.length === 2 && world.stop(stop),
          onNotice: ({ event }) => event === 'job.finishing' && finish(),
        })
        expect(failure).toMatchObject({ kind: 'interrupted', exitCode })
        expect(sent).toHaveLength(2)
        const { answers } = await readLibrary(testWorld(), jobIn(folder))
        expect(answers.map(({ parts }) => parts[0]).sort()).toEqual(kept)
      }),
  )

  test('because of Ctrl-C does not wait for a response that stands still', () =>
    withFolder(async (folder) => {
      const { fakeClock } = testWorld()
      const world = patient({ fakeClock })
      await using service = await testService((_, __, response) => {
        response.writeHead(200, { 'Content-Length': 5_000 }).write(zip([]).subarray(0, 10))
        return undefined
      })
      const { failure } = await run(service, folder, {
        concurrency: 1,
        world,
        onProgress: ({ phase }) =>
          phase === 'receiving' &&
          world.stop(new Failure('interrupted', 'stopped by SIGINT', { exitCode: 130 })),
        onNotice: ({ event }) => event === 'job.finishing' && queueMicrotask(() => fakeClock.advance(2_000)),
      })
      expect(failure!.kind).toBe('interrupted')
      expect(failure!.details.again?.notes?.[0]).toMatch(/^nothing is kept/)
      expect(await leftIn(folder)).toEqual([])
    }))

  test('does not wait for a response that never ends', () =>
    withFolder(async (folder) => {
      const world = testWorld()
      await using service = await testService((_, __, response) => {
        response.writeHead(200, { 'Content-Length': 5_000 }).write(zip([]).subarray(0, 10))
        return undefined
      })
      const { failure, notices } = await run(service, folder, {
        concurrency: 1,
        world,
        onProgress: ({ phase }) =>
          phase === 'receiving' && world.stop(new Failure('interrupted', 'stopped by SIGINT')),
      })
      expect(failure!.kind).toBe('interrupted')
      expect(notices.map(({ message }) => message).join()).toMatch(/begun, .*; Ctrl-C again stops at once$/)
      expect(failure!.details.again?.notes?.[0]).toMatch(
        /^nothing is kept: the service gave no strong validator/,
      )
      expect(world.fakeClock.slept).toEqual([FINISH_MS])
      expect(await leftIn(folder)).toEqual([])
    }))

  test('because the token was refused does not finish a response that broke off and is to be requested again', () =>
    withFolder(async (folder) => {
      let refuse = (): void => undefined
      const waits = new Promise<void>((resolve) => {
        refuse = resolve
      })
      await using service = await testService(async ({ target }, _, response) => {
        if (partsIn(target)[0] === 'P-1') return waits.then(() => status(401))
        response.writeHead(200, { 'Content-Length': 5_000 }).write(zip([]).subarray(0, 10))
        setImmediate(() => response.destroy())
        return undefined
      })
      const world = testWorld()
      const sleep = (_: number, signal?: AbortSignal): Promise<void> =>
        new Promise((_resolve, reject) => {
          refuse()
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      const { failure, notices } = await run(service, folder, {
        parts: numbered(2),
        batchSize: 1,
        concurrency: 2,
        retries: 1,
        world: { ...world, clock: { ...world.clock, sleep } },
      })
      expect(failure).toMatchObject({ kind: 'auth' })
      expect(notices.map(({ event }) => event)).toContain('request.retry')
      expect(notices.map(({ event }) => event)).not.toContain('job.finishing')
    }))

  test('because a part is not allowed (403) is one request of many, once another has succeeded', () =>
    withFolder(async (folder) => {
      await using service = await testService(
        answerBut(([first]) => (first === 'P-4' ? status(403) : undefined)),
      )
      const stopped = await run(service, folder, { concurrency: 1 })
      expect(stopped.failure).toMatchObject({ kind: 'auth', details: { httpStatus: 403 } })
      expect(stopped.failure!.message).toMatch(/^request 3 of 5 \(2 parts, 'P-4' to 'P-5'\): /)
      expect(stopped.sent).toHaveLength(3)
      const partial = await run(service, folder, { concurrency: 1, allowPartial: true })
      expect(partial.sent).toHaveLength(3)
      expect(partial.result.requests.map(({ status: code }) => code)).toEqual([200, 200, 403, 200, 200])
    }))

  test('because nothing is allowed (403) ends the run at once, unless --allow-partial', () =>
    withFolder(async (folder) => {
      await using service = await testService(status(403))
      const { failure, sent } = await run(service, folder, { concurrency: 1 })
      expect(failure).toMatchObject({ kind: 'auth', details: { httpStatus: 403 } })
      expect(sent).toHaveLength(1)
      expect(await leftIn(folder)).toEqual([])
      const partial = await run(service, folder, { concurrency: 1, allowPartial: true })
      expect(partial.result.failure).toMatchObject({ kind: 'auth', details: { httpStatus: 403 } })
      expect(partial.sent).toHaveLength(5)
    }))

  test('on the disk stops at once', () =>
    withFolder(async (folder) => {
      await using service = await testService(answerAll)
      const disk = {
        ...realDisk,
        chmod: async (path: string, mode: number) => {
          if (String(path).endsWith('.zip')) throw Object.assign(new Error(), { code: 'EIO' })
          return realDisk.chmod(path, mode)
        },
      }
      const world = testWorld({ disk: disk as typeof realDisk })
      const { failure, sent } = await run(service, folder, { concurrency: 1, world, allowPartial: true })
      expect(failure!.kind).toBe('io')
      expect(sent.length).toBeLessThanOrEqual(2)
      // What was verified is recorded by the next run.
      expect(failure!.hint).toBe('check the disk')
      expect(failure!.details.again?.notes).toEqual([])
      expect(failure!.details.again?.kept).toMatch(/^\d+ B of \d+ B of \d requests?$/)
      const again = await run(service, folder)
      expect([...sent, ...again.sent].flat().sort()).toEqual(numbered(10))
      expect(again.result.requests.flatMap(({ parts }) => parts)).toEqual(numbered(10))
    }))
})

describe('a request that waits', () => {
  test.each([
    ['for its retry', { status: 503 }],
    ['for its retry, after a damaged archive', { body: 'PK\u0003\u0004' }],
    ['while its archive is prepared', { status: 202, headers: { 'Retry-After': '1' } }],
  ])('holds nothing: another one is sent %s', (_, first) =>
    withFolder(async (folder) => {
      let sendOther = (): void => undefined
      const otherSent = new Promise<void>((resolve) => {
        sendOther = resolve
      })
      await using service = await testService(({ target }, index) => {
        if (index > 0) sendOther()
        return index === 0 ? first : archiveOf(partsIn(target))
      })
      const world = testWorld()
      // The wait is over when the other request has come.
      const clock = { ...world.clock, sleep: () => otherSent }
      const { result, sent } = await run(service, folder, {
        parts: numbered(2),
        batchSize: 1,
        concurrency: 1,
        retries: 1,
        world: { ...world, clock },
      })
      expect(result.failure).toBeUndefined()
      expect(sent).toEqual([['P-0'], ['P-1'], ['P-0']])
    }),
  )
})

describe('a request too large for the service', () => {
  test.each([413, 414, 431])('(%i) is halved, and no longer one is sent', (code) =>
    withFolder(async (folder) => {
      await using service = await testService(
        answerBut((parts) => (parts.length > 2 ? status(code) : undefined)),
      )
      const { result, sent, notices } = await run(service, folder, { batchSize: 5, concurrency: 1 })
      expect(result.requests.flatMap(({ parts }) => parts)).toEqual(numbered(10))
      expect(sent.map((parts) => parts.length)).toEqual([5, 3, 2, 2, 2, 2, 2])
      expect(notices.filter(({ event }) => event === 'request.halved')).toHaveLength(2)
      const refused = Buffer.byteLength(service.requests[1]!.target) + service.url.length
      const accepted = Buffer.byteLength(service.requests[2]!.target) + service.url.length
      expect(result.learned).toEqual({ accepted, refused })
    }),
  )

  test.each([1, 4])('is rare, however long the list is (%i at once)', (concurrency) =>
    withFolder(async (folder) => {
      const most = 1_000
      await using service = await testService(({ target }) =>
        Buffer.byteLength(target) > most ? status(414) : archiveOf(partsIn(target)),
      )
      const parts = numbered(1_000)
      const { result } = await run(service, folder, { parts, batchSize: 10_000, concurrency })
      expect(result.requests.flatMap(({ parts: some }) => some)).toEqual(parts)
      const lengths = service.requests.map(({ target }) => Buffer.byteLength(target))
      const refused = lengths.filter((length) => length > most)
      // Only what was in flight with the first refused request is longer than it.
      expect(refused.length).toBeLessThanOrEqual(4 + concurrency)
      const best = Math.ceil(lengths.reduce((sum, length) => sum + length, 0) / most)
      expect(lengths.length).toBeLessThanOrEqual(1.3 * best + refused.length)
    }),
  )

  const GUNICORN =
    '<html><head><title>Bad Request</title></head><body><h1>Bad Request</h1>Request Line is too large (4950 &gt; 4094)</body></html>'
  const IIS = '<html><head><title>404 - File or directory not found.</title></head></html>'

  test.each([
    ['gunicorn', 4_094, 400, GUNICORN, 1],
    ['gunicorn', 4_094, 400, GUNICORN, 4],
    ['IIS, which gives no reason', 2_048, 404, IIS, 1],
    ['IIS, which gives no reason', 2_048, 404, IIS, 4],
    ['a proxy that says nothing', 4_094, 400, '', 4],
    ['a service that says its status', 2_048, 400, '{"message":"Bad Request"}', 4],
  ] as const)('is divided for %s: %i bytes, status %i', (_, most, code, body, concurrency) =>
    withFolder(async (folder) => {
      await using service = await testService(({ target }) =>
        target.length > most ? { status: code, body } : archiveOf(partsIn(target)),
      )
      const parts = numbered(1_500)
      const { result, failure } = await run(service, folder, { parts, batchSize: 10_000, concurrency })
      expect(failure).toBeUndefined()
      expect(result.requests.flatMap(({ parts: some }) => some)).toEqual(parts)
      const refused = service.requests.filter(({ target }) => target.length > most)
      expect(refused.length).toBeLessThanOrEqual(5 + concurrency)
      expect(result.learned!.accepted).toBeGreaterThan(most * 0.8)
    }),
  )

  test.each([
    ['a web page of a wrong address', { status: 404, body: '<html><title>Welcome</title></html>' }, 2],
    ['nothing, whatever the length', { status: 400, body: '' }, 2],
    ['a reason', { status: 400, body: '{"message":"supplier is not valid"}' }, 1],
  ] as const)('is not what a refusal with %s is about', (_, reply, requests) =>
    withFolder(async (folder) => {
      await using service = await testService(reply)
      const { failure, sent } = await run(service, folder, { batchSize: 8, concurrency: 1 })
      expect(failure).toMatchObject({ kind: 'rejected', details: { httpStatus: reply.status } })
      expect(failure!.hint).not.toMatch(/too long/)
      expect(sent).toHaveLength(requests)
      expect(await leftIn(folder)).toEqual([])
    }),
  )

  test('is not the reason where one as long was answered', () =>
    withFolder(async (folder) => {
      await using service = await testService(
        answerBut(([first]) => (first === 'P-6' ? { status: 400, body: '' } : undefined)),
      )
      const { failure, sent } = await run(service, folder, { batchSize: 2, concurrency: 1 })
      expect(failure!.message).toMatch(/^request 4 of 5 /)
      expect(sent).toHaveLength(4)
    }))

  test('is found out anew by the run that resumes, which warns of no allowance', () =>
    withFolder(async (folder) => {
      let isWell = false
      const refuse: Answerer = answerBut((parts) =>
        parts.length > 2 ? status(414) : !isWell && parts[0] === 'P-4' ? status(400) : undefined,
      )
      await using service = await testService(refuse)
      const first = await run(service, folder, { batchSize: 5, concurrency: 1 })
      expect(first.failure!.kind).toBe('rejected')
      isWell = true
      const again = await run(service, folder, { batchSize: 5, concurrency: 1 })
      expect(again.sent.flat()).toEqual(expect.arrayContaining(numbered(10).slice(4)))
      expect(again.result.requests.flatMap(({ parts }) => parts)).toEqual(numbered(10))
      expect(again.notices.map(({ event }) => event)).not.toContain('job.unanswered')
    }))

  test('with one part is refused', () =>
    withFolder(async (folder) => {
      await using service = await testService(status(414))
      const { failure, sent } = await run(service, folder, { parts: ['A', 'B'], concurrency: 1 })
      expect(failure).toMatchObject({ kind: 'rejected', details: { httpStatus: 414 } })
      expect(failure!.message).toMatch(/^request 2 of \d \(part 'A'\): the request is too long for /)
      expect(sent).toEqual([['A', 'B'], ['A']])
      expect(failure!.hint).toMatch(/even the request for this part alone is too long/)
      expect(failure!.details).toMatchObject({ fewerParts: false, options: ['allow-partial'] })
      expect(await leftIn(folder)).toEqual([])
    }))
})

describe('with --allow-partial', () => {
  test('a job continues without the requests that failed', () =>
    withFolder(async (folder) => {
      await using service = await testService(
        answerBut(([first]) => (first === 'P-4' ? status(422) : undefined)),
      )
      const { result, notices } = await run(service, folder, { allowPartial: true })
      expect(result.requests.map(({ error }) => error?.kind)).toEqual([
        undefined,
        undefined,
        'rejected',
        undefined,
        undefined,
      ])
      expect(result.requests[2]).toMatchObject({
        parts: ['P-4', 'P-5'],
        status: 422,
        attempts: 1,
        bytes: 0,
        answer: undefined,
      })
      expect(notices.map(({ event }) => event)).toContain('request.failed')
    }))

  test('a job without any response has failed', () =>
    withFolder(async (folder) => {
      await using service = await testService(status(422))
      const { result } = await run(service, folder, { allowPartial: true })
      expect(result.failure).toMatchObject({ kind: 'rejected', details: { httpStatus: 422 } })
      expect(result.requests.map(({ error }) => error?.kind)).toEqual(Array(5).fill('rejected'))
      expect(await leftIn(folder)).toEqual([])
    }))
})
