import type { Failure } from '../base/failure.ts'
import type { ServiceOptions } from '../http/service.ts'

/** What to check, with which configuration. */
export interface DoctorOptions {
  readonly settings: {
    /** The file that was read. */
    readonly path: string | undefined
    /** The default path. */
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
  /** Files that contain a secret. */
  readonly secretFiles: readonly string[]
  readonly network: Omit<ServiceOptions, 'baseUrl' | 'token'>
}
