import { dirname } from 'node:path'
import { isFailure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { type Draft, openDraft } from '../fs/draft.ts'
import { createFileHash } from '../fs/file-hash.ts'
import type { FileIdentity } from '../fs/file-identity.ts'
import { requireRoom } from '../fs/free-space.ts'
import { rangeHeaders, resumableTag } from '../http/content-range.ts'
import { Fault } from '../http/fault.ts'
import type { ServiceResponse } from '../http/service-response.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { FetchOptions } from './fetch-options.ts'
import { readHead } from './response-head.ts'
import { createResumeState } from './resume-state.ts'
import { cutShort, damagedFault, tooLarge, vanished } from './transfer-faults.ts'
import { zipOnly } from './zip-only.ts'

/** What one attempt received. */
export type Outcome<V> = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
} & ({ readonly kind: 'empty' } | { readonly kind: 'archive'; readonly archive: ReceivedArchive<V> })

/** A received archive, verified and synced. */
export interface ReceivedArchive<V> {
  readonly bytes: number
  readonly sha256: string
  readonly verified: V
  /** The file that was verified. */
  readonly identity: FileIdentity
}

/** Receives one response body into a draft, in one or more attempts. Disposing removes the draft unless it is complete or kept. */
export interface Transfer<V> extends AsyncDisposable {
  /** The archive that an earlier run received whole but did not verify; undefined when it was not whole, or is damaged. */
  readonly finishKept: () => Promise<ReceivedArchive<V> | undefined>
  /** Sends the request once, receives and verifies the file; throws a Fault or Failure. `onHead` gets the response before its body. */
  readonly attempt: (onHead: (response: ServiceResponse | undefined) => void) => Promise<Outcome<V>>
  /**
   * How many fruitless attempts the last failure counts for: none when the next one can resume from new bytes, two when bytes of
   * earlier attempts had to be received again.
   */
  readonly fruitless: () => number
  /** The `Date` of the first response of this body, if an earlier run received it. */
  readonly keptDateMs: () => number | undefined
  /** Ends the transfer with this error: what a later run can continue is kept. */
  readonly leave: (error: unknown) => Promise<void>
}

// Sent once to a server that compresses although `identity` was requested.
const NO_ENCODING = { 'Accept-Encoding': 'identity;q=1, *;q=0' }

