import type { Reporter } from '../base/notice.ts'
import type { PartRange } from './plan.ts'

/** Combines the progress of many requests into that of one job. */
export interface JobProgress {
  /** Call before a request is sent; returns its name in messages. */
  readonly begin: (range: PartRange) => string
  /** Call when a request succeeded or failed. */
  readonly end: (range: PartRange, isSuccess: boolean) => void
  /** Call when a request is split, with the number of additional requests. */
  readonly more: (count: number) => void
  /** The reporter for one request. */
  readonly of: (range: PartRange) => Reporter
}

/** Progress of a job of `total` requests, of which earlier runs did `done`. */
export function createJobProgress(reporter: Reporter, done: number, total: number): JobProgress {
  const inFlight = new Map<PartRange, number>()
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
    begin(range) {
      begun += 1
      inFlight.set(range, 0)
      reporter.progress({ phase: 'asking', bytes: bytes(), ...counts() })
      return `request ${begun} of ${sendTotal}`
    },
    end(range, isSuccess) {
      if (isSuccess) {
        receivedBytes += inFlight.get(range) ?? 0
        requestsDone += 1
      }
      inFlight.delete(range)
      reporter.progress({ phase: 'receiving', bytes: bytes(), ...counts() })
    },
    more(count) {
      requestsTotal += count
      sendTotal += count + 1
    },
    of: (range) => ({
      notice: reporter.notice,
      progress(progress) {
        if (isSingle) return reporter.progress({ ...progress, ...counts() })
        if (progress.phase === 'verifying') return
        if (progress.phase === 'receiving') inFlight.set(range, progress.bytes ?? 0)
        const { totalBytes: _, ...rest } = progress
        reporter.progress({ ...rest, bytes: bytes(), ...counts() })
      },
    }),
  }
}
