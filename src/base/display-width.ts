import stringWidth from 'fast-string-width'

/** The columns of a terminal that a text without control characters takes. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text)
}

const PLAIN = /^[ -~]*$/

/** A text of at most `width` columns; a longer one is cut between grapheme clusters and ends in the ellipsis. */
export function cutToWidth(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text
  const room = width - displayWidth(ellipsis)
  let cut = ''
  let used = 0
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    used += displayWidth(segment)
    if (used > room) break
    cut += segment
  }
  return room < 0 ? text.slice(0, width) : cut + ellipsis
}
