import { plural } from '../base/units.ts'
import type { Place } from '../compliance/finding.ts'
import { groupLimit } from '../compliance/legal-limits.ts'
import { notStatedText } from '../compliance/reach.ts'
import type { Statement, Where } from '../compliance/statements.ts'
import { cellOf } from './columns.ts'
import type { Tone } from './document.ts'
import type { Waiver } from './report-result.ts'
import { findingText, isNoted, type RowFinding, whyByLines, withoutList } from './row-findings.ts'
import { type JudgedRow, placeOf } from './rows/report-row.ts'

// Everything that is known of one part, as values: its page and the `explain` option show the same.

/** What a group, a list or an entry of a list is stated as, and where. */
interface ShownStatement {
  readonly what: string
  readonly answer: string
  readonly tone: Tone
  readonly place?: Place | undefined
  /** A newer declaration or list states it again. */
  readonly isOlder: boolean
  /** Where, as far as one statement is in its place. */
  readonly instead?: Place | undefined
}

/** A declaration behind the row: when it is from, what of it counts, and what its supplier says of it. */
interface DeclarationUse {
  readonly source: string
  readonly date: string
  readonly counts: string
  readonly acceptance: string
}

interface PartDetails {
  /** Why the row has its verdict, in sentences. */
  readonly why: readonly string[]
  readonly findings: readonly RowFinding[]
  readonly statements: readonly ShownStatement[]
  readonly declarations: readonly DeclarationUse[]
  /** What is said of it beside that. */
  readonly notes: readonly string[]
  readonly usedIn: readonly string[]
  /** The waivers in use, and the line of a waiver for each other finding that a gate may match. */
  readonly waived: readonly string[]
  readonly waiverLines: readonly string[]
}

/** Entries below their thresholds are counted beyond so many of a list; others are never left out without a count. */
const LISTED = 12
const SHOWN = 60

export function partDetails(row: JudgedRow): PartDetails {
  const { findings, line, notes } = row
  const why = whySentences(row)
  const said = new Set([...why, ...findings.flatMap(({ sentence }) => [sentence, withoutList(sentence)])])
  return {
    why,
    findings,
    statements: statementsIn(row),
    declarations: declarationsOf(row),
    notes: notes.filter((note) => !said.has(note)),
    usedIn: line?.usedIn ?? [],
    waived: findings.flatMap(({ waivers = [] }) => waivers.map(waiverText)),
    waiverLines: waiverLines(row),
  }
}

/** What is found that is more than to know, worst first; else what its lines are, or the first remark. */
function whySentences(row: JudgedRow): readonly string[] {
  const { status, findings, notes, judged } = row
  const open = [...new Set(findings.filter((one) => !isNoted(one)).map(({ sentence }) => sentence))]
  if (open.length > 0) return open
  const byLines = whyByLines(row)
  if (byLines !== undefined) return [byLines]
  if (status === 'assembly') return notes.slice(0, 1)
  const stated = [...judged.rohs.notes, ...judged.reach.notes]
  return (stated.length > 0 ? stated : notes).slice(0, 1)
}

/** The ten groups, and the entries of lists that these do not have. */
function statementsIn(row: JudgedRow): readonly ShownStatement[] {
  const nameOf = (where?: Where): string => `${where?.origin}:${where?.line}`
  const known = new Set(row.judged.rohs.groups.map(({ statement }) => nameOf(statement?.where)))
  const isKnown = ({ where, decides }: Statement): boolean => decides && known.has(nameOf(where))
  return [...groupAnswers(row), ...listAnswers(row, isKnown)]
}

const ANSWER_TONES: Readonly<Record<string, Tone>> = {
  over: 'bad',
  exempt: 'none',
  'not over': 'none',
}

function groupAnswers(row: JudgedRow): readonly ShownStatement[] {
  return row.judged.rohs.groups.map(({ group, answer, statement, exemptions }) => {
    const { concentration, percent, where } = statement ?? {}
    const isNotOver = answer === 'not over'
    const isContradicted = isNotOver && Math.max(concentration ?? 0, percent ?? 0) > groupLimit(group).percent
    return {
      what: `RoHS ${group}`,
      answer: answerText(isContradicted ? 'not over, beside more than the limit' : answer, {
        concentration: isNotOver && !isContradicted ? undefined : concentration,
        percent: isContradicted ? percent : undefined,
        exemptions,
      }),
      tone: isContradicted ? 'warn' : (ANSWER_TONES[answer] ?? 'warn'),
      place: where && placeOf(row, where),
      isOlder: false,
    }
  })
}

