/**
 * What a substance's `massPercent` is a share of. Writers mean its material, or the whole product; `unknown` where the shares of a
 * material sum to neither.
 */
export type ShareReading = 'material' | 'product' | 'unknown'

/** Sums that count as the whole, in percent of it: 5 % may stay undeclared, and numbers are rounded. */
const WHOLE = { from: 95, to: 100.5 }
/** Still the whole, with more undeclared or rounded more roughly; it is reported. */
const ROUGHLY_WHOLE = { from: 80, to: 105 }

/**
 * Reads the shares of a material by what its substances sum to, in percent of the material: once with the shares taken as those of
 * the material, once as those of the product (undefined where the material's own share of the product is unknown).
 */
export function shareReading(asMaterial: number, asProduct: number | undefined): ShareReading {
  if (isWithin(asMaterial, WHOLE)) return 'material'
  if (asProduct !== undefined && isWithin(asProduct, WHOLE)) return 'product'
  return isWithin(asMaterial, ROUGHLY_WHOLE) ? 'material' : 'unknown'
}

function isWithin(value: number, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return value >= from && value <= to
}
