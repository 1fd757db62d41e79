import type { ResumePoint } from '../http/content-range.ts'
import type { TransferKeeper } from './fetch-options.ts'

/** From where the next attempt of a transfer may resume, and what its attempts have gained. */
export interface ResumeState {
  /** An attempt begins: returns where it resumes. */
  readonly begin: () => ResumePoint | undefined
  /** The service has responded: nothing is left to resume from, unless it is put back or the attempt breaks off. */
  readonly used: () => void
  readonly putBack: (point: ResumePoint | undefined) => void
  /** The attempt continues what is there. */
  readonly continued: () => void
  /** The attempt receives everything again. */
  readonly startedOver: () => void
  /** The attempt broke off; the next one may resume there. */
  readonly brokeOff: (point: ResumePoint) => void
  /** The received archive is damaged; one that was put together is not resumed again. */
  readonly damaged: () => void
  /** What an earlier run kept is of no use. */
  readonly forgetKept: () => void
  readonly mayResume: () => boolean
  readonly wasResumed: () => boolean
  readonly fruitless: () => number
  /** The `Date` of the first response of this body, if an earlier run received it. */
  readonly keptDateMs: () => number | undefined
}

export function createResumeState(kept: TransferKeeper['kept']): ResumeState {
  let point: ResumePoint | undefined =
    kept === undefined ? undefined : { start: kept.bytes, etag: kept.etag, total: kept.total }
  let keptDateMs = kept?.serverDateMs
  let mayResume = true
  let wasResumed = kept !== undefined
  let fruitless = 1
  let hasGained = false
  let furthest = kept?.bytes ?? 0

  return {
    begin() {
      fruitless = 1
      return point
    },
    used() {
      point = undefined
    },
    putBack(used) {
      point = used
    },
    continued() {
      wasResumed = true
    },
    startedOver() {
      if (hasGained) fruitless += 1
      hasGained = false
      wasResumed = false
      keptDateMs = undefined
    },
    brokeOff(next) {
      point = next
      if (next.start <= furthest) return
      furthest = next.start
      fruitless -= 1
      hasGained = true
    },
    damaged() {
      mayResume &&= !wasResumed
    },
    forgetKept() {
      point = undefined
      wasResumed = false
      mayResume = true
    },
    mayResume: () => mayResume,
    wasResumed: () => wasResumed,
    fruitless: () => fruitless,
    keptDateMs: () => keptDateMs,
  }
}
