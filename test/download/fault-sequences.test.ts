import { expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../src/archive/problem.ts'
import { Failure, isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
import { Plan } from '../../src/download/plan.ts'
import type { RunContext } from '../../src/download/run-context.ts'
import { type Responses, sendRequests, verifyResponse } from '../../src/download/send-requests.ts'
import type { ServiceResponse } from '../../src/http/exchange.ts'
import { networkFault, outcomeOf } from '../../src/http/outcome.ts'
import type { Service } from '../../src/http/service.ts'
import { openLibrary } from '../../src/library/library.ts'
import { memoryDisk } from '../support/memory-disk.ts'
import { pick, seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { testWorld } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const RUNS = sweep(500, 20_000)
const BASE_URL = 'https://api.example.com'
const MOST_MS = 3 * 3_600_000

const FAULTS = [
  'damaged',
  'cut',
  'cut-resumable',
  '429',
  '429-right',
  '429-short',
  '503',
  '503-right',
  '503-short',
  'reset',
  '202',
  '202-location',
  '204',
  'stall',
  'redirect',
] as const
type Fault = (typeof FAULTS)[number] | '404'

/** What the service has seen of one request. */
interface Seen {
  /** Requests that were answered with a fault that `--retries` counts. */
  counted: number
  /** A whole archive, or an empty answer, has left for the client. */
  isComplete: boolean
  /** Requests that came after that. */
  again: number
  /** Checks that fail for now are not counted. */
  isPreparing: boolean
  /** It was said where the archive is, and it is still there. */
  isPlaced: boolean
  /** Requests to the service after that. */
  paidTwice: number
}

const STORE_FAULTS = ['damaged', 'cut', 'cut-resumable', '503', '503-right', 'reset', 'stall', '404'] as const

/** A service whose answers follow from a seed, on a clock of its own. */
function faultyService(seed: number, clock: ReturnType<typeof virtualClock>, faultShare: number) {
  const random = seeded(seed)
  const seen = new Map<string, Seen>()
  const paidParts = new Set<string>()
  let inFlight = 0
  let most = 0
  let closedUntilMs = 0

  const of = (part: string): Seen => {
    const known = seen.get(part) ?? {
      counted: 0,
      isComplete: false,
      again: 0,
      isPreparing: false,
      isPlaced: false,
      paidTwice: 0,
    }
    seen.set(part, known)
    return known
  }
  const enter = (): (() => void) => {
    inFlight += 1
    most = Math.max(most, inFlight)
    let isOpen = true
    return () => {
      if (isOpen) inFlight -= 1
      isOpen = false
    }
  }

  const send: Service['send'] = async (request, { signal, headers = {}, place, onPlace }) => {
    const part = /partNumbers\[\]=([^&]*)/.exec(request.url)![1]!
    const it = of(part)
    const body = archiveOf(part)
    const start = Number(/^bytes=(\d+)-$/.exec(headers.Range ?? '')?.[1] ?? 0)
    const answered = { atMs: clock.nowMs(), waitedMs: 0, headerMs: clock.nowMs() }
    let isAtStore = place !== undefined && place.request.url !== request.url
    const leave = enter()
    if (it.isComplete) it.again += 1
    if (it.isPlaced && !isAtStore) it.paidTwice += 1
    try {
      await clock.sleep(20 + random() * 400, signal)
      const isClosed = clock.monotonicMs() < closedUntilMs
      let fault: Fault | undefined
      if (isClosed && !isAtStore) fault = pick(random, ['429', '429-right', '429-short'] as const)
      else if (random() < faultShare) fault = isAtStore ? pick(random, STORE_FAULTS) : pick(random, FAULTS)
      if (fault === '202') onPlace?.({ request, answered })
      if (fault === 'redirect' || fault === '202-location') {
        onPlace?.({ request: { ...request, url: 'https://store.example.com/a.zip' }, answered })
        it.isPlaced = true
      }
      if (fault === 'redirect') {
        isAtStore = true
        fault = random() < faultShare ? pick(random, STORE_FAULTS) : undefined
      }
      return answer(fault, leave)
    } catch (error) {
      leave()
      throw error
    }

    function answer(fault: Fault | undefined, leave: () => void): ServiceResponse {
      if (fault === '202' || fault === '202-location') {
        it.isPreparing = true
        return response(202, {})
      }
      if (fault === '404') {
        it.isPlaced = false
        return response(404, {})
      }
      const refused = /^(429|503)(-right|-short)?$/.exec(fault ?? '')
      if (fault === 'reset') {
        if (!it.isPreparing) it.counted += 1
        throw networkFault('always', 'the connection was reset')
      }
      if (refused !== null) {
        const waitMs = 1_000 + Math.floor(random() * 20) * 1_000
        closedUntilMs = Math.max(closedUntilMs, clock.monotonicMs() + (random() < 0.5 ? waitMs : 0))
        const seconds = refused[2] === '-right' ? waitMs / 1000 : 1
        return response(Number(refused[1]), refused[2] === undefined ? {} : { 'retry-after': `${seconds}` })
      }
      it.isPreparing = false
      if (fault === '204') {
        // To a request for the rest it says nothing.
        it.isComplete = start === 0
        return response(204, {})
      }
      const isResumable = fault === 'cut-resumable' || start > 0
      const tag = isResumable ? { etag: '"v1"', 'accept-ranges': 'bytes' } : {}
      const isPart = start > 0
      const range = isPart ? { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` } : {}
      const ends =
        fault === 'cut' || fault === 'cut-resumable' ? 'cut' : fault === 'stall' ? 'stall' : 'whole'
      const bytes = (fault === 'damaged' ? damaged(body, random) : body).subarray(start)
      // A transfer that can be resumed from new bytes is not counted.
      if ((ends !== 'whole' && !isResumable) || fault === 'damaged') it.counted += 1
      const isGood = ends === 'whole' && fault !== 'damaged'
      return response(isPart ? 206 : 200, { ...tag, ...range }, bytes, ends, isGood)

      function response(
        status: number,
        own: Readonly<Record<string, string>>,
        content: Uint8Array = Buffer.alloc(0),
        end: 'whole' | 'cut' | 'stall' = 'whole',
        isArchive = false,
      ): ServiceResponse {
        const close = async (): Promise<void> => leave()
        return {
          status,
          outcome: outcomeOf(status, { isRedirected: isAtStore, foreign: isAtStore }),
          headers: own,
          body: pieces(content, end, isArchive),
          finalUrl: isAtStore ? 'https://store.example.com/a.zip' : request.url,
          host: 'api.example.com',
          isRedirected: isAtStore,
          foreign: isAtStore,
          serverDateMs: clock.nowMs(),
          answered,
          setsCookie: false,
          contentLength: status === 200 ? content.length : undefined,
          abandon: () => leave(),
          drain: close,
        }
      }

      async function* pieces(content: Uint8Array, end: 'whole' | 'cut' | 'stall', isArchive: boolean) {
        const middle = Math.ceil(content.length / 2)
        try {
          if (content.length > 0) yield content.subarray(0, middle)
          await clock.sleep(50, signal)
          if (end === 'stall') await clock.sleep(60_000, signal)
          if (end !== 'whole') throw networkFault('always', 'the transfer was cut short')
          yield content.subarray(middle)
          if (isArchive) {
            it.isComplete = true
            paidParts.add(part)
          }
        } finally {
          leave()
        }
      }
    }
  }

  const service = {
    secretName: 'token',
    secretSource: 'MATDECL_TOKEN',
    traits: { compresses: false, isBehind: false, hasUnreadTimes: false },
    responseTimeoutMs: 600_000,
    send,
    getJson: async () => undefined,
    redact: (text: string) => text,
    close: async () => undefined,
  } as unknown as Service
  return { service, seen, paidParts, most: () => most }
}

function archiveOf(part: string): Buffer {
  return zip([
    { name: `${part}.xml`, data: `<Product><ProductID itemNumber="${part}"/></Product>`, method: 0 },
  ])
}

function damaged(body: Buffer, random: () => number): Buffer {
  const copy = Buffer.from(body)
  const at = 60 + Math.floor(random() * 20)
  copy[at] = copy[at]! ^ (1 + Math.floor(random() * 254))
  return copy
}

test(`${RUNS} sequences of faults each end with a result`, async () => {
  const ends = new Map<string, number>()
  for (let seed = 0; seed < RUNS; seed += 1) {
    const end = await oneRun(seed)
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  // Neither all well nor all ill.
  expect(ends.get('complete') ?? 0).toBeGreaterThan(RUNS / 10)
  expect(ends.size).toBeGreaterThan(3)
}, 1_200_000)

async function oneRun(seed: number): Promise<string> {
  const random = seeded(seed + 1_000_000)
  const parts = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, index) => `P${index}`)
  const concurrency = 1 + Math.floor(random() * 4)
  const retries = Math.floor(random() * 6)
  const ratePerMinute = pick(random, [20, 100, 1_000])
  const allowPartial = random() < 0.5
  const stopsAtMs = random() < 0.4 ? Math.floor(random() * 30_000) : undefined
  const label = `seed ${seed}`

  const clock = virtualClock()
  const memory = memoryDisk(clock.nowMs, process.geteuid?.())
  const { disk, syncDisk } = memory
  const world = testWorld({ clock, random: seeded(seed + 2_000_000), disk, syncDisk })
  const stop = new AbortController()
  const faulty = faultyService(seed, clock, random() * 0.6)
  const plan = new Plan(
    BASE_URL,
    { api: 'v2', format: '1752A' },
    { parts },
    { maxUrlLength: 8000, batchSize: 1 },
  )
  const context: RunContext = {
    world,
    reporter: SILENT,
    service: faulty.service,
    userAgent: 'matdecl/0.0.0-test',
    apiKey: undefined,
    ratePerMinute,
    concurrency,
    retries,
    maxWaitMs: 300_000,
    limits: DEFAULT_ARCHIVE_LIMITS,
    allowPartial,
    finishMs: 30_000,
    reconcile: true,
    signal: stop.signal,
  }
  const startedMs = clock.monotonicMs()
  const ended = new AbortController()
  let stoppedMs: number | undefined
  const ctrlC = new Failure('interrupted', 'stopped by Ctrl-C', { exitCode: 130 })
  const reason = pick(random, [
    ctrlC,
    new Failure('interrupted', 'stopped by SIGTERM', { exitCode: 143 }),
    new Failure('unavailable', 'the run took longer than its limit'),
  ])
  if (stopsAtMs !== undefined) {
    void clock.sleep(stopsAtMs, ended.signal).then(
      () => {
        stoppedMs = clock.monotonicMs()
        stop.abort(reason)
      },
      () => undefined,
    )
  }

  const open = async (isLast: boolean) =>
    (await openLibrary(world, '/job', {
      isJob: true,
      tool: 'test',
      lock: { requireHeld: async () => undefined, [Symbol.asyncDispose]: async () => undefined },
      reporter: SILENT,
      signal: isLast ? new AbortController().signal : stop.signal,
      verify: (path) => verifyResponse({ ...context, signal: new AbortController().signal }, path),
    }))!
  const work = async (): Promise<Responses> => {
    const library = await open(false)
    const search = { api: 'v2', format: '1752A', baseUrl: BASE_URL } as const
    const result = await sendRequests(context, library, [
      { search, plan, done: new Set(), begun: [], isListed: true },
    ])
    ended.abort(new Error('over'))
    await library[Symbol.asyncDispose]()
    return result
  }
  const result = await clock.run(work()).catch((error: unknown) => {
    throw new Error(`${label}: ${error instanceof Error ? error.stack : error}`)
  })
  const tookMs = clock.monotonicMs() - startedMs

  expect(tookMs, label).toBeLessThan(MOST_MS)
  // No wait lasts longer than that. After Ctrl-C, a response that moves is finished.
  if (stoppedMs !== undefined)
    expect(clock.monotonicMs() - stoppedMs, label).toBeLessThan(reason === ctrlC ? 4_000 : 1_000)
  expect(faulty.most(), label).toBeLessThanOrEqual(concurrency)
  for (const [part, { counted, again, paidTwice }] of faulty.seen) {
    expect({ part, again, paidTwice }, label).toEqual({ part, again: 0, paidTwice: 0 })
    expect(counted, `${label} ${part}`).toBeLessThanOrEqual(retries + 1)
  }
  if (result.failure !== undefined && !isFailure(result.failure)) throw result.failure
  const answered = new Set(
    result.requests.flatMap(({ answer, parts: own }) => (answer === undefined ? [] : own)),
  )
  if (result.failure === undefined && !allowPartial)
    expect([...answered].sort(), label).toEqual([...parts].sort())

  // What came whole is there in the next run.
  const next = await clock.run(open(true))
  const safe = new Set(next.answers.flatMap((answer) => answer.parts))
  for (const part of faulty.paidParts) expect([part, safe.has(part)], label).toEqual([part, true])
  await next[Symbol.asyncDispose]()
  expect(memory.openFiles(), label).toBe(0)

  if (result.failure === undefined) return answered.size === parts.length ? 'complete' : 'partial'
  return (result.failure as Failure).kind
}
