import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Agent, Dispatcher } from 'undici'
import { orAborted } from '../base/aborted.ts'
import { cleanText } from '../base/clean-text.ts'
import type { FailureOptions } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { redactHeader, redactUrl } from '../base/redact.ts'
import { formatCount, formatDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { brokenResponse, targetOf } from './connector.ts'
import { InvalidHead, transferError } from './network-errors.ts'
import { Fault, networkFault, type Outcome, outcomeOf } from './outcome.ts'
import { parseHttpDate } from './rate-headers.ts'
import { type Watchdog, watch } from './watchdog.ts'

/** A response of the service; its body can be read once. */
export interface ServiceResponse {
  readonly status: number
  /** True for a 202 that has the archive in its body. */
  readonly hasArchive?: boolean
  /** What the status means, by where the response came from. */
  readonly outcome: Outcome
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
  /** When the service answered: by the first of its own responses to the request, whatever followed from it. */
  readonly answered: AnswerTimes
  readonly contentLength: number | undefined
  /** Cookies are neither read nor sent. */
  readonly setsCookie: boolean
  /** Closes the connection without reading the rest. */
  readonly abandon: () => void
  /** Reads a short rest, so that the connection can be reused; closes it for a long or slow one. */
  readonly drain: () => Promise<void>
}

/** When a request was sent and answered, in milliseconds. */
interface AnswerTimes {
  /** At sending, since the epoch, by this machine's clock. */
  readonly atMs: number
  /** From then to the head of the response. */
  readonly waitedMs: number
  /** The `Date` of the response, since the epoch. */
  readonly headerMs: number | undefined
}

/** A request to one server. */
interface ExchangeRequest extends Pick<ServiceResponse, 'foreign' | 'isRedirected'> {
  readonly url: URL
  /** Of the URL, as it is sent: the URL parser would normalize it. */
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
  /** Called when its bytes leave on a connection. */
  readonly onSent?: (() => void) | undefined
}

/** How exchanges are limited and reported. */
export interface ExchangeOptions {
  readonly clock: World['clock']
  /** From sending the request to the head of the response. */
  readonly responseTimeoutMs: number
  /** Between bytes of a body. */
  readonly stallTimeoutMs: number
  /** The window in which a body must average 1 kB/s. */
  readonly slowWindowMs: number
  readonly hasClientCertificate: boolean
  /** Gets the head of each request and response as `trace` notices. */
  readonly reporter: Reporter
  /** Masks secrets in them. */
  readonly redact: (text: string) => string
}

const MIN_BYTES_PER_SECOND = 1_000
// A service that closes a connection later than this may have worked on the request.
const STALE_MS = 1_000
// If more connections in a row are closed, they were not stale.
const MAX_STALE = 3
const MAX_VALUE_LENGTH = 1_000
// A URL with a signature is long, and cut short it leads elsewhere.
const MAX_LOCATION_LENGTH = 16_384
const MAX_DRAINED_BYTES = 16 * 1024
const MAX_DRAIN_MS = 1_000

/**
 * Sends one request and resolves with its response, whatever its status. Errors of the connection, also those of the body, are Faults. A
 * request is sent again at once when the server had closed the kept connection: at most a second ago, without a byte of a response.
 */
export async function exchange(
  agent: Agent,
  request: ExchangeRequest,
  options: ExchangeOptions,
): Promise<ServiceResponse> {
  const { url, path, method, headers, body, signal } = request
  let broken: unknown
  const onBroken = (reason: unknown): void => {
    broken = reason
  }
  const dispatcher = agent.compose((dispatch) => (sent, handler) => {
    traceRequest(sent, options)
    return dispatch(sent, watched(request, handler, onBroken, options))
  })
  for (let stale = 0; ; stale += 1) {
    // undici frees a connection one event loop turn after its response.
    await setImmediate()
    const [atMs, startedMs] = [options.clock.nowMs(), options.clock.monotonicMs()]
    try {
      const sent = dispatcher.request({ origin: url.origin, path, method, headers, body, signal })
      // undici checks the signal of a request only once it has a connection.
      const response = await orAborted(sent, signal)
      const waitedMs = options.clock.monotonicMs() - startedMs
      return toServiceResponse(response, () => broken, request, { atMs, waitedMs })
    } catch (error) {
      if (error instanceof InvalidHead && error.status !== undefined && error.status >= 400) {
        options.reporter.notice({ level: 'detail', event: 'response.invalid', message: error.message })
        const waitedMs = options.clock.monotonicMs() - startedMs
        return withoutHeaders(error.status, request, { atMs, waitedMs })
      }
      if (!(error instanceof Fault && error.isStale) || stale >= MAX_STALE) throw error
    }
  }
}

/** A refusal whose headers cannot be read: its status still says what it means. */
function withoutHeaders(
  status: number,
  { url, foreign, isRedirected }: ExchangeRequest,
  times: Pick<AnswerTimes, 'atMs' | 'waitedMs'>,
): ServiceResponse {
  return {
    status,
    outcome: outcomeOf(status, { isRedirected, foreign }),
    headers: {},
    body: readBody(Readable.from([]), () => undefined),
    finalUrl: url.href,
    host: url.host,
    foreign,
    isRedirected,
    serverDateMs: undefined,
    answered: { ...times, headerMs: undefined },
    contentLength: undefined,
    setsCookie: false,
    abandon: () => undefined,
    drain: async () => undefined,
  }
}

/**
 * A handler that aborts a stalled or slow request, and translates every error of a transfer into a Fault. To undici a body that is cut
 * short just ends, because undici would drop the unread bytes; `onBroken` gets the reason.
 */
function watched(
  { url, signal, onSent }: Pick<ExchangeRequest, 'url' | 'signal' | 'onSent'>,
  next: Dispatcher.DispatchHandler,
  onBroken: (reason: unknown) => void,
  options: ExchangeOptions,
): Dispatcher.DispatchHandler {
  const { hostname, port } = targetOf(url)
  const state = { received: 0, total: undefined as number | undefined, isChunked: false, isStarted: false }
  let watchdog: Watchdog | undefined
  let sentMs = 0

  const abort = (controller: Dispatcher.DispatchController, message: string, advice: FailureOptions) =>
    controller.abort(
      networkFault(advice.options === undefined ? 'twice' : 'always', `${url.host} ${message}`, advice),
    )

  function got(): string {
    const of = state.total === undefined ? '' : ` of ${formatCount(state.total)}`
    return `${formatCount(state.received)}${of} bytes`
  }

  function watchBody(controller: Dispatcher.DispatchController): Watchdog {
    const { stallTimeoutMs, slowWindowMs } = options
    return watch(options.clock, {
      idleMs: stallTimeoutMs,
      isPaused: () => controller.paused,
      onIdle: () =>
        abort(controller, `sent no data for ${formatDuration(stallTimeoutMs)}, at ${got()}`, {
          hint: 'try again later, or raise the stall timeout',
          options: ['stall-timeout'],
        }),
      slow: {
        windowMs: slowWindowMs,
        minBytes: (slowWindowMs / 1000) * MIN_BYTES_PER_SECOND,
        onSlow: () =>
          abort(controller, `was slower than 1 kB/s for ${formatDuration(slowWindowMs)}, at ${got()}`, {
            hint: 'try again later, or from another network',
          }),
      },
    })
  }

  return {
    onRequestStart(controller, context) {
      const { responseTimeoutMs } = options
      sentMs = options.clock.monotonicMs()
      watchdog = watch(options.clock, {
        idleMs: responseTimeoutMs,
        onIdle: () =>
          abort(controller, `sent no response within ${formatDuration(responseTimeoutMs)}`, {
            fewerParts: true,
            hint: 'raise the response timeout',
            options: ['response-timeout'],
          }),
      })
      // One that was aborted while its connection opened ends here.
      if (!signal.aborted) onSent?.()
      next.onRequestStart?.(controller, context)
    },
    onResponseStart(controller, status, headers, statusText) {
      if (status >= 200) {
        traceResponse(status, controller.rawHeaders, options)
        const length = Number(headers['content-length'] ?? Number.NaN)
        state.isStarted = true
        state.total = Number.isSafeInteger(length) ? length : undefined
        state.isChunked = headers['transfer-encoding'] !== undefined
        watchdog?.stop()
        watchdog = watchBody(controller)
      }
      next.onResponseStart?.(controller, status, headers, statusText)
    },
    onResponseData(controller, chunk) {
      state.received += chunk.length
      watchdog?.touch(chunk.length)
      next.onResponseData?.(controller, chunk)
    },
    onResponseEnd(controller, trailers) {
      watchdog?.stop()
      next.onResponseEnd?.(controller, trailers)
    },
    onResponseError(controller, error) {
      watchdog?.stop()
      const { isUnanswered, ...known } = brokenResponse(error)
      const reason = transferError(error, {
        ...state,
        ...known,
        name: url.host,
        host: hostname,
        port,
        isPlain: url.protocol === 'http:',
        hasClientCertificate: options.hasClientCertificate,
        isStale: isUnanswered && options.clock.monotonicMs() - sentMs < STALE_MS,
      })
      if (!state.isStarted) return next.onResponseError?.(controller, reason as Error)
      onBroken(reason)
      next.onResponseEnd?.(controller, {})
    },
  }
}

function traceRequest(
  { method, path, origin, headers }: Dispatcher.DispatchOptions,
  options: ExchangeOptions,
): void {
  trace('http.request', `> ${method} ${redactUrl(path)} HTTP/1.1`, options)
  const sent = { host: new URL(String(origin)).host, ...headers }
  for (const [name, value] of Object.entries(sent))
    trace('http.request-header', `> ${name}: ${redactHeader(name, String(value))}`, options)
}

function traceResponse(
  status: number,
  rawHeaders: Dispatcher.DispatchController['rawHeaders'],
  options: ExchangeOptions,
): void {
  trace('http.response', `< ${status}`, options)
  const texts = Array.isArray(rawHeaders) ? rawHeaders.map(String) : []
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const [name = '', value = ''] = texts.slice(at, at + 2)
    const shown = name.toLowerCase() === 'location' ? redactUrl(value) : value
    trace('http.response-header', `< ${name}: ${redactHeader(name, shown)}`, options)
  }
}

