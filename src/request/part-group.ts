/** Parts with the same start date; without parts, everything that matches the other criteria. */
export interface PartGroup {
  readonly parts: readonly string[]
  /** Replaces the start date of the criteria; undefined sends none. */
  readonly startDate?: string | undefined
}
