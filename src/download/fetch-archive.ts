import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { type Failure, isFailure, isOutOfFiles, systemCode } from '../base/failure.ts'
import { SIGNATURE_BYTES, startsLikeZip } from '../base/file-signatures.ts'
import { formatBytes, formatCount, formatInstant } from '../base/units.ts'
import { type Draft, type FileIdentity, openDraft } from '../fs/draft.ts'
import { FileHash } from '../fs/file-hash.ts'
import { requireRoom } from '../fs/output-target.ts'
import { decodedBody, encodingsOf, peeked } from '../http/body-encoding.ts'
import { MAX_START_MS, PREVIEW_BYTES, previewBody, readStart } from '../http/body-preview.ts'
import {
  isOtherContent,
  parseContentRange,
  parseUnsatisfiedTotal,
  type ResumePoint,
  rangeHeaders,
  rangeMismatch,
  resumableTag,
} from '../http/content-range.ts'
import type { ServiceResponse } from '../http/exchange.ts'
import { Fault, isWhole, networkFault, notAnArchive, refusal } from '../http/outcome.ts'
import type { ArchivePlace, Service } from '../http/service.ts'
import type { BodyFacts, IncomingResponse } from '../library/incoming.ts'
import { answerDate } from '../library/known.ts'
import { type AttemptContext, type AttemptFacts, type AttemptOptions, Attempts, notice } from './attempts.ts'
import type { RunContext } from './run-context.ts'

/** One request of a run, and where its archive goes. */
export interface FetchOptions<V> extends AttemptOptions {
  /** How far its response is. */
  readonly incoming: IncomingResponse
  /** The first day that it asks for, `YYYY-MM-DD`. */
  readonly startDate?: string | undefined
  /** Verifies the received file; throws a Failure `archive` when it is damaged or unsafe. */
  readonly verify: (path: string) => Promise<V>
  /** Called when the service has responded with an archive, or with nothing. */
  readonly onAccepted: () => void
}

/** What the requests of a run have in common. */
type FetchContext = AttemptContext & Pick<RunContext, 'limits'>

/** A received archive, verified and synced. */
interface ReceivedArchive<V> {
  readonly bytes: number
  readonly sha256: string
  readonly verified: V
  /** The file that was verified. */
  readonly identity: FileIdentity
}

/** What one attempt received. */
interface Received<V> {
  readonly status: number
  /** Undefined after a 204. */
  readonly archive: ReceivedArchive<V> | undefined
}

/** What a request has received in the end. */
export interface Fetched<V> extends Received<V>, AttemptFacts {
  /** From the start of the first attempt to the end, waits included. */
  readonly seconds: number
  /** When the request was sent that was answered, by this machine's clock: milliseconds since the epoch. */
  readonly at: number
  /** When the service answered it, by its own clock, as `answerDate` says. */
  readonly date: number | undefined
}

/**
 * Sends one request and receives, verifies and syncs its archive, with retries; continues what an earlier run kept of it. Resolves
 * with the hash of the file, or without an archive for a 204. Rejects with a Failure; the body is then removed, unless a later run can
 * continue it.
 */
export async function fetchArchive<V>(context: FetchContext, options: FetchOptions<V>): Promise<Fetched<V>> {
  const { clock } = context.world
  const startedMs = clock.monotonicMs()
  const attempts = new Attempts(context, options)
  await using transfer = await Transfer.open(context, options, attempts)
  try {
    while (true) {
      await attempts.admit()
      const received = await transfer
        .attempt()
        .catch((error: unknown) => attempts.failed(error, transfer.lastFailure))
      if (received === undefined) continue
      const seconds = (clock.monotonicMs() - startedMs) / 1000
      return { ...received, ...attempts.facts(), ...transfer.answeredAt, seconds }
    }
  } catch (error) {
    await transfer.leave(error)
    throw error
  }
}

/**
 * What a response has: the whole body, the rest of it, nothing, nothing because the draft is already complete, or for a request for the
 * rest something that does not continue the draft.
 */
type Head =
  | { readonly kind: 'rest'; readonly totalBytes: number | undefined }
  | { readonly kind: 'misfit'; readonly why: string }
  | { readonly kind: 'whole' | 'empty' | 'complete' }

/** What a store answers that no longer has an archive, or whose address has run out. */
const NO_LONGER_THERE: readonly number[] = [403, 404, 410]

