import { escapeHtml } from '../formats/escape-markup.ts'

/** Filters of the page: what a row must have. The script has the same names. */
export type Filter = Partial<
  Readonly<Record<'verdict' | 'svhc' | 'gate' | 'exemption' | 'substance' | 'list' | 'part' | 'show', string>>
>

/** No filter. */
export const ALL_ROWS: Filter = { show: 'all' }

/** A link that filters the rows: its address is the state of the page. `content` is HTML. */
export function filterLink(filter: Filter, content: string): string {
  const address = escapeHtml(new URLSearchParams(filter as Record<string, string>).toString())
  return `<a class="filter" href="#${address}">${content}</a>`
}

/** The first of these parts, each a link to its row, and how many more there are. */
export function partLinks(parts: readonly string[], count: number, shown: number): string {
  const named = parts.slice(0, shown).map((part) => {
    return part === '' ? 'a row without part number' : filterLink({ part }, oneValue(part))
  })
  const more = count - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** A value such as a part number, which is never broken on a screen that has room for it. */
export function oneValue(text: string): string {
  return text.length > 40 ? escapeHtml(text) : `<span class="short">${escapeHtml(text)}</span>`
}

/** Text with its web addresses as links, which a reader may follow. */
export function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/[^\s"'<>;]+)/)
    .map((piece, index) => (index % 2 === 0 ? unbroken(piece) : sourceLink(piece)))
    .join('')
}

/** Text in which a date or another value with hyphens is never broken. */
export function unbroken(text: string): string {
  return text
    .split(/([^\s-]*\d-\S*)/)
    .map((piece, index) =>
      index % 2 === 0 || piece.length > 40
        ? escapeHtml(piece)
        : `<span class="short">${escapeHtml(piece)}</span>`,
    )
    .join('')
}

function sourceLink(address: string): string {
  const host = /^https?:\/\/([^/]+)/.exec(address)![1]!
  return `<a href="${escapeHtml(address)}" rel="noreferrer noopener" target="_blank">${escapeHtml(host)}</a>`
}
