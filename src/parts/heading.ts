/** A heading without case, spaces and punctuation; `#` reads as "no". */
export function headingKey(heading: string): string {
  return heading
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('#', 'no')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** The columns (from 0) with this heading: exactly, else without case, spaces and punctuation. */
export function namedColumns(headings: readonly string[], name: string): readonly number[] {
  const indexes = (matches: (heading: string) => boolean): number[] =>
    headings.flatMap((heading, index) => (matches(heading) ? [index] : []))
  const exact = indexes((heading) => heading.trim() === name.trim())
  if (exact.length > 0) return exact
  const key = headingKey(name)
  return key === '' ? [] : indexes((heading) => headingKey(heading) === key)
}
