/** One record of a delimited text (RFC 4180, read leniently). */
export interface DelimitedRecord {
  readonly cells: readonly string[]
  /** Where the next record begins. */
  readonly next: number
  /** Line ends that the record took, its own included. */
  readonly lines: number
  /** False when the text ends inside quotes: more may follow. */
  readonly isWhole: boolean
  /** True when something else than a delimiter follows a closing quote. */
  readonly isMalformed: boolean
}

/**
 * Reads the record that begins at `from`; line ends are `\n`. Quotes count at the start of a cell (after spaces) only, `""`
 * inside them is one quote, line ends inside them belong to the cell.
 */
export function readRecord(text: string, from: number, delimiter: string): DelimitedRecord {
  const cells: string[] = []
  let at = from
  let lines = 0
  let isMalformed = false
  for (;;) {
    const quote = openingQuote(text, at)
    let cell = ''
    if (quote >= 0) {
      const closed = quotedCell(text, quote + 1)
      if (closed === undefined) return { cells, next: from, lines, isWhole: false, isMalformed }
      cell = closed.cell
      for (let end = cell.indexOf('\n'); end >= 0; end = cell.indexOf('\n', end + 1)) lines += 1
      at = closed.next
    }
    const end = endOfCell(text, at, delimiter)
    const tail = text.slice(at, end)
    if (quote >= 0 && tail.trim() !== '') isMalformed = true
    cells.push(quote >= 0 ? cell + tail.trimEnd() : tail)
    if (end >= text.length) return { cells, next: text.length, lines, isWhole: true, isMalformed }
    at = end + 1
    if (text[end] === '\n') return { cells, next: at, lines: lines + 1, isWhole: true, isMalformed }
  }
}

/**
 * The delimiter of a table: the one of comma, semicolon, tab and bar that its first line has most of, outside quotes; a comma
 * when it has none.
 */
export function guessDelimiter(firstLine: string): string {
  const plain = firstLine.replace(/"(?:[^"]|"")*"/g, '')
  const count = (delimiter: string): number => plain.split(delimiter).length - 1
  const ranked = [',', ';', '\t', '|'].sort((a, b) => count(b) - count(a))
  return ranked[0]!
}

function openingQuote(text: string, at: number): number {
  let index = at
  while (text.charCodeAt(index) === 32) index += 1
  return text.charCodeAt(index) === 34 ? index : -1
}

function quotedCell(
  text: string,
  from: number,
): { readonly cell: string; readonly next: number } | undefined {
  let cell = ''
  let at = from
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return undefined
    cell += text.slice(at, quote)
    if (text.charCodeAt(quote + 1) !== 34) return { cell, next: quote + 1 }
    cell += '"'
    at = quote + 2
  }
}

function endOfCell(text: string, from: number, delimiter: string): number {
  const code = delimiter.charCodeAt(0)
  let at = from
  for (; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (character === code || character === 10) return at
  }
  return at
}
