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

const junit = (rules: (part: unknown) => readonly string[]): ReturnType<typeof junitFormatter> =>
  junitFormatter(SHAPE, (row) => rules(row.part))

describe('JUnit', () => {
  it('has a test case for each row: a failure where the gate matched, an error for an unreadable file', async () => {
    const xml = (
      await formatAll(
        junit((part) => (part === 'P9' ? ['missing'] : [])),
        sampleRows(),
      )
    ).toString()
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
      'missing',
    ])
    expect(all.filter(({ element }) => element === 'error')).toHaveLength(1)
    expect(xml).toContain('<error type="unreadable" message="unreadable">')
    expect(xml).toContain('tests="7" failures="1" errors="1"')
    expect(xml).toContain('timestamp="2026-03-04T05:06:07"')
  })

  it('says what matched, and what it does not say yet of the status and of SVHCs', async () => {
    const svhc = { svhc_count: 1, svhc: 'Lead (00167)' }
    const rows = [
      partRowOf({ part: 'A', rohs: 'not compliant', ...svhc }),
      partRowOf({ part: 'B', rohs: 'incomplete', ...svhc }),
      unreadableRow('a.xml', 'broken'),
    ]
    const rules = ['not-compliant', 'svhc']
    const matched = (part: unknown) =>
      part === 'A' ? rules : part === 'B' ? ['svhc'] : ['incomplete', 'unreadable']
    const messages = elements((await formatAll(junit(matched), rows)).toString()).map(
      ({ message }) => message,
    )
    expect(messages.filter((message) => message !== undefined)).toEqual([
      'not-compliant, svhc; Lead (00167)',
      'svhc; incomplete; Lead (00167)',
      'incomplete, unreadable',
    ])
  })

  it('has no test case for a superseded declaration', async () => {
    const rows = [partRowOf({ status: 'superseded', part: 'OLD' }), partRowOf()]
    const xml = (
      await formatAll(
        junit(() => ['svhc']),
        rows,
      )
    ).toString()
    expect(xml).toContain('tests="1" failures="1"')
    expect(xml).not.toContain('OLD')
  })

  it('is well-formed, whatever the rows contain', async () => {
    const rows = [partRowOf({ part: '"<&\'>\u0001\ud800\n', note: ']]>&<\uffff' })]
    const all = elements(
      (
        await formatAll(
          junit(() => ['svhc']),
          rows,
        )
      ).toString(),
    )
    expect(all.find(({ element }) => element === 'testcase')!.name).toBe('"<&\'>\\u0001\\ud800\\u000a')
  })
})
