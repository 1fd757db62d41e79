import type { PartNumber, SupplierFacts } from './facts.ts'

/** A made-up supplier and its part numbers: a serial number between a prefix and a suffix. */
interface MadeUpSupplier extends SupplierFacts {
  readonly product: string
  readonly prefix: string
  readonly digits: number
  readonly first: number
  readonly suffix: string
}

/** All names and numbers are invented; reports know made-up data by the end of the name. Together they have every difficult spelling of a part number. */
export const MADE_UP_SUPPLIERS: readonly MadeUpSupplier[] = [
  supplier('100200300', 'Example Passives', 'MLCC 0603 X5R', 'EXC188R', 60_000, 'KA'),
  supplier('200300400', 'Specimen Semiconductors', 'MOSFET 60 V', 'SPM60N', 10_000, '-T1'),
  supplier('300400500', 'Imaginary Connectors', 'header 2.54 mm', '1-', 20_000, '-0'),
  supplier('009008007', 'Placeholder Plastics', 'cable tie', '00', 40_000, ''),
  supplier('400500600', 'Fictional Cables', 'cable', 'FC 4x0,75/', 10_000, ''),
  supplier('500600700', 'Invented Magnetics', 'inductor', 'IM-10µH-', 10_000, ''),
  supplier('600700800', 'Nowhere Modules', 'power module', 'NM.', 10_000, '#A'),
  supplier('700800900', 'Make-Believe Fasteners', 'screw M3', 'mb_', 10_000, '+zn'),
]

/** The supplier of made-up part `n`, in rotation. */
export function supplierFacts(n: number): SupplierFacts {
  const { id, name } = MADE_UP_SUPPLIERS[n % MADE_UP_SUPPLIERS.length]!
  return { id, name }
}

/** The numbers of made-up part `n`: its own, then those of its other packagings. */
export function numbersOf(n: number, packagings: number): readonly [PartNumber, ...PartNumber[]] {
  const { product } = MADE_UP_SUPPLIERS[n % MADE_UP_SUPPLIERS.length]!
  const name = `${product} ${Math.floor(n / MADE_UP_SUPPLIERS.length) + 1}`
  const own = { number: ownNumber(n), name }
  if (packagings === 1) return [own]
  const others = Array.from(PACKAGINGS.slice(0, packagings - 1), (packaging, index) => ({
    number: `${own.number}-${packaging}`,
    name: `${name}, packaging ${packaging}`,
    requesterNumber: requesterNumber(n, index + 1),
  }))
  return [{ ...own, requesterNumber: requesterNumber(n, 0) }, ...others]
}

/** Candidates for the made-up part with this number, the supplier's or the buyer's. */
export function partsLike(number: string): readonly number[] {
  const requester = /^4021-(\d{6})\.\d$/.exec(number)
  if (requester) return [Number(requester[1])]
  return MADE_UP_SUPPLIERS.flatMap(({ prefix, digits, first }, index) => {
    const run = number.slice(prefix.length, prefix.length + digits)
    if (!number.startsWith(prefix) || !/^\d+$/.test(run) || run.length !== digits) return []
    const serial = Number(run) - first
    return serial < 0 ? [] : [serial * MADE_UP_SUPPLIERS.length + index]
  })
}

const PACKAGINGS = ['T', 'R', 'B'] as const

function supplier(
  id: string,
  name: string,
  product: string,
  prefix: string,
  first: number,
  suffix: string,
): MadeUpSupplier {
  return { id, name: `${name} (sandbox)`, product, prefix, digits: 5, first, suffix }
}

function ownNumber(n: number): string {
  const { prefix, digits, first, suffix } = MADE_UP_SUPPLIERS[n % MADE_UP_SUPPLIERS.length]!
  const serial = Math.floor(n / MADE_UP_SUPPLIERS.length)
  return `${prefix}${String(first + serial).padStart(digits, '0')}${suffix}`
}

function requesterNumber(n: number, packaging: number): string {
  return `4021-${String(n).padStart(6, '0')}.${packaging}`
}
