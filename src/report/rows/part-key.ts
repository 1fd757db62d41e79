import { hash } from 'node:crypto'
import { cleanText } from '../../base/clean-text.ts'

/** What a supplier is known by. */
interface Supplier {
  readonly companyIds: readonly string[]
  readonly supplier: string
}

/** What a part is known by. */
interface PartNumbers {
  readonly part: string
  readonly requesterPart: string
}

/**
 * Identifies a supplier: by its first identifier that is one (a DUNS number comes first), else by its name. Case, spaces and
 * punctuation do not count. A file without an identifier is of another supplier than one with: names alone do not show that they are
 * the same.
 */
export function supplierKey({ companyIds, supplier }: Supplier): string {
  const id = companyIds.map(plain).find(isIdentifier)
  return id === undefined ? `name ${plain(supplier)}` : `id ${id}`
}

const NO_SUPPLIER = 'name '

/**
 * Identifies a part of a supplier, as a hash: by the supplier's number, exactly, else by the buyer's. Undefined without a number or a
 * supplier: two such parts are not known to be the same.
 */
export function partKey(row: Supplier & PartNumbers): string | undefined {
  const isOwn = row.part.trim() !== ''
  const number = isOwn ? row.part : row.requesterPart
  const supplier = supplierKey(row)
  if (number.trim() === '' || supplier === NO_SUPPLIER) return undefined
  // 96 bits: no two keys of a report are equal, not even on purpose.
  return hash('sha256', `${supplier}\n${isOwn ? 'supplier' : 'buyer'}\n${number}`, 'base64').slice(0, 16)
}

/** What some writers give where a company has no identifier. */
const PLACEHOLDERS = new Set([
  ...['', 'na', 'none', 'null', 'nil', 'unknown', 'tbd', 'tba', 'notapplicable', 'notavailable', 'notknown'],
  ...['duns', 'dunsnumber', 'vat', 'id', 'companyid', 'identity', 'test', 'example', 'xxx', 'string'],
  ...[
    '12345',
    '123456',
    '1234567',
    '12345678',
    '123456789',
    '1234567890',
    '0123456789',
    '012345678',
    '987654321',
  ],
])

function isIdentifier(id: string): boolean {
  return !PLACEHOLDERS.has(id) && !/^(.)\1*$/u.test(id)
}

/** Legal forms, which writers give or leave out. */
const LEGAL_FORMS = new Set(
  'ag bv co company corp corporation gmbh inc incorporated kg kk limited llc llp ltd mbh nv oy oyj plc pte pty sa sarl sas se spa srl sro ab as aps kft zoo'.split(
    ' ',
  ),
)

/** The name of a company as it is compared with another: without case, punctuation and legal form. */
export function companyName(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/株式会社|有限会社|有限公司|股份/g, ' ')
    // Abbreviations with dots are one word: S.p.A., B.V.
    .replace(/\b(\p{L})\.(?=\p{L}\b)/gu, '$1')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  while (words.length > 1 && (LEGAL_FORMS.has(words.at(-1)!) || words.at(-1) === 'and')) words.pop()
  return words.join('')
}

/** The manufacturers of a parts list, cleaned, where none of them is the supplier; none where the list names none. */
export function otherManufacturers(supplier: string, listed: readonly string[]): readonly string[] {
  if (listed.length === 0) return []
  const own = companyName(supplier)
  const named = listed.filter((name) => companyName(name) !== '')
  return named.some((name) => companyName(name) === own) ? [] : named.map((name) => cleanText(name, 100))
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
