import { describe, expect, test } from 'vitest'
import { csvRecords } from '../../src/parts/csv-records.ts'

const read = (text: string): ReturnType<typeof csvRecords> =>
  csvRecords(text, 'table.csv', ['date', 'entries'])

describe('the records of a CSV table', () => {
  test.each([
    ['commas and LF', 'date,entries\n2024-01-01,5\n'],
    ['semicolons and CRLF', 'date;entries\r\n2024-01-01;5\r\n'],
    ['no line break at the end', 'date,entries\n2024-01-01,5'],
    ['other case, blanks and quotation marks', ' Date , ENTRIES\n"2024-01-01", "5"\n'],
    ['blank rows', '\ndate,entries\n\n2024-01-01,5\n,\n'],
  ])('are read with %s', async (_, text) => {
    const records = await read(text)
    expect(records.map(({ values }) => values)).toEqual([{ date: '2024-01-01', entries: '5' }])
  })

  test('know their lines, also after a cell with line breaks', async () => {
    const records = await read('date,entries,note\n2024-01-01,5,"a\nb"\n2024-02-01,6\n')
    expect(records).toEqual([
      { line: 2, values: { date: '2024-01-01', entries: '5', note: 'a\nb' } },
      { line: 4, values: { date: '2024-02-01', entries: '6', note: '' } },
    ])
  })

  test.each([
    ['', 'table.csv:1: no column "date"'],
    ['date,count\n2024-01-01,5\n', 'table.csv:1: no column "entries"'],
    ['date,entries\n2024-01-01,5\n2024-02-01,6,more\n', 'table.csv:3: 3 cells, but 2 columns'],
    ['date,entries\n"2024-01-01,5\n', 'table.csv:2: a quotation mark is opened here and never closed'],
  ])('%j is a usage failure', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ kind: 'usage', message, details: { file: 'table.csv' } })
  })
})
