import { Failure } from '../base/failure.ts'
import { findDelimiter, tableRows } from './list-table.ts'

/** A record of a CSV table with a heading: its cells by heading, and the line on which it begins. */
export interface CsvRecord {
  readonly line: number
  readonly values: Readonly<Record<string, string>>
}

/**
 * The records of a small CSV table, without blank ones. Headings lose their case; cells lose the blanks around them, and one that is
 * missing at the end of a row is empty. A table without one of the `columns`, or a row with more cells than the heading, is a
 * `usage` failure with the line, and the long names of the `options` that help.
 */
export async function csvRecords(
  text: string,
  name: string,
  columns: readonly string[],
  options: readonly string[] = [],
): Promise<readonly CsvRecord[]> {
  const wrong = (line: number, what: string): Failure =>
    new Failure('usage', `${name}:${line}: ${what}`, {
      file: name,
      line,
      hint: `the first line names the columns: ${columns.join(',')}`,
      options,
    })
  const rows = []
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const block = { text: lines, firstLine: 1 }
  for await (const batch of tableRows(only(block), name, (head) => findDelimiter(head, {}))) {
    rows.push(...batch.filter(({ cells }) => cells.some((cell) => cell.trim() !== '')))
  }
  const [heading, ...records] = rows
  const headings = heading?.cells.map((cell) => cell.trim().toLowerCase()) ?? []
  const absent = columns.find((column) => !headings.includes(column))
  if (absent !== undefined) throw wrong(heading?.line ?? 1, `no column "${absent}"`)
  return records.map(({ cells, line }) => {
    if (cells.slice(headings.length).some((cell) => cell.trim() !== '')) {
      throw wrong(line, `${cells.length} cells, but ${headings.length} columns`)
    }
    return {
      line,
      values: Object.fromEntries(headings.map((column, index) => [column, cells[index]?.trim() ?? ''])),
    }
  })
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value
}