/** How often, and after which wait, a file is opened again that the system had no room for. */
const MOST_FILE_TRIES = 100
const FILE_WAIT_MS = 50

const MARK_EVERY_MS = 50
/** A slow transfer loses less than this when it is killed. */
const MARK_SLOW_BYTES = 32 * 1024
/** How much a fast transfer receives between marks. */
const MARK_FAST_BYTES = 1024 * 1024

const DAY_MS = 86_400_000

// Failures after which the same body may still be there, and one that is complete is still good.
const KEPT_AFTER: readonly string[] = [
  'interrupted',
  'unavailable',
  'limited',
  'auth',
  'rejected',
  'io',
  'config',
  'internal',
]

/**
 * Receives one response body into a draft, in one or more attempts. It alone knows how far the body is: what is written, hashed, safe
 * on disk for a later run, and from where the next attempt may resume. Disposing removes the draft unless it is complete or kept.
 */
class Transfer<V> implements AsyncDisposable {
  /**
   * How many failed attempts the last failure counts for: none when the next one can resume from new bytes, two when bytes of
   * earlier attempts had to be received again.
   */
  #failures = 1
  /** When the request was sent and answered of which the body is. */
  answeredAt: Pick<Fetched<V>, 'at' | 'date'> = { at: 0, date: undefined }

  readonly #context: FetchContext
  readonly #options: FetchOptions<V>
  readonly #attempts: Attempts
  readonly #hash: FileHash
  #draft: Draft
  /** Where its archive is, or will be: the next attempt need not ask the service, which would use allowance again. */
  #place: ArchivePlace | undefined
  /** The service has answered with an archive or its place, and may have counted that. */
  #isPaid = false
  /** The SHA-256 of archives that were damaged: the same bytes again are as damaged every time. */
  readonly #damaged = new Set<string>()
  /** Where the next attempt may resume. */
  #point: ResumePoint | undefined
  /** False after the pieces of several attempts did not fit together. */
  #mayResume = true
  #wasResumed: boolean
  #hasGained = false
  #furthest: number
  /** What an earlier run has left. */
  readonly #found: { readonly body: BodyFacts; readonly kept: number } | undefined
  #marking: Promise<void> | undefined

  /** A transfer into a draft that is created first, so that an unwritable disk is found before anything is sent. */
  static async open<V>(
    context: FetchContext,
    options: FetchOptions<V>,
    attempts: Attempts,
  ): Promise<Transfer<V>> {
    const { path, kept } = options.incoming
    const hash = new FileHash(context.world, path)
    const draft = await openDraftOf(context, path, hash, kept)
    if (kept > 0) hash.resume(kept)
    return new Transfer(context, options, attempts, hash, draft)
  }

  private constructor(
    context: FetchContext,
    options: FetchOptions<V>,
    attempts: Attempts,
    hash: FileHash,
    draft: Draft,
  ) {
    this.#context = context
    this.#options = options
    this.#attempts = attempts
    this.#hash = hash
    this.#draft = draft
    const { kept, body } = options.incoming
    this.#wasResumed = kept > 0
    this.#furthest = kept
    this.#found = kept > 0 && body !== undefined ? { body, kept } : undefined
    if (kept === 0 || body?.etag === undefined) return
    this.answeredAt = { at: body.at, date: body.date }
    this.#point = { start: kept, etag: body.etag, total: body.total }
  }

