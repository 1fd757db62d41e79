import { describe, expect, it } from 'vitest'
import type { AccountEntry } from '../../src/base/account-entry.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { oldTableText } from '../../src/report/regulations/reference-facts.ts'
import { type ReportFacts, reportWarnings } from '../../src/report/report-warnings.ts'
import { TABLES } from '../support/reference-tables.ts'
import { summaryOf } from '../support/report-rows.ts'

const FACTS: ReportFacts = {
  summary: summaryOf([]),
  failOn: undefined,
  requests: [],
  hasAskedParts: false,
  withSubstances: false,
}

const REFERENCE = {
  tables: TABLES,
  oldTable: '',
  candidateLists: [],
  exemptions: [],
  moreExemptions: 0,
  withoutDate: 0,
}

function counts(change: Partial<ReportFacts['summary']['counts']>): ReportFacts['summary'] {
  return { ...FACTS.summary, counts: { ...FACTS.summary.counts, rows: 1, ...change } }
}

function left(kind: 'files' | 'entries', ...named: AccountEntry['named']): ReportFacts['summary'] {
  const count = named.reduce((sum, one) => sum + one.count, 0)
  const { sources } = FACTS.summary
  return { ...counts({}), sources: { ...sources, [kind]: { in: count, used: 0, named } } }
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

  it.each([
    [3, true],
    [2, false],
    [0, undefined],
  ])('names parts that a list of the user is not screened for: %s of 3', (withoutMaterials, needsLook) => {
    const summary = { ...counts({ rows: 3, declared: 3 }), withoutMaterials }
    const message = `${withoutMaterials} of 3 declared rows not screened for own: no material data (class D)`
    const found = reportWarnings({ ...FACTS, summary, substanceLists: ['own'] })
    expect(found).toMatchObject(needsLook === undefined ? [] : [{ message, needsLook }])
    expect(reportWarnings({ ...FACTS, summary })).toEqual([])
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
      { summary: left('entries', { reason: 'not XML', count: 8, places: ['a', 'b', 'c', 'd', 'e', 'f'] }) },
      'report.skipped',
      '8 entries skipped, not XML: a, b, c, d, e and 3 more',
      undefined,
    ],
    [
      'files that are left out for several reasons',
      {
        summary: left(
          'files',
          { reason: 'neither .xml nor .zip', count: 2, places: ['a.pdf', 'b.pdf'] },
          { reason: 'came later', count: 1, places: ['c.xml'] },
          { reason: 'added by macOS', count: 1, places: ['._a.xml'] },
        ),
      },
      'report.left-out',
      '3 files not read: 2 neither .xml nor .zip (a.pdf, b.pdf), 1 added by macOS (._a.xml)',
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
      '2 files cannot be read as a declaration; the gate has no rule "unreadable"',
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
      'no file declares substances; only class D declarations do: download them with format class D',
      undefined,
    ],
  ])('name %s', (_, change, ...expected) => {
    expect(warn(change)).toEqual([expected])
  })

  it.each(['unreadable', 'doubtful', 'failed,unreadable'])(
    'do not mention the rules when they include %s',
    (word) => {
      const [warning] = warn({ summary: counts({ unreadable: 1 }), failOn: parseFailOn(word) })
      expect(warning).toEqual(['report.unreadable', '1 file cannot be read as a declaration', undefined])
    },
  )

  it.each(['incomplete', 'failed'])(
    'say that the gate has no rule for an unreadable file with %s',
    (word) => {
      const [warning] = warn({ summary: counts({ unreadable: 1 }), failOn: parseFailOn(word) })
      expect(warning?.[1]).toBe('1 file cannot be read as a declaration; the gate has no rule "unreadable"')
    },
  )

  it('count the exemptions without a date when a rule looks for dates', () => {
    const summary = { ...counts({}), reference: { ...REFERENCE, withoutDate: 2 } }
    expect(warn({ summary, failOn: parseFailOn('exemption-expires:2027-06-30') })).toEqual([
      [
        'report.exemptions-not-judged',
        '2 parts rely on an exemption whose date is not known; exemption-expires does not match it',
        undefined,
      ],
    ])
    expect(warn({ summary, failOn: parseFailOn('svhc') })).toEqual([])
  })

  it('warn of a Candidate List table whose newest update is more than eight months old', () => {
    const at = (nowMs: number) => ({ ...REFERENCE, oldTable: oldTableText(REFERENCE.tables, nowMs) })
    const newest = Date.parse(REFERENCE.tables.svhcUpdates.newest)
    const months = (count: number): number =>
      new Date(newest).setUTCMonth(new Date(newest).getUTCMonth() + count)
    expect(warn({ summary: { ...counts({}), reference: at(months(8)) } })).toEqual([])
    const [warning] = warn({ summary: { ...counts({}), reference: at(months(8) + 86_400_000) } })
    expect(warning?.[0]).toBe('report.old-table')
    expect(warning?.[1]).toMatch(
      /is of 2026-02-04, more than 8 months ago: later entries are not known; newer tables can be given$/,
    )
    expect(warning?.[2]).toEqual(['svhc-updates', 'svhc-substances'])
  })

  it('name expired waivers, and those that match nothing', () => {
    const waiver = { part: 'P1', rule: 'svhc', reason: 'x', owner: 'Jo', until: '2026-01-31' }
    const many = Array.from({ length: 7 }, (_, index) => ({ ...waiver, part: `Q${index}` }))
    const waivers = { file: 'w.csv', findings: 0, used: [waiver], runOut: [waiver], unmatched: many }
    const summary = { ...counts({}), waivers }
    const all = warn({ summary, hasWaivers: true, failOn: parseFailOn('svhc') })
    expect(all.map(([event]) => event)).toEqual(['report.waivers-run-out', 'report.waivers-unmatched'])
    expect(all[0]![1]).toBe('1 waiver has expired: P1 svhc (until 2026-01-31, Jo)')
    expect(all[1]![1]).toMatch(/^7 waivers match no finding of the gate: Q0 svhc .* and 2 more$/)
  })

  it('say that waivers have no effect without a gate', () => {
    expect(warn({ hasWaivers: true })).toEqual([
      ['report.waivers-without-gate', 'waivers have no effect without a gate', ['fail-on']],
    ])
  })
})
