/** Parts that are asked for with the same start date; no parts at all means everything the other criteria select. */
export interface PartGroup {
  readonly parts: readonly string[]
  /** Takes the place of the criteria's own; absent where none is to be sent. */
  readonly startDate?: string | undefined
}
