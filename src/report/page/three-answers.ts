import { calendarDate, formatCount, plural } from '../../base/units.ts'
import { MADE_UP } from '../../compliance/company-names.ts'
import { DATE_PASSED } from '../../compliance/exemptions.ts'
import { kindOf } from '../../compliance/finding.ts'
import { NO_SUPPLIER } from '../columns.ts'
import { listedPieces, type Piece, type Text, TONE_SIGNS, type Tone } from '../document.ts'
import { escapeMarkup } from '../formats/escape-markup.ts'
import type { ReportShape } from '../formats/formatter.ts'
import type { Letter } from '../letters.ts'
import { countPieces, countTone } from '../line-counts.ts'
import type { Product } from '../product.ts'
import type { ExemptionUse } from '../regulations/reference-facts.ts'
import { exemptionKey, exemptionName, foundPieces, gateVerdict } from '../report-document.ts'
import type { ReportSummary } from '../report-summary.ts'
import { NOTHING_TO_JUDGE, type OverallVerdict, ruleOf } from '../row-findings.ts'
import { type EndingDay, inDays } from './calendar.ts'
import { textHtml } from './html.ts'

// The three answers at the top of a page: may it be used today, what ends and when, whom to ask.

/** What the answers rest on beside the summary. */
export interface AnswerFacts {
  readonly shape: ReportShape
  readonly summary: ReportSummary
  /** What fails, by name, with its rows. */
  readonly failing: ReadonlyMap<string, number>
  /** Rows by the rule of the gate that they match. */
  readonly matches: ReadonlyMap<string, number>
  /** Rows by a day on which an exemption in use ends. */
  readonly days: ReadonlyMap<string, number>
  readonly letters: readonly Letter[]
  /** Letters with an address. */
  readonly addresses: number
}

interface Answer {
  readonly question: string
  readonly tone: Tone | 'ask'
  readonly headline: Text
  readonly lines: readonly Text[]
}

/** The answers as HTML. `calendar` is true where there is a file of dates to save. */
export function answersHtml(facts: AnswerFacts, hasCalendar: boolean): string {
  const ics = ' <button type="button" id="ics" class="needs-script" hidden>save dates (.ics)</button>'
  return `<div class="answers">
${answerHtml(useAnswer(facts))}${answerHtml(endAnswer(facts), hasCalendar ? ics : '')}${answerHtml(askAnswer(facts))}</div>\n`
}

function answerHtml({ question, tone, headline, lines }: Answer, more = ''): string {
  const body = lines
    .filter((line) => line.length > 0)
    .map((line) => `<p>${textHtml(line)}</p>`)
    .join('')
  const details = body === '' ? '' : `<details open><summary>more</summary>${body}</details>`
  return `<section class="answer ${tone}"><p class="question">${escapeMarkup(question)}${more}</p><h2>${textHtml(headline)}</h2>${details}</section>\n`
}

// May it be used today?

const PRODUCTS = 3
const SUBJECTS = 3

function useAnswer({ summary, failing, matches }: AnswerFacts): Answer {
  const { gate, products = [], count } = summary
  const tone = countTone(count)
  const subjects = [...failing].sort(([, a], [, b]) => b - a)
  const named = subjects.slice(0, SUBJECTS).map(([name, number]) => `${name} ${formatCount(number)}`)
  const more = subjects.length > SUBJECTS ? ` and ${subjects.length - SUBJECTS} more` : ''
  const headline: Text = [
    `${TONE_SIGNS[tone]} ${YES_OR_NO[count.verdict]}`,
    ...countPieces(count, named.length === 0 ? '' : ` (${named.join(', ')}${more})`),
  ]
  const open = Object.fromEntries(
    Object.entries(summary.counts.findings).filter(([word]) => kindOf({ rule: ruleOf(word)[0] }) !== 'note'),
  )
  const found = foundPieces(open)
  return {
    question: `May it be used today?${summary.isMadeUp ? ` ${MADE_UP}` : ''}`,
    tone,
    headline,
    // Three lines; the rest is what this rests on.
    lines: [
      products.length > 1 ? listsLine(products) : '',
      found,
      reachLine(summary),
      ...(gate === undefined ? [] : gateLines(gateVerdict(gate, summary, matches))),
    ],
  }
}