  /** What the last failure counts for, and whether the next attempt may use allowance again. */
  get lastFailure(): { readonly added: number; readonly isPaid: boolean } {
    // One that was sent, and that nothing came of, may have been counted.
    const isPaid = this.#isPaid || this.#options.incoming.lost === 'no-response'
    return { added: this.#failures, isPaid: isPaid && this.#place === undefined }
  }

  /**
   * Sends the request once, receives and verifies the file; throws a Fault or Failure. Undefined when it has to be sent again, which is
   * nobody's failure: the archive is being prepared, is no longer where it was, or the response does not continue what is here.
   */
  async attempt(): Promise<Received<V> | undefined> {
    const { service } = this.#context
    const { reporter, signal } = this.#options
    const point = this.#point
    const place = this.#place
    this.#failures = 1
    // Progress includes the bytes that are kept.
    reporter.progress({ phase: 'asking', bytes: point?.start ?? 0, totalBytes: point?.total })
    const headers = point === undefined ? {} : rangeHeaders(point)
    let response: ServiceResponse | undefined
    try {
      response = await this.#send(headers)
    } finally {
      this.#attempts.record(response)
    }
    const { status, headers: received } = response
    if (status === 202 && !isWhole(response)) {
      this.#options.incoming.preparing()
      await this.#attempts.checkAgain(response)
      return undefined
    }
    if (this.#isGone(status)) {
      this.#place = undefined
      if (place !== undefined) {
        await response.drain()
        this.#noticeGone(status)
        return undefined
      }
    }
    this.#point = undefined
    const head = await readHead(service, response, point).catch((error: unknown) => {
      if (point !== undefined && isAboutRange(error, status))
        return { kind: 'misfit', why: error.message } as const
      // An error status says nothing about the content.
      if (status >= 400) this.#point = point
      throw error
    })
    if (head.kind === 'misfit') {
      this.#neverResumes()
      // What an error status, or a login page, is the answer to, may still be there.
      if (status === 206 || status === 416 || isSlice(response)) await this.#forget()
      const what = `${response.host} did not resume the transfer as requested: ${head.why}; starting over${this.#againCosts}`
      notice(this.#options, 'request.restart', what)
      return undefined
    }
    if (head.kind === 'empty') {
      this.answeredAt = answerTimes(response)
      return { status, archive: undefined }
    }
    if (head.kind === 'whole') {
      const { body: bytes, totalBytes, isDecoded } = await decodedBody(response, service.redact)
      const body = await zipOnly(service, response, bytes, signal).catch((error: unknown) => {
        if (point === undefined || !isFailure(error) || error.kind !== 'rejected') throw error
        const what = `${error.message}; requesting the whole archive${this.#againCosts}`
        notice(this.#options, 'request.restart', what)
        return undefined
      })
      // A login page is no reason to give up the bytes that are kept.
      if (body === undefined) return undefined
      await this.#startOver(point && whyNotResumed(point, received, isDecoded))
      if (isDecoded && !service.traits.compresses) {
        service.traits.compresses = true
        const what = `${response.host} compresses responses although requests do not allow it; decompressing them`
        notice(this.#options, 'request.compressed', what)
      }
      const etag = isDecoded ? undefined : resumableTag(received)
      // It will answer a later run in the same way: what is kept would be of no use.
      if (point !== undefined && etag === point.etag) this.#neverResumes()
      await this.#begin(response, totalBytes, etag)
      await this.#receive(response, body, totalBytes, etag)
    } else {
      this.#wasResumed = true
      // A 206 may omit the validator, which is then the one in If-Range.
      const etag = resumableTag(received) ?? point?.etag
      if (head.kind === 'rest') await this.#receive(response, response.body, head.totalBytes, etag)
    }
    return { status, archive: await this.#finish(response) }
  }

  #neverResumes(): void {
    this.#mayResume = false
    this.#options.incoming.refusedRange()
  }

  /** Ends the transfer with this error: what a later run can continue is kept. */
  async leave(error: unknown): Promise<void> {
    const { incoming } = this.#options
    await this.#marking
    if (isFailure(error) && KEPT_AFTER.includes(error.kind)) {
      this.#markFrom(1)
      await this.#marking
      if (incoming.kept > 0) {
        const found = this.#found
        const isAsBefore = found?.body === incoming.body && found?.kept === incoming.kept
        if (isAsBefore && mayBeOfTheBytes(error)) await incoming.endedBy(endOf(error)).catch(() => undefined)
        return this.#draft.keep().catch(() => undefined)
      }
    }
    await incoming.forgetBody().catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hash.abandon()
    await this.#draft[Symbol.asyncDispose]()
  }

  // Notes the request before it is sent and what came of it.
  async #send(headers: Readonly<Record<string, string>>): Promise<ServiceResponse> {
    const { request, incoming, admitted, signal, closing, onAccepted } = this.#options
    const place = this.#place
    closing.throwIfAborted()
    if (place === undefined) await incoming.sending()
    const onPlace = (next: ArchivePlace): void => {
      this.#place = next
      this.#isPaid = true
    }
    const onSent = (): void => {
      if (this.#place === undefined) incoming.sent()
    }
    const sent = this.#context.service.send(request, { signal, headers, place, onPlace, onSent })
    admitted.sent()
    const response = await lookedInto(await sent)
    this.#checkStart(response)
    const { status } = response
    const isArchive = isWhole(response) || status === 206
    // One that has a place is still to come.
    if (isArchive || this.#place === undefined) incoming.responded(isArchive)
    if (isArchive || status === 204) {
      this.#isPaid = true
      onAccepted()
    }
    return response
  }

  // A start date that is past for this machine, and to come for the service, comes from a wrong clock: nothing can match.
  #checkStart({ serverDateMs, host, foreign }: ServiceResponse): void {
    const { startDate, reporter } = this.#options
    const { service, world } = this.#context
    if (startDate === undefined || serverDateMs === undefined || foreign || service.traits.isBehind) return
    const startMs = Date.parse(startDate)
    const nowMs = world.clock.nowMs()
    if (startMs > nowMs || startMs <= serverDateMs + DAY_MS) return
    service.traits.isBehind = true
    const clocks = `this machine's clock says ${formatInstant(nowMs)}, that of ${host} ${formatInstant(serverDateMs)}`
    reporter.notice({
      level: 'warning',
      event: 'clock.differs',
      message: `nothing can match: the start date ${startDate} is in the future for the service; ${clocks}: set the clock`,
      data: { startDate },
      // A request that can find nothing uses allowance.
      needsLook: true,
    })
  }

  /** The archive is not where the service said: it is no longer there, unless it is still being prepared. */
  #isGone(status: number): boolean {
    return this.#isElsewhere && NO_LONGER_THERE.includes(status) && !this.#attempts.isPreparing
  }

  get #isElsewhere(): boolean {
    return this.#place !== undefined && this.#place.request.url !== this.#options.request.url
  }

  get #againCosts(): string {
    return this.#place === undefined ? ', which may use allowance twice' : ''
  }

  #noticeGone(httpStatus: number): void {
    const { label, reporter } = this.#options
    const message = `${label}: the archive is no longer where the service had put it (status ${httpStatus}); requesting it again, which may use allowance twice`
    const data = { label, httpStatus }
    reporter.notice({ level: 'warning', event: 'request.gone', message, data, needsLook: true })
  }

