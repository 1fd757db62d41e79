import type { Failure } from '../base/failure.ts'
import type { ServiceOptions } from '../http/open-service.ts'

/** What is to be looked at, and with which settings. */
export interface DoctorWish {
  readonly settings: {
    /** The file that was read. */
    readonly path: string | undefined
    /** Where it would have been. */
    readonly usualPath: string | undefined
    readonly profile: string | undefined
    readonly failure: Failure | undefined
  }
  readonly isSandbox: boolean
  readonly api: 'v1' | 'v2'
  readonly baseUrl: string | undefined
  readonly secret: {
    readonly name: 'token' | 'API key'
    /** Where it comes from; undefined when there is none. */
    readonly source: string | undefined
    readonly read: () => Promise<string>
  }
  /** Files that hold a secret. */
  readonly secretFiles: readonly string[]
  readonly network: Omit<ServiceOptions, 'baseUrl' | 'token'>
}

/** What a check found when nothing is wrong; a Failure is thrown when something is. */
export interface Found {
  readonly status: 'pass' | 'skip'
  readonly message: string
}

/** A check that can be run. Earlier ones leave in `facts` what later ones need. */
export interface Examination {
  readonly name: string
  readonly look: () => Promise<Found>
}

/** A thing that was looked at and is in order. */
export function pass(message: string): Found {
  return { status: 'pass', message }
}

/** A thing that can not be looked at, and why that is no fault. */
export function skip(message: string): Found {
  return { status: 'skip', message }
}
