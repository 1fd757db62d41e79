import type { Reporter } from '../base/notice.ts'
import type { PartRange } from './plan.ts'

/** The progress of many requests as that of one job. */
export interface JobProgress {
  /** A request is about to be sent; returns its name in messages. */
  readonly begin: (range: PartRange) => string
  /** The request was answered, or failed. */
  readonly end: (range: PartRange, isAnswered: boolean) => void
  /** A request was too large and is replaced by `count` more than itself. */
  readonly more: (count: number) => void
  /** The reporter for one request: its bytes are added to those of the others. */
  readonly of: (range: PartRange) => Reporter
}

/** Adds up the progress of the requests of a job. Earlier runs did `done` of `total`. */
export function createJobProgress(reporter: Reporter, done: number, total: number): JobProgress {
  const underWay = new Map<PartRange, number>()
  const isSingle = total === 1
  let requestsDone = done
  let requestsTotal = total
  // A request that was too large counts in addition to its halves.
  let sendTotal = total
  let receivedBytes = 0
  let begun = done

  const bytes = (): number => [...underWay.values()].reduce((sum, some) => sum + some, receivedBytes)
  const counts = (): { readonly requestsDone: number; readonly requestsTotal: number } => ({
    requestsDone,
    requestsTotal,
  })

  return {
    begin(range) {
      begun += 1
      underWay.set(range, 0)
      reporter.progress({ phase: 'asking', bytes: bytes(), ...counts() })
      return `request ${begun} of ${sendTotal}`
    },
    end(range, isAnswered) {
      if (isAnswered) {
        receivedBytes += underWay.get(range) ?? 0
        requestsDone += 1
      }
      underWay.delete(range)
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
        if (progress.phase === 'receiving') underWay.set(range, progress.bytes ?? 0)
        const { totalBytes: _, ...rest } = progress
        reporter.progress({ ...rest, bytes: bytes(), ...counts() })
      },
    }),
  }
}
