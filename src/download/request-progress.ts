import type { Reporter } from '../base/notice.ts'

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

/** Progress of a job of `total` requests, of which earlier runs did `done`. */
export function createJobProgress(reporter: Reporter, done: number, total: number): JobProgress {
  const inFlight = new Map<object, number>()
  const isSingle = total === 1
  let requestsDone = done
  let requestsTotal = total
  // A request that was split was sent too.
  let sendTotal = total
  let receivedBytes = 0
  let begun = done

  const bytes = (): number => [...inFlight.values()].reduce((sum, some) => sum + some, receivedBytes)
  const counts = (): { readonly requestsDone: number; readonly requestsTotal: number } => ({
    requestsDone,
    requestsTotal,
  })

  return {
    begin(ask) {
      begun += 1
      inFlight.set(ask, 0)
      reporter.progress({ phase: 'asking', bytes: bytes(), ...counts() })
      return `request ${begun} of ${sendTotal}`
    },
    end(ask, isSuccess) {
      if (isSuccess) {
        receivedBytes += inFlight.get(ask) ?? 0
        requestsDone += 1
      }
      inFlight.delete(ask)
      reporter.progress({ phase: 'receiving', bytes: bytes(), ...counts() })
    },
    remaining(count) {
      requestsTotal = requestsDone + inFlight.size + count
      sendTotal = begun + count
    },
    of: (ask) => ({
      notice: reporter.notice,
      progress(progress) {
        if (isSingle) return reporter.progress({ ...progress, ...counts() })
        if (progress.phase === 'verifying') return
        if (progress.phase === 'receiving') inFlight.set(ask, progress.bytes ?? 0)
        const { totalBytes: _, ...rest } = progress
        reporter.progress({ ...rest, bytes: bytes(), ...counts() })
      },
    }),
  }
}
