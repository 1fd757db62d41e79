import { describe } from 'vitest'
import { type Case, itReports } from './cases.ts'
import { type Declaration, exempt, reach, rohs } from './declarations.ts'

const GOOD = { lists: [rohs(), reach()] }
const BAD = { lists: [rohs({ Pb: true }), reach({ lead: true })] }

const IS_GOOD = { part: 'P1', rohs: 'compliant', reach: 'no SVHC' } as const
const IS_BAD = { part: 'P1', rohs: 'not compliant', reach: 'SVHC' } as const

const twoFiles = (bad: Declaration, good: Declaration): Case['files'] => ({
  bad: { ...BAD, ...bad },
  good: { ...GOOD, ...good },
})

describe('dates read', () => {
  // Each is the 17th of March 2026.
  const spellings = [
    '2026-03-17',
    '2026-03-17T10:20:30Z',
    '2026-03-17T10:20:30',
    '2026-03-17T10:20:30+02:00',
    '2026-03-17T10:20:30.123Z',
    '2026/3/17',
    '2026/03/17',
    '2026-3-17',
    '20260317',
    '17.3.2026',
    '17.03.2026',
    '17-Mar-2026',
    '17-MAR-2026',
  ]
  itReports([
    ...spellings.map(
      (date): Case => ({
        name: `${date} is newer than the day before and older than the day after`,
        files: {
          before: { part: 'P1', date: '2026-03-16', ...BAD },
          newer: { part: 'P1', date, ...GOOD },
          older: { part: 'P2', date, ...BAD },
          after: { part: 'P2', date: '2026-03-18', ...GOOD },
        },
        rows: [
          { ...IS_GOOD, date: '2026-03-17', sources: ['newer'] },
          { ...IS_GOOD, part: 'P2', date: '2026-03-18', sources: ['after'] },
        ],
      }),
    ),
    {
      name: 'D.M.YYYY: 01.02.2026 is in February',
      files: twoFiles({ date: '2026-01-20' }, { date: '01.02.2026' }),
      rows: [{ ...IS_GOOD, date: '2026-02-01' }],
    },
    {
      name: 'a day of one digit in D-Mon-YYYY',
      files: twoFiles({ date: '2026-02-27' }, { date: '1-Mar-2026' }),
      rows: [{ ...IS_GOOD, date: '2026-03-01' }],
    },
    {
      // A semiconductor maker writes it so; contract §8 does not list the form. Whether it is comparable is left open here.
      name: '2016-11-29-00-00 has a day that is shown',
      files: { a: { date: '2016-11-29-00-00', ...GOOD } },
      rows: [{ ...IS_GOOD, date: '2016-11-29' }],
    },
  ])
})

describe('anything else, no date, or one more than a day ahead is not comparable: both count, the worse decides, and the note says so', () => {
  const notComparable: readonly (readonly [string, string | undefined])[] = [
    ['no date', undefined],
    ['an empty date', ''],
    ['a day that does not exist', '2026-02-30'],
    ['a month that does not exist', '2026-13-01'],
    ['31.04.2026', '31.04.2026'],
    ['a month alone', '2026-03'],
    ['a year alone', '2026'],
    ['a word', 'March 2026'],
    ['month first', '03/17/2026'],
    ['day first with slashes', '17/03/2026'],
    ['two digits of a year', '17.03.26'],
    ['a month in full', '17 March 2026'],
    ['an hour that does not exist', '2026-03-17T25:00:00Z'],
    ['two days ahead', '2026-11-24'],
    ['a year ahead', '2027-11-22'],
    ['a day and an hour ahead', '2026-11-23T13:00:00Z'],
  ]
  itReports([
    ...notComparable.flatMap(([words, date]): Case[] => [
      {
        name: `${words}: a good file does not replace a bad one`,
        files: twoFiles({ date: '2026-03-01' }, { date }),
        rows: [{ ...IS_BAD, sources: ['bad', 'good'], note: /\b(?:un)?date|ahead|future/i }],
      },
      {
        name: `${words}: a bad file is not replaced by a good one`,
        files: twoFiles({ date }, { date: '2026-03-01' }),
        rows: [{ ...IS_BAD, sources: ['bad', 'good'], note: /\b(?:un)?date|ahead|future/i }],
      },
    ]),
    {
      name: 'a day ahead is comparable: the supplier may be east of here',
      files: twoFiles({ date: '2026-11-22' }, { date: '2026-11-23' }),
      rows: [{ ...IS_GOOD, date: '2026-11-23', sources: ['good'] }],
    },
    {
      name: 'two files without a date: the worse decides',
      files: twoFiles({ date: undefined }, { date: undefined }),
      rows: [{ ...IS_BAD, sources: ['bad', 'good'] }],
    },
    {
      name: 'a file without a date stays beside several newer ones',
      files: {
        bad: { ...BAD, date: undefined },
        good1: { ...GOOD, date: '2026-03-01' },
        good2: { ...GOOD, date: '2026-04-01' },
      },
      rows: [{ ...IS_BAD, sources: ['bad', 'good2'] }],
    },
    {
      name: 'an exemption without a date beside no exemption with one: the worse decides',
      files: {
        exempt: { lists: [rohs({ Pb: exempt('6(c)') })], date: undefined },
        not: { lists: [rohs({ Pb: true })], date: '2026-03-01' },
      },
      rows: [{ part: 'P1', rohs: 'not compliant' }],
    },
    {
      name: 'what only one of the two states counts as it is',
      files: {
        rohs: { lists: [rohs()], date: undefined },
        reach: { lists: [reach()], date: '2026-03-01' },
      },
      rows: [{ ...IS_GOOD, sources: ['reach', 'rohs'] }],
    },
  ])
})

