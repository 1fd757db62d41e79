import * as z from 'zod/mini'
import { parseJson } from '../base/json-text.ts'
import { parseCalendarDate } from '../base/units.ts'
import { type MockSearch, parseFormatClass } from './query.ts'

/** A valid v1 request: its criteria and the format of the response. */
interface LegacyRequest {
  readonly search: MockSearch
  readonly format: 'XML' | 'CSV'
}

const TEXT = z.catch(z.string(), '')

/** All values of v1 are strings; others are ignored. */
const BODY = z.object({
  apikey: TEXT,
  format: TEXT,
  formatClass: z.catch(z.string(), 'C'),
  supplier: TEXT,
  partNumbers: TEXT,
  startdate: TEXT,
})

/** The criteria of a v1 body, or the text of the refusal, which v1 sends with status 200. `knows` looks up a supplier. */
export function parseLegacy(
  body: string,
  token: string,
  knows: (supplier: string) => boolean,
): LegacyRequest | string {
  const values = parseJson(body)
  const parsed = 'value' in values ? BODY.safeParse(values.value) : undefined
  if (parsed?.success !== true) return 'Invalid JSON'
  const { apikey, format, formatClass, supplier, partNumbers, startdate } = parsed.data
  if (apikey === '') return 'No API key supplied'
  if (apikey !== token) return 'Invalid API key supplied'
  if (format !== 'XML' && format !== 'CSV') return 'Invalid format requested. Must be CSV or XML'
  const chosenClass = parseFormatClass(formatClass)
  if (chosenClass === undefined) return 'Invalid format class requested. Must be C, D or checkDthenC'
  if (startdate !== '' && parseCalendarDate(startdate) === undefined)
    return 'Invalid start date requested. Must be YYYY-MM-DD'
  const suppliers = supplier
    .split(',')
    .map((number) => number.trim())
    .filter((number) => number !== '')
  const unknown = suppliers.filter((number) => !knows(number))
  if (unknown.length > 0) return `Supplier DUNS numbers "${unknown.join(', ')}" do not exist`
  const parts = parseQuoted(partNumbers)
  if (parts === undefined)
    return 'Invalid part numbers requested. Each must be in double quotes, separated by commas'
  return {
    format,
    search: {
      standard: '1752A',
      formatClass: chosenClass,
      suppliers,
      parts,
      ...(startdate === '' ? {} : { startDate: startdate }),
    },
  }
}

/** The values of a comma-separated list, each in double quotes; undefined for any other text. */
export function parseQuoted(text: string): readonly string[] | undefined {
  if (text.trim() === '') return []
  const parts: string[] = []
  const value = /\s*"([^"]*)"\s*(,|$)/y
  while (value.lastIndex < text.length) {
    const match = value.exec(text)
    if (!match) return undefined
    parts.push(match[1]!)
    if (match[2] === '') return parts.filter((part) => part.trim() !== '')
  }
  return undefined
}
