import { join } from 'node:path'
import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { companyName } from '../compliance/company-names.ts'
import { isUnaccepted } from '../compliance/declaration.ts'
import type { Finding } from '../compliance/finding.ts'
import type { FindingRule } from '../compliance/finding-rules.ts'
import { createListAges, type ListAges, listDate, readListIdentity } from '../compliance/list-identity.ts'
import { readMoment } from '../compliance/response-date.ts'
import { label, NO_EXEMPTION } from '../compliance/rohs.ts'
import { portableNameProblem } from '../fs/windows-names.ts'
import { cellOf, NO_SUPPLIER, type PartColumn, supplierOf } from './columns.ts'
import { csvTable } from './formats/delimited.ts'
import { rowsOf } from './formats/formatter.ts'
import type { ReferenceTables } from './regulations/reference-tables.ts'
import type { Report } from './report.ts'
import type { JudgedRow } from './rows/report-row.ts'
import { openReportFile } from './write-report.ts'

// What to ask suppliers for: a text for each of them, ready to be sent, and all of it as CSV.

interface QuestionKind {
  readonly missing: string
  /** What is wrong, as the declaration has it; undefined where nothing is to be asked. */
  readonly reason: (row: JudgedRow, finding: Finding, newest: NewestList | undefined) => string | undefined
  readonly send: (newest: NewestList | undefined) => string
}

/** The newest Candidate List of the table. */
interface NewestList {
  /** `EUREACH-0226 (February 2026)`. */
  readonly name: string
  readonly listAge: ListAges
}

const currentList = (newest: NewestList | undefined): string =>
  newest === undefined ? 'the newest REACH Candidate List' : `the REACH Candidate List ${newest.name}`

const wholeDeclaration = (newest: NewestList | undefined): string =>
  `a declaration with RoHS (all ten groups) and ${currentList(newest)}`

/** By the rule: what is missing, why, and what to send; in the order in which it is asked for. */
const QUESTION_KINDS: Readonly<Partial<Record<FindingRule, QuestionKind>>> = {
  missing: {
    missing: 'declaration',
    // Nobody knows what a line without a number and a text is; instead of a file that cannot be read, another one is asked for.
    reason: (row) =>
      [row.part, row.requesterPart, row.name].every((text) => text === '') ||
      row.findings.some(({ rule, waivers }) => rule === 'unreadable' && waivers === undefined)
        ? undefined
        : 'we have no declaration of this part',
    send: wholeDeclaration,
  },
  'alternate-missing': {
    missing: 'declaration',
    reason: (row) => {
      const others = (row.line?.declaredInstead ?? []).map((part) => escapeUnsafe(part)).join(' or ')
      return `we have no declaration of ${cell(row, 'part')} (we use it or ${others})`
    },
    send: wholeDeclaration,
  },
  // What is over without any exemption is declared: there is nothing to ask.
  'not-compliant': {
    missing: 'exemption that applies',
    reason: (row, finding) =>
      row.judged.rohs.failing.some(
        ({ statement, reason }) => label(statement) === finding.subject && reason !== NO_EXEMPTION,
      )
        ? `${declaration(row, finding)} states ${finding.sentence}`
        : undefined,
    send: () => 'a corrected declaration with the number of the exemption that applies',
  },
  unreadable: {
    missing: 'readable declaration',
    // A file that no line is named after is nobody's in particular.
    reason: ({ status }, { sentence }) => (status === 'unreadable' ? undefined : `your file ${sentence}`),
    send: () => 'the declaration as IPC-1752A or IPC-1752B XML',
  },
  'other-manufacturer': {
    missing: 'declaration of the manufacturer',
    reason: (row, { subject }) =>
      `Our list has ${subject} as the manufacturer of ${cell(row, 'part')}. Do you make it for ${subject}, or are you the same company? If neither, please ignore this; we ask ${subject}`,
    send: () => 'an answer to these questions',
  },
  'not-declared': {
    missing: 'RoHS list',
    reason: (row, finding) => `${declaration(row, finding)} has no RoHS list`,
    send: () =>
      'a declaration with a RoHS list that states all ten groups (Directive 2011/65/EU with 2015/863)',
  },
  incomplete: {
    missing: 'statements',
    reason: (row, finding) =>
      asked(row, finding) ?? `${declaration(row, finding)} is not whole: ${finding.sentence}`,
    send: () => 'a declaration with a statement on each group and entry, and the number of each exemption',
  },
  'reach-not-declared': {
    missing: 'REACH list',
    reason: (row, finding) => `${declaration(row, finding)} has no REACH Candidate List`,
    send: (newest) => `a declaration with ${currentList(newest)}`,
  },
  threshold: {
    missing: 'statements at the limit of the law',
    reason: (row, finding) => asked(row, finding) ?? `${declaration(row, finding)}: ${finding.sentence}`,
    send: () => 'a declaration with statements at the limits of the law',
  },
  'not-screened': {
    missing: 'shares of substances',
    reason: (row, finding) => asked(row, finding) ?? `${declaration(row, finding)}: ${finding.sentence}`,
    send: () => 'a full material declaration with the share of each restricted substance',
  },
  unaccepted: {
    missing: 'acceptance',
    reason: (row, finding) =>
      `${declaration(row, finding)} is marked as not accepted (${acceptanceOf(row, finding)})${stillCounts(row)}`,
    send: () => 'a declaration that is accepted',
  },
  contradictory: {
    missing: 'one answer',
    reason: (row, finding) =>
      asked(row, finding) ?? `${declaration(row, finding)} contradicts itself: ${finding.sentence}`,
    send: () => 'a corrected declaration',
  },
  indicated: {
    missing: 'a statement on what the material data show',
    reason: (row, finding) => asked(row, finding) ?? `${declaration(row, finding)}: ${finding.sentence}`,
    send: () => 'a declaration whose lists agree with its materials',
  },
  'exemption-passed': {
    missing: 'another exemption, or a part without it',
    reason: (row, finding) => `${declaration(row, finding)} relies on ${finding.sentence}`,
    send: () => 'a declaration with the exemption that applies now, or the number of a part without it',
  },
  stale: {
    missing: 'current list',
    reason: (row, finding, newest) => `${declaration(row, finding)} ${basedOn(row, finding, newest)}`,
    send: (newest) => `a declaration with ${currentList(newest)}`,
  },
  older: {
    missing: 'current declaration',
    reason: (row, finding) => `${declaration(row, finding)} is too old`,
    send: () => 'a declaration with a current date',
  },
}

