import { parseCalendarDate } from '../base/units.ts'
import type { XmlStandard } from './declaration-xml.ts'

/** The criteria of a valid download request. */
export interface MockSearch {
  readonly standard: XmlStandard
  readonly formatClass: 'C' | 'D' | 'checkDthenC'
  /** Empty: all suppliers. */
  readonly suppliers: readonly string[]
  /** Empty: all parts. */
  readonly parts: readonly string[]
  /** Only declarations approved after this day. */
  readonly startDate?: string
}

/** A refusal: status and message. */
interface Refusal {
  readonly status: number
  readonly message: string
}

/** The criteria of a v2 query string, or a refusal. Unknown parameters are ignored. */
export function parseCriteria(query: URLSearchParams): MockSearch | Refusal {
  if (query.has('apikey')) return refuse(401, 'apikey is not accepted: send the token as a bearer token')
  const repeated = ['format', 'formatClass', 'supplier', 'startDate'].find(
    (name) => query.getAll(name).length > 1,
  )
  if (repeated !== undefined) return refuse(400, `${repeated} may be given once`)
  if (query.has('partNumbers'))
    return refuse(400, 'partNumbers must be written partNumbers[], once for each part')
  if (query.has('startdate')) return refuse(400, 'startdate must be written startDate')
  const standard = query.get('format') ?? ''
  if (standard !== '1752A' && standard !== '1752B') return refuse(400, 'format must be 1752A or 1752B')
  const formatClass = parseFormatClass(query.get('formatClass') ?? 'C')
  if (formatClass === undefined) return refuse(400, 'formatClass must be C, D or checkDthenC')
  const supplier = query.get('supplier') ?? ''
  if (supplier.trim() !== '' && !/^\d{9}$/.test(supplier))
    return refuse(400, 'supplier must be a nine-digit number')
  const parts = query.getAll('partNumbers[]').filter((part) => part.trim() !== '')
  if (supplier.trim() === '' && parts.length === 0) {
    return refuse(400, 'at least one of supplier and partNumbers[] must have a valid value')
  }
  const startDate = query.get('startDate')
  if (startDate !== null && parseCalendarDate(startDate) === undefined)
    return refuse(400, 'startDate must be a date, YYYY-MM-DD')
  return {
    standard,
    formatClass,
    suppliers: supplier.trim() === '' ? [] : [supplier],
    parts,
    ...(startDate === null ? {} : { startDate }),
  }
}

/** The class that a request names; undefined for any other text. */
export function parseFormatClass(text: string): MockSearch['formatClass'] | undefined {
  return text === 'C' || text === 'D' || text === 'checkDthenC' ? text : undefined
}

function refuse(status: number, message: string): Refusal {
  return { status, message }
}