/** Each list with how many entries it states, then what is over, not stated or not understood, and few that are below. */
function listAnswers(row: JudgedRow, isKnown: (one: Statement) => boolean): readonly ShownStatement[] {
  const byList = new Map<string, Statement[]>()
  for (const one of row.judged.statements) {
    const own = byList.get(one.list)
    if (own === undefined) byList.set(one.list, [one])
    else own.push(one)
  }
  return [...byList].flatMap(([list, all]) => {
    const isRohs = all[0]!.kind === 'rohs'
    const marked = all.filter(({ answer, decides }) => answer !== 'not over' || !decides)
    const plain = all.length - marked.length
    const shown = isRohs ? marked.filter((one) => !isKnown(one)) : marked
    const named = plain > LISTED || isRohs ? [] : all.filter((one) => !marked.includes(one))
    const over = shown.some(({ answer, decides }) => answer === 'over' && decides)
    const left = shown.length - SHOWN
    return [
      ...(isRohs
        ? []
        : [
            {
              what: list,
              answer: statedText(all, row),
              tone: over ? ('warn' as const) : ('none' as const),
              place: { ...placeOf(row, all[0]!.where), list: undefined },
              isOlder: all.every(({ decides }) => !decides),
            },
          ]),
      ...[...shown.slice(0, SHOWN), ...named].map((one) => entryAnswer(row, one)),
      ...(left > 0
        ? [{ what: list, answer: `${left} more entries`, tone: 'warn' as const, isOlder: false }]
        : []),
    ]
  })
}

/** `253 entries stated, none over, in both files`: each entry once, however many files state it. */
function statedText(all: readonly Statement[], { judged, declarations }: JudgedRow): string {
  const { count } = judged.reach
  const isCandidateList = all[0]?.kind === 'reach' && all.some(({ about }) => about.length > 0)
  // Members of a group are one entry of the Candidate List, and invented names none.
  const keyOf = ({ code, name, article, about }: Statement): string =>
    isCandidateList && about.length > 0 ? about.join() : `${code}\n${name}\n${article}`
  const known = all.filter(({ about }) => !isCandidateList || about.length > 0)
  const entries = new Set(known.map(keyOf)).size
  const over = new Set(all.filter(({ answer, decides }) => answer === 'over' && decides).map(keyOf)).size
  const files = new Set(all.map(({ where }) => declarations[where.origin]!.source)).size
  const where = files === 1 ? '' : files === 2 ? ', in both files' : `, in ${files} files`
  const others = all.length - known.length
  return [
    `${plural(entries, 'entry', 'entries')} stated, ${over === 0 ? 'none' : over} over${where}`,
    ...(others === 0 ? [] : [`${others} not recognized`]),
    ...(isCandidateList && count?.list === all[0]!.list ? [notStatedText(count)] : []),
  ]
    .filter((text) => text !== '')
    .join('; ')
}

function entryAnswer(row: JudgedRow, one: Statement): ShownStatement {
  const { list, name, code, answer, decides, where, instead, article } = one
  const what = [name || code, article === '' ? '' : `in ${article}`].filter((text) => text !== '').join(' ')
  return {
    what: `${list} ${what}`,
    answer: answerText(answer, one),
    tone: answer === 'not over' ? 'none' : 'warn',
    place: placeOf(row, where),
    isOlder: !decides,
    instead: instead && placeOf(row, instead),
  }
}

type AnswerValues = Pick<Statement, 'exemptions'> &
  Partial<Pick<Statement, 'quoted' | 'percent' | 'massMg' | 'concentration'>>

/** `over, 85 % of the material, exemption 8(b)-I` */
function answerText(answer: string, values: AnswerValues): string {
  const { quoted = '', percent, massMg, concentration, exemptions } = values
  return [
    quoted === '' ? answer : `${answer}: "${quoted}"`,
    percent === undefined ? '' : `${percent} % of the article`,
    massMg === undefined ? '' : `${massMg} mg`,
    concentration === undefined ? '' : `${concentration} % of the material`,
    exemptions.length === 0 ? '' : `exemption ${exemptions.map(({ identity }) => identity).join(', ')}`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

function declarationsOf({ declarations, judged }: JudgedRow): readonly DeclarationUse[] {
  return declarations.map(({ source, dateText, acceptance }, index) => ({
    source,
    date: dateText || 'no date',
    counts: judged.origins[index]?.join(', ') ?? '',
    acceptance: acceptance === 'not said' ? '' : acceptance,
  }))
}

function waiverText({ reason, owner, until }: Waiver): string {
  return `waived until ${until}: ${reason} (${owner})`
}

function waiverLines(row: JudgedRow): readonly string[] {
  const part = String(cellOf(row, 'part') ?? '')
  return row.findings.flatMap(({ rule, subject, waivers }) => {
    if (waivers !== undefined || part === '' || rule === 'exemption') return []
    return [`${part},${rule}${subject === '' ? '' : `:${subject}`},REASON,OWNER,YYYY-MM-DD`]
  })
}

/** ` (EUROHS-1907, all.zip!p.xml:41, 2024-09-14)` */
export function placeText(place: Place | undefined): string {
  if (place === undefined) return ''
  const { source, line, list, date } = place
  const file = source === '' || line === undefined ? source : `${source}:${line}`
  const facts = [list, file, date].filter((fact) => fact !== undefined && fact !== '')
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`
}

/** A finding with where it is stated. */
export function placedFinding(finding: RowFinding): string {
  return `${findingText(finding)}${placeText(finding.place)}`
}
