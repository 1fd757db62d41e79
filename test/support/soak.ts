import { test } from 'vitest'

/** Whether this is `npm run soak`, which has the time for the long sweeps. */
export const IS_SOAK = process.env.MATDECL_SOAK === '1'

/** How many cases of a sweep to try: a few in the suite, many in the soak. */
export function sweep(suite: number, soak: number): number {
  return IS_SOAK ? soak : suite
}

/** A test that takes too long for the suite: it runs in the soak only. */
export const soakTest = test.runIf(IS_SOAK)

/** The time limit of the longest sweeps, in milliseconds: an hour in the soak, that of every test in the suite. */
export const LONG_SOAK_MS: number | undefined = IS_SOAK ? 3_600_000 : undefined