  /** Begins with an empty draft; `why` the body that is here is not resumed, if there is one. */
  async #startOver(why: string | undefined): Promise<void> {
    if (why !== undefined) notice(this.#options, 'request.restart', `${why}; starting over`)
    if (this.#hasGained) this.#failures += 1
    this.#hasGained = false
    this.#wasResumed = false
    if (this.#draft.bytes() > 0) {
      await this.#forget()
      await this.#draft.cut(0)
    }
    this.#hash.restart()
  }

  async #begin(response: ServiceResponse, total: number | undefined, tag: string | undefined): Promise<void> {
    const { service } = this.#context
    // An entity tag that repeats a secret is not written to disk.
    const mayKeep = tag !== undefined && this.#mayResume && service.redact(tag) === tag
    this.answeredAt = answerTimes(response)
    const etag = mayKeep ? tag : undefined
    await this.#options.incoming.begin({ etag, total, status: response.status, ...this.answeredAt })
  }

  async #receive(
    response: ServiceResponse,
    body: AsyncIterable<Uint8Array>,
    totalBytes: number | undefined,
    etag: string | undefined,
  ): Promise<void> {
    const { reporter } = this.#options
    const { maxBytes } = this.#context.limits
    const draft = this.#draft
    if (totalBytes !== undefined) {
      await this.#checkSize(response, totalBytes, totalBytes - draft.bytes())
      this.#hash.expect(totalBytes)
    }
    // The bytes of a slow transfer are marked at intervals.
    const stopMarking = this.#context.world.clock.every(MARK_EVERY_MS, () => this.#markFrom(MARK_SLOW_BYTES))
    try {
      for await (const chunk of body) {
        if (draft.bytes() + chunk.length > maxBytes) throw tooLarge(response, maxBytes, undefined)
        const pending = draft.write(chunk)
        this.#hash.take(chunk)
        if (pending) await pending
        this.#markFrom(MARK_FAST_BYTES)
        reporter.progress({ phase: 'receiving', bytes: draft.bytes(), totalBytes })
      }
      if (totalBytes !== undefined && draft.bytes() !== totalBytes)
        throw cutShort(response, draft.bytes(), totalBytes)
    } catch (error) {
      // What ends the connection after the last byte takes nothing away.
      if (draft.bytes() === totalBytes) return
      await this.#keepPoint(error, etag, totalBytes)
      throw error
    } finally {
      stopMarking()
    }
  }

  // A transfer can only be resumed with a strong validator (RFC 9110 13.1.5).
  async #keepPoint(error: unknown, etag: string | undefined, total: number | undefined): Promise<void> {
    if (!(error instanceof Fault) || error.retry !== 'always' || !this.#mayResume || etag === undefined)
      return
    await this.#draft.flush()
    const start = this.#draft.bytes()
    if (start === 0) return
    this.#point = { start, etag, total }
    if (start <= this.#furthest) return
    this.#furthest = start
    this.#failures -= 1
    this.#hasGained = true
  }

  async #checkSize(response: ServiceResponse, totalBytes: number, neededBytes: number): Promise<void> {
    const { path } = this.#options.incoming
    const { maxBytes } = this.#context.limits
    try {
      await requireRoom(this.#context.world.disk, dirname(path), neededBytes)
      if (totalBytes > maxBytes) throw tooLarge(response, maxBytes, totalBytes)
    } catch (error) {
      response.abandon()
      throw error
    }
  }

  // Verifying, hashing and syncing run at the same time; the first failure ends all three.
  async #finish(response: ServiceResponse): Promise<ReceivedArchive<V>> {
    const { reporter, incoming, admitted, signal } = this.#options
    const draft = this.#draft
    await draft.flush()
    admitted.leave()
    // A disk that cannot record it only means that less is kept.
    await incoming.complete(draft.bytes()).catch(() => undefined)
    // The next request that asks the service is a new one.
    if (!this.#isElsewhere) this.#place = undefined
    reporter.progress({ phase: 'verifying', bytes: draft.bytes() })
    const synced = draft.sync().then(async () => {
      await this.#marking
      this.#markFrom(MARK_SLOW_BYTES)
      await this.#marking
    })
    const hashed = this.#hash.finish()
    synced.catch(() => undefined)
    hashed.catch(() => undefined)
    try {
      await admitted.othersSent(signal)
      const verified = await this.#verify()
      const [sha256] = await Promise.all([hashed, synced])
      if (!(await draft.isInPlace())) throw vanished(incoming.path)
      const identity = await draft.identity()
      await draft.keep()
      return { bytes: draft.bytes(), sha256, verified, identity }
    } catch (error) {
      await synced.catch(() => undefined)
      // A run that is stopped does not wait for the hash.
      const isDamaged = isFailure(error) && error.kind === 'archive'
      const sha256 = isDamaged ? await hashed.catch(() => undefined) : undefined
      this.#hash.restart()
      throw await this.#explain(error, response, sha256)
    }
  }

  // It needs a file more: where the system gives none, others finish first, and fewer are in flight from then on.
  async #verify(): Promise<V> {
    const { incoming, admitted, signal, verify } = this.#options
    for (let tries = 1; ; tries += 1) {
      try {
        return await verify(incoming.path)
      } catch (error) {
        if (tries === MOST_FILE_TRIES || !isOutOfFiles(error)) throw error
        if (tries === 1) admitted.lower()
        await this.#context.world.clock.sleep(FILE_WAIT_MS, signal)
      }
    }
  }

  async #explain(error: unknown, response: ServiceResponse, sha256: string | undefined): Promise<unknown> {
    const { path: draftPath } = this.#options.incoming
    if (!(await this.#draft.isInPlace().catch(() => true))) {
      await this.#forget()
      await this.#draft[Symbol.asyncDispose]()
      this.#draft = await openDraftOf(this.#context, draftPath, this.#hash)
      return vanished(draftPath)
    }
    if (!isFailure(error) || error.kind !== 'archive') return error
    await this.#forget()
    const isSame = sha256 !== undefined && this.#damaged.has(sha256)
    if (sha256 !== undefined) this.#damaged.add(sha256)
    const fault = damaged(error, response, { draftPath, wasResumed: this.#wasResumed, isSame })
    // Pieces of several attempts may be of different archives: the next transfer starts over.
    this.#mayResume &&= !this.#wasResumed
    return fault
  }

  #markFrom(leastBytes: number): void {
    const { kept, body } = this.#options.incoming
    if (body?.etag === undefined || this.#marking !== undefined) return
    if (this.#draft.bytes() - kept < leastBytes) return
    this.#marking = this.#mark(body).finally(() => {
      this.#marking = undefined
    })
  }

  // A disk that cannot record it only means that less is kept; the transfer itself notices a broken disk.
  async #mark(body: BodyFacts): Promise<void> {
    const { incoming } = this.#options
    try {
      const bytes = await this.#draft.secure()
      if (incoming.body === body) await incoming.mark(bytes)
    } catch {}
  }

  async #forget(): Promise<void> {
    await this.#marking
    await this.#options.incoming.forgetBody()
  }
}

