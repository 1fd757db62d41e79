/** True where the unit of a product is a piece, as in most files: only then is its mass that of one part. */
export function isPiece(unitType: string): boolean {
  return /^(?:each|ea\.?|pieces?|pcs?\.?|units?|)$/i.test(unitType.trim())
}