const YES_OR_NO: Readonly<Record<OverallVerdict, string>> = {
  failed: 'No: ',
  doubtful: 'Not known: ',
  clean: 'Yes, as declared: ',
  [NOTHING_TO_JUDGE]: '',
}

function gateLines({ tone, text, more = [] }: ReturnType<typeof gateVerdict>): readonly Text[] {
  return [
    [`${TONE_SIGNS[tone]} `, ...(typeof text === 'string' ? [text] : text)],
    ...more.map(([, line]) => line),
  ]
}

/** `✗ a.csv · ✓ b.csv`: which of several lists. */
function listsLine(products: readonly Product[]): Text {
  const named = products
    .slice(0, PRODUCTS)
    .map(({ list, count }) => `${TONE_SIGNS[countTone(count)]} ${list}`)
  const left = products.length - PRODUCTS
  return `${named.join(' · ')}${left > 0 ? ` and ${plural(left, 'more list')}` : ''}`
}

/** The substances of very high concern, and what is not stated about them. */
function reachLine({ counts, reference }: ReportSummary): Text {
  const { withSvhc, notDeclared } = counts.reach
  const pieces: Piece[] = [
    ...(withSvhc > 0 ? [{ text: `${formatCount(withSvhc)} with an SVHC`, rows: { svhc: 'with SVHC' } }] : []),
    ...(notDeclared > 0
      ? [{ text: `no statement for ${formatCount(notDeclared)}`, rows: { svhc: 'SVHC not declared' } }]
      : []),
  ]
  if (reference !== undefined && reference.oldTable !== '') pieces.push(reference.oldTable)
  return pieces.length === 0 ? '' : ['REACH: ', ...listedPieces(pieces)]
}

// What ends, and when?

const NAMED = 3
const DATES = 4
const SOON_DAYS = 180

function endAnswer({ shape, summary, days }: AnswerFacts): Answer {
  const question = 'What ends, and when?'
  const today = calendarDate(shape.nowMs)
  const { reference, waivers } = summary
  const uses = reference?.exemptions ?? []
  const dated = uses.filter(({ earliest }) => earliest !== '')
  const passed = dated.filter(({ earliest }) => earliest < today)
  const coming = [...new Set(dated.map(({ earliest }) => earliest))].filter((day) => day >= today)
  const [next, ...later] = coming
  const { what } = summary.count
  const rowsOf = (day: string): string => plural(days.get(day) ?? 0, what)
  const ending = dated.filter(({ earliest }) => earliest === next)
  const undated = reference?.withoutDate ?? 0
  const soonest = (waivers?.used ?? []).map(({ until }) => until).sort()[0]
  const isNear = next !== undefined && Date.parse(next) - Date.parse(today) < SOON_DAYS * 86_400_000
  const nothing =
    summary.count.verdict === NOTHING_TO_JUDGE
      ? 'Nothing to judge'
      : undated > 0 || passed.length > 0
        ? 'No date ahead is known'
        : 'No exemption is in use'
  const headline: Text =
    next === undefined
      ? nothing
      : [
          {
            text: `${inDays(next, today)[0]!.toUpperCase()}${inDays(next, today).slice(1)} (${next})`,
            rows: { ends: next },
          },
          `: ${names(ending)} ${ending.length === 1 ? 'ends' : 'end'}, ${rowsOf(next)}`,
        ]
  return {
    question,
    tone: isNear || passed.length > 0 ? 'warn' : 'none',
    headline,
    lines: [
      ending.length === 0 ? '' : unique(ending.map(({ status }) => status)).join('; '),
      later.length === 0
        ? ''
        : [
            'Then ',
            ...listedPieces(
              later.slice(0, DATES).map((day) => ({ text: `${day}: ${rowsOf(day)}`, rows: { ends: day } })),
              ' · ',
            ),
            later.length > DATES ? ` and ${plural(later.length - DATES, 'later date')}` : '',
          ],
      passed.length === 0
        ? ''
        : [
            {
              text: `${plural(passedRows(passed, days), `${what} relies`, `${what}s rely`)} on a date that has passed`,
              rows: { finding: 'exemption-passed' },
              tone: 'warn',
            },
            `: ${passed.slice(0, NAMED).map(passedText).join('; ')}${passed.length > NAMED ? ` and ${passed.length - NAMED} more` : ''}`,
          ],
      undated === 0 ? '' : `${plural(undated, what)} with an exemption without a known date`,
      soonest === undefined ? '' : `Waivers: the next ends on ${soonest}`,
    ],
  }
}

