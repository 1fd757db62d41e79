import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { plural } from '../../base/units.ts'
import type { Place } from '../../compliance/finding.ts'
import { readListIdentity } from '../../compliance/list-identity.ts'
import { cellOf, rowName } from '../columns.ts'
import type { ReferenceTables } from '../regulations/reference-tables.ts'
import { requestsOf } from '../requests.ts'
import { findingText, isNoted, VERDICT_TONES } from '../row-findings.ts'
import { type JudgedRow, type PlacedStatement, placeOf, statementsOf } from '../rows/report-row.ts'
import type { Formatter, ReportShape } from './formatter.ts'
import { rowsOf } from './formatter.ts'
import type { TextLook } from './text.ts'

/** Statements that are below their thresholds are counted beyond so many of a list. */
const LISTED = 12

/**
 * One part in the terminal: its verdict in a sentence, what is found and where, every group and list with its answer, file, line and
 * date, where it is used, what to ask its supplier, and the line of a waiver.
 */
export function explainFormatter(
  part: string,
  shape: ReportShape,
  look: TextLook,
  tables: ReferenceTables | undefined,
): Formatter {
  return async function* (report) {
    let found = 0
    for await (const rows of rowsOf(report, 'parts') as AsyncIterable<readonly JudgedRow[]>) {
      for (const row of rows.filter((one) => isNamed(one, part))) {
        if (found > 0) yield '\n'
        found += 1
        yield `${explained(row, shape, look, tables).join('\n')}\n`
      }
    }
    if (found > 0) return
    throw new Failure('usage', `no row of the report is about "${cleanText(part, 80)}"`, {
      hint: 'give a part number as the report has it',
      options: ['explain'],
    })
  }
}

function isNamed({ part: own, requesterPart, line }: JudgedRow, part: string): boolean {
  return [own, requesterPart, line?.ownPart].includes(part)
}

function explained(
  row: JudgedRow,
  { nowMs }: ReportShape,
  look: TextLook,
  tables: ReferenceTables | undefined,
): readonly string[] {
  const { verdict, findings, line, notes, supplier, name } = row
  const tone = VERDICT_TONES[verdict]
  const about = [name, supplier].filter((text) => text !== '').join(', ')
  const at = line === undefined ? '' : `, line ${line.line}`
  const open = findings.filter((finding) => !isNoted(finding))
  const why = open[0]?.sentence ?? notes[0] ?? ''
  return [
    look.heading(escapeUnsafe(`${rowName(row)}${at}${about === '' ? '' : `: ${about}`}`)),
    look.tone(
      tone,
      `${look.signs[tone]} ${verdict || row.status}${why === '' ? '' : `: ${escapeUnsafe(why)}`}`,
    ),
    ...section(
      'Found',
      findings.map((finding) => `${findingText(finding)}${placeText(finding.place)}`),
      look,
    ),
    ...section('Statements', statementLines(row, nowMs), look),
    ...section('Declarations', declarationLines(row), look),
    ...section('Remarks', notes, look),
    ...section('Used in', line?.usedIn ?? [], look),
    ...section(
      'To ask its supplier',
      requestsOf([row], { nowMs, tables }).map(({ send, reason }) => `please send ${send}: ${reason}`),
      look,
    ),
    ...section('Waivers', waiverLines(row), look),
  ]
}

function section(title: string, lines: readonly string[], look: TextLook): readonly string[] {
  return lines.length === 0
    ? []
    : ['', look.heading(title), ...lines.map((line) => `  ${escapeUnsafe(line)}`)]
}

/** ` (EUROHS-1907, all.zip!p.xml:41, 2024-09-14)` */
function placeText(place: Place | undefined): string {
  if (place === undefined) return ''
  const { source, line, list, date } = place
  const file = source === '' || line === undefined ? source : `${source}:${line}`
  const facts = [list, file, date].filter((fact) => fact !== undefined && fact !== '')
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`
}

/** The ten groups, then each list: what is over, not stated or not understood, and how many are below their thresholds. */
function statementLines(row: JudgedRow, nowMs: number): readonly string[] {
  const groups = row.judged.rohs.groups.map(({ group, answer, where }) => {
    const place = where === undefined ? '' : placeText(placeOf(row, where))
    return `RoHS ${group}: ${answer}${place}`
  })
  const byList = new Map<string, PlacedStatement[]>()
  for (const one of statementsOf(row, nowMs)) byList.set(one.list, [...(byList.get(one.list) ?? []), one])
  const others = [...byList].flatMap(([list, all]) => {
    const isRohs = readListIdentity(list).family === 'rohs'
    const shown = all.filter(({ answer, decides }) => answer !== 'not over' || !decides)
    const plain = all.filter((one) => !shown.includes(one))
    const named = plain.length > LISTED || isRohs ? [] : plain
    return [
      ...(isRohs
        ? []
        : [`${list}: ${plural(all.length, 'entry', 'entries')} stated, ${plain.length} not over`]),
      ...[...shown, ...named].map((one) => `${list} ${statementText(one)}`),
    ]
  })
  return [...groups, ...others]
}

function statementText({ name, code, answer, quoted, decides, place, ...values }: PlacedStatement): string {
  const { percent, massMg, concentration, exemptions, article } = values
  const amounts = [
    percent === undefined ? '' : `${percent} % of the article`,
    massMg === undefined ? '' : `${massMg} mg`,
    concentration === undefined ? '' : `${concentration} % of the material`,
    exemptions.length === 0 ? '' : `exemption ${exemptions.map(({ identity }) => identity).join(', ')}`,
  ].filter((text) => text !== '')
  const what = [name || code, article === '' ? '' : `in ${article}`].filter((text) => text !== '').join(' ')
  const said = quoted === '' ? answer : `${answer}: "${quoted}"`
  const state = decides ? '' : ', stated again by a newer one'
  return `${what}: ${[said, ...amounts].join(', ')}${state}${placeText(place)}`
}

function declarationLines({ declarations, judged }: JudgedRow): readonly string[] {
  return declarations.map(({ source, dateText, acceptance }, index) => {
    const what = judged.origins[index]?.join(', ') ?? ''
    const accepted = acceptance === 'not said' ? '' : `, accepted: ${acceptance}`
    return `${source} of ${dateText || 'no date'}${accepted}${what === '' ? '' : `: ${what}`}`
  })
}

/** The line of a waiver for each finding that a gate may match, and the waivers that are in use. */
function waiverLines(row: JudgedRow): readonly string[] {
  const part = String(cellOf(row, 'part') ?? '')
  return row.findings.flatMap(({ rule, subject, waivers }) => {
    const inUse = waivers?.map(({ reason, owner, until }) => `waived until ${until}: ${reason} (${owner})`)
    if (inUse !== undefined) return inUse
    if (part === '' || rule === 'exemption') return []
    return [`to accept it: ${part},${rule}${subject === '' ? '' : `:${subject}`},REASON,OWNER,YYYY-MM-DD`]
  })
}
