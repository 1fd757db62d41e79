import { largest } from '../base/extremes.ts'
import type { Progress, Reporter } from '../base/notice.ts'
import type { Pace } from '../http/rate-control.ts'

/** How long answered requests of this run took, on average. */
interface Measured {
  /** From sending to the last byte, when the next request may start. */
  readonly transferMs: number
  /** To the end, with the verification. */
  readonly wholeMs: number
}

/** What is known of the requests that are not done. */
interface Remaining {
  readonly pace: Pace
  /** Requests that have to start, the retries among them. */
  readonly unsent: number
  /** Until when the last of these has to wait for another reason than the rate. */
  readonly notBeforeMs: number
  /** When each of the others is probably answered; undefined when it takes longer than usual. */
  readonly answeredMs: readonly (number | undefined)[]
  readonly measured: Measured
}

/**
 * When the last request is probably answered: neither before the rate lets it start, nor before those in flight have made room for it.
 * Undefined when that is not known. All times are of one clock.
 */
export function probableEndMs(remaining: Remaining, nowMs: number): number | undefined {
  const { pace, unsent, notBeforeMs, answeredMs, measured } = remaining
  const { transferMs, wholeMs } = measured
  const known = answeredMs.flatMap((ms) => ms ?? [])
  if (unsent === 0) return known.length === 0 ? undefined : Math.max(nowMs, largest(known))
  const tailMs = wholeMs - transferMs
  const places = Math.max(1, pace.mostInFlight, known.length)
  return Math.max(
    Math.max(pace.startMs(unsent), notBeforeMs) + wholeMs,
    lastDoneMs(known, unsent, { places, eachMs: transferMs, nowMs }) + tailMs,
    // While responses are verified, as many others are in flight.
    lastDoneMs(known, unsent, { places: 2 * places, eachMs: wholeMs, nowMs }),
  )
}

// Each of `count` requests begins when there is a place.
function lastDoneMs(
  begunMs: readonly number[],
  count: number,
  { places, eachMs, nowMs }: { readonly places: number; readonly eachMs: number; readonly nowMs: number },
): number {
  const free = Array<number>(Math.max(0, places - begunMs.length)).fill(nowMs)
  const ends = [...free, ...begunMs.toSorted((one, other) => one - other)]
  const [rounds, rest] = [Math.floor(count / places), count % places]
  return largest(ends.map((ms, at) => ms + (at < rest ? rounds + 1 : rounds) * eachMs))
}

/** A request that is under way. */
interface UnderWay {
  progress: Progress
  /** When it was last sent; undefined while it waits for its turn. */
  sentMs: number | undefined
  /** When its first bytes had arrived, and how many there were then, with those of earlier attempts. */
  first: { readonly atMs: number; readonly bytes: number } | undefined
  /** When its last byte had arrived. */
  receivedMs: number | undefined
}

/** With fewer answers, the time that one takes is not known. */
const LEAST_ANSWERS = 2
/** A shorter time says nothing about the speed of a transfer. */
const LEAST_TRANSFER_MS = 500
/** The time that requests take changes during a run. */
const LATEST_ANSWERS = 20

/** Combines the progress of many requests into that of one job, and names the requests. */
export class JobProgress {
  readonly #reporter: Reporter
  readonly #nowMs: () => number
  readonly #pace: () => Pace
  readonly #underWay = new Map<object, UnderWay>()
  readonly #latest: Measured[] = []
  #requestsDone: number
  #requestsTotal: number
  #begun: number
  /** A request that was divided was sent too. */
  #sendTotal: number
  #receivedBytes: number

  /** Of a job of `total` requests, of which earlier runs did `done`, with responses of `doneBytes`. */
  constructor(
    reporter: Reporter,
    job: {
      readonly done: number
      readonly total: number
      readonly doneBytes: number
      readonly nowMs: () => number
      readonly pace: () => Pace
    },
  ) {
    this.#reporter = reporter
    this.#nowMs = job.nowMs
    this.#pace = job.pace
    this.#requestsDone = job.done
    this.#requestsTotal = job.total
    this.#begun = job.done
    this.#sendTotal = job.total
    this.#receivedBytes = job.doneBytes
  }