function trace(event: string, line: string, { reporter, redact }: ExchangeOptions): void {
  reporter.notice({ level: 'trace', event, message: cleanText(redact(line), 12_000) })
}

function toServiceResponse(
  { statusCode, body, headers: raw }: Dispatcher.ResponseData,
  brokenBy: () => unknown,
  { url, foreign, isRedirected }: ExchangeRequest,
  times: Pick<AnswerTimes, 'atMs' | 'waitedMs'>,
): ServiceResponse {
  const headers = readHeaders(raw)
  const serverDateMs = parseHttpDate(headers.date)
  const length = headers['content-length']
  return {
    status: statusCode,
    outcome: outcomeOf(statusCode, { isRedirected, foreign }),
    headers,
    body: readBody(body, brokenBy),
    finalUrl: url.href,
    host: url.host,
    foreign,
    isRedirected,
    serverDateMs,
    answered: { ...times, headerMs: serverDateMs },
    contentLength: length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    setsCookie: raw['set-cookie'] !== undefined,
    abandon: () => body.on('error', () => undefined).destroy(),
    drain: async () => {
      const signal = AbortSignal.timeout(MAX_DRAIN_MS)
      await body.dump({ limit: MAX_DRAINED_BYTES, signal }).catch(() => undefined)
    },
  }
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
    const most = name === 'location' ? MAX_LOCATION_LENGTH : MAX_VALUE_LENGTH
    headers[cleanText(name)] = cleanValue([value].flat().join(', '), most)
  }
  return headers
}

// undici decodes header bytes as Latin-1; in practice they are UTF-8.
function cleanValue(value: string, most: number): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return cleanText(text.includes('\ufffd') ? value : text, most)
}
