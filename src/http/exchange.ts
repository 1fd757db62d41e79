import type { Dispatcher } from 'undici'
import { formatCount, formatDuration } from '../base/units.ts'
import { answerFault, type Received } from './answer-fault.ts'
import { networkFault } from './fault.ts'
import type { Lane } from './lanes.ts'
import { type Watchdog, watch } from './watchdog.ts'

/** One request as it goes on the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly origin: string
  /** Path and query; the whole URL when a proxy is asked in plain. */
  readonly path: string
  /** As messages name it. */
  readonly host: string
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface WireLimits {
  readonly responseTimeoutMs: number
  readonly stallTimeoutMs: number
  /** The window in which a body must bring at least 1 kB for each second. */
  readonly slowWindowMs: number
}

/** The head of an answer with its body still to come. */
export interface WireAnswer {
  readonly status: number
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly Buffer[]
  /** The body once, in order; throws a Fault when it breaks off. Leaving the loop early gives up the connection. */
  readonly body: AsyncIterable<Buffer>
  /** Gives up what is still to come. */
  readonly abandon: () => void
}

// Enough to keep the socket busy while the disk writes; more would only fill memory.
const HIGH_WATER = 1024 * 1024
const LOW_WATER = 256 * 1024
const LEAST_BYTES_PER_SECOND = 1000

/** Sends one request over a lane and resolves with the head of its answer. Rejects with a Fault, or the signal's reason. */
export function exchange(
  lane: Lane,
  request: WireRequest,
  limits: WireLimits,
  signal: AbortSignal,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const queue: Buffer[] = []
    let queued = 0
    let received = 0
    let total: number | undefined
    let chunked = false
    let state: 'asking' | 'receiving' | 'done' | 'failed' = 'asking'
    let failure: unknown
    let wake: (() => void) | undefined
    let control: Dispatcher.DispatchController | undefined
    let watchdog: Watchdog | undefined

    signal.addEventListener('abort', onAbort, { once: true })

    function onAbort(): void {
      fail(signal.reason)
    }

    // Every way to an end passes here once; the first reason stays.
    function fail(reason: unknown): void {
      if (state === 'done' || state === 'failed') return
      const early = state === 'asking'
      state = 'failed'
      failure = reason
      settle()
      lane.drop()
      if (early) reject(reason)
      wake?.()
    }

    function settle(): void {
      watchdog?.stop()
      signal.removeEventListener('abort', onAbort)
    }

    function facts(): Received {
      return { host: request.host, port: request.port, received, total, chunked, started: state !== 'asking' }
    }

    function startBodyWatch(): Watchdog {
      const windowMs = limits.slowWindowMs
      const got = (): string =>
        `${formatCount(received)}${total === undefined ? '' : ` of ${formatCount(total)}`} bytes`
      return watch({
        idleMs: limits.stallTimeoutMs,
        onIdle: () =>
          fail(
            networkFault(
              'always',
              `${request.host} sent no data for ${formatDuration(limits.stallTimeoutMs)}, at ${got()}`,
              { hint: 'try again later, or raise --stall-timeout' },
            ),
          ),
        slow: {
          windowMs,
          leastBytes: (windowMs / 1000) * LEAST_BYTES_PER_SECOND,
          onSlow: () =>
            fail(
              networkFault(
                'twice',
                `${request.host} was slower than 1 kB/s for ${formatDuration(windowMs)}, at ${got()}`,
                { hint: 'try again later, or from another network' },
              ),
            ),
        },
      })
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        control = controller
        if (state === 'failed') {
          controller.abort(new Error('given up'))
          return
        }
        lane.awaitAnswer()
        watchdog?.stop()
        watchdog = watch({
          idleMs: limits.responseTimeoutMs,
          onIdle: () =>
            fail(
              networkFault(
                'always',
                `${request.host} gave no answer within ${formatDuration(limits.responseTimeoutMs)}`,
                { hint: 'ask for fewer parts at once (--batch-size), or raise --response-timeout' },
              ),
            ),
        })
      },
      onResponseStart(controller, status) {
        if (status < 200 || state !== 'asking') return
        const rawHeaders = toBuffers(controller.rawHeaders)
        state = 'receiving'
        total = announcedLength(rawHeaders)
        chunked = headerValue(rawHeaders, 'transfer-encoding') !== undefined
        watchdog?.stop()
        watchdog = startBodyWatch()
        resolve({ status, rawHeaders, body: read(), abandon: () => fail(new Error('abandoned')) })
      },
      onResponseData(controller, chunk) {
        received += chunk.length
        queued += chunk.length
        queue.push(chunk)
        watchdog?.touch(chunk.length)
        if (queued >= HIGH_WATER && !controller.paused) {
          controller.pause()
          watchdog?.pause()
        }
        wake?.()
      },
      onResponseEnd() {
        if (state !== 'receiving') return
        state = 'done'
        settle()
        lane.giveBack()
        wake?.()
      },
      onResponseError(_, error) {
        fail(answerFault(error, facts()))
      },
      onRequestUpgrade(_, __, ___, socket) {
        socket.destroy()
        fail(
          networkFault('never', `${request.host} switched protocols unasked`, { hint: 'check --base-url' }),
        )
      },
    }

    async function* read(): AsyncGenerator<Buffer> {
      try {
        while (true) {
          const chunk = queue.shift()
          if (chunk) {
            queued -= chunk.length
            if (control?.paused && queued <= LOW_WATER) {
              watchdog?.resume()
              control.resume()
            }
            yield chunk
          } else if (state === 'failed') {
            throw failure
          } else if (state === 'done') {
            return
          } else {
            await new Promise<void>((resume) => {
              wake = resume
            })
            wake = undefined
          }
        }
      } finally {
        fail(new Error('abandoned'))
      }
    }

    if (signal.aborted) {
      fail(signal.reason)
      return
    }
    lane.client.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: request.method,
        headers: { ...request.headers },
        ...(request.body === undefined ? {} : { body: request.body }),
      },
      handler,
    )
  })
}

function toBuffers(raw: unknown): Buffer[] {
  const parts: readonly (Buffer | string)[] = Array.isArray(raw) ? raw : []
  return parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))
}

function announcedLength(rawHeaders: readonly Buffer[]): number | undefined {
  const length = Number(headerValue(rawHeaders, 'content-length') ?? Number.NaN)
  return Number.isSafeInteger(length) ? length : undefined
}

function headerValue(rawHeaders: readonly Buffer[], name: string): string | undefined {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toString('latin1').toLowerCase() === name)
      return rawHeaders[at + 1]!.toString('latin1')
  }
  return undefined
}