// Where there is no connection, no token or no room, it is not for the bytes that are kept.
const OTHER_KINDS: readonly string[] = ['interrupted', 'limited', 'io', 'config', 'internal']
const OTHER_STATUSES: readonly (number | undefined)[] = [401, 407, 429]
const NO_CONNECTION: readonly (string | undefined)[] = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
]

/** The response; of a 202 it is known whether its body is the archive, or the state of one that is being prepared. */
async function lookedInto(response: ServiceResponse): Promise<ServiceResponse> {
  if (response.status !== 202) return response
  const timer = setTimeout(response.abandon, MAX_START_MS)
  const { start, body } = await peeked(response.body)
    .catch(() => ({ start: new Uint8Array(), body: Readable.from([]) }))
    .finally(() => clearTimeout(timer))
  return { ...response, body, hasArchive: startsLikeZip(start) }
}

/** Whether a request for the rest of a body may have failed because of what was requested. */
function mayBeOfTheBytes(error: Failure): boolean {
  if (OTHER_KINDS.includes(error.kind) || OTHER_STATUSES.includes(error.details.httpStatus)) return false
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (NO_CONNECTION.includes(systemCode(cause))) return false
  return true
}

function endOf({ kind, details }: Failure): string {
  return details.httpStatus === undefined ? kind : `${kind} ${details.httpStatus}`
}

