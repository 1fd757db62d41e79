import { describe, expect, it } from 'vitest'
import { parseFailOn } from '../../src/report/fail-on.ts'
import { type ReportFacts, reportWarnings } from '../../src/report/report-warnings.ts'
import { summaryOf } from '../support/report-rows.ts'

const FACTS: ReportFacts = {
  summary: summaryOf([]),
  failOn: undefined,
  skipped: [],
  requests: [],
  hasAskedParts: false,
  withSubstances: false,
}

function counts(change: Partial<ReportFacts['summary']['counts']>): ReportFacts['summary'] {
  return { ...FACTS.summary, counts: { ...FACTS.summary.counts, rows: 1, ...change } }
}

function warn(change: Partial<ReportFacts>): (readonly [string, string, readonly string[] | undefined])[] {
  return reportWarnings({ ...FACTS, summary: counts({}), ...change }).map(
    ({ event, message, options }) => [event, message, options] as const,
  )
}

describe('the warnings of a report', () => {
  it('are none for declared parts', () => {
    expect(warn({})).toEqual([])
  })

  it.each<[string, Partial<ReportFacts>, string, string, readonly string[] | undefined]>([
    [
      'no rows',
      { summary: counts({ rows: 0 }) },
      'report.empty',
      'nothing to report: no XML file in the sources',
      undefined,
    ],
    [
      'entries that are not XML',
      { summary: counts({ skipped: 3 }), skipped: ['a.txt', 'b.txt'] },
      'report.skipped',
      '3 entries skipped, not XML: a.txt, b.txt and 1 more',
      undefined,
    ],
    [
      'unreadable files',
      { summary: counts({ unreadable: 1 }) },
      'report.unreadable',
      '1 file cannot be read as a declaration',
      undefined,
    ],
    [
      'unreadable files that no rule looks for',
      { summary: counts({ unreadable: 2 }), failOn: parseFailOn('svhc') },
      'report.unreadable',
      '2 files cannot be read as a declaration; the rules to fail on do not include unreadable',
      ['fail-on'],
    ],
    [
      'the rule missing without requested parts',
      { failOn: parseFailOn('missing') },
      'report.not-asked',
      'the rule "missing" matches nothing without the list of requested parts',
      ['parts-file'],
    ],
    [
      'requests',
      { summary: counts({ requests: 3 }), requests: ['a.xml', 'b.xml'] },
      'report.requests',
      '3 files with a request for a declaration, not with a declaration: a.xml, b.xml and 1 more',
      undefined,
    ],
    [
      'requests alone',
      { summary: counts({ rows: 0, requests: 1 }), requests: ['a.xml'] },
      'report.requests',
      '1 file with a request for a declaration, not with a declaration: a.xml',
      undefined,
    ],
    [
      'no substance',
      { summary: counts({ declared: 1 }), withSubstances: true },
      'report.no-substances',
      'no file declares substances; only class D declarations do',
      ['format-class'],
    ],
  ])('name %s', (_, change, ...expected) => {
    expect(warn(change)).toEqual([expected])
  })

  it.each(['unreadable', 'incomplete'])('do not mention the rules when they include %s', (word) => {
    const [warning] = warn({ summary: counts({ unreadable: 1 }), failOn: parseFailOn(word) })
    expect(warning).toEqual(['report.unreadable', '1 file cannot be read as a declaration', undefined])
  })
})
