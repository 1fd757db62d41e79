import type { ExemptionRow } from '../../src/compliance/exemptions.ts'
import { createSubstanceTables, type SubstanceTables } from '../../src/compliance/recognize.ts'
import { createRowDates } from '../../src/report/regulations/reference-facts.ts'
import { type ReferenceTables, readReferenceTables } from '../../src/report/regulations/reference-tables.ts'
import { testWorld } from './world.ts'

const exemption = (number: string, expires: string, more: Partial<ExemptionRow> = {}): ExemptionRow => ({
  exemption: number,
  annex: 'III',
  categories: 'all',
  expires,
  status: expires === '' ? 'not determined' : 'in force',
  confidence: expires === '' ? 'no date seen' : 'two agreeing summaries',
  source: 'Act of 2025',
  note: '',
  ...more,
})

/** Small tables: three Candidate Lists, and exemptions with one, several, passed and no dates. */
export const TABLES: ReferenceTables = {
  svhcUpdates: {
    file: 'lists.csv',
    isShipped: false,
    newest: '2026-02-04',
    checked: '',
    rows: [
      { date: '2019-01-15', entries: 197, confidence: 'one summary', source: '' },
      { date: '2024-06-27', entries: 241, confidence: 'verified', source: '' },
      { date: '2026-02-04', entries: 253, confidence: 'verified: 2 summaries', source: '' },
    ],
  },
  rohsExemptions: {
    file: 'exemptions.csv',
    isShipped: false,
    newest: '2027-06-30',
    checked: '2026-01-31',
    rows: [
      exemption('6(c)', '2027-06-30', { status: 'in force (renewal announced)' }),
      exemption('6(b)-I', '2026-12-11'),
      exemption('6(b)-I', '2027-06-30', { confidence: 'one summary' }),
      exemption('8(b)-I', '2021-07-21'),
      exemption('8(b)', ''),
    ],
  },
  svhcSubstances: {
    file: 'svhc-substances.csv',
    isShipped: false,
    newest: '2026-02-04',
    checked: '',
    rows: [{ entry: '188', cas: '7439-92-1', name: 'Lead', entryName: 'Lead' }],
  },
  rohsSubstances: {
    file: 'rohs-substances.csv',
    isShipped: false,
    newest: '',
    checked: '',
    rows: [{ group: 'Lead', cas: '7439-92-1', share: 1 }],
  },
}

/** The tables that come with the tool. */
function shippedTables(): Promise<ReferenceTables> {
  return readReferenceTables(testWorld(), {
    svhcUpdates: undefined,
    rohsExemptions: undefined,
    svhcSubstances: undefined,
    rohsSubstances: undefined,
  })
}

/** Their substances. */
export async function builtInTables(): Promise<SubstanceTables> {
  const { rohsSubstances, svhcSubstances } = await shippedTables()
  return createSubstanceTables(rohsSubstances.rows, svhcSubstances.rows)
}

/** What a row is judged by at this time, with the tables that come with the tool. */
export async function judgingContext(nowMs: number) {
  const { exemption: lookup, updateOf, substances } = createRowDates(await shippedTables(), nowMs)
  return { nowMs, lookup, updateOf, substances }
}
