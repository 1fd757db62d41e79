import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import type { Place } from '../../compliance/finding.ts'
import { rowName } from '../columns.ts'
import { newestList, questionsOf } from '../letters.ts'
import { partDetails, placedFinding, placeText } from '../part-details.ts'
import type { ReferenceTables } from '../regulations/reference-tables.ts'
import { VERDICT_TONES } from '../row-findings.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import type { Formatter } from './formatter.ts'
import { rowsOf } from './formatter.ts'
import { type TextLook, wrapped } from './text.ts'

/**
 * One part in the terminal: its verdict in a sentence, what is found and where, every group and list with its answer, file, line and
 * date, where it is used, what to ask its supplier, and the line of a waiver.
 */
export function explainFormatter(
  part: string,
  look: TextLook,
  tables: ReferenceTables | undefined,
): Formatter {
  return async function* (report) {
    let found = 0
    for await (const rows of rowsOf(report, 'parts') as AsyncIterable<readonly JudgedRow[]>) {
      for (const row of rows.filter((one) => isNamed(one, part))) {
        if (found > 0) yield '\n'
        found += 1
        yield `${explained(row, look, tables).join('\n')}\n`
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
  return part !== '' && [own, requesterPart, line?.ownPart].includes(part)
}

function explained(row: JudgedRow, look: TextLook, tables: ReferenceTables | undefined): readonly string[] {
  const { verdict, line, supplier, name } = row
  const details = partDetails(row)
  const { why, findings, statements, declarations, notes, usedIn } = details
  const tone = VERDICT_TONES[verdict]
  const about = [name, supplier].filter((text) => text !== '').join(', ')
  const at = line === undefined ? '' : `, line ${line.line}`
  const [first = ''] = why
  return [
    ...wrapped(`${rowName(row)}${at}${about === '' ? '' : `: ${about}`}`, look).map(look.heading),
    ...wrapped(`${look.signs[tone]} ${verdict || row.status}${first === '' ? '' : `: ${first}`}`, look).map(
      (line) => look.tone(tone, line),
    ),
    ...section('Found', findings.map(placedFinding), look),
    ...section(
      'Statements',
      statements.map(
        ({ what, answer, place, isOlder, instead }) =>
          `${what}: ${answer}${isOlder ? againText(instead) : ''}${placeText(place)}`,
      ),
      look,
    ),
    ...section(
      'Declarations',
      declarations.map(
        ({ source, date, counts, acceptance }) =>
          `${source} of ${date}${acceptance === '' ? '' : `, accepted: ${acceptance}`}${counts === '' ? '' : `: ${counts}`}`,
      ),
      look,
    ),
    ...section('Remarks', notes, look),
    ...section('Used in', usedIn, look),
    ...section(
      'To ask its supplier',
      questionsOf([row], newestList(tables)).map(({ send, reason }) => `please send ${send}: ${reason}`),
      look,
    ),
    ...section(
      'Waivers',
      [...details.waived, ...details.waiverLines.map((line) => `to accept it: ${line}`)],
      look,
    ),
  ]
}

function section(title: string, lines: readonly string[], look: TextLook): readonly string[] {
  return lines.length === 0
    ? []
    : ['', look.heading(title), ...lines.flatMap((line) => wrapped(`  ${line}`, look))]
}

/** Why a statement does not decide. */
function againText(instead: Place | undefined): string {
  if (instead === undefined) return ', stated again by a newer one'
  const { source, list, date } = instead
  return `, stated again in ${[list, source].filter((text) => text).join(' of ')}${date ? `, ${date}` : ''}`
}