describe('the same holds for two statements of the same moment', () => {
  itReports([
    {
      name: 'the same day: the worse decides, and the note says so',
      files: twoFiles({ date: '2026-03-01' }, { date: '2026-03-01' }),
      rows: [{ ...IS_BAD, sources: ['bad', 'good'], note: /same|\bdate/i }],
    },
    {
      name: 'the same day in two spellings',
      files: twoFiles({ date: '1.3.2026' }, { date: '20260301' }),
      rows: [IS_BAD],
    },
    {
      name: 'the same moment in two time zones',
      files: twoFiles({ date: '2026-03-01T10:00:00Z' }, { date: '2026-03-01T12:00:00+02:00' }),
      rows: [IS_BAD],
    },
    {
      name: 'the time of day counts where it is given',
      files: twoFiles({ date: '2026-03-01T08:00:00Z' }, { date: '2026-03-01T15:00:00Z' }),
      rows: [{ ...IS_GOOD, sources: ['good'] }],
    },
    {
      name: 'the time of day counts where it is given: the other way round',
      files: twoFiles({ date: '2026-03-01T15:00:00Z' }, { date: '2026-03-01T08:00:00Z' }),
      rows: [IS_BAD],
    },
    {
      name: 'the time zone counts: 10:00+02:00 is before 09:00Z',
      files: twoFiles({ date: '2026-03-01T10:00:00+02:00' }, { date: '2026-03-01T09:00:00Z' }),
      rows: [{ ...IS_GOOD, sources: ['good'] }],
    },
    {
      // With a time of day in one of them only, which came first is not known: the safest reading is the worse of the two.
      name: 'a time of day in one file only',
      files: {
        bad1: { part: 'P1', date: '2026-03-01', ...BAD },
        good1: { part: 'P1', date: '2026-03-01T15:00:00Z', ...GOOD },
        bad2: { part: 'P2', date: '2026-03-01T08:00:00Z', ...BAD },
        good2: { part: 'P2', date: '2026-03-01', ...GOOD },
      },
      rows: [IS_BAD, { ...IS_BAD, part: 'P2' }],
    },
    {
      name: 'two files of the same day that agree',
      files: { a: { ...GOOD, date: '2026-03-01' }, b: { ...GOOD, date: '2026-03-01' } },
      rows: [{ ...IS_GOOD, date: '2026-03-01', gate: [] }],
    },
    {
      name: 'two products of one part in one file: the worse decides',
      files: {
        a: {
          products: [
            { parts: ['P1'], ...GOOD },
            { parts: ['P1'], ...BAD },
          ],
        },
      },
      rows: [IS_BAD],
    },
  ])
})

