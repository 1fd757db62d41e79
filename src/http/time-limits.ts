import type { Dispatcher } from 'undici'
import { formatCount, formatDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { wasReused } from './agent.ts'
import { targetOf } from './connector.ts'
import { transferError } from './network-errors.ts'
import { networkFault } from './outcome.ts'
import { type Watchdog, watch } from './watchdog.ts'

export interface TimeLimits {
  /** From sending the request to the head of the response. */
  readonly responseTimeoutMs: number
  /** Between bytes of a body. */
  readonly stallTimeoutMs: number
  /** The window in which a body must average 1 kB/s. */
  readonly slowWindowMs: number
}

interface Options extends TimeLimits {
  readonly clock: World['clock']
  readonly hasClientCertificate: boolean
  /** Called with the reason when a body is cut short. */
  readonly onBroken: (reason: unknown) => void
}

const MIN_BYTES_PER_SECOND = 1_000

/**
 * An undici interceptor: aborts a stalled or slow request, and translates every error of a transfer into a Fault. To undici a body
 * that is cut short just ends, because undici would drop the unread bytes; `onBroken` gets the reason.
 */
export function timeLimits(options: Options): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (request, handler) => dispatch(request, limited(request, handler, options))
}

function limited(
  { origin }: Dispatcher.DispatchOptions,
  next: Dispatcher.DispatchHandler,
  options: Options,
): Dispatcher.DispatchHandler {
  const url = new URL(String(origin))
  const { hostname, port } = targetOf(url)
  const state = { received: 0, total: undefined as number | undefined, isChunked: false, isStarted: false }
  let watchdog: Watchdog | undefined

  const abort = (controller: Dispatcher.DispatchController, message: string, hint: string, option?: string) =>
    controller.abort(
      networkFault(option === undefined ? 'twice' : 'always', `${url.host} ${message}`, {
        hint,
        ...(option === undefined ? {} : { options: [option] }),
      }),
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
        abort(
          controller,
          `sent no data for ${formatDuration(stallTimeoutMs)}, at ${got()}`,
          'try again later, or raise the stall timeout',
          'stall-timeout',
        ),
      slow: {
        windowMs: slowWindowMs,
        minBytes: (slowWindowMs / 1000) * MIN_BYTES_PER_SECOND,
        onSlow: () =>
          abort(
            controller,
            `was slower than 1 kB/s for ${formatDuration(slowWindowMs)}, at ${got()}`,
            'try again later, or from another network',
          ),
      },
    })
  }

  return {
    onRequestStart(controller, context) {
      const { responseTimeoutMs } = options
      watchdog = watch(options.clock, {
        idleMs: responseTimeoutMs,
        onIdle: () =>
          abort(
            controller,
            `sent no response within ${formatDuration(responseTimeoutMs)}`,
            'request fewer parts at once, or raise the response timeout',
            'response-timeout',
          ),
      })
      next.onRequestStart?.(controller, context)
    },
    onResponseStart(controller, status, headers, statusText) {
      if (status >= 200) {
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
      const reason = transferError(error, {
        ...state,
        name: url.host,
        host: hostname,
        port,
        hasClientCertificate: options.hasClientCertificate,
        isReused: wasReused(error),
      })
      if (!state.isStarted) return next.onResponseError?.(controller, reason as Error)
      options.onBroken(reason)
      next.onResponseEnd?.(controller, {})
    },
  }
}
