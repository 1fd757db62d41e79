import type { Progress, Reporter } from '../base/notice.ts'

/** Combines the progress of many requests into that of one job. */
export interface JobProgress {
  /** Call before a request is sent; returns its name in messages. */
  readonly begin: (ask: object) => string
  /** Call when a request succeeded or failed. */
  readonly end: (ask: object, isSuccess: boolean) => void
  /** Call when the number of requests has changed: with those still to be sent. */
  readonly remaining: (count: number) => void
  /** The reporter for one request. */
  readonly of: (ask: object) => Reporter
}

/** Progress of a job of `total` requests, of which earlier runs did `done`, with responses of `doneBytes`. */
export function createJobProgress(
  reporter: Reporter,
  done: number,
  total: number,
  doneBytes: number,
): JobProgress {
  const inFlight = new Map<object, Progress>()
  let requestsDone = done
  let requestsTotal = total
  // A request that was split was sent too.
  let sendTotal = total
  let receivedBytes = doneBytes
  let begun = done

  const counts = () => ({ requestsDone, requestsTotal })
  const isSingle = (): boolean => requestsTotal === 1

  /** The whole job, while its requests are in different phases. */
  function whole(): Progress {
    const all = [...inFlight.values()]
    const bytes = all.reduce((sum, one) => sum + (one.bytes ?? 0), receivedBytes)
    const share = (requestsDone + all.reduce((sum, one) => sum + shareOf(one), 0)) / requestsTotal
    const sums = { bytes, share, ...counts() }
    const waiting = all.find(({ waitUntilMs }) => waitUntilMs !== undefined)
    if (all.some(({ phase }) => phase === 'receiving')) return { phase: 'receiving', ...sums }
    if (waiting !== undefined && all.every(({ phase }) => phase === 'waiting')) return { ...waiting, ...sums }
    return { phase: 'asking', ...sums }
  }

  return {
    begin(ask) {
      begun += 1
      // It is not sent before its turn.
      inFlight.set(ask, { phase: 'waiting' })
      reporter.progress(isSingle() ? { phase: 'asking', ...counts() } : whole())
      return `request ${begun} of ${sendTotal}`
    },
    end(ask, isSuccess) {
      if (isSuccess) {
        receivedBytes += inFlight.get(ask)?.bytes ?? 0
        requestsDone += 1
      }
      inFlight.delete(ask)
      if (!isSingle()) reporter.progress(whole())
    },
    remaining(count) {
      requestsTotal = requestsDone + inFlight.size + count
      sendTotal = begun + count
    },
    of: (ask) => ({
      notice: reporter.notice,
      progress(progress) {
        if (isSingle()) return reporter.progress({ ...progress, ...counts() })
        // The bytes of a broken transfer count until it starts over.
        if (progress.phase === 'verifying') return
        const { bytes = 0, totalBytes } = inFlight.get(ask) ?? {}
        inFlight.set(ask, { bytes, ...(totalBytes === undefined ? {} : { totalBytes }), ...progress })
        reporter.progress(whole())
      },
    }),
  }
}

function shareOf({ bytes = 0, totalBytes }: Progress): number {
  return totalBytes ? Math.min(1, bytes / totalBytes) : 0
}