describe('one file replaces another only where the identifier of the company and its name agree', () => {
  const older = '2026-02-01'
  const newer = '2026-03-01'
  const ONE_ROW = [{ ...IS_GOOD, sources: ['good'] }]
  const TWO_ROWS = [
    { ...IS_BAD, sources: ['bad'] },
    { ...IS_GOOD, sources: ['good'] },
  ]
  const DUNS = (identity: string): NonNullable<Declaration['ids']> => [[identity, 'DUNS']]
  itReports([
    {
      name: 'the same identifier and another name: one row, both count, the worse decides',
      files: twoFiles(
        { date: older, supplier: 'Northern Resistors', ids: DUNS('804735132') },
        { date: newer, supplier: 'Northern Resistors Europe', ids: DUNS('804735132') },
      ),
      rows: [{ ...IS_BAD, sources: ['bad', 'good'], note: ['companies with another name'] }],
    },
    {
      name: 'another identifier and the same name: one row, both count, the worse decides',
      files: twoFiles(
        { date: older, supplier: 'Northern Resistors', ids: DUNS('804735132') },
        { date: newer, supplier: 'Northern Resistors', ids: DUNS('561930274') },
      ),
      rows: [{ ...IS_BAD, sources: ['bad', 'good'], note: ['companies with another identifier'] }],
    },
    {
      name: 'an identifier beside none, and the same name: the name decides',
      files: twoFiles(
        { date: older, supplier: 'Northern Resistors', ids: DUNS('NA') },
        { date: newer, supplier: 'Northern Resistors', ids: DUNS('804735132') },
      ),
      rows: ONE_ROW,
    },
    {
      name: 'an identifier beside none, and another name: two rows',
      files: twoFiles(
        { date: older, supplier: 'Northern Resistors', ids: DUNS('804735132') },
        { date: newer, supplier: 'Southern Resistors', ids: [] },
      ),
      rows: TWO_ROWS,
    },
    {
      name: 'the same identifier, and the same name but for its legal form: one replaces the other',
      files: twoFiles(
        { date: older, supplier: 'Northern Resistors', ids: DUNS('804735132') },
        { date: newer, supplier: 'NORTHERN-RESISTORS GmbH', ids: DUNS('80-473-5132') },
      ),
      rows: ONE_ROW,
    },
    ...[
      'NA',
      'N/A',
      'DUNS',
      '123456789',
      '000000000',
      '999999999',
      '111111111',
      '',
      '-',
      'n.a.',
      'none',
      'unknown',
      'No DUNS',
      'see contact',
      'USA',
      'private',
      '不明',
      '1234',
      'DE123456789',
    ].map(
      (identity): Case => ({
        name: `the placeholder "${identity}" does not make two suppliers one`,
        files: twoFiles(
          { date: older, supplier: 'Northern Resistors', ids: DUNS(identity) },
          { date: newer, supplier: 'Southern Resistors', ids: DUNS(identity) },
        ),
        rows: TWO_ROWS,
      }),
    ),
    {
      name: 'with a placeholder the name decides',
      files: twoFiles(
        { date: older, supplier: 'Northern Resistors', ids: DUNS('NA') },
        { date: newer, supplier: 'NORTHERN  RESISTORS', ids: DUNS('123456789') },
      ),
      rows: ONE_ROW,
    },
    {
      name: 'a placeholder beside an identifier: the identifier decides',
      files: twoFiles(
        { date: older, supplier: 'Northern Resistors', ids: [['NA'], ['804735132', 'DUNS']] },
        {
          date: newer,
          supplier: 'Northern Resistors GmbH',
          ids: [
            ['804735132', 'DUNS'],
            ['123456789', 'DUNS'],
          ],
        },
      ),
      rows: ONE_ROW,
    },
    {
      name: 'no identifier at all: by name',
      files: {
        bad: { ...BAD, date: older, supplier: 'Northern Resistors', ids: [] },
        other: { ...GOOD, date: newer, supplier: 'Southern Resistors', ids: [] },
      },
      rows: [
        { ...IS_BAD, sources: ['bad'] },
        { ...IS_GOOD, sources: ['other'] },
      ],
    },
    {
      name: 'without a name and an identifier nobody knows that two suppliers are one',
      files: twoFiles(
        { date: older, without: ['SupplyCompany'] },
        { date: newer, supplier: '', ids: [['NA']] },
      ),
      rows: TWO_ROWS,
    },
    {
      name: 'two suppliers of the same part number have a row each',
      files: twoFiles({ supplier: 'Northern Resistors' }, { supplier: 'Southern Resistors' }),
      rows: TWO_ROWS,
    },
    ...['', ' ', '\u00a0'].map(
      (number): Case => ({
        // Nobody knows that two parts without a number are the same part.
        name: `a blank number is no number, and replaces nothing: "${number}"`,
        files: {
          bad: { ...BAD, date: older, parts: [{ number }] },
          good: { ...GOOD, date: newer, parts: [{ number }] },
        },
        rows: [
          { ...IS_BAD, part: number, sources: ['bad'] },
          { ...IS_GOOD, part: number, sources: ['good'] },
        ],
      }),
    ),
    {
      name: 'part numbers are exact: case and zeros tell them apart',
      files: {
        bad: { ...BAD, date: older, part: '00012' },
        good: { ...GOOD, date: newer, part: '12' },
        lower: { ...GOOD, date: newer, part: 'ab' },
        upper: { ...BAD, date: older, part: 'AB' },
      },
      rows: [
        { ...IS_BAD, part: '00012' },
        { ...IS_GOOD, part: '12' },
        { ...IS_GOOD, part: 'ab' },
        { ...IS_BAD, part: 'AB' },
      ],
    },
  ])
})