/** The question that was made with the finding; undefined without one. It names the declaration that is meant. */
function asked(row: JudgedRow, finding: Finding): string | undefined {
  const { ask } = finding
  if (ask === undefined) return undefined
  const meant = declaration(row, finding)
  return ask.includes(DECLARATION) ? ask.replaceAll(DECLARATION, meant) : `${ask} (${meant})`
}

const DECLARATION = '{declaration}'

/** What a declaration says of its acceptance, as it is written. */
function acceptanceOf({ declarations }: JudgedRow, { place }: Finding): string {
  const own = declarations.find(({ source }) => source === place?.source)
  return own?.acceptance === 'not yet' ? 'not accepted yet' : 'supplierAcceptance="false"'
}

/** `; that of 2025-03-01 still counts` */
function stillCounts({ declarations }: JudgedRow): string {
  const days = declarations
    .filter(({ acceptance }) => !isUnaccepted(acceptance))
    .map(({ dateText }) => readMoment(dateText)?.day ?? dateText)
  return days.length === 0 ? '' : `; that of ${days.join(', ')} still counts`
}

/** `is based on EUREACH-0624 (June 2024); 12 entries have been added since`. */
function basedOn(row: JudgedRow, { names }: Finding, newest: NewestList | undefined): string {
  const lists = names.length > 0 ? names : [cell(row, 'reach_list') || cell(row, 'rohs_list')]
  const texts = lists.map((identity) => {
    const date = listDate(readListIdentity(identity))
    const behind = newest?.listAge(identity)?.behind ?? 0
    const since =
      behind === 0
        ? ''
        : `; ${plural(behind, 'entry', 'entries')} ${behind === 1 ? 'has' : 'have'} been added since`
    return `${identity}${date === undefined ? '' : ` (${date})`}${since}`
  })
  return `is based on ${texts.join(', ') || 'a list without a name'}`
}

/** What to call the newest list of the table, as declarations refer to it. */
export function newestList(tables: ReferenceTables | undefined): NewestList | undefined {
  const rows = tables?.svhcUpdates.rows
  const date = rows?.at(-1)?.date
  if (rows === undefined || date === undefined) return undefined
  const identity = `EUREACH-${date.slice(5, 7)}${date.slice(2, 4)}`
  const month = listDate(readListIdentity(identity))
  return { name: month === undefined ? identity : `${identity} (${month})`, listAge: createListAges(rows) }
}

/** The text of a cell, safe to print. */
function cell(row: JudgedRow, column: PartColumn): string {
  return String(cellOf(row, column) ?? '')
}

