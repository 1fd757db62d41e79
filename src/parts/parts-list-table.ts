import { Failure } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'
import { guessDelimiter, readRecord } from './delimited.ts'
import { findPartLayout, HEADING_ROWS, type PartLayout } from './part-layout.ts'
import { type ListReading, type PartsSink, trimBlanks } from './parts-list-reading.ts'
import type { TextBlock } from './parts-list-text.ts'

/** A record longer than this has a quote that nobody closed. */
const LONGEST_RECORD = 1024 * 1024

interface TableOptions {
  readonly name: string
  readonly column: string | undefined
  /** True when the delimiter is the tab; else it is guessed. */
  readonly isTabbed: boolean
}

interface Layout extends PartLayout {
  readonly delimiter: string
}

/**
 * Reads the part number column of a delimited text, streaming. Lines without quotes, nearly all of them, are cut by searching
 * alone; only the others are read cell by cell.
 */
export async function readTable(
  blocks: AsyncIterable<TextBlock>,
  options: TableOptions,
  sink: PartsSink,
): Promise<ListReading> {
  let pending = ''
  let line = 1
  let layout: Layout | undefined
  const take = (isEnd: boolean): void => {
    if (layout === undefined) {
      if (!isEnd && !hasLines(pending, HEADING_ROWS)) return
      const start = findStart(pending, line, options, isEnd)
      if (start === undefined) return
      layout = start.layout
      pending = pending.slice(start.from)
      line = start.line
    }
    const rest = scanRecords(pending, line, layout, options.name, isEnd, sink)
    pending = pending.slice(rest.from)
    line = rest.line
    if (pending.length > LONGEST_RECORD) throw unclosedQuote(options.name, line)
  }
  for await (const block of blocks) {
    if (pending === '') line = block.firstLine
    pending += block.text
    take(false)
  }
  take(true)
  return { kind: 'table', ...(layout === undefined ? {} : { column: layout.label }) }
}

function hasLines(text: string, count: number): boolean {
  let at = -1
  for (let seen = 0; seen < count; seen += 1) {
    at = text.indexOf('\n', at + 1)
    if (at < 0) return false
  }
  return true
}

// Finds delimiter and column in the first records and says where the parts begin.
function findStart(
  text: string,
  firstLine: number,
  options: TableOptions,
  isEnd: boolean,
): { readonly layout: Layout; readonly from: number; readonly line: number } | undefined {
  const declared = /^sep=(.)\n/i.exec(text)
  const body = declared === null ? 0 : declared[0].length
  const firstText = /[^\n]*\S[^\n]*/.exec(text.slice(body, body + LONGEST_RECORD))?.[0] ?? ''
  const delimiter = options.isTabbed ? '\t' : (declared?.[1] ?? guessDelimiter(firstText))
  const rows: (readonly string[])[] = []
  const starts: { readonly from: number; readonly line: number }[] = []
  let from = body
  let line = firstLine + (declared === null ? 0 : 1)
  while (rows.length < HEADING_ROWS && from < text.length) {
    const record = readRecord(text, from, delimiter)
    if (!record.isWhole) {
      if (isEnd) throw unclosedQuote(options.name, line)
      break
    }
    starts.push({ from, line })
    rows.push(record.cells)
    from = record.next
    line += record.lines
  }
  const layout = findPartLayout(rows, options.column, options.name)
  if (layout === undefined) return undefined
  const start = starts[layout.headingRow + 1] ?? { from, line }
  return { layout: { ...layout, delimiter }, ...start }
}