  /** Call before a request is sent; returns its name in messages. */
  begin(request: object): string {
    this.#begun += 1
    // The rate limiter has not let it start yet.
    this.#underWay.set(request, {
      progress: { phase: 'waiting' },
      sentMs: undefined,
      first: undefined,
      receivedMs: undefined,
    })
    this.#reporter.progress(this.#isSingle() ? { phase: 'asking', ...this.#counts() } : this.#whole())
    return `request ${this.#begun} of ${this.#sendTotal}`
  }

  /** Call when a request succeeded or failed. */
  end(request: object, isSuccess: boolean): void {
    const { progress, sentMs, receivedMs } = this.#underWay.get(request) ?? {}
    if (isSuccess) {
      this.#receivedBytes += progress?.bytes ?? 0
      this.#requestsDone += 1
    }
    if (isSuccess && sentMs !== undefined) {
      const endMs = this.#nowMs()
      this.#latest.push({ transferMs: (receivedMs ?? endMs) - sentMs, wholeMs: endMs - sentMs })
      if (this.#latest.length > LATEST_ANSWERS) this.#latest.shift()
    }
    this.#underWay.delete(request)
    if (!this.#isSingle()) this.#reporter.progress(this.#whole())
  }

  /** Call when the number of requests has changed: with those still to be sent. */
  remaining(count: number): void {
    this.#requestsTotal = this.#requestsDone + this.#underWay.size + count
    this.#sendTotal = this.#begun + count
  }

  /** The reporter for one request. */
  of(request: object): Reporter {
    return {
      notice: this.#reporter.notice,
      progress: (progress) => {
        if (this.#isSingle()) return this.#reporter.progress({ ...progress, ...this.#counts() })
        const one = this.#underWay.get(request)
        if (one === undefined) return
        // The bytes of a broken transfer count until it starts over.
        if (progress.phase === 'verifying') {
          one.receivedMs = this.#nowMs()
          return
        }
        const { bytes = 0, totalBytes } = one.progress
        one.progress = { bytes, totalBytes, ...progress }
        one.receivedMs = undefined
        if (progress.phase === 'asking') one.sentMs = this.#nowMs()
        if (progress.phase !== 'receiving') one.first = undefined
        else one.first ??= { atMs: this.#nowMs(), bytes: progress.bytes ?? 0 }
        if (isUnsent(one)) one.sentMs = undefined
        this.#reporter.progress(this.#whole())
      },
    }
  }

  /** The whole job, while its requests are in different phases. */
  #whole(): Progress {
    const all = [...this.#underWay.values()].map(({ progress }) => progress)
    const bytes = all.reduce((sum, one) => sum + (one.bytes ?? 0), this.#receivedBytes)
    const totalBytes = this.#totalBytes(all)
    const sums = {
      bytes,
      ...(totalBytes !== undefined && { totalBytes }),
      ...this.#time(totalBytes !== undefined),
      ...this.#counts(),
    }
    // A response that is complete waits for its turn to be verified.
    if (all.some((one) => one.phase === 'receiving' && shareOf(one) < 1))
      return { phase: 'receiving', ...sums }
    if (all.some(({ phase }) => phase === 'asking')) return { phase: 'asking', ...sums }
    const [next] = all
      .filter(({ phase, waitUntilMs }) => phase === 'waiting' && waitUntilMs !== undefined)
      .sort((a, b) => a.waitUntilMs! - b.waitUntilMs!)
    const { waitUntilMs, reason, next: then } = next ?? {}
    return next === undefined
      ? { phase: 'asking', ...sums }
      : {
          phase: 'waiting',
          waitUntilMs: waitUntilMs!,
          ...(reason && { reason }),
          ...(then && { next: then }),
          ...sums,
        }
  }

  // Known when the lengths of all responses are.
  #totalBytes(underWay: readonly Progress[]): number | undefined {
    const lengths = underWay.map((one) => one.totalBytes ?? Number.NaN)
    const total = lengths.reduce((sum, length) => sum + length, this.#receivedBytes)
    const areAllUnderWay = this.#requestsDone + underWay.length === this.#requestsTotal
    return areAllUnderWay && underWay.length > 0 && Number.isFinite(total) ? total : undefined
  }

  #time(isTotalKnown: boolean): Pick<Progress, 'endMs' | 'perMinute'> {
    const pace = this.#pace()
    return { endMs: this.#endMs(pace, isTotalKnown), perMinute: pace.perMinute }
  }

  #endMs(pace: Pace, isTotalKnown: boolean): number | undefined {
    const nowMs = this.#nowMs()
    const underWay = [...this.#underWay.values()]
    const least = Math.min(LEAST_ANSWERS, this.#requestsTotal - 1)
    const isAnswered = this.#latest.length >= least
    // The total and the speed say it better.
    if (!isAnswered && isTotalKnown) return undefined
    // Before enough are answered, those in flight count, by their lengths.
    const inFlight = isAnswered ? [] : underWay.flatMap((one) => expectedTimes(one, nowMs))
    const known = [...this.#latest, ...inFlight]
    if (known.length < least) return undefined
    const mean = (each: (one: Measured) => number): number =>
      known.reduce((sum, one) => sum + each(one), 0) / known.length
    const measured = { transferMs: mean((one) => one.transferMs), wholeMs: mean((one) => one.wholeMs) }
    const waiting = underWay.filter(isUnsent)
    const sent = underWay.filter((one) => !isUnsent(one))
    return probableEndMs(
      {
        pace,
        unsent: this.#requestsTotal - this.#requestsDone - sent.length,
        notBeforeMs: Math.max(nowMs, largest(waiting.map(({ progress }) => progress.waitUntilMs ?? nowMs))),
        answeredMs: sent.map((one) => answerMs(one, measured, nowMs)),
        measured,
      },
      nowMs,
    )
  }

  #counts(): Pick<Progress, 'requestsDone' | 'requestsTotal'> {
    return { requestsDone: this.#requestsDone, requestsTotal: this.#requestsTotal }
  }

  #isSingle(): boolean {
    return this.#requestsTotal === 1
  }
}

// It waits for its turn, or to be sent again; not for an archive that the service prepares.
function isUnsent({ progress }: UnderWay): boolean {
  return progress.phase === 'waiting' && progress.next !== 'checking again'
}

// By the time that others took, or by its own bytes.
function answerMs(one: UnderWay, { transferMs, wholeMs }: Measured, nowMs: number): number | undefined {
  const { progress, sentMs = 0, receivedMs } = one
  const usualMs = receivedMs === undefined ? sentMs + wholeMs : receivedMs + (wholeMs - transferMs)
  const endMs = Math.max(usualMs, lastByteMs(one, nowMs) ?? 0, progress.waitUntilMs ?? 0)
  return endMs > nowMs ? endMs : undefined
}

// When its last byte arrives, at its speed so far; undefined when that is not known.
function lastByteMs({ progress, first }: UnderWay, nowMs: number): number | undefined {
  const { bytes = 0, totalBytes = 0 } = progress
  if (first === undefined || nowMs - first.atMs < LEAST_TRANSFER_MS) return undefined
  if (bytes <= first.bytes || bytes >= totalBytes) return undefined
  return nowMs + ((totalBytes - bytes) * (nowMs - first.atMs)) / (bytes - first.bytes)
}

function expectedTimes(one: UnderWay, nowMs: number): readonly Measured[] {
  const endMs = lastByteMs(one, nowMs)
  if (endMs === undefined || one.sentMs === undefined) return []
  return [{ transferMs: endMs - one.sentMs, wholeMs: endMs - one.sentMs }]
}

function shareOf({ bytes = 0, totalBytes }: Progress): number {
  return totalBytes ? Math.min(1, bytes / totalBytes) : 0
}