/** The declaration that a finding is about: that of its place. */
function declaration({ date: oldest, sources }: JudgedRow, { place }: Finding): string {
  // What is found in all files of a row has no day of one of them.
  const isOfOne = place?.date !== undefined && (sources.length < 2 || sources.includes(place.source))
  const date = isOfOne ? place.date : oldest
  return date === '' || date === undefined ? 'your declaration without a date' : `your declaration of ${date}`
}

const COLUMNS = [
  'supplier',
  'contact',
  'part',
  'requester_part',
  'name',
  'missing',
  'reason',
  'send',
  'source',
] as const

/** One thing to ask for: a line of `requests.csv`. */
type Question = Readonly<Record<(typeof COLUMNS)[number], string>>

/** What to ask for about rows, in their order: by their findings, those that are waived left out. */
export function questionsOf(rows: readonly JudgedRow[], newest: NewestList | undefined): readonly Question[] {
  return rows.flatMap((row) =>
    row.findings.flatMap((finding): Question[] => {
      const kind = finding.waivers === undefined ? QUESTION_KINDS[finding.rule] : undefined
      // Nothing is asked for what a supplier cannot answer.
      const reason = finding.ask === '' ? undefined : kind?.reason(row, finding, newest)
      if (kind === undefined || reason === undefined) return []
      // One thing a line.
      return reason.split('\n').map((reason) => ({
        supplier: supplierOf(row),
        contact: contactOf(row),
        part: cell(row, 'part'),
        requester_part: cell(row, 'requester_part'),
        name: cell(row, 'name'),
        missing: kind.missing,
        reason,
        send: kind.send(newest),
        source: cell(row, 'source'),
      }))
    }),
  )
}

/** Whom the supplier's own files name, the newest first: `Jo Doe, jo@example.com, +1 555 0100`. */
function contactOf({ declarations }: JudgedRow): string {
  const named = declarations.map(({ contact: { name, email, phone } }) => [name, email, phone])
  const known = named.find((facts) => facts.some((fact) => fact !== '')) ?? []
  return known
    .filter((fact) => fact !== '')
    .map(escapeUnsafe)
    .join(', ')
}

/** What one supplier is asked for. */
export interface Letter {
  readonly supplier: string
  /** Whom its own files name. */
  readonly contacts: readonly string[]
  readonly parts: number
  /** Of these, parts without any declaration. */
  readonly missing: number
  readonly questions: readonly Question[]
  /** The letter, its subject in the first line; where no supplier is known, a list to work on. */
  readonly text: string
}

/** Collects what suppliers are asked for; names are compared without case, punctuation and legal form. */
export function createLetters(newest: NewestList | undefined) {
  const suppliers = new Map<string, { readonly name: string; readonly questions: Question[] }>()
  return {
    add(rows: readonly JudgedRow[]): void {
      for (const question of questionsOf(rows, newest)) {
        const key = companyName(question.supplier)
        const known = suppliers.get(key) ?? { name: question.supplier || NO_SUPPLIER, questions: [] }
        suppliers.set(key, known)
        known.questions.push(question)
      }
    },
    /** A letter for each supplier, those who are asked for most first. */
    result: (): readonly Letter[] =>
      [...suppliers.values()]
        .sort((a, b) => b.questions.length - a.questions.length)
        .map(({ name, questions }) => letterOf(name, questions)),
  }
}

/** How many parts each supplier is asked about, those with most first: the numbers of the letters. */
export function createAskedParts() {
  const suppliers = new Map<string, { supplier: string; parts: Set<string>; missing: Set<string> }>()
  return {
    add(rows: readonly JudgedRow[]): void {
      for (const question of questionsOf(rows, undefined)) {
        const key = companyName(question.supplier)
        const known = suppliers.get(key) ?? {
          supplier: question.supplier || NO_SUPPLIER,
          parts: new Set(),
          missing: new Set(),
        }
        suppliers.set(key, known)
        known.parts.add(partKey(question))
        if (question.missing === 'declaration') known.missing.add(partKey(question))
      }
    },
    result: (): readonly { readonly supplier: string; readonly parts: number; readonly missing: number }[] =>
      [...suppliers.values()]
        .map(({ supplier, parts, missing }) => ({ supplier, parts: parts.size, missing: missing.size }))
        .sort((a, b) => b.parts - a.parts),
  }
}

/** A letter about these questions to one supplier. */
export function letterOf(supplier: string, questions: readonly Question[]): Letter {
  const contacts = [...new Set(questions.map(({ contact }) => contact))].filter((one) => one !== '')
  const missing = partCount(questions.filter((one) => one.missing === 'declaration'))
  const text = letterText(supplier, questions, contacts.join('; '))
  return { supplier, contacts, parts: partCount(questions), missing, questions, text }
}

