export interface ProductId {
  readonly itemNumber?: string
  readonly requesterItemNumber?: string
}
/** to come */
export interface ProductScanner {
  readonly push: (chunk: Uint8Array) => void
  readonly end: () => readonly ProductId[]
}
export function createProductScanner(): ProductScanner {
  return { push: () => undefined, end: () => [] }
}
