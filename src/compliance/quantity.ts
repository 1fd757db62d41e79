import type { Quantity } from './declaration.ts'

const MILLIGRAMS: ReadonlyMap<string, number> = new Map([
  ['ug', 0.001],
  ['µg', 0.001],
  ['μg', 0.001],
  ['mg', 1],
  ['g', 1_000],
  ['kg', 1_000_000],
])
const PERCENT: ReadonlyMap<string, number> = new Map([
  ['masspercent', 1],
  ['mass%', 1],
  ['percent', 1],
  ['%', 1],
  ['wt%', 1],
  ['%w/w', 1],
  ['weight%', 1],
  ['ppm', 0.0001],
  ['mg/kg', 0.0001],
  ['µg/g', 0.0001],
  ['μg/g', 0.0001],
  ['ug/g', 0.0001],
  ['ppb', 0.0000001],
])

/** More than any mass or count; sums and products of what is below stay finite. */
const MAX_DECIMAL = 1e15

/** Reads a number from 0 to 10^15. A single decimal comma is accepted; digit groups are not. */
export function readDecimal(text: string): number | undefined {
  const trimmed = text.trim()
  if (!/^\+?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d{1,3})?$/.test(trimmed)) return undefined
  const value = Number(trimmed.replace(',', '.'))
  return value <= MAX_DECIMAL ? value : undefined
}

/** Milligrams of an amount in an absolute unit (µg, mg, g, kg, in any case); undefined for any other unit or no number. */
export function absoluteMassMg(quantity: Quantity | undefined): number | undefined {
  return inUnit(quantity, quantity && MILLIGRAMS.get(quantity.unit.trim().toLowerCase()))
}

/** Mass percent of the parent, of an amount in `massPercent` or `ppm`; undefined for any other unit or no number. */
export function relativePercent(quantity: Quantity | undefined): number | undefined {
  return inUnit(quantity, quantity && PERCENT.get(unitKey(quantity)))
}

function inUnit(quantity: Quantity | undefined, factor: number | undefined): number | undefined {
  const number = factor === undefined ? undefined : readDecimal(quantity!.value)
  return number === undefined ? undefined : tidy(number * factor!)
}

/** True for a share that is written in percent, not in parts per million or the like. */
export function isInPercent(quantity: Quantity | undefined): boolean {
  return (
    quantity !== undefined &&
    PERCENT.get(unitKey(quantity)) === 1 &&
    readDecimal(quantity.value) !== undefined
  )
}

function unitKey({ unit }: Quantity): string {
  return unit.trim().toLowerCase().replace(/\s+/g, '')
}

/** Percent of a Concentration: of its unit, or of a bare number, which is mass percent. Undefined for an unknown unit or no number. */
export function concentrationPercent(concentration: Quantity | undefined): number | undefined {
  if (concentration?.unit.trim() !== '') return relativePercent(concentration)
  return readDecimal(concentration.value)
}

const NO_REMARKS: readonly string[] = []
/** How a remark on a value that cannot be read ends. */
export const NOT_RECOGNIZED = 'not recognized'

/** Says how the `what` of a subject is written, where it is not recognized (`isRead` is false) or has a decimal comma. */
export function readingRemarks(
  quantity: Quantity | undefined,
  isRead: boolean,
  what: string,
  subject: string,
): readonly string[] {
  if (quantity === undefined || (isRead && !quantity.value.includes(','))) return NO_REMARKS
  if (isRead) return [`decimal comma in the ${what} of ${subject}`]
  if (quantity.value.trim() === '') return NO_REMARKS
  return [`${what} "${`${quantity.value} ${quantity.unit}`.trim()}" of ${subject} ${NOT_RECOGNIZED}`]
}

/** Rounds to ten significant digits, which drops the noise of binary arithmetic. */
export function tidy(value: number): number {
  return Number(value.toPrecision(10))
}
