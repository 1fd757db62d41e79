import { createHash } from 'node:crypto'
import { formatCount } from '../../base/units.ts'
import {
  alternateText,
  type Block,
  type Counts,
  type Document,
  type Facts,
  type Filter,
  firstOf,
  listedPieces,
  moreParts,
  type Piece,
  partName,
  type Section,
  type Table,
  type TableCell,
  type TableColumn,
  type Text,
  TONE_SIGNS,
  type VerdictLine,
} from '../document.ts'
import { escapeMarkup } from '../formats/escape-markup.ts'
import SCRIPT from './page.client.ts?text'
import STYLE from './page.css?text'

/** Parts with a name beside a thing, and things with a line each; the rest are counted. */
const NAMED = 8
const LINES = 200

/**
 * A document as a self-contained page: one style sheet, one script, and a policy that allows only these two, so that it loads nothing.
 * `rows` is the HTML of the rows, which follow the verdicts; `end` follows the sections, `tools` the facts in the head.
 */
export async function* htmlPage(
  document: Document,
  rows: AsyncIterable<string> | Iterable<string> = [],
  end = '',
  tools = '',
): AsyncGenerator<string, void, void> {
  const { title, about, version, verdicts, sections } = document
  const made = new Date(document.nowMs).toISOString().replace('T', ' ').slice(0, 16)
  const facts = [
    ...about.map(([name, text]) => `${escapeMarkup(name)}: <strong>${oneValue(text)}</strong>`),
    `created ${made} UTC by matdecl ${escapeMarkup(version)}`,
  ]
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeMarkup(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">skip to the content</a>
<header>
<h1>${escapeMarkup(title)}</h1>
<p class="made">${facts.join(' · ')}${tools}</p>
<button type="button" id="theme" class="needs-script" hidden>dark</button>
</header>
<main id="main" tabindex="-1">
${verdicts.map(verdictHtml).join('')}`
  yield* rows
  yield `${sections.map(sectionHtml).join('')}${end}</main>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`
}

const POLICY = [
  "default-src 'none'",
  `style-src '${sourceHash(STYLE)}'`,
  `script-src '${sourceHash(SCRIPT)}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** A value as JSON for a script element of type `application/json`: nothing in it ends the element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c')
}

// Blocks

function verdictHtml({ about, tone, text, more = [] }: VerdictLine): string {
  const others = more.map(([, line]) => `<p class="sub">${textHtml(line)}</p>`)
  return `<div class="banner ${about === 'gate' ? 'gate' : 'verdict'} ${tone}"><h2><span class="sign" aria-hidden="true">${TONE_SIGNS[tone]}</span> ${textHtml(text)}</h2>${others.join('')}</div>\n`
}

/** A section; pictures are for formats that have them. */
export function sectionHtml({ id, title, blocks }: Section): string {
  const content = joinedFacts(blocks.filter((block) => block.kind !== 'counts' || block.look !== 'chart'))
    .map(blockHtml)
    .join('')
  if (content === '') return ''
  if (title === undefined) return `<section id="${id}" aria-label="${id}">\n${content}</section>\n`
  return `<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${escapeMarkup(title)}</h2>\n${content}</section>\n`
}

/** A block, or facts that follow each other, which are in one list. */
type PageBlock = Block | { readonly kind: 'list'; readonly items: Facts[] }

function joinedFacts(blocks: readonly Block[]): readonly PageBlock[] {
  const joined: PageBlock[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    const facts = block.kind === 'facts' ? block : block.kind === 'counts' ? countFacts(block) : undefined
    if (facts === undefined) joined.push(block)
    else if (last?.kind === 'list') last.items.push(facts)
    else joined.push({ kind: 'list', items: [facts] })
  }
  return joined
}

function countFacts({ title, sentence, counts }: Counts): Facts {
  if (sentence !== undefined) return { kind: 'facts', facts: [[title, sentence]] }
  const found = counts
    .filter(({ count }) => count > 0)
    .map(({ name, count, rows }) => ({ text: `${formatCount(count)} ${name}`, rows }))
  return { kind: 'facts', facts: [[title, listedPieces(found)]] }
}

function blockHtml(block: PageBlock): string {
  switch (block.kind) {
    case 'note':
      return `<p class="sub">${textHtml(block.text)}</p>\n`
    case 'list':
      return `<dl class="facts">${block.items.map(factsHtml).join('')}</dl>\n`
    case 'table':
      return tableHtml(block)
    default:
      return ''
  }
}

function factsHtml({ facts, of }: Facts): string {
  const { shown, more } = firstOf(facts, of, LINES)
  const items = shown.map(([name, text]) => `<div><dt>${unbroken(name)}</dt><dd>${textHtml(text)}</dd></div>`)
  return [...items, ...more.map((line) => `<div><dt></dt><dd>${line}</dd></div>`)].join('')
}

