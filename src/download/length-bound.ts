import type { LearnedLength } from './journal.ts'

/** The longest request that is sent: a maximum at first, shortened by refusals, and raised again step by step below them. */
export interface LengthBound {
  readonly current: () => number
  /** True while the current length is a guess: the next request tests it alone. */
  readonly isTesting: () => boolean
  /** The service accepted a request of this length. */
  readonly accepted: (length: number) => void
  /** The service refused a request of this length as too long; the longer of its halves has the length `half`. */
  readonly refused: (length: number, half: number) => void
  /** Undefined unless the service refused one. */
  readonly learned: () => LearnedLength | undefined
}

// A bound this close below the shortest refused length is not raised further.
const CLOSE_ENOUGH = 1 / 8

/** Starts with the maximum `most`, or with what earlier runs learned. Lengths are in any unit. */
export function createLengthBound(most: number, earlier?: LearnedLength): LengthBound {
  let refusedAt = Number.POSITIVE_INFINITY
  let longest = 0
  let bound = most
  let isTesting = false
  if (earlier !== undefined) {
    refusedAt = earlier.refused
    longest = earlier.accepted
    bound = Math.min(most, longest > 0 ? longest : Math.ceil(refusedAt / 2))
    isTesting = longest === 0
  }

  function raise(): void {
    const isClose = refusedAt - longest <= refusedAt * CLOSE_ENOUGH
    bound = Math.min(most, isClose ? longest : Math.floor((longest + refusedAt) / 2))
    isTesting = bound > longest
  }

  return {
    current: () => bound,
    isTesting: () => isTesting,
    accepted(length) {
      if (length >= refusedAt) return
      if (length > longest) {
        longest = length
        if (isTesting) raise()
      } else if (isTesting) {
        // No request fits between the longest accepted one and the bound.
        bound = longest
        isTesting = false
      }
    },
    refused(length, half) {
      refusedAt = Math.min(refusedAt, length)
      if (longest >= refusedAt) longest = 0
      if (longest > 0) raise()
      else {
        bound = Math.min(bound, half)
        isTesting = true
      }
    },
    learned: () =>
      refusedAt === Number.POSITIVE_INFINITY ? undefined : { accepted: longest, refused: refusedAt },
  }
}