/** When a request was sent, and when the service answered it. */
function answerTimes({ answered }: ServiceResponse): Pick<Fetched<unknown>, 'at' | 'date'> {
  return { at: answered.atMs, date: answerDate(answered) }
}

function openDraftOf(
  { world }: FetchContext,
  path: string,
  hash: FileHash,
  continueAfter?: number,
): Promise<Draft> {
  const onWritten = (bytes: number): void => hash.written(bytes)
  return openDraft(world.disk, path, { mode: 0o600, onWritten, continueAfter })
}

/**
 * Checks the head of a response to a request for the whole body, or for the rest from `point`. Throws a Fault for a response
 * without a usable body, with the service's own message if there is one.
 */
async function readHead(
  service: Service,
  response: ServiceResponse,
  point: ResumePoint | undefined,
): Promise<Head> {
  const { status, headers } = response
  if (status === 204) {
    await response.drain()
    return point === undefined ? { kind: 'empty' } : { kind: 'misfit', why: 'it has nothing (status 204)' }
  }
  if (status === 416 && point !== undefined) {
    await response.drain()
    if (parseUnsatisfiedTotal(headers['content-range']) === point.start) return { kind: 'complete' }
    return { kind: 'misfit', why: 'it no longer has the rest (status 416)' }
  }
  if (point !== undefined && isSlice(response)) {
    response.abandon()
    return { kind: 'misfit', why: `it sent a part of the file as status ${status}` }
  }
  if (isWhole(response) || (status === 206 && point === undefined && hasAll(headers)))
    return { kind: 'whole' }
  if (status === 206 && point !== undefined) return readRest(response, point)
  const skipsBody = response.outcome.skipsBody === true
  if (skipsBody) response.abandon()
  // Only as much of the body is read as the message quotes.
  const start = skipsBody ? new Uint8Array() : await readStart(response)
  throw refusal(response, previewBody(start, service.redact, response), service)
}

// A compressed body has an entity tag of its own.
function whyNotResumed(
  point: ResumePoint,
  headers: ServiceResponse['headers'],
  isCompressed: boolean,
): string {
  return !isCompressed && isOtherContent(point, headers)
    ? 'the content on the server has changed since the transfer began'
    : 'the server cannot resume the transfer'
}

function readRest(response: ServiceResponse, point: ResumePoint): Head {
  const { headers } = response
  const why = encodingsOf(headers).length > 0 ? 'it is compressed' : rangeMismatch(point, headers)
  const range = parseContentRange(headers['content-range'])
  if (why === undefined) return { kind: 'rest', totalBytes: range?.total ?? point.total }
  response.abandon()
  return { kind: 'misfit', why }
}