function tableHtml({ name, caption, columns, rows, of, isGrouped }: Table): string {
  const { shown, more } = firstOf(rows, of, LINES)
  const filled = columns.map((_, index) => shown.some((cells) => (cells[index] ?? '') !== ''))
  const headings = columns
    .filter((_, index) => filled[index])
    .map(
      ({ title, type }) =>
        `<th scope="col"${isRight(type) ? ' class="number"' : ''}>${escapeMarkup(title)}</th>`,
    )
  const body = shown.map((cells, at) => {
    const first = firstCell(shown, at, isGrouped === true)
    const rest = cells.map((cell, index) =>
      index > 0 && filled[index] ? cellHtml(cell, columns[index]!) : '',
    )
    return `<tr>${first}${rest.join('')}</tr>\n`
  })
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeMarkup(name)}"><table>${caption === undefined ? '' : `\n<caption>${escapeMarkup(caption)}</caption>`}
<thead><tr>${headings.join('')}</tr></thead>
<tbody>${body.join('')}</tbody></table></div>
${more.map((line) => `<p class="sub">${line}</p>\n`).join('')}`
}

/** The heading of a row, or of all rows that belong together. */
function firstCell(rows: readonly (readonly TableCell[])[], at: number, isGrouped: boolean): string {
  const cell = rows[at]![0] ?? ''
  const content = cellContent(cell)
  const shown = typeof cell === 'string' ? oneValue(cell) : content
  if (!isGrouped || content === '') return `<th scope="row">${shown}</th>`
  if (at > 0 && cellContent(rows[at - 1]![0] ?? '') === content) return ''
  let end = at + 1
  while (end < rows.length && cellContent(rows[end]![0] ?? '') === content) end += 1
  return `<th scope="rowgroup" rowspan="${end - at}">${shown}</th>`
}

function cellContent(cell: TableCell): string {
  return cell === null ? '' : typeof cell === 'number' ? formatCount(cell) : textHtml(cell)
}

function isRight(type: TableColumn['type']): boolean {
  return type === 'count' || type === 'amount'
}

function cellHtml(cell: TableCell, { type }: TableColumn): string {
  const kind = isRight(type) ? 'number' : type === 'day' ? 'date' : type === 'text' ? 'prose' : ''
  const content = cellContent(cell)
  return `<td${kind === '' ? '' : ` class="${kind}"`}>${content}</td>`
}

// Texts

export function textHtml(text: Text): string {
  return typeof text === 'string' ? unbroken(text) : text.map(pieceHtml).join('')
}

function pieceHtml(piece: Piece): string {
  if (typeof piece === 'string') return unbroken(piece)
  if ('parts' in piece) return partLinks(piece)
  if ('sources' in piece) return `<details><summary>sources</summary>${withLinks(piece.sources)}</details>`
  const { text, rows, place, tone } = piece
  const content = tone === undefined ? unbroken(text) : `<span class="${tone}">${unbroken(text)}</span>`
  if (place !== undefined) return `<a href="#${place}">${content}</a>`
  return rows === undefined ? content : filterLink(rows, content)
}

/** A link that filters the rows: its address is the state of the page. `content` is HTML. */
function filterLink(filter: Filter, content: string): string {
  const address = escapeMarkup(new URLSearchParams(filter as Record<string, string>).toString())
  return `<a class="filter" href="#${address}">${content}</a>`
}

/** The first of these parts, each a link to its row, and how many more there are. */
function partLinks({ parts, count, alternateOf }: Extract<Piece, { parts: readonly string[] }>): string {
  const named = parts
    .slice(0, NAMED)
    .map((part) =>
      part === ''
        ? partName(part)
        : filterLink({ part }, oneValue(part)) + escapeMarkup(alternateText(part, alternateOf)),
    )
  return `${named.join(', ')}${moreParts(count - named.length)}`
}

/** A value such as a part number, which is never broken on a screen that has room for it. */
function oneValue(text: string): string {
  return text.length > 40 ? escapeMarkup(text) : `<span class="short">${escapeMarkup(text)}</span>`
}

/** Text with its web addresses as links, which a reader may follow. */
function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/[^\s"'<>;]+)/)
    .map((piece, index) => (index % 2 === 0 ? unbroken(piece) : sourceLink(piece)))
    .join('')
}

function sourceLink(address: string): string {
  const host = /^https?:\/\/([^/]+)/.exec(address)![1]!
  return `<a href="${escapeMarkup(address)}" rel="noreferrer noopener" target="_blank">${escapeMarkup(host)}</a>`
}

/** Text in which a date or another value with hyphens is never broken. */
function unbroken(text: string): string {
  return text
    .split(/([^\s-]*\d-\S*)/)
    .map((piece, index) => (index % 2 === 0 ? escapeMarkup(piece) : oneValue(piece)))
    .join('')
}
