import { expect, test } from 'vitest'
import { createPrevious, earlierRow } from '../../src/report/previous.ts'
import { type JudgedRow, missingRow, unreadableRow } from '../../src/report/rows/report-row.ts'
import { finishedRows, partRowOf } from '../support/report-rows.ts'

const finished = (row: JudgedRow): JudgedRow => finishedRows([row])[0]!
const bad = partRowOf({ rohs: 'not compliant' })
const doubtful = partRowOf({ rohs: 'incomplete' })

test.each<readonly [string, JudgedRow, JudgedRow | undefined, string]>([
  ['nothing of it before', partRowOf(), undefined, 'new'],
  ['the same', partRowOf(), partRowOf(), ''],
  ['the same fault', bad, bad, ''],
  ['clean before', bad, partRowOf(), 'worse'],
  ['clean now', partRowOf(), doubtful, 'better'],
  ['missing before', doubtful, missingRow('P1'), 'answered'],
  ['another supplier before', partRowOf(), partRowOf({ supplier: 'Other' }), 'new'],
  ['the supplier in another spelling', partRowOf(), partRowOf({ supplier: 'EXAMPLE PARTS GmbH' }), ''],
  ['one doubt more', partRowOf({ rohs: 'incomplete', unaccepted: true }), doubtful, 'worse'],
  ['one doubt less', doubtful, partRowOf({ rohs: 'incomplete', unaccepted: true }), 'better'],
  ['missing still', missingRow('P1'), missingRow('P1'), ''],
  ['a file that cannot be read any more', unreadableRow('a.xml', 'cut'), undefined, 'new'],
])('a row with %s', (_, now, then, change) => {
  const previous = createPrevious('last.json', then === undefined ? [] : [earlierRow(finished(then))])
  expect(previous.changeOf(finished(now))).toBe(change)
})

test('a part that is on another line of the list now is not new', () => {
  const then = { ...earlierRow(finished(partRowOf())), line: '7' }
  const now = finished(partRowOf())
  expect(createPrevious('last.json', [then]).changeOf(now)).toBe('')
})

test('of several rows of a part before, the worst is compared', () => {
  const rows = [partRowOf(), bad].map((row) => earlierRow(finished(row)))
  expect(createPrevious('last.json', rows).changeOf(finished(partRowOf()))).toBe('better')
  expect(createPrevious('last.json', rows.toReversed()).changeOf(finished(bad))).toBe('')
})
