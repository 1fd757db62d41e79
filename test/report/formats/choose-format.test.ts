import { expect, test } from 'vitest'
import { FORMATS, formatOf } from '../../../src/report/formats/choose-format.ts'
import { formatAll, partRowOf, SHAPE } from '../../support/report-rows.ts'

test.each([
  ['a.csv', 'csv'],
  ['a.TSV', 'tsv'],
  ['a.json', 'json'],
  ['a.jsonl', 'ndjson'],
  ['dir.csv/a.ndjson', 'ndjson'],
  ['a.csv.xlsx', 'xlsx'],
  ['C:\\x.html\\a.HTM', 'html'],
  ['a.markdown', 'md'],
  ['.md', 'md'],
  ['parts.Parquet', 'parquet'],
])('%s has the format %s', (path, format) => {
  expect(formatOf(path, 'output', FORMATS)).toBe(format)
})

test.each(['a', 'dir.csv/a', 'a.csv.gz', 'csv'])('%s has no format', (path) => {
  expect(() => formatOf(path, 'output', FORMATS)).toThrow(`output ${path}: unknown file extension`)
})

test.each(Object.entries(FORMATS))('%s has a formatter', async (_, format) => {
  expect((await formatAll(await format.open(SHAPE), [partRowOf()])).length).toBeGreaterThan(0)
})
