import type { ArchiveLimits } from '../../src/archive/archive-limits.ts'

/**
 * One archive whose file name says what must become of it: `accepted-…` is listed, verified and extracted; `refused-…` is
 * refused by all three; `damaged-…` is listed (its headers are right) and refused by the other two.
 */
export interface Specimen {
  readonly file: string
  readonly bytes: () => Buffer
  /** What the refusal says. */
  readonly says?: RegExp
  /** What is in the target afterwards: text by path; folders end with `/` and hold ''. */
  readonly holds?: Readonly<Record<string, string>>
  readonly limits?: Partial<ArchiveLimits>
}
