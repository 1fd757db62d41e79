import { Failure } from '../base/failure.ts'
import { parseSize } from '../base/units.ts'

/** A fault in one response. */
export type ScriptedFault =
  /** `retryAfter` is the text of `Retry-After`. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  | { readonly kind: 'html' }
  | { readonly kind: 'truncate' | 'stall' | 'reset'; readonly at: Position }

/** A position in the bytes of one response: a share below 1, or a count from the start. */
export interface Position {
  readonly share?: number
  readonly bytes?: number
}

/** A fault for the next `count` download requests. */
export interface FaultStep {
  readonly fault: ScriptedFault
  readonly count: number
}

/**
 * Reads a list of faults such as `503x2, 429:retry-after=2x1, truncate@0.5`, in the order in which download requests meet
 * them. `xN` is the number of requests; without it, a fault is for all further requests. A mistake is a `usage` failure that
 * names the word.
 */
export function parseFaults(text: string): readonly FaultStep[] {
  const steps: (FaultStep & { readonly word: string })[] = []
  for (const word of text.split(/[\s,]+/).filter((found) => found !== '')) {
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
  return steps
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
  'known faults: a status such as 503 (with :retry-after=SECONDS), truncate@0.5, stall@1000, reset, html, each with xN for N requests'

function parseStep(word: string): FaultStep {
  const match = /^([a-z]+|\d+)(?:@([^:]*?))?(?::([^:]*?))?(?:x(\d+))?$/.exec(word)
  if (!match) throw wrong(word, 'invalid syntax')
  const [, name, at, setting, times] = match
  const count = times === undefined ? Number.POSITIVE_INFINITY : Number(times)
  if (count === 0) throw wrong(word, 'x0 applies to no request')
  return { fault: faultNamed(word, name!, at, setting), count }
}

function faultNamed(
  word: string,
  name: string,
  at: string | undefined,
  setting: string | undefined,
): ScriptedFault {
  if (/^\d+$/.test(name)) {
    if (at !== undefined) throw wrong(word, 'a status takes no @')
    return statusFault(word, Number(name), setting)
  }
  if (setting !== undefined) throw wrong(word, `${name} takes no setting after a colon`)
  if (name === 'truncate' || name === 'stall' || name === 'reset') {
    const start = name === 'truncate' ? { share: 0.5 } : { bytes: 0 }
    return { kind: name, at: at === undefined ? start : parsePosition(word, at) }
  }
  if (name !== 'html') throw wrong(word, 'unknown fault')
  if (at !== undefined) throw wrong(word, 'html takes no @')
  return { kind: 'html' }
}

function statusFault(word: string, status: number, setting: string | undefined): ScriptedFault {
  if (status !== 204 && (status < 400 || status > 599)) throw wrong(word, 'expected status 204 or 400 to 599')
  if (setting === undefined) return { kind: 'status', status }
  const [, retryAfter] = /^retry-after=(.+)$/.exec(setting) ?? []
  if (retryAfter === undefined)
    throw wrong(word, `expected retry-after=SECONDS, not ${JSON.stringify(setting)}`)
  return { kind: 'status', status, retryAfter }
}

function parsePosition(word: string, text: string): Position {
  if (/^0?\.\d+$/.test(text)) return { share: Number(text) }
  const bytes = /^[\d.]*\.[\d.]*$/.test(text) ? undefined : parseSize(text)
  if (bytes === undefined)
    throw wrong(word, `expected a share such as @0.5 or a number of bytes such as @1000, not @${text}`)
  return { bytes }
}

function wrong(word: string, reason: string): Failure {
  return new Failure('usage', `fault ${JSON.stringify(word)}: ${reason}`, { hint: KNOWN })
}
