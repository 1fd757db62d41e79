import { describe, expect, test } from 'vitest'
import { summaryLines } from '../../src/report/summary-lines.ts'
import { sampleRows, summaryOf } from '../support/report-rows.ts'

const { counts: SAMPLE, ...REST } = summaryOf(sampleRows())
const NONE = {
  ...SAMPLE,
  rows: 3,
  files: 4,
  declared: 3,
  missing: 0,
  unreadable: 0,
  superseded: 0,
  notListed: 0,
}

describe('the first line of a summary', () => {
  test.each([
    ['parts', {}, '3 rows from 4 files'],
    ['parts', { declared: 1, unreadable: 2 }, '3 rows from 4 files: 1 declared, 2 unreadable'],
    [
      'parts',
      { superseded: 2, notListed: 1, requests: 1 },
      '3 rows from 4 files; not in the report: 2 superseded by newer declarations, 1 declared part not on the parts list, 1 file with a request for a declaration',
    ],
    [
      'parts',
      { declared: 1, superseded: 2 },
      '3 rows from 4 files: 1 declared, 2 superseded by newer declarations',
    ],
    ['substances', { substances: 12 }, '12 substances of 3 parts from 4 files'],
    [
      'substances',
      { substances: 12, declared: 2, unreadable: 1 },
      '12 substances of 2 parts from 4 files: 2 declared, 1 unreadable',
    ],
  ] as const)('of %s with %j', (kind, change, line) => {
    expect(summaryLines(kind, { ...REST, counts: { ...NONE, ...change } })[0]).toBe(line)
  })
})
