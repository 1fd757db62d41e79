import { hash } from 'node:crypto'
import { type CompanyIdentity, companyIdentity } from '../../compliance/company-names.ts'

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

/** Identifies a supplier: by its first identifier that is one (a DUNS number comes first), else by its name. */
function companyKey({ id, name }: CompanyIdentity): string {
  return id === '' ? `name ${name}` : `id ${id}`
}

const NO_SUPPLIER = 'name '

/**
 * Identifies a part of a supplier, as a hash: by the supplier's number, exactly, else by the buyer's. Undefined without a number or a
 * supplier: two such parts are not known to be the same.
 */
export function partKey(row: Supplier & PartNumbers): string | undefined {
  return partKeyOf(numberKey(row), companyIdentity(row))
}

/** The same by the key of the number. */
export function partKeyOf(number: string | undefined, company: CompanyIdentity): string | undefined {
  const supplier = companyKey(company)
  return number === undefined || supplier === NO_SUPPLIER ? undefined : keyOf(`${supplier}\n${number}`)
}

/** Identifies a part number of any supplier: the supplier's, else the buyer's. */
export function numberKey({ part, requesterPart }: PartNumbers): string | undefined {
  const isOwn = part.trim() !== ''
  const number = isOwn ? part : requesterPart
  return number.trim() === '' ? undefined : keyOf(`${isOwn ? 'supplier' : 'buyer'}\n${number}`)
}

/** 96 bits: no two keys of a report are equal, not even on purpose. */
function keyOf(text: string): string {
  return hash('sha256', text, 'base64').slice(0, 16)
}