/** `8(b)-I (2021-07-21, renewal decision not found)` */
function passedText(use: ExemptionUse): string {
  const known = use.status.replace(DATE_PASSED, '').replace(/^[ ,]*\(?|\)$/g, '')
  return `${exemptionName(use)} (${[use.earliest, known].filter(Boolean).join(', ')})`
}

function passedRows(passed: readonly ExemptionUse[], days: ReadonlyMap<string, number>): number {
  return unique(passed.map(({ earliest }) => earliest)).reduce((sum, day) => sum + (days.get(day) ?? 0), 0)
}

function names(uses: readonly ExemptionUse[]): string {
  const more = uses.length > NAMED ? ` and ${uses.length - NAMED} more` : ''
  return `${uses.slice(0, NAMED).map(exemptionName).join(', ')}${more}`
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}

/** Rows by exemption end on these days; a waiver ends too. */
export function endingDays(
  { reference, waivers, count }: ReportSummary,
  nowMs: number,
): readonly EndingDay[] {
  const today = calendarDate(nowMs)
  const uses = (reference?.exemptions ?? []).filter(({ earliest }) => earliest >= today)
  return [
    ...uses.map((use) => ({
      day: use.earliest,
      what: `exemption ${exemptionName(use)}, ${plural(use.parts, count.what)}`,
      details: `${use.status}. ${use.firstParts.join(', ')}${use.parts > use.firstParts.length ? ' …' : ''}\nNominal date: for information only.`,
    })),
    ...(waivers?.used ?? []).map(({ part, rule, reason, owner, until }) => ({
      day: until,
      what: `waiver of ${part} ${rule}`,
      details: `${reason} (${owner})`,
    })),
  ]
}

/** The days of exemptions by the key that rows have. */
export function exemptionDays({ reference }: ReportSummary): ReadonlyMap<string, string> {
  return new Map(
    (reference?.exemptions ?? [])
      .filter(({ earliest }) => earliest !== '')
      .map((use) => [exemptionKey(use), use.earliest]),
  )
}

// Whom to ask?

const SUPPLIERS = 3

function askAnswer({ letters, addresses }: AnswerFacts): Answer {
  const known = letters.filter(({ supplier }) => supplier !== NO_SUPPLIER)
  const unknown = letters.find(({ supplier }) => supplier === NO_SUPPLIER)
  const missing = letters.reduce((sum, one) => sum + one.missing, 0)
  const parts = letters.reduce((sum, one) => sum + one.parts, 0)
  const first = known.slice(0, SUPPLIERS).map(
    ({ supplier, parts: own }): Piece => ({
      text: `${supplier} ${formatCount(own)}`,
      rows: { tab: 'ask', supplier },
    }),
  )
  return {
    question: 'Whom to ask?',
    tone: 'ask',
    headline:
      letters.length === 0
        ? 'Nobody: nothing is missing or unclear'
        : `${known.length === 0 ? '' : `${plural(known.length, 'supplier')}, `}${plural(parts, 'part')}${missing === 0 ? '' : `, ${formatCount(missing)} without a declaration`}`,
    lines: [
      first.length === 0
        ? ''
        : [
            ...listedPieces(first, ' · '),
            known.length > SUPPLIERS ? ` and ${known.length - SUPPLIERS} more` : '',
          ],
      unknown === undefined
        ? ''
        : [
            {
              text: `${plural(unknown.parts, 'part')} without a known supplier`,
              rows: { tab: 'ask', supplier: NO_SUPPLIER },
            },
          ],
      known.length === 0
        ? ''
        : [
            { text: `${plural(known.length, 'letter')} ready`, place: 'letters' },
            addresses === 0 ? '' : ` (${plural(addresses, 'address', 'addresses')} from their own files)`,
          ],
    ],
  }
}