/** A range that is the whole file. */
function hasAll(headers: ServiceResponse['headers']): boolean {
  const range = parseContentRange(headers['content-range'])
  return range !== undefined && range.start === 0 && range.end + 1 === range.total
}

/** A part of the file under a status that is for the whole. */
function isSlice(response: ServiceResponse): boolean {
  const { headers } = response
  if (!isWhole(response) || headers['content-range'] === undefined) return false
  const range = parseContentRange(headers['content-range'])
  return range === undefined || range.start > 0 || (range.total !== undefined && range.end + 1 < range.total)
}

// A refusal may be of the range only. That of the token is not, nor one that passes.
function isAboutRange(error: unknown, status: number): error is Fault {
  return error instanceof Fault && error.retry === 'never' && status !== 401 && status !== 407
}

/** The body of a 200 once it has started like a ZIP archive; otherwise throws a Fault (`rejected`, not retried) that quotes it. */
async function zipOnly(
  service: Service,
  response: ServiceResponse,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const chunks = body[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  try {
    while (start.length < PREVIEW_BYTES) {
      const { done, value } = await chunks.next()
      if (done) break
      start = Buffer.concat([start, value])
      if (start.length >= SIGNATURE_BYTES && startsLikeZip(start)) return continued(start, chunks)
    }
  } catch (error) {
    // A page that was cut short is not an archive either.
    if (start.length < SIGNATURE_BYTES || signal.aborted) throw error
  }
  if (start.length < SIGNATURE_BYTES && startsLikeZip(start)) return continued(start, chunks)
  await chunks.return?.()
  const preview = previewBody(start.subarray(0, PREVIEW_BYTES), service.redact, response)
  throw notAnArchive(response, preview, service.redact)
}

async function* continued(start: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start
  yield* { [Symbol.asyncIterator]: () => chunks }
}

/** The body is, or will be, larger than `maxBytes`; `totalBytes` is what the service announced. */
function tooLarge(response: ServiceResponse, maxBytes: number, totalBytes: number | undefined): Fault {
  const limit = `the limit of ${formatBytes(maxBytes)}`
  return new Fault(
    'archive',
    'never',
    totalBytes === undefined
      ? `stopped at ${limit}: ${response.host} sends more`
      : `${response.host} announces ${formatBytes(totalBytes)}, more than ${limit}`,
    { fewerParts: true, hint: 'raise the maximum size', options: ['max-size'] },
  )
}

/** The body ended before its announced size. */
function cutShort(response: ServiceResponse, bytes: number, totalBytes: number): Fault {
  const got = `${formatCount(bytes)} of ${formatCount(totalBytes)} bytes`
  return networkFault('always', `the transfer from ${response.host} was cut short after ${got}`, {
    again: {},
    fewerParts: true,
  })
}

/** The draft is gone or is another file. */
function vanished(draftPath: string): Fault {
  return new Fault('io', 'once', `${draftPath} disappeared while it was being verified`, {
    file: draftPath,
    hint: 'another program removes files there; run the command again, or choose another output path',
    options: ['output'],
  })
}

// Another download would break these rules again.
const UNSAFE_RULES: readonly unknown[] = ['name', 'limit', 'unsupported']

/** The archive is damaged or unsafe. */
function damaged(
  error: Failure,
  response: ServiceResponse,
  {
    draftPath,
    wasResumed,
    isSame,
  }: { readonly draftPath: string; readonly wasResumed: boolean; readonly isSame: boolean },
): Fault {
  const hasNoLength =
    response.contentLength === undefined && response.headers['transfer-encoding'] === undefined
  const addition = wasResumed
    ? '; the content changes between attempts'
    : hasNoLength
      ? `; ${response.host} sent no length, it may have been cut short`
      : ''
  const again = isSame ? '; the same bytes came twice' : ''
  const isFinal = isSame || UNSAFE_RULES.includes(error.details.rule)
  const message = error.message.replaceAll(draftPath, 'the archive')
  return new Fault('archive', isFinal ? 'never' : 'always', `${message}${addition}${again}`, {
    ...error.details,
    file: undefined,
    cause: error,
    hint: isSame ? 'report it to the provider; another attempt would receive the same' : error.hint,
  })
}