describe('dates in the tables inform', () => {
  const withExemption = (exemption: string): Declaration => ({
    lists: [rohs({ Pb: exempt(exemption) }), reach()],
  })
  itReports([
    {
      name: 'nothing is called expired by its date alone: past dates read "nominal date passed" with the status of the table',
      files: { a: { lists: [rohs({ Cd: exempt('8(b)-I') }), reach()] } },
      rows: [
        {
          part: 'P1',
          rohs: 'compliant with exemptions',
          exemption_expires: '2021-07-21',
          note: ['nominal date passed'],
          not: { note: /expired/i },
        },
      ],
      report: ['nominal date passed', 'no renewal decision found'],
      notReport: /expired/i,
    },
    {
      // The table says of 6(a) that no renewal can prolong it.
      name: 'the status of the table stays after its date has passed',
      today: '2026-12-12',
      files: { a: withExemption('6(a)') },
      rows: [
        {
          part: 'P1',
          exemption_expires: '2026-12-11',
          note: ['nominal date passed'],
          not: { note: 'renewal status unknown' },
        },
      ],
      report: ['nominal date passed'],
      notReport: 'renewal status unknown',
    },
    {
      name: 'before its date nothing has passed',
      today: '2026-12-10',
      files: { a: withExemption('6(a)') },
      rows: [{ part: 'P1', exemption_expires: '2026-12-11', not: { note: 'passed' } }],
      notReport: 'nominal date passed',
    },
    {
      name: 'unknown exemptions are not judged',
      files: { a: withExemption('99(z)') },
      rows: [{ part: 'P1', rohs: 'compliant with exemptions', exemption_expires: '', note: ['not judged'] }],
      report: ['not judged'],
      notReport: /expired/i,
    },
    {
      name: 'every report says which table, as of when, and how sure a date is',
      files: { a: withExemption('6(c)') },
      rows: [{ part: 'P1', exemption_expires: '2027-06-30' }],
      report: [
        '2027-06-30',
        /svhc-updates|Candidate List/i,
        /rohs-exemptions|exemptions/i,
        '2026-02-04',
        /confidence|\bmedium\b|\bhigh\b|\blow\b/,
      ],
    },
    {
      name: '--rohs-exemptions and --svhc-updates replace them',
      files: { a: withExemption('6(c)') },
      beside: {
        'own-dates.csv':
          'exemption,annex,expires,confidence,status\n6(c),III,2030-01-01,own reading,under review\n',
        'own-lists.csv': 'date,entries,confidence\n2024-06-27,241,seen\n2026-10-01,260,seen\n',
      },
      options: ['--rohs-exemptions', 'own-dates.csv', '--svhc-updates', 'own-lists.csv'],
      rows: [{ part: 'P1', exemption_expires: '2030-01-01', svhc_list_behind: 19 }],
      report: ['own-dates.csv', 'own-lists.csv', '2026-10-01'],
    },
    {
      name: '--rohs-substances and --svhc-substances replace them',
      files: {
        a: {
          ...GOOD,
          mass: [100, 'mg'],
          materials: [
            {
              name: 'body',
              amount: [100, 'mg'],
              substances: [
                { name: 'Gold', cas: '7440-57-5', concentration: [40] },
                { name: 'Silver', cas: '7440-22-4', concentration: [30] },
                { name: 'Lead', cas: '7439-92-1', concentration: [30] },
              ],
            },
          ],
        },
      },
      beside: {
        'own-rohs.csv': 'group,cas,name,share,formula,source,note\nLead,7440-57-5,Gold,1,Au,own,\n',
        'own-svhc.csv': 'entry,included,cas,ec,name,entry_name\n1,2020-01-01,7440-22-4,,Silver,Silver\n',
      },
      options: ['--rohs-substances', 'own-rohs.csv', '--svhc-substances', 'own-svhc.csv'],
      rows: [{ part: 'P1', indications: ['7440-57-5', '7440-22-4'], not: { indications: '7439-92-1' } }],
      report: ['own-rohs.csv', 'own-svhc.csv'],
    },
  ])
})
