/** What may have happened to a part number before it reached the list. Ids are stable: log readers match on them. */
export type DamageKind =
  | 'number'
  | 'date'
  | 'error-value'
  | 'placeholder'
  | 'leading-zeros'
  | 'quotes'
  | 'white-space'
  | 'dash'
  | 'look-alike'
  | 'invisible'
  | 'encoding'
  | 'heading'
  | 'no-number'
  | 'columns'
  | 'quantity'
  | 'level'

/** A sign that a value is not the intended part number. `says` is a predicate whose subject is the value. */
export interface Damage {
  readonly kind: DamageKind
  readonly says: string
}
