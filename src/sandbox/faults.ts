import { Failure } from '../base/failure.ts'
import { parseSize } from '../base/units.ts'

/** A fault in one response. */
export type ScriptedFault =
  | {
      readonly kind: 'status'
      readonly status: number
      /** The text of `Retry-After`. */
      readonly retryAfter?: string
      /** `Retry-After` as a date this many seconds ahead. */
      readonly retryDateS?: number
    }
  | { readonly kind: 'redirect' }
  | { readonly kind: 'body'; readonly body: 'html' | 'json' | 'empty' | 'empty-zip' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'break'; readonly how: 'truncate' | 'stall' | 'reset'; readonly at: Position }
  | { readonly kind: 'corrupt'; readonly at: Position }

/** A position in the bytes of one response: a share below 1, or a count from the start. */
export interface Position {
  readonly share?: number
  readonly bytes?: number
}

/** How the service responds to all requests. */
export interface Manner {
  readonly noLength: boolean
  readonly noRange: boolean
  /** Requests without the headers of the interface are refused. */
  readonly strict: boolean
  /** Longer URLs get 414. */
  readonly maxUrlBytes: number | undefined
  /** Undefined: no limit. */
  readonly bytesPerSecond: number | undefined
  /** The response to a request that matches nothing. */
  readonly nothing: 'empty-zip' | '204' | '404' | 'json'
}

/** A fault for the next `count` download requests. */
interface FaultStep {
  readonly fault: ScriptedFault
  readonly count: number
}

export interface FaultPlan {
  readonly steps: readonly FaultStep[]
  readonly manner: Manner
}

export const NO_FAULTS: FaultPlan = {
  steps: [],
  manner: {
    noLength: false,
    noRange: false,
    strict: false,
    maxUrlBytes: undefined,
    bytesPerSecond: undefined,
    nothing: 'empty-zip',
  },
}

/**
 * Reads a list of faults such as `503x2, 429:retry-after=2x1, truncate@0.5`, in the order in which download requests meet
 * them. `xN` is the number of requests; without it, a fault is for all further requests. A mistake is a `usage` failure that
 * names the word.
 */
export function parseFaults(text: string): FaultPlan {
  const steps: (FaultStep & { readonly word: string })[] = []
  let manner = NO_FAULTS.manner
  for (const word of text.split(/[\s,]+/).filter((found) => found !== '')) {
    const setting = parseManner(word)
    if (setting !== undefined) {
      manner = { ...manner, ...setting }
      continue
    }
    const last = steps.at(-1)
    if (last?.count === Number.POSITIVE_INFINITY) {
      throw new Failure(
        'usage',
        `fault ${JSON.stringify(word)} would never happen: ${last.word} applies to all requests`,
        {
          hint: `limit the earlier one to a number of requests, such as ${last.word}x1`,
        },
      )
    }
    steps.push({ ...parseStep(word), word })
  }
  return { steps, manner }
}

/** The fault of each download request in turn; undefined when there are no more. */
export function playFaults(steps: readonly FaultStep[]): () => ScriptedFault | undefined {
  const left = steps.map(({ fault, count }) => ({ fault, count }))
  return () => {
    const step = left.find(({ count }) => count > 0)
    if (step === undefined) return undefined
    step.count -= 1
    return step.fault
  }
}

const KNOWN =
  'known faults: a status such as 503 (with :retry-after=SECONDS), truncate@0.5, stall@1000, reset, corrupt, html, json, empty, ' +
  'empty-zip, silent, redirect, each with xN for N requests; for all responses: no-length, no-range, slow=64k, max-url=2000, nothing=204, strict'

function parseStep(word: string): FaultStep {
  const match = /^([a-z-]+|\d+)(?:@([^:]*?))?((?::[^:]*?)*)(?:x(\d+))?$/.exec(word)
  if (!match) throw wrong(word, 'invalid syntax')
  const [, name, at, parameters, times] = match
  const count = times === undefined ? Number.POSITIVE_INFINITY : Number(times)
  if (count === 0) throw wrong(word, 'x0 applies to no request')
  const settings = (parameters ?? '').split(':').slice(1)
  return { fault: faultNamed(word, name!, at, settings), count }
}

function faultNamed(
  word: string,
  name: string,
  at: string | undefined,
  settings: readonly string[],
): ScriptedFault {
  if (/^\d+$/.test(name)) {
    if (at !== undefined) throw wrong(word, 'a status takes no @')
    return statusFault(word, Number(name), settings)
  }
  if (settings.length > 0) throw wrong(word, `${name} takes no settings after a colon`)
  if (name === 'truncate' || name === 'stall' || name === 'reset') {
    const start = name === 'truncate' ? { share: 0.5 } : { bytes: 0 }
    return { kind: 'break', how: name, at: at === undefined ? start : parsePosition(word, at) }
  }
  if (name === 'corrupt')
    return { kind: 'corrupt', at: at === undefined ? { share: 0.5 } : parsePosition(word, at) }
  if (at !== undefined) throw wrong(word, `${name} takes no @`)
  if (name === 'silent' || name === 'redirect') return { kind: name }
  if (name === 'html' || name === 'json' || name === 'empty' || name === 'empty-zip')
    return { kind: 'body', body: name }
  throw wrong(word, 'unknown fault')
}

function statusFault(word: string, status: number, settings: readonly string[]): ScriptedFault {
  if (status !== 204 && (status < 400 || status > 599)) throw wrong(word, 'expected status 204 or 400 to 599')
  let fault: Extract<ScriptedFault, { kind: 'status' }> = { kind: 'status', status }
  for (const setting of settings) {
    const [name, value = ''] = setting.split(/=(.*)/s)
    if (name === 'retry-after' && value !== '') fault = { ...fault, retryAfter: value }
    else if (name === 'retry-date' && /^\d{1,9}$/.test(value)) fault = { ...fault, retryDateS: Number(value) }
    else
      throw wrong(word, `expected retry-after=SECONDS or retry-date=SECONDS, not ${JSON.stringify(setting)}`)
  }
  return fault
}

function parsePosition(word: string, text: string): Position {
  if (/^0?\.\d+$/.test(text)) return { share: Number(text) }
  const bytes = /^[\d.]*\.[\d.]*$/.test(text) ? undefined : parseSize(text)
  if (bytes === undefined)
    throw wrong(word, `expected a share such as @0.5 or a number of bytes such as @1000, not @${text}`)
  return { bytes }
}

function parseManner(word: string): Partial<Manner> | undefined {
  const [name, value] = word.split(/=(.*)/s)
  if (word === 'no-length') return { noLength: true }
  if (word === 'no-range') return { noRange: true }
  if (word === 'strict') return { strict: true }
  if (name === 'slow') {
    const bytesPerSecond = parseSize(value ?? '')
    if (!bytesPerSecond) throw wrong(word, 'expected bytes per second, such as slow=64k')
    return { bytesPerSecond }
  }
  if (name === 'max-url') {
    const maxUrlBytes = parseSize(value ?? '')
    if (!maxUrlBytes) throw wrong(word, 'expected a number of bytes, such as max-url=2000')
    return { maxUrlBytes }
  }
  if (name === 'nothing') {
    if (value === '204' || value === '404' || value === 'json' || value === 'empty-zip')
      return { nothing: value }
    throw wrong(word, 'expected nothing=empty-zip, 204, 404 or json')
  }
  return undefined
}

function wrong(word: string, reason: string): Failure {
  return new Failure('usage', `fault ${JSON.stringify(word)}: ${reason}`, { hint: KNOWN })
}
