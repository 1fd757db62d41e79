/** A key that is equal for part numbers that differ only in case, whitespace, dashes and underscores. */
export function nearKey(part: string): string {
  return part
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\u00ad\u200b-\u200f\u2010-\u2015\u2212\ufeff_-]+/g, '')
}