// Hands every whole record's part to the sink and returns where the first unfinished one begins.
function scanRecords(
  text: string,
  firstLine: number,
  layout: Layout,
  name: string,
  isEnd: boolean,
  sink: PartsSink,
): { readonly from: number; readonly line: number } {
  const found = collectParts(layout, sink)
  const quotes = searcher(text, '"')
  const delimiters = searcher(text, layout.delimiter)
  let at = 0
  let line = firstLine
  while (at < text.length) {
    const lineEnd = text.indexOf('\n', at)
    const end = lineEnd < 0 ? text.length : lineEnd
    if (quotes(at) > end) {
      takePlainLine(text, at, end, line, layout, delimiters, found)
      at = end + 1
      line += 1
      continue
    }
    const record = readRecord(text, at, layout.delimiter)
    if (!record.isWhole) {
      if (isEnd) throw unclosedQuote(name, line)
      break
    }
    if (record.isMalformed) sink.problem(line, 'text follows a closing quotation mark')
    else found.cells(record.cells, line)
    at = record.next
    line += record.lines
  }
  found.flush(text.length)
  return { from: Math.min(at, text.length), line }
}

function takePlainLine(
  text: string,
  start: number,
  end: number,
  line: number,
  layout: Layout,
  delimiterFrom: (at: number) => number,
  found: Collector,
): void {
  let from = start
  let column = 0
  let to = delimiterFrom(from)
  while (column < layout.column && to < end) {
    from = to + 1
    column += 1
    to = delimiterFrom(from)
  }
  const part = column < layout.column ? '' : trimBlanks(text.slice(from, Math.min(to, end)))
  let surplusFrom = end
  while (to < end) {
    column += 1
    if (column === layout.width) surplusFrom = to + 1
    to = delimiterFrom(to + 1)
  }
  if (part === '') found.blank(text.slice(start, end), line)
  else found.part(part, line)
  if (surplusFrom < end) found.surplus(text.slice(surplusFrom, end), column + 1, line)
}

interface Collector {
  readonly part: (part: string, line: number) => void
  readonly cells: (cells: readonly string[], line: number) => void
  readonly blank: (record: string, line: number) => void
  readonly surplus: (text: string, columns: number, line: number) => void
  readonly flush: (textLength: number) => void
}

function collectParts(layout: Layout, sink: PartsSink): Collector {
  const parts: string[] = []
  const lines: number[] = []
  let characters = 0
  const hasText = (text: string): boolean => text.replaceAll(layout.delimiter, '').trim() !== ''
  const collector: Collector = {
    part(part, line) {
      // Exporters write ="00123" so that a spreadsheet keeps the zeros.
      const isFormula = part.charCodeAt(0) === 61 && /^=".+"$/.test(part)
      parts.push(isFormula ? part.slice(2, -1) : part)
      lines.push(line)
      characters += part.length
    },
    cells(cells, line) {
      const part = (cells[layout.column] ?? '').replace(/^[ \t\n]+|[ \t\n]+$/g, '')
      if (part.includes('\n')) sink.problem(line, 'the part number has a line break in it')
      else if (part === '') collector.blank(cells.join(''), line)
      else collector.part(part, line)
      const surplus = cells.slice(layout.width).join('')
      if (surplus !== '') collector.surplus(surplus, cells.length, line)
    },
    blank(record, line) {
      if (hasText(record)) sink.doubt(line, 'no-number', 'the row has no part number and is skipped')
    },
    surplus(text, columns, line) {
      if (!hasText(text)) return
      const message = `the row has ${columns} columns, the heading ${layout.width}: is a quotation mark missing?`
      sink.doubt(line, 'columns', message)
    },
    flush(textLength) {
      // Slices keep the text they were cut from in memory: where most of it is something else, cut them from parts alone.
      const kept = characters * 4 < textLength ? parts.join('\n').split('\n') : parts
      if (parts.length > 0) sink.parts(kept, lines)
    },
  }
  return collector
}

// Positions of one character, each searched once however often it is asked for; Infinity after the last.
function searcher(text: string, character: string): (at: number) => number {
  let known = -1
  return (at) => {
    if (known < at) {
      known = text.indexOf(character, at)
      if (known < 0) known = Number.POSITIVE_INFINITY
    }
    return known
  }
}

function unclosedQuote(name: string, line: number): Failure {
  return new Failure('usage', `${name}:${line}: a quotation mark is opened here and never closed`, {
    file: name,
    line,
    hint: `a cell may be up to ${formatBytes(LONGEST_RECORD)} long; quotes inside it are written twice`,
  })
}