/** A transfer into `draftPath`, which is created first, so that an unwritable disk is found before anything is sent. */
export async function createTransfer<V>(world: World, options: FetchOptions<V>): Promise<Transfer<V>> {
  const { service, request, reporter, signal, draftPath, maxBytes, label, keeper } = options
  const kept = keeper?.kept
  const hash = createFileHash(world, draftPath)
  let draft = await open(kept?.bytes)
  const checkpoints = createCheckpoints(world, keeper, () => draft)
  const resume = createResumeState(kept)
  if (kept !== undefined) hash.resume(kept.bytes)
  let mustForbidEncoding = false

  function open(continueAfter?: number): Promise<Draft> {
    return openDraft(world.disk, draftPath, { mode: 0o600, onWritten: hash.written, continueAfter })
  }

  async function finishKept(): Promise<ReceivedArchive<V> | undefined> {
    if (kept === undefined || kept.bytes !== kept.total) return undefined
    try {
      return await finish(undefined)
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault) || error.retry === 'never') throw error
      resume.forgetKept()
      return undefined
    }
  }

  async function attempt(onHead: (response: ServiceResponse | undefined) => void): Promise<Outcome<V>> {
    const point = resume.begin()
    // What is kept counts, so that progress does not begin again.
    const known = {
      bytes: point?.start ?? 0,
      ...(point?.total === undefined ? {} : { totalBytes: point.total }),
    }
    reporter.progress({ phase: 'asking', ...known })
    const headers = { ...(point ? rangeHeaders(point) : {}), ...(mustForbidEncoding ? NO_ENCODING : {}) }
    let response: ServiceResponse | undefined
    try {
      response = await service.send(request, { signal, headers })
    } finally {
      onHead(response)
    }
    resume.used()
    const head = await readHead(service, response, point).catch((error: unknown) => {
      mustForbidEncoding ||= response.status === 200
      // An error status says nothing about the content.
      if (response.status >= 400 && response.status !== 416) resume.putBack(point)
      throw error
    })
    const facts = { status: response.status, headers: response.headers }
    if (head.kind === 'empty') return { kind: 'empty', ...facts }
    // Before what is kept is given up: a login page is no reason to.
    const body = head.kind === 'whole' ? await zipOnly(service, response, signal) : response.body
    if (head.kind === 'whole') await startOver(point !== undefined)
    else resume.continued()
    if (head.kind !== 'complete') {
      // A 206 may omit the validator, which is then the one in If-Range.
      const etag = resumableTag(response.headers) ?? (head.kind === 'rest' ? point?.etag : undefined)
      const { status, serverDateMs } = response
      const { totalBytes: total } = head
      // An entity tag that repeats a secret is not written to disk.
      const mayKeep = etag !== undefined && resume.mayResume() && service.redact(etag) === etag
      checkpoints.begin(
        mayKeep ? { etag, total, status: status === 206 ? 200 : status, serverDateMs } : undefined,
      )
      await receive(response, body, total, etag)
    }
    return { kind: 'archive', ...facts, archive: await finish(response) }
  }

  async function startOver(wasResuming: boolean): Promise<void> {
    if (wasResuming) {
      const message = `${label}: the server cannot resume the transfer; starting over`
      reporter.notice({ level: 'info', event: 'request.restart', message, data: { label } })
    }
    resume.startedOver()
    if (draft.bytes() > 0) {
      await checkpoints.forget()
      await draft.cut(0)
    }
    hash.restart()
  }

  async function receive(
    response: ServiceResponse,
    body: AsyncIterable<Uint8Array>,
    totalBytes: number | undefined,
    etag: string | undefined,
  ): Promise<void> {
    const before = draft.bytes()
    if (totalBytes !== undefined) {
      await checkSize(response, totalBytes, totalBytes - before)
      hash.expect(totalBytes)
    }
    const stopWatching = checkpoints.watch()
    try {
      for await (const chunk of body) {
        if (draft.bytes() + chunk.length > maxBytes) throw tooLarge(response, maxBytes, undefined)
        const pending = draft.write(chunk)
        hash.take(chunk)
        if (pending) await pending
        checkpoints.received()
        reporter.progress({
          phase: 'receiving',
          bytes: draft.bytes(),
          ...(totalBytes === undefined ? {} : { totalBytes }),
        })
      }
      if (totalBytes !== undefined && draft.bytes() !== totalBytes)
        throw cutShort(response, draft.bytes(), totalBytes)
    } catch (error) {
      await keepForNext(error, etag, totalBytes)
      throw error
    } finally {
      stopWatching()
    }
  }

  // Resuming needs a strong validator (RFC 9110 13.1.5).
  async function keepForNext(
    error: unknown,
    etag: string | undefined,
    total: number | undefined,
  ): Promise<void> {
    if (!(error instanceof Fault) || error.retry !== 'always' || !resume.mayResume() || etag === undefined)
      return
    await draft.flush()
    const start = draft.bytes()
    if (start > 0) resume.brokeOff({ start, etag, total })
  }

  async function checkSize(
    response: ServiceResponse,
    totalBytes: number,
    neededBytes: number,
  ): Promise<void> {
    try {
      await requireRoom(world.disk, dirname(draftPath), neededBytes)
      if (totalBytes > maxBytes) throw tooLarge(response, maxBytes, totalBytes)
    } catch (error) {
      response.abandon()
      throw error
    }
  }

  // Verifying, hashing and syncing run at the same time; the first failure ends all three.
  async function finish(response: ServiceResponse | undefined): Promise<ReceivedArchive<V>> {
    await draft.flush()
    reporter.progress({ phase: 'verifying', bytes: draft.bytes() })
    const synced = draft.sync().then(checkpoints.whole)
    const hashed = hash.finish()
    synced.catch(() => undefined)
    hashed.catch(() => undefined)
    try {
      const verified = await options.verify(draftPath)
      const [sha256] = await Promise.all([hashed, synced])
      if (!(await draft.isInPlace())) throw vanished(draftPath)
      const identity = await draft.identity()
      await draft.keep()
      return { bytes: draft.bytes(), sha256, verified, identity }
    } catch (error) {
      await synced.catch(() => undefined)
      hash.restart()
      throw await explainFailure(error, response)
    }
  }

  async function explainFailure(error: unknown, response: ServiceResponse | undefined): Promise<unknown> {
    if (!(await draft.isInPlace().catch(() => true))) {
      await checkpoints.forget()
      await draft[Symbol.asyncDispose]()
      draft = await open()
      return vanished(draftPath)
    }
    if (!isFailure(error) || error.kind !== 'archive') return error
    await checkpoints.forget()
    const fault = damagedFault(error, response, { draftPath, wasResumed: resume.wasResumed() })
    resume.damaged()
    return fault
  }

  async function leave(error: unknown): Promise<void> {
    if (!(await checkpoints.leave(error))) return
    await draft.keep().catch(() => undefined)
    await keeper?.close()
  }

  return {
    attempt,
    finishKept,
    fruitless: resume.fruitless,
    keptDateMs: resume.keptDateMs,
    leave,
    async [Symbol.asyncDispose]() {
      hash.abandon()
      await draft[Symbol.asyncDispose]()
    },
  }
}
