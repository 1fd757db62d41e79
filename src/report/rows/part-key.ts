import type { JudgedRow } from './report-row.ts'

/**
 * Identifies a supplier: its first identifier (a DUNS number comes first), else its name. Case, spaces and punctuation do not count.
 * A file without an identifier is of another supplier than one with: names alone do not show that they are the same.
 */
export function supplierKey({ company_id, supplier }: Pick<JudgedRow, 'company_id' | 'supplier'>): string {
  const id = company_id.split('; ').map(plain).find(isIdentifier)
  return id === undefined ? `name ${plain(supplier)}` : `id ${id}`
}

/**
 * Identifies a part of a supplier: by the supplier's number, exactly, else by the buyer's. Undefined without a number: two such parts
 * are not known to be the same.
 */
export function partKey(row: JudgedRow): string | undefined {
  const number = row.part === '' ? row.requester_part : row.part
  if (number === '') return undefined
  return `${supplierKey(row)}\n${row.part === '' ? 'buyer' : 'supplier'}\n${number}`
}

/** What some writers give where a company has no identifier. */
const PLACEHOLDERS = new Set(['na', 'none', 'null', 'nil', 'unknown', 'tbd', 'notapplicable', 'notavailable'])

function isIdentifier(id: string): boolean {
  return /[^0]/.test(id) && !PLACEHOLDERS.has(id)
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
