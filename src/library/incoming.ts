import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Disk } from '../base/world.ts'
import { diskFailure, ignoreUnsupported } from '../fs/disk-failure.ts'
import { answeredSchema, checkedLine, moment, type Requested, readCheckedLine, requested } from './answers.ts'
import { isWithin } from './known.ts'

const bytes = z.int().check(z.nonnegative())

/** The body that is being received. */
const body = z.object({
  /** The strong entity tag, quotes included; without one, a later run cannot continue the body. */
  etag: z.optional(z.string()),
  total: z.optional(bytes),
  status: z.int(),
  /** By this machine's clock, at sending. */
  at: moment,
  /** By the service's clock, as `answerDate` says. */
  date: z.optional(moment),
})

export type BodyFacts = Readonly<z.infer<typeof body>>

/** A line of a note: the request, whether it waits for its response, the body that begins, how much of it is safe on disk, what came in the end, and how a run ended that got no further. */
const line = z.union([
  z.object({ request: requested }),
  z.object({ sent: z.boolean() }),
  z.object({ body: z.nullable(body) }),
  z.object({ kept: bytes }),
  z.object({ answer: answeredSchema }),
  z.object({ ended: z.string() }),
])

/** What the note of a request says. */
export interface ResponseNote {
  readonly request: Requested
  /** Bytes of the request have left, and it was not refused: the service may have counted it. */
  readonly isSent: boolean
  readonly body: BodyFacts | undefined
  /** Bytes of the body that are safe on disk. */
  readonly kept: number
  /** Set when the body was verified. */
  readonly answer: z.infer<typeof answeredSchema> | undefined
  /** How the runs ended that have got no further than this, the last one last. */
  readonly ends: readonly string[]
}

/** Reads a note; undefined when its request cannot be read. Other damaged lines are skipped. */
export function readNote(text: string): ResponseNote | undefined {
  let note: ResponseNote | undefined
  for (const each of text.split('\n')) {
    const value = readCheckedLine(each)
    const found = value === undefined ? undefined : line.safeParse(value).data
    if (found === undefined) continue
    if ('request' in found)
      note = {
        request: found.request,
        isSent: false,
        body: undefined,
        kept: 0,
        answer: undefined,
        ends: [],
      }
    else if (note === undefined) return undefined
    else if ('sent' in found) note = { ...note, isSent: found.sent }
    else if ('body' in found)
      note = { ...note, body: found.body ?? undefined, kept: 0, answer: undefined, ends: [] }
    else if ('kept' in found) note = { ...note, kept: found.kept, ends: [] }
    else if ('ended' in found) note = { ...note, ends: [...note.ends, found.ended] }
    else note = { ...note, answer: found.answer }
  }
  return note
}

/** What the next run does with a request that a run has left. */
export type Recovery = 'forget' | 'record' | 'name' | 'verify' | 'continue'

/**
 * Decides what to do with a request that was left by a run that was stopped: `record` the answer whose archive has its name, give it
 * its `name` first, `verify` a body that is complete, `continue` one that can be continued, or `forget` it, also when two runs in a row
 * ended alike with it: what is here may be why. `bodyBytes` is the size
 * of the body on disk; `isNamed` and `isThere` say whether the archive, or the body, is the one that was verified.
 */
export function recovery(facts: {
  readonly note: ResponseNote
  readonly isRecorded: boolean
  readonly isNamed: boolean
  readonly isThere: boolean
  readonly bodyBytes: number | undefined
  readonly nowMs: number
  readonly resumeMs: number
}): Recovery {
  const { note, isRecorded, isNamed, isThere, bodyBytes, nowMs, resumeMs } = facts
  const { body, kept, answer } = note
  if (isRecorded) return 'forget'
  if (answer !== undefined) {
    if (answer.archive === undefined || isNamed) return 'record'
    if (isThere) return 'name'
  }
  if (bodyBytes === undefined || body === undefined) return 'forget'
  const [before, last] = note.ends.slice(-2)
  if (last !== undefined && last === before) return 'forget'
  // A complete body costs no request, however old it is.
  if (body.total !== undefined && bodyBytes >= body.total) return 'verify'
  const mayContinue = body.etag !== undefined && kept > 0 && bodyBytes >= kept
  return mayContinue && isWithin(nowMs, body.at, resumeMs) ? 'continue' : 'forget'
}

/** Why nothing of a response is kept: there was none yet, none of its bytes, or they could not be continued. */
export type LostResponse = 'no-response' | 'preparing' | 'no-bytes' | 'no-validator' | 'no-range'

/**
 * One request and how far its response is. It alone knows what of the body is safe on disk, and what would be lost if the run ended
 * now. Its note is in the same directory as the body, and has one line for each step.
 */
export class IncomingResponse {
  readonly request: Requested
  /** Where the body is received. */
  readonly path: string
  readonly #disk: Disk
  readonly #notePath: string
  #file: FileHandle | undefined
  #body: BodyFacts | undefined
  #kept = 0
  /** The request is on disk. */
  #isNoted: boolean
  /** So is that it was sent. */
  #isNotedAsSent: boolean
  /** The last line that is being written. */
  #writing: Promise<unknown> = Promise.resolve()
  /** The last line may be torn. */
  #isTorn: boolean
  #waitsFor: 'no-response' | 'preparing' | undefined
  #isReceiving = false
  #isComplete = false
  /** The service gave a validator for the last body. */
  #isResumable = false
  /** The server did not resume the transfer as requested. */
  #isRefused = false
  #verified: ResponseNote['answer']

