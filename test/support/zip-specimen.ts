import type { ArchiveLimits } from '../../src/archive/problem.ts'

/**
 * One archive whose file name is its expected outcome: `accepted-…` is listed, verified and extracted; `refused-…` is
 * refused by all three; `damaged-…` is listed (its headers are right) and refused by the other two.
 */
export interface Specimen {
  readonly file: string
  readonly bytes: () => Buffer
  /** The expected reason. */
  readonly says?: RegExp
  /** The expected content of the target: text by path; directories end with `/` and have ''. */
  readonly holds?: Readonly<Record<string, string>>
  readonly limits?: Partial<ArchiveLimits>
}
