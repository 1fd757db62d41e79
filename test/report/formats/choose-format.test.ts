import { expect, test } from 'vitest'
import {
  FORMAT_ENDINGS,
  type FormatName,
  formatOf,
  openFormatter,
} from '../../../src/report/formats/choose-format.ts'
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
  ['a', undefined],
  ['dir.csv/a', undefined],
  ['a.csv.gz', undefined],
  ['csv', undefined],
])('%s has the format %s', (path, format) => {
  expect(formatOf(path)).toBe(format)
})

test.each(Object.keys(FORMAT_ENDINGS) as FormatName[])('%s has a formatter', async (name) => {
  expect((await formatAll(await openFormatter(name, SHAPE), [partRowOf()])).length).toBeGreaterThan(0)
})
