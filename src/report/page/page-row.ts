import { calendarDate } from '../../base/units.ts'
import { companyName } from '../../compliance/company-names.ts'
import type { Place } from '../../compliance/finding.ts'
import { listDate, readListIdentity } from '../../compliance/list-identity.ts'
import { tidy } from '../../compliance/quantity.ts'
import { lackText } from '../../compliance/reach.ts'
import { entryName, unique } from '../../compliance/rohs.ts'
import { cellOf, exemptionKeys, NO_SUPPLIER, reachWord, rowName, rowStatus, supplierOf } from '../columns.ts'
import { type Letter, letterOf, type newestList, questionsOf } from '../letters.ts'
import { partDetails, placedFinding } from '../part-details.ts'
import {
  findingWords,
  isFreeOfSvhc,
  isJudged,
  isNoted,
  isSilent,
  needsAttention,
  rowRank,
  VERDICT_TONES,
  whyByLines,
} from '../row-findings.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import type { Excerpts } from '../sources/excerpts.ts'
import { REACH_WORDS, toneIn } from '../words.ts'
import type {
  ExcerptLine,
  Mark,
  PageFile,
  PageStatement,
  PartPage,
  PartRow,
  TabName,
  ValueCell,
} from './page-data.ts'

/** What the rows of a page are made with. */
export interface RowView {
  readonly nowMs: number
  readonly newest: ReturnType<typeof newestList>
  /** Days by exemption, as `exemptionKeys` names them. */
  readonly dates: ReadonlyMap<string, string>
  /** The name of a supplier as it is spelled first. */
  readonly supplierName: (name: string) => string
  readonly excerpts: Excerpts
  readonly files: FileTable
}

/** Files by their places in the list of the page. */
interface FileTable {
  readonly all: PageFile[]
  readonly at: (source: string, date?: string) => number
}

export function createFileTable(excerpts: Excerpts): FileTable {
  const all: PageFile[] = []
  const places = new Map<string, number>()
  return {
    all,
    at(name, date) {
      const known = places.get(name)
      if (known !== undefined) return known
      const excerpt = excerpts.get(name)
      places.set(name, all.length)
      all.push({ name, date, sha256: excerpt?.sha256, archive: excerpt?.archive })
      return all.length - 1
    },
  }
}

/** True for a row that stands for others: an assembly without a declaration of its own. */
function isRollUp({ status }: JudgedRow): boolean {
  return status === 'assembly'
}

/** A row as the script shows it. Everything that is decided about it is decided here. */
export function partRow(row: JudgedRow, view: RowView, isDetailed: boolean): PartRow {
  const questions = questionsOf([row], view.newest)
  const days = datesOf(row, view)
  const supplier = isRollUp(row) ? '' : view.supplierName(supplierOf(row))
  return {
    name: rowName(row),
    about: aboutOf(row),
    mark: rowMark(row),
    line: row.line && `${row.line.product}:${row.line.line}`,
    tabs: tabsOf(row, questions.length > 0, days.length > 0),
    rohs: rohsCell(row, calendarDate(view.nowMs)),
    reach: reachCell(row),
    why: whyLine(row),
    used: usedIn(row),
    supplier: supplier === NO_SUPPLIER ? '' : supplier,
    isListed: (supplier !== '' && supplier !== NO_SUPPLIER && row.sources.length === 0) || undefined,
    date: row.date,
    rank: rowRank(row),
    needsAttention: needsAttention(row) || undefined,
    filters: filtersOf(row, { supplier, days }),
    page: isDetailed
      ? partPage(row, view, questions.length > 0 ? letterOf(supplier || NO_SUPPLIER, questions) : undefined)
      : undefined,
  }
}

/** What filters compare; what a row does not have is left out. */
function filtersOf(
  row: JudgedRow,
  { supplier, days }: { readonly supplier: string; readonly days: readonly string[] },
): PartRow['filters'] {
  const { gate, judged } = row
  const all: PartRow['filters'] = {
    verdict: [row.verdict],
    finding: findingWords(row.findings),
    gate: [
      ...gate.open,
      ...(gate.open.length > 0 ? ['failed'] : []),
      ...(gate.waived.length > 0 ? ['waived'] : []),
    ],
    ...(isJudged(row) && !isRollUp(row) ? { supplier: [supplier || NO_SUPPLIER] } : {}),
    exemption: exemptionKeys(row),
    ...(row.status === 'declared'
      ? {
          rohs: [rowStatus(row)],
          svhc: [REACH_WORDS[reachWord(row)!].word],
          substance: judged.reach.over.map(({ name }) => name),
          list: [...judged.rohs.lists, ...judged.reach.lists],
        }
      : {}),
    ends: days,
  }
  return Object.fromEntries(Object.entries(all).filter(([, values]) => values.some((value) => value !== '')))
}

