import {
  type ExemptionId,
  type ExemptionNumber,
  exemptionLabel,
  exemptionNumbers,
} from './exemption-number.ts'

/** A row of the table of RoHS exemptions: an exemption has one for each group of product categories. */
export interface ExemptionRow {
  readonly exemption: string
  readonly annex: 'III' | 'IV'
  readonly categories: string
  /** The nominal date `YYYY-MM-DD`; empty where none is known. */
  readonly expires: string
  readonly status: string
  readonly confidence: string
  readonly source: string
  readonly note: string
  /** The restricted groups that it is for, separated by `; `; empty where the table does not say. */
  readonly substance?: string | undefined
}

/** What the table knows about one exemption. Nothing in it says that an exemption has ended: a date informs. */
export interface ExemptionDates {
  /** The legal number; empty where the declared text is not recognized. */
  readonly number: string
  /** `III`, `IV`, or empty where nothing names it. */
  readonly annex: string
  /** The earliest and the latest date over product categories, `YYYY-MM-DD`; empty where none is known. */
  readonly earliest: string
  readonly latest: string
  readonly status: string
  /** How sure the dates are, in the words of the table. */
  readonly confidence: string
  readonly source: string
  readonly remark: string
  /** The restricted groups that it is for; empty where the table does not say. */
  readonly substances: readonly string[]
}

/** Looks up an exemption as declared: one result for each number in it. */
export type ExemptionLookup = (declared: ExemptionId) => readonly ExemptionDates[]

export const NOT_JUDGED = 'not judged'
export const DATE_PASSED = 'nominal date passed'

/** The lookup without a table: legal numbers, and no dates. */
export const NO_DATES: ExemptionLookup = createExemptionLookup([], '')

/** The lookup over the rows of a table; dates before `today` (`YYYY-MM-DD`) are passed. */
export function createExemptionLookup(rows: readonly ExemptionRow[], today: string): ExemptionLookup {
  const byNumber = new Map<string, ExemptionRow[]>()
  for (const row of rows) {
    const number = rowNumber(row)
    byNumber.set(number, [...(byNumber.get(number) ?? []), row])
  }
  return ({ identity, list }) => {
    const numbers = exemptionNumbers(identity, list)
    if (numbers.length === 0) return [notUnderstood()]
    return numbers.map((number) => datesOf(number, byNumber, today))
  }
}

/** The legal number of a row; empty where its text is none. */
export function rowNumber({ exemption, annex }: Pick<ExemptionRow, 'exemption' | 'annex'>): string {
  return exemptionNumbers(exemption, `Annex ${annex}`)[0]?.number ?? ''
}

function datesOf(
  id: ExemptionNumber,
  byNumber: ReadonlyMap<string, readonly ExemptionRow[]>,
  today: string,
): ExemptionDates {
  const rows = (byNumber.get(id.number) ?? []).filter(({ annex }) => (id.annex ?? annex) === annex)
  const annexes = [...new Set(rows.map(({ annex }) => annex))]
  const dates = rows.map(({ expires }) => expires).filter((date) => date !== '')
  const earliest = dates.reduce((a, b) => (b < a ? b : a), dates[0] ?? '')
  const latest = dates.reduce((a, b) => (b > a ? b : a), '')
  return {
    number: exemptionLabel(id),
    annex: id.annex ?? (annexes.length === 1 ? annexes[0]! : ''),
    earliest,
    latest,
    status: statusOf(rows, earliest, latest, today),
    confidence: once(rows.map(({ confidence }) => confidence)),
    source: once(rows.flatMap(({ source }) => source.split(' ; '))),
    remark: once([...remarks(id, rows, byNumber), ...rows.map(({ note }) => note)]),
    substances: [
      ...new Set(rows.flatMap(({ substance = '' }) => substance.split(';').map((one) => one.trim()))),
    ].filter((one) => one !== ''),
  }
}

function statusOf(rows: readonly ExemptionRow[], earliest: string, latest: string, today: string): string {
  if (earliest === '') return NOT_JUDGED
  // The words of the table, unless they are those for an end that no date proves.
  const words = once(rows.map(({ status }) => (/expired/i.test(status) ? '' : status)))
  const own = words.startsWith(DATE_PASSED) ? words : `${DATE_PASSED}, ${words || 'renewal status unknown'}`
  if (latest < today) return own
  if (earliest < today) return `${own} (for some product categories)`
  return words === '' ? 'nominal date ahead' : words
}

function remarks(
  { number, annex }: ExemptionNumber,
  rows: readonly ExemptionRow[],
  byNumber: ReadonlyMap<string, readonly ExemptionRow[]>,
): string[] {
  if (rows.length === 0) {
    const parts = [...byNumber.keys()].filter(
      (each) => each.startsWith(`${number}-`) || each.startsWith(`${number}(`),
    )
    return [
      parts.length > 0
        ? `ambiguous: the table has ${parts.join(', ')}`
        : 'the table does not have this exemption',
    ]
  }
  // Both annexes count from 1: 34, for instance, is another exemption in each.
  if (!/^\d+$/.test(number) || annex !== undefined) return []
  const annexes = [...new Set(rows.map((row) => row.annex))]
  return [
    annexes.length > 1
      ? `the declaration does not name the annex: III and IV each have a ${number}`
      : `the declaration does not name the annex: read as Annex ${annexes[0]}`,
  ]
}

function notUnderstood(): ExemptionDates {
  return {
    number: '',
    annex: '',
    earliest: '',
    latest: '',
    status: NOT_JUDGED,
    confidence: '',
    source: '',
    remark: 'not an exemption number that is understood',
    substances: [],
  }
}

function once(texts: readonly string[]): string {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))].join('; ')
}