  constructor(disk: Disk, directory: string, request: Requested, note?: ResponseNote) {
    this.#disk = disk
    this.request = request
    this.path = join(directory, `${request.id}.zip`)
    this.#notePath = join(directory, `${request.id}.note`)
    this.#body = note?.body
    this.#kept = note?.kept ?? 0
    this.#isNoted = note !== undefined
    this.#isNotedAsSent = note?.isSent ?? false
    this.#isTorn = this.#isNoted
  }

  /** The body that is being received, or was begun by an earlier run. */
  get body(): BodyFacts | undefined {
    return this.#body
  }

  /** True when the body is verified: a later run needs no request, even if this one cannot record the answer. */
  get isVerified(): boolean {
    return this.#verified !== undefined
  }

  /** True while the archive is received or verified. */
  get isReceiving(): boolean {
    return this.#isReceiving
  }

  /** Bytes of the body that a later run can use; 0 when it has to send the request again. */
  get kept(): number {
    if (this.#verified !== undefined) return this.#verified.bytes
    if (this.#isComplete) return this.#body?.total ?? 0
    return this.#body?.etag === undefined ? 0 : this.#kept
  }

  /** Why a response that was paid for would be lost if the run ended now; undefined when nothing would. */
  get lost(): LostResponse | undefined {
    if (this.isVerified || this.kept > 0) return undefined
    if (this.#waitsFor !== undefined) return this.#waitsFor
    if (!this.#isReceiving) return undefined
    if (this.#isRefused) return 'no-range'
    return this.#isResumable ? 'no-bytes' : 'no-validator'
  }

  /** Notes that the request is about to be sent. */
  async sending(): Promise<void> {
    // A disk that cannot be written is found before anything is sent.
    this.#file ??= await this.#open()
    if (!this.#isNoted) await this.#append({ request: this.request })
    this.#isNoted = true
    // What an earlier attempt has received is lost, unless it was kept.
    if (this.#isReceiving) this.sent()
  }

  /** Bytes of the request have left: the service may work on it, and count it. */
  sent(): void {
    this.#waitsFor ??= 'no-response'
    this.#isReceiving = false
    this.#noteSent(true)
  }

  /** The service prepares the archive. */
  preparing(): void {
    this.#waitsFor = 'preparing'
  }

  /** The service has responded: with an archive, of which bytes follow, or with something else. */
  responded(isArchive: boolean): void {
    this.#waitsFor = undefined
    this.#isReceiving = isArchive
    if (!isArchive) this.#noteSent(false)
  }

  /** A body begins; the one before, if there was one, is no longer continued. */
  async begin(body: BodyFacts): Promise<void> {
    this.#body = body
    this.#isComplete = false
    this.#kept = 0
    this.#verified = undefined
    this.#isResumable = body.etag !== undefined
    await this.#append({ body })
  }

  /** Notes that the first `bytes` bytes of the body are safe on disk. */
  async mark(bytes: number): Promise<void> {
    await this.#append({ kept: bytes })
    this.#kept = bytes
  }

  /** All bytes of the body are in the file: a later run verifies it, and needs no request, whatever becomes of this one. */
  async complete(total: number): Promise<void> {
    const body = { ...this.#body!, total }
    await this.#append({ body })
    this.#body = body
    this.#isComplete = true
  }

  /** What was received is no longer continued. Call it before the body is truncated. */
  async forgetBody(): Promise<void> {
    if (this.#body === undefined) return
    this.#body = undefined
    this.#kept = 0
    this.#isComplete = false
    await this.#append({ body: null })
  }

  /** The server does not resume transfers as requested. */
  refusedRange(): void {
    this.#isRefused = true
  }

  /** Notes how this run ended, which has got no further with the body than the one before. */
  async endedBy(how: string): Promise<void> {
    await this.#append({ ended: how })
  }

  /** Notes and syncs what came, before the archive gets its name. */
  async verified(answer: NonNullable<ResponseNote['answer']>): Promise<void> {
    await this.#append({ answer })
    this.#verified = answer
    try {
      await this.#file?.datasync().catch(ignoreUnsupported)
    } catch (error) {
      throw diskFailure(error, 'write', this.#notePath)
    }
  }

  /** The request is over, and nothing is lost with it. */
  settled(): void {
    this.#waitsFor = undefined
    this.#isReceiving = false
  }

  async close(): Promise<void> {
    await this.#writing
    const file = this.#file
    this.#file = undefined
    await file?.close().catch(() => undefined)
  }

  /** Removes the note, and the body, if it is still there. */
  async remove(): Promise<void> {
    this.settled()
    this.#body = undefined
    this.#kept = 0
    this.#isComplete = false
    this.#verified = undefined
    await this.close()
    for (const path of [this.path, this.#notePath])
      await this.#disk.rm(path, { force: true }).catch(() => undefined)
  }

  async #open(): Promise<FileHandle> {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)
    try {
      return await this.#disk.open(this.#notePath, flags, 0o600)
    } catch (error) {
      throw diskFailure(error, 'write', this.#notePath)
    }
  }

  // The request does not wait for it, nor fail with it: without this line a run after a kill warns once less, or more.
  #noteSent(isSent: boolean): void {
    if (this.#isNotedAsSent === isSent || !this.#isNoted) return
    this.#isNotedAsSent = isSent
    this.#append({ sent: isSent }).catch(() => undefined)
  }

  #append(value: z.infer<typeof line>): Promise<void> {
    const written = this.#writing.then(() => this.#write(value))
    this.#writing = written.catch(() => undefined)
    return written
  }

  async #write(value: z.infer<typeof line>): Promise<void> {
    this.#file ??= await this.#open()
    try {
      await this.#file.appendFile(`${this.#isTorn ? '\n' : ''}${checkedLine(value)}`)
      this.#isTorn = false
    } catch (error) {
      this.#isTorn = true
      throw diskFailure(error, 'write', this.#notePath)
    }
  }
}