function aboutOf(row: JudgedRow): string {
  const { name, line, part, requesterPart } = row
  const about = line?.description || name
  const yours = line?.ownPart || requesterPart
  return [
    about,
    yours === '' || yours === part
      ? ''
      : `yours: ${String(cellOf(row, 'own_part') || cellOf(row, 'requester_part'))}`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

/** How a row is marked: no data is not a failure. */
function rowMark({ status, verdict }: JudgedRow): Mark {
  if (status === 'missing' || status === 'unknown') return 'missing'
  return status === 'unreadable' ? 'unreadable' : VERDICT_TONES[verdict]
}

function tabsOf(row: JudgedRow, isAsked: boolean, isEnding: boolean): readonly TabName[] {
  const { findings, line } = row
  const counts = findings.filter((one) => !isNoted(one))
  const isOpen = counts.some(({ waivers }) => waivers === undefined)
  const tone = VERDICT_TONES[line?.verdict ?? row.verdict]
  return (
    [
      ['decide', isOpen],
      ['ask', isAsked],
      ['ending', isEnding],
      ['doubtful', tone === 'warn'],
      ['clean', tone === 'good'],
      ['waived', findings.some(({ waivers }) => waivers !== undefined)],
      ['all', true],
      ['assemblies', line?.isAssembly === true],
    ] as const
  ).flatMap(([name, isIn]) => (isIn ? [name] : []))
}

/** The days on which exemptions in use end, the next first. */
export function datesOf(row: JudgedRow, { dates }: Pick<RowView, 'dates'>): readonly string[] {
  return unique(exemptionKeys(row).flatMap((key) => dates.get(key) ?? [])).toSorted()
}

const MORE = (count: number): string => (count > 1 ? ` +${count - 1}` : '')

/** RoHS in a value or a date: `lead 85 %`, `until 2026-12-11`. */
function rohsCell(row: JudgedRow, today: string): ValueCell {
  const status = rowStatus(row)
  const mark = rowMark(row)
  if (isRollUp(row)) return [mark, row.verdict]
  if (row.status !== 'declared') return [mark, status]
  const tone = toneIn(row, status) ?? 'none'
  const shareOf = ({ statement }: (typeof row.judged.rohs.failing)[number]) => statement.concentration
  const failing = row.judged.rohs.failing.toSorted((a, b) => (shareOf(b) ?? 0) - (shareOf(a) ?? 0))
  const [worst] = failing
  if (worst !== undefined) {
    const percent = shareOf(worst)
    const names = unique(failing.map(({ key }) => entryName(key)))
    const share = percent === undefined ? ' over' : ` ${tidy(percent)} %`
    return [tone, `${entryName(worst.key)}${share}${MORE(names.length)}`]
  }
  if (status === 'compliant with exemptions') {
    const day = row.exemptionExpires
    if (day === '') return [tone, 'exempt', '(no date known)']
    return day < today ? ['warn', `date passed ${day}`] : [tone, `until ${day}`]
  }
  return [tone, status]
}

/** REACH in a value: `Lead 1.1 %`, `none over (June 2024: 12 behind)`. */
function reachCell(row: JudgedRow): ValueCell {
  const { status, judged, listBehind, verdict } = row
  if (isRollUp(row)) return ['none', '']
  if (status !== 'declared') return [rowMark(row), rowStatus(row)]
  const { reach } = judged
  const list = reach.count?.list ?? reach.lists[0] ?? ''
  const date = list === '' ? '' : (listDate(readListIdentity(list))?.replace(/^(\w{3})\w*/, '$1') ?? list)
  const behind = listBehind === undefined || listBehind === 0 ? '' : `: ${listBehind} behind`
  const age = date === '' ? undefined : `(${date}${behind})`
  if (isFreeOfSvhc(reach.status)) {
    return [VERDICT_TONES[verdict] === 'good' ? 'good' : 'none', 'none over', age]
  }
  if (isSilent(reach.status)) return ['warn', reach.status]
  if (reach.status === 'SVHC') {
    const over = reach.over.toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0))
    const [first] = over
    const share = first?.percent === undefined ? ' over' : ` ${tidy(first.percent)} %`
    return ['warn', `${first?.name ?? 'SVHC'}${share}${MORE(over.length)}`, age]
  }
  const { stated, expected } = reach.count ?? {}
  const count = stated === undefined || expected === undefined ? '' : `(${stated} of ${expected} entries)`
  return ['warn', reach.status, count || age]
}

