import { cleanText } from '../base/clean-text.ts'
import { isFailure } from '../base/failure.ts'
import type { WireAnswer } from './exchange.ts'
import { GLIMPSE_BYTES } from './glimpse.ts'
import { parseHttpDate } from './retry-after.ts'

/** An answer of the service: its head, and its body to be read once. */
export interface Answer {
  readonly status: number
  /** Names in lower case, repeated ones joined by a comma, values cleaned; cookies are left out. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
  readonly finalUrl: string
  /** Host and port that answered. */
  readonly host: string
  /** True when a redirect led to another origin. */
  readonly foreign: boolean
  /** The answer's own `Date`, milliseconds since the epoch. */
  readonly serverDateMs: number | undefined
  readonly contentLength: number | undefined
  /** Gives up the rest at once, and the connection with it. */
  readonly abandon: () => void
  /** Reads a short rest so that the connection can be kept, gives up a long or slow one. */
  readonly drain: () => Promise<void>
}

const LONGEST_VALUE = 4_000
const MOST_DRAINED_BYTES = 16 * 1024
const LONGEST_DRAIN_MS = 1_000

/** The answer as the rest of the tool sees it. */
export function toAnswer(wire: WireAnswer, url: URL, foreign: boolean): Answer {
  const headers = readHeaders(wire.rawHeaders)
  const length = headers['content-length']
  return {
    status: wire.status,
    headers,
    body: wire.body,
    finalUrl: url.href,
    host: url.host,
    foreign,
    serverDateMs: parseHttpDate(headers.date),
    contentLength: length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    abandon: wire.abandon,
    drain: async () => {
      const timer = setTimeout(wire.abandon, LONGEST_DRAIN_MS)
      try {
        await readAtMost(wire.body, MOST_DRAINED_BYTES)
      } catch {
        // What is lost here is only the connection.
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/**
 * The start of a refusal's body, enough to find its words. A body that breaks off gives what came of it: the status has
 * said already what matters.
 */
export async function readStart(answer: Answer): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of answer.body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= GLIMPSE_BYTES) break
    }
  } catch (error) {
    if (isFailure(error) && error.kind === 'interrupted') throw error
  }
  return Buffer.concat(chunks).subarray(0, GLIMPSE_BYTES)
}

async function readAtMost(body: AsyncIterable<Uint8Array>, most: number): Promise<void> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) return
  }
}

function readHeaders(raw: readonly Buffer[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = cleanText(raw[at]!.toString('latin1').toLowerCase())
    if (name === 'set-cookie') continue
    const value = cleanText(decodeValue(raw[at + 1]!), LONGEST_VALUE)
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return headers
}

// Header bytes are Latin-1 by the book and UTF-8 in practice.
function decodeValue(value: Buffer): string {
  const text = value.toString('utf8')
  return text.includes('\ufffd') ? value.toString('latin1') : text
}
