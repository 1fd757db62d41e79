import { describe, expect, it } from 'vitest'
import { createXmlReader } from '../../../src/base/xml.ts'
import { junitFormatter } from '../../../src/report/formats/junit.ts'
import { unreadableRow } from '../../../src/report/rows/report-row.ts'
import { formatAll, partRowOf, SHAPE, sampleRows } from '../../support/report-rows.ts'

interface Found {
  readonly element: string
  readonly name: string | undefined
  readonly message: string | undefined
}

function elements(xml: string): Found[] {
  const found: Found[] = []
  const scanner = createXmlReader({
    open: (element, attributes) =>
      found.push({ element, name: attributes.get('name'), message: attributes.get('message') }),
    close: () => undefined,
  })
  scanner.write(xml)
  scanner.end()
  return found
}

const junit = junitFormatter(SHAPE)

describe('JUnit', () => {
  it('has a test case for each row: a failure where the gate matched, an error for an unreadable file', async () => {
    const xml = (await formatAll(junit, sampleRows(), { failOn: 'missing' })).toString()
    const all = elements(xml)
    expect(all.filter(({ element }) => element === 'testcase').map(({ name }) => name)).toEqual([
      'P1',
      '00012',
      'P,"3"',
      '=HYPERLINK("x")',
      ' spaced ',
      'P9',
      'a.zip!bad.xml',
    ])
    expect(all.filter(({ element }) => element === 'failure').map(({ message }) => message)).toEqual([
      'missing: requested, not declared',
    ])
    expect(xml).toContain('tests="7" failures="1" errors="0"')
    expect(xml).toContain('timestamp="2026-03-04T05:06:07"')
  })

  it('without a gate fails every row that is not clean, and says what is found', async () => {
    const svhc = { svhc_count: 1, svhc: 'Lead (00167)' }
    const rows = [
      partRowOf({ part: 'A', rohs: 'not compliant', ...svhc }),
      partRowOf({ part: 'B', rohs: 'incomplete' }),
      partRowOf({ part: 'C', ...svhc }),
      unreadableRow('a.xml', 'broken'),
    ]
    const all = elements((await formatAll(junit, rows)).toString())
    expect(
      all.flatMap(({ element, message }) => (message === undefined ? [] : [[element, message]])),
    ).toEqual([
      ['failure', expect.stringMatching(/^not-compliant: .*Lead.*; svhc: Lead/)],
      ['failure', 'incomplete: RoHS: not stated: DEHP'],
      ['error', 'unreadable: broken'],
    ])
  })

  it('has no test case for a superseded declaration or a line that is not fitted', async () => {
    const rows = [
      partRowOf({ status: 'superseded', part: 'OLD' }),
      partRowOf({ status: 'not fitted', part: 'DNP', rohs: 'not compliant' }),
      partRowOf(),
    ]
    const xml = (await formatAll(junit, rows, { failOn: 'failed,doubtful' })).toString()
    expect(xml).toContain('tests="1" failures="0"')
    expect(xml).not.toMatch(/OLD|DNP/)
  })

  it('is well-formed, whatever the rows contain', async () => {
    const rows = [partRowOf({ part: '"<&\'>\u0001\ud800\n', note: ']]>&<\uffff' })]
    const all = elements((await formatAll(junit, rows)).toString())
    expect(all.find(({ element }) => element === 'testcase')!.name).toBe('"<&\'>\\u0001\\ud800\\u000a')
  })
})