/** Why, in one line: what is found worst, what is accepted, or which exemption is in use. */
function whyLine(row: JudgedRow): string {
  const { findings, notes, judged } = row
  // What the other columns say is not said again.
  const shortened = (rule: string): string | undefined => {
    if (rule !== 'not-compliant') return undefined
    return `over the limit, ${unique(judged.rohs.failing.map((one) => one.reason)).join(', ')}`
  }
  const open = unique(
    findings
      .filter((one) => !isNoted(one) && one.waivers === undefined)
      .map(({ rule, sentence }) => shortened(rule) ?? sentence),
  )
  const waived = findings.filter(({ waivers }) => waivers !== undefined)
  if (open.length > 0) return `${open[0]}${open.length > 1 ? ` and ${open.length - 1} more` : ''}`
  const byLines = whyByLines(row)
  if (byLines !== undefined) return byLines
  if (waived.length > 0) {
    const { until, reason } = waived[0]!.waivers![0]!
    return `accepted until ${until}: ${reason}`
  }
  const keys = exemptionKeys(row)
  const used = keys.length === 0 ? '' : `${keys.length === 1 ? 'exemption' : 'exemptions'} ${keys.join(', ')}`
  const known = [used, lackText(judged.reach)].filter((text) => text !== '')
  if (known.length > 0) return known.join('; ')
  return isJudged(row) ? '' : (notes[0] ?? '')
}

function usedIn({ line }: JudgedRow): string {
  if (line === undefined) return ''
  const { usedIn: all, quantity, unit } = line
  const [first] = all
  if (first !== undefined) return `${first}${MORE(all.length)}`
  return quantity === undefined ? '' : `× ${quantity}${unit === '' ? '' : ` ${unit}`}`
}

// The page of a part

/** Excerpts of one page. */
const MOST_EXCERPTS = 8

/** The places whose lines a page shows: those of its findings, the worst first. */
export function excerptPlaces({ findings }: JudgedRow): readonly (Place & { readonly line: number })[] {
  const places = findings.flatMap(({ place }) =>
    place?.line === undefined || place.line < 1 ? [] : [{ ...place, line: place.line }],
  )
  const once = new Map(places.map((place) => [`${place.source}\n${place.line}`, place]))
  return [...once.values()].slice(0, MOST_EXCERPTS)
}

function partPage(row: JudgedRow, { files, excerpts }: RowView, letter: Letter | undefined): PartPage {
  const details = partDetails(row)
  const { verdict } = row
  return {
    verdict: verdict || row.status,
    why: details.why,
    statements: details.statements.map(({ what, answer, tone, place, isOlder }): PageStatement => {
      const file = place === undefined ? -1 : files.at(place.source, place.date)
      const line = place?.line ?? 0
      return isOlder ? [what, answer, tone, file, line, 1] : [what, answer, tone, file, line]
    }),
    declarations: details.declarations.map(
      ({ source, date, counts, acceptance }) => [files.at(source, date), date, counts, acceptance] as const,
    ),
    excerpts: excerptsOf(row, files, excerpts),
    findings: row.findings.map(placedFinding),
    notes: details.notes.filter((note) => row.findings.every(({ sentence }) => sentence !== note)),
    letter: letter && {
      supplier: letter.supplier === NO_SUPPLIER ? '' : letter.supplier,
      text: letter.text,
      mail: mailOf(letter),
    },
    waived: details.waived,
    waiverLines: details.waiverLines,
  }
}

function excerptsOf(row: JudgedRow, files: FileTable, excerpts: Excerpts): PartPage['excerpts'] {
  const byFile = new Map<string, Map<number, ExcerptLine>>()
  const places = excerptPlaces(row)
  for (const { source, line } of places) {
    const lines = excerpts.get(source)?.lines
    if (lines === undefined || !lines.has(line)) continue
    const own = byFile.get(source) ?? new Map<number, ExcerptLine>()
    byFile.set(source, own)
    for (let at = line - 1; at <= line + 3; at += 1) {
      const text = lines.get(at)
      const isMarked = places.some((one) => one.source === source && one.line === at)
      if (text !== undefined) own.set(at, [at, text, isMarked ? 1 : 0])
    }
  }
  return [...byFile].map(([source, lines]) => ({
    file: files.at(source),
    lines: [...lines.values()].sort(([a], [b]) => a - b),
  }))
}

/** The address of a letter, where its supplier's own files have one. */
export function mailOf({ contacts }: Pick<Letter, 'contacts'>): string {
  const found = contacts.flatMap(
    (contact) => /[\w.+-]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24}/.exec(contact) ?? [],
  )
  return found[0] ?? ''
}

/** Compares names of suppliers without case, punctuation and legal form; the first spelling stays. */
export function createSupplierNames(first: readonly string[]): (name: string) => string {
  const names = new Map(first.filter((name) => name !== '').map((name) => [companyName(name), name]))
  return (name) => names.get(companyName(name)) || name || NO_SUPPLIER
}
