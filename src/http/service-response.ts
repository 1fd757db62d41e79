import type { Dispatcher } from 'undici'
import { cleanText } from '../base/clean-text.ts'
import { isFailure } from '../base/failure.ts'
import { PREVIEW_BYTES } from './body-preview.ts'
import { parseHttpDate } from './rate-headers.ts'

/** A response of the service; its body can be read once. */
export interface ServiceResponse {
  readonly status: number
  /** Names in lower case, repeated ones joined by commas, values cleaned, without cookies. */
  readonly headers: Readonly<Record<string, string>>
  /** Throws a Fault when it is cut short. Leaving the loop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>
  readonly finalUrl: string
  /** Host and port of the server that responded. */
  readonly host: string
  /** True when a redirect led here. */
  readonly isRedirected: boolean
  /** True when a redirect led to another origin. */
  readonly foreign: boolean
  /** The response's own `Date`, milliseconds since the epoch. */
  readonly serverDateMs: number | undefined
  readonly contentLength: number | undefined
  /** Closes the connection without reading the rest. */
  readonly abandon: () => void
  /** Reads a short rest, so that the connection can be reused; closes it for a long or slow one. */
  readonly drain: () => Promise<void>
}

const MAX_VALUE_LENGTH = 4_000
const MAX_DRAINED_BYTES = 16 * 1024
const MAX_DRAIN_MS = 1_000
// The body of an error that never ends would delay the retry until the stall timeout.
const MAX_START_MS = 2_000

/** Wraps a response of undici. `brokenBy` returns the reason when its body was cut short. */
export function toServiceResponse(
  response: Dispatcher.ResponseData,
  brokenBy: () => unknown,
  url: URL,
  origin: Pick<ServiceResponse, 'foreign' | 'isRedirected'>,
): ServiceResponse {
  const { statusCode, body } = response
  const headers = readHeaders(response.headers)
  const length = headers['content-length']
  return {
    status: statusCode,
    headers,
    body: readBody(body, brokenBy),
    finalUrl: url.href,
    host: url.host,
    ...origin,
    serverDateMs: parseHttpDate(headers.date),
    contentLength: length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    abandon: () => body.on('error', () => undefined).destroy(),
    drain: async () => {
      const signal = AbortSignal.timeout(MAX_DRAIN_MS)
      await body.dump({ limit: MAX_DRAINED_BYTES, signal }).catch(() => undefined)
    },
  }
}

/** The start of a body, enough for a preview. Of a body that is cut short or does not end, what arrived. */
export async function readStart(response: ServiceResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const timer = setTimeout(response.abandon, MAX_START_MS)
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= PREVIEW_BYTES) break
    }
  } catch (error) {
    if (isFailure(error) && error.kind === 'interrupted') throw error
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).subarray(0, PREVIEW_BYTES)
}

async function* readBody(
  body: AsyncIterable<Uint8Array>,
  brokenBy: () => unknown,
): AsyncGenerator<Uint8Array> {
  yield* body
  const reason = brokenBy()
  if (reason !== undefined) throw reason
}

function readHeaders(raw: Dispatcher.ResponseData['headers']): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(raw)) {
    if (name === 'set-cookie' || value === undefined) continue
    headers[cleanText(name)] = [value].flat().map(cleanValue).join(', ')
  }
  return headers
}

// undici decodes header bytes as Latin-1; in practice they are UTF-8.
function cleanValue(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return cleanText(text.includes('\ufffd') ? value : text, MAX_VALUE_LENGTH)
}