/**
 * Writes what to ask for into a directory: a text for each supplier, and last `requests.csv`. An existing directory is refused without
 * `overwrite`; with it, files with the same names are replaced, and a notice names texts that are not of this report.
 */
export async function writeLetters(
  world: World,
  report: Report,
  directory: string,
  options: {
    readonly tables?: ReferenceTables | undefined
    readonly what: string
    readonly overwrite: boolean
    readonly reporter: Pick<Reporter, 'notice'>
  },
): Promise<{ readonly suppliers: number; readonly parts: number }> {
  const { reporter } = options
  const letters = createLetters(newestList(options.tables))
  for await (const rows of rowsOf(report, 'parts')) letters.add(rows as readonly JudgedRow[])
  const all = letters.result()
  const write = async (name: string, text: string): Promise<void> => {
    await using file = await openReportFile(world, join(directory, name), options)
    await file.write(text)
    await file.publish()
  }
  const names = new Set<string>()
  for (const { supplier, text } of all) await write(fileName(supplier, names), text)
  const table = csvTable(COLUMNS)
  const lines = all.flatMap(({ questions }) => questions.map(table.line))
  await write('requests.csv', table.heading + lines.join(''))
  const others = (await world.disk.readdir(directory)).filter(
    (name) => name.endsWith('.txt') && !names.has(name.toLowerCase()),
  )
  if (others.length > 0) {
    const message = `${cleanText(directory)}: ${plural(others.length, 'text')} of an earlier report left: ${others.slice(0, 5).map(escapeUnsafe).join(', ')}`
    reporter.notice({ level: 'warning', event: 'requests.left', message })
  }
  const known = all.filter(({ supplier }) => supplier !== NO_SUPPLIER)
  const count = (letters: typeof all): number => letters.reduce((sum, { parts }) => sum + parts, 0)
  const [parts, unknown] = [count(all), count(all) - count(known)]
  const asked = `requests about ${plural(parts - unknown, 'part')} to ${plural(known.length, 'supplier')}`
  const message = `${asked}${unknown === 0 ? '' : `, and a list of ${plural(unknown, 'part')} without a known supplier`}, in ${cleanText(directory)}`
  const data = { parts, suppliers: known.length }
  reporter.notice({ level: 'info', event: 'requests.written', message, data })
  return data
}

function partCount(questions: readonly Question[]): number {
  return new Set(questions.map(partKey)).size
}

function partKey({ part, requester_part, source }: Question): string {
  return [part, requester_part, source].join('\n')
}

/** A message to one supplier, with the parts by what to send; for parts without a supplier, the same as a list to work on. */
function letterText(supplier: string, questions: readonly Question[], contacts: string): string {
  const count = plural(partCount(questions), 'part')
  const head =
    supplier === NO_SUPPLIER
      ? [`No supplier is known for ${count}.`]
      : [
          `Subject: Material declarations of ${count}`,
          '',
          `To ${supplier}${contacts === '' ? '' : ` (${contacts})`}`,
          '',
          `We need material declarations of ${count}, as IPC-1752A or IPC-1752B XML, class C or D.`,
          'A declaration that replaces another one needs a later date, and the same company name and identifier.',
        ]
  // Parts without any declaration come first.
  const sends = [...new Set(questions.map(({ send }) => send))].sort((a, b) => orderOf(a) - orderOf(b))
  const items = sends.flatMap((send) => [
    '',
    `Please send ${send}:`,
    ...questions
      .filter((question) => question.send === send)
      .map(
        (question) =>
          `- ${question.part || question.requester_part || question.source || question.name}${yours(question)}: ${question.reason}`,
      ),
  ])
  return `${[...head, ...items].map(escapeUnsafe).join('\n')}\n`
}

/** The place of what is asked for among the kinds. */
function orderOf(send: string): number {
  return send.startsWith('a declaration with RoHS') ? 0 : 1
}

function yours({ part, requester_part }: Question): string {
  return requester_part === '' || requester_part === part || part === ''
    ? ''
    : ` (our number ${requester_part})`
}

/** A name for the text of a supplier that every system has, and none in `taken`, which has them in lower case. */
function fileName(supplier: string, taken: Set<string>): string {
  const plain = supplier
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  const stem = [...plain].slice(0, 40).join('') || 'supplier'
  const safe = portableNameProblem(`${stem}.txt`) === undefined ? stem : `supplier-${stem}`
  for (let number = 1; ; number += 1) {
    const name = `${safe}${number === 1 ? '' : `-${number}`}.txt`
    if (taken.has(name.toLowerCase())) continue
    taken.add(name.toLowerCase())
    return name
  }
}
