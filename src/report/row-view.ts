import { exemptionLabel, exemptionNumbers } from '../compliance/exemption-number.ts'
import type { ReportCounts } from './report-result.ts'
import { gateWords } from './rows/finish-row.ts'
import type { JudgedRow } from './rows/report-row.ts'
import { type RowStatus, STATUSES } from './words.ts'

// A row as people see it: its name, its status, and how much attention it needs. Every format asks here.

/** The status of a row in one word. */
export function rowStatus({ status, rohs }: Pick<JudgedRow, 'status' | 'rohs'>): RowStatus {
  return status === 'declared' ? rohs : status
}

/** The supplier's number, else the buyer's, else the file of a row without either. */
export function rowName({
  part,
  requester_part,
  source,
}: Pick<JudgedRow, 'part' | 'requester_part' | 'source'>): string {
  return part || requester_part || source || '(no part number)'
}

/** What stands for a supplier that is not known. */
export const NO_SUPPLIER = 'no supplier known'

/** Whom to ask about a row: the declaring company, else the manufacturer in the parts list; empty if neither is known. */
export function supplierOf({ supplier, listed_manufacturers }: JudgedRow): string {
  return supplier || (listed_manufacturers[0] ?? '')
}

/** What a declared row says about SVHCs. */
export function reachStatus({ reach }: Pick<JudgedRow, 'reach'>): keyof ReportCounts['reach'] {
  return reach === '' ? 'notDeclared' : REACH_COUNTS[reach]
}

const REACH_COUNTS = {
  SVHC: 'withSvhc',
  'no SVHC': 'withoutSvhc',
  incomplete: 'incomplete',
  'not declared': 'notDeclared',
} as const

/** The place of a row where the worst come first: what fails the gate, then by status; rows with SVHCs follow incomplete ones. */
export function rowRank(row: JudgedRow): number {
  const own = ORDER.indexOf(rowStatus(row))
  const hasSvhc = row.status === 'declared' && reachStatus(row) === 'withSvhc'
  const rank = hasSvhc ? Math.min(own, AFTER_INCOMPLETE) : own
  return (gateWords(row).length > 0 ? 0 : FIRST_PASSED) + rank
}

const ORDER = Object.keys(STATUSES)
const AFTER_INCOMPLETE = ORDER.indexOf('incomplete') + 0.5
const FIRST_PASSED = 100

/** The exemptions of a declared row by their legal numbers, as the list of exemptions names them. */
export function exemptionKeys({ status, exemption_ids }: JudgedRow): readonly string[] {
  if (status !== 'declared') return []
  const keys = exemption_ids.flatMap(({ identity, list }) => {
    const numbers = exemptionNumbers(identity, list)
    return numbers.length === 0 ? [identity] : numbers.map(exemptionLabel)
  })
  return [...new Set(keys)]
}
