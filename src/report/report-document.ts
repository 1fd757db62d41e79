import { largest, smallest } from '../base/extremes.ts'
import { calendarDate, formatCount, plural } from '../base/units.ts'
import { MADE_UP } from '../compliance/company-names.ts'
import { DATE_PASSED, NOT_JUDGED, passedText } from '../compliance/exemptions.ts'
import { KIND_WORDS } from '../compliance/finding-rules.ts'
import { compareListAge, listDate, readListIdentity } from '../compliance/list-identity.ts'
import { NO_SUPPLIER } from './columns.ts'
import {
  type Count,
  type Counts,
  type Document,
  listedPieces,
  moreParts,
  type Note,
  type Piece,
  plainCount,
  type Section,
  type Table,
  type Text,
  type Tone,
  tableColumn,
  type VerdictLine,
} from './document.ts'
import type { ReportShape } from './formats/formatter.ts'
import { countPieces, countTone, gateTone, type JudgedCount, judgedOf } from './line-counts.ts'
import type { Product } from './product.ts'
import type { ExemptionUse, ReferenceFacts } from './regulations/reference-facts.ts'
import type { ReferenceTable } from './regulations/reference-tables.ts'
import type { CandidateListUse, GateResult, Rollup, Waiver, WaiverFacts } from './report-result.ts'
import type { ListUse, ReportSummary, SupplierUse } from './report-summary.ts'
import { inWords, isFreeOfSvhc, NOTHING_TO_JUDGE, VERDICT_TONES, wordRank } from './row-findings.ts'
import { type Shard, shardText } from './sources/shard.ts'
import { REACH_WORDS, unconfirmedText } from './words.ts'

/** A report as a document: what to know first, all rows by status, and what the rows rest on. */
export function reportDocument(
  shape: ReportShape,
  summary: ReportSummary,
  matches?: ReadonlyMap<string, number>,
): Document {
  const { kind, nowMs, createdMs = nowMs, version, about = [] } = shape
  const { gate, products = [], shard, reference, waivers } = summary
  return {
    title: kind === 'parts' ? 'Material declarations' : 'Declared substances',
    about: shard === undefined ? about : [...about, ['shard of the sources', shardText(shard)]],
    nowMs: createdMs,
    version,
    verdicts: [
      ...(products.length > 1 ? products.map((one) => productVerdict(one, summary)) : []),
      ...(summary.isMadeUp ? [{ about: 'status', tone: 'none', text: MADE_UP } as const] : []),
      statusVerdict(summary, nowMs),
      ...othersVerdict(summary),
      ...(gate ? [gateVerdict(gate, summary, matches)] : []),
    ],
    statuses: verdictCounts(summary),
    sections: [
      {
        id: 'pictures',
        title: 'Deadlines and suppliers',
        isAside: true,
        blocks: [
          ...(reference === undefined ? [] : exemptionDates(reference, summary.count)),
          ...supplierChart(summary),
        ],
      },
      { id: 'counts', blocks: [rowCounts(kind, summary), ...declaredCounts(summary)] },
      ...(shard === undefined ? [] : [{ id: 'shard', blocks: [shardNote(shard)] }]),
      ...products.map((product, index) => productSection(product, index)),
      { id: 'charts', title: 'Substances and lists', blocks: [svhcChart(summary), listChart(summary)] },
      ...(reference === undefined ? [] : [exemptionSection(reference, summary.count)]),
      ...(waivers === undefined ? [] : [waiverSection(waivers)]),
      ...(reference === undefined ? [] : [tablesSection(reference)]),
    ],
  }
}

// Verdicts

/** The count, or with one product also its statuses; then what is found and which date comes next. */
function statusVerdict(summary: ReportSummary, nowMs: number): VerdictLine {
  const { counts, products = [], reference, count } = summary
  const dates = reference === undefined ? [] : dateLines(reference, nowMs, count)
  const [product] = products
  const found: readonly (readonly [string, Text])[] = [['Found', foundPieces(counts.findings)]]
  const more = [...(isEmptyText(found[0]![1]) ? [] : found), ...dates]
  if (product !== undefined && products.length === 1) return { ...productVerdict(product, summary), more }
  const head = products.length > 0 ? ['all lists: '] : []
  return { about: 'status', tone: countTone(count), text: [...head, ...countPieces(count)], more }
}

/** Parts that are on no list, where there are rows for them. */
function othersVerdict({ products, others }: ReportSummary): readonly VerdictLine[] {
  if (products === undefined || judgedOf(others) === 0) return []
  const text = ['not on a parts list: ', ...countPieces(others)]
  return [{ about: 'status', tone: countTone(others), text }]
}

/** `3 missing · 2 with SVHC`: what is found, worst first, each with its rows. */
export function foundPieces(findings: Readonly<Record<string, number>>): readonly Piece[] {
  const words = Object.keys(findings).sort((a, b) => wordRank(a) - wordRank(b))
  return listedPieces(
    words.map((word) => ({
      text: `${formatCount(findings[word]!)} ${inWords(word)}`,
      rows: { finding: word },
    })),
    ' · ',
  )
}

function isEmptyText(text: Text): boolean {
  return text.length === 0
}

function productVerdict(product: Product, { reference }: ReportSummary): VerdictLine {
  const { list, count } = product
  const statuses = judgedOf(count) === 0 ? '' : ` (${productStatuses(product, reference)})`
  return { about: 'status', tone: countTone(count), text: [`${list}: `, ...countPieces(count, statuses)] }
}

const MS_PER_DAY = 86_400_000

/** The exemptions whose nominal date comes next, and those whose date has passed, with the status that the table gives them. */
function dateLines(
  { exemptions }: ReferenceFacts,
  nowMs: number,
  { what }: JudgedCount,
): NonNullable<VerdictLine['more']> {
  const today = calendarDate(nowMs)
  const dated = exemptions.filter(({ earliest }) => earliest !== '')
  const passed = dated.filter(({ earliest }) => earliest < today)
  const next = dated.find(({ earliest }) => earliest >= today)?.earliest
  const same = dated.filter(({ earliest }) => earliest === next)
  const lines: [string, Text][] = []
  if (next !== undefined) {
    const days = (Date.parse(next) - Date.parse(today)) / MS_PER_DAY
    const when = days === 0 ? `today (${next})` : `in ${plural(days, 'day')} (${next})`
    lines.push([
      'Next date',
      [`${when}: `, ...exemptionLinks(same, ({ parts }) => ` ends, ${plural(parts, what)}`)],
    ])
  }
  if (passed.length > 0) {
    lines.push([
      'Passed date',
      exemptionLinks(passed, (use) => `: ${plural(use.parts, what)}; ${passedText(use)}`),
    ])
  }
  return lines
}

/** Exemptions that a line has room for. */
const MAX_NAMED = 3

function exemptionLinks(uses: readonly ExemptionUse[], facts: (use: ExemptionUse) => string): Piece[] {
  const links = uses
    .slice(0, MAX_NAMED)
    .flatMap((use, index): Piece[] => [index > 0 ? '; ' : '', exemptionLink(use), facts(use)])
  return [...links, moreParts(uses.length - MAX_NAMED)]
}

/**
 * The result of a gate, and of a report what it is about: what passes although it is not clean is not good. With `matches`, the number of
 * rows of each rule, there are rows for links to lead to.
 */
export function gateVerdict(
  { rules, matched, passed }: GateResult,
  summary?: Pick<ReportSummary, 'count' | 'products' | 'waivers'>,
  matches?: ReadonlyMap<string, number>,
): VerdictLine {
  const { count, products = [], waivers } = summary ?? {}
  const what = products.length > 0 ? 'line' : 'row'
  const link = (text: string, gate: string): Piece =>
    matches === undefined ? text : { text, rows: { gate } }
  if (matched === 0 && !passed)
    return { about: 'gate', tone: 'bad', text: `gate failed: ${NOTHING_TO_JUDGE}` }
  const none = `no ${(waivers?.findings ?? 0) > 0 ? 'other ' : ''}${what}s match`
  const found = passed ? none : plural(matched, `${what} matches`, `${what}s match`)
  const head = `gate ${passed ? 'passed' : 'failed'}: ${found}`
  const words = rules.map((rule): Piece => {
    const count = matches?.get(rule) ?? 0
    if (count === 0) return rule
    // A line that fails may have doubtful findings too: the count of these words is that of the verdict.
    return link(KIND_WORDS.includes(rule) ? rule : `${rule} (${formatCount(count)})`, rule)
  })
  const waived = waivers && waiverLine(waivers)
  return {
    about: 'gate',
    tone: count === undefined ? (passed ? 'good' : 'bad') : gateTone(count, passed),
    text: [matched === 0 ? head : link(head, 'failed'), ' ', ...listedPieces(words)],
    ...(waived === undefined
      ? {}
      : { more: [['Waivers', [waivers!.findings === 0 ? waived : link(waived, 'waived')]]] }),
  }
}

/** `waivers.csv: 2 findings waived, 1 waiver has expired, 1 matches nothing`. */
function waiverLine({ file, findings, runOut, unmatched }: WaiverFacts): string {
  return `${file}: ${listed([
    `${plural(findings, 'finding')} waived`,
    some(runOut.length, 'waiver has expired', 'waivers have expired'),
    some(unmatched.length, 'matches nothing', 'match nothing'),
  ])}`
}

// Pictures

/** The exemptions in use by their nominal dates, each with the lines or parts that rely on it. */
function exemptionDates({ exemptions }: ReferenceFacts, { what }: JudgedCount): readonly Counts[] {
  const dated = exemptions.filter(({ earliest }) => earliest !== '')
  if (dated.length === 0) return []
  return [
    {
      kind: 'counts',
      title: 'Exemptions in use by their nominal dates',
      look: 'chart',
      counts: dated.map((use) => ({
        name: exemptionName(use),
        count: use.parts,
        tone: 'fair',
        text: `${use.earliest}${use.latest === use.earliest ? '' : ` to ${use.latest}`}, ${plural(use.parts, what)}: ${use.status}`,
        rows: { exemption: exemptionKey(use) },
      })),
    },
  ]
}

/** The rows of each supplier that need attention, by their worst finding: whom to ask first. */
function supplierChart({ suppliers }: ReportSummary): readonly Counts[] {
  const open = suppliers.filter((use) => use.open > 0)
  if (suppliers.length < 2 || open.length === 0) return []
  const first = open.slice(0, MAX_NAMED).map((use) => `${supplierName(use)} (${use.open} of ${use.rows})`)
  return [
    {
      kind: 'counts',
      title: 'Rows that need attention, by supplier',
      sentence: `rows that need attention, by supplier: ${first.join(', ')}${moreParts(open.length - MAX_NAMED)}`,
      look: 'chart',
      counts: open.map((use) => ({
        name: supplierName(use),
        count: use.open,
        tone: 'bad',
        text: openText(use),
        rows: { supplier: supplierName(use) },
      })),
    },
  ]
}

/** `5 of 11 rows: 2 not compliant, 3 missing`: what to ask a supplier about. */
export function openText({ open, rows, rules }: SupplierUse): string {
  const found = Object.entries(rules).sort(([a], [b]) => wordRank(a) - wordRank(b))
  const words = found.map(([rule, count]) => `${formatCount(count)} ${inWords(rule)}`)
  return `${formatCount(open)} of ${plural(rows, 'row')}: ${words.join(', ')}`
}

export function supplierName({ name }: SupplierUse): string {
  return name || NO_SUPPLIER
}

// Counts

/** The count of lines or parts by verdict, worst first. */
function verdictCounts({ count }: ReportSummary): Counts {
  const words = ['failed', 'doubtful', 'clean'] as const
  return {
    kind: 'counts',
    title: count.what === 'line' ? 'Lines by verdict' : 'Parts by verdict',
    look: 'chart',
    counts: words.flatMap((name) =>
      count[name] === 0
        ? []
        : [{ name, count: count[name], tone: VERDICT_TONES[name], rows: { verdict: name } }],
    ),
  }
}

/** `3 rows from 4 files: 1 declared, 2 unreadable; not in the report: 2 declared parts not on the parts list`. */
function rowCounts(kind: ReportShape['kind'], { counts }: ReportSummary): Counts {
  const { rows, files, declared, missing, assembly, unreadable, superseded, notListed, requests } = counts
  const { notFitted, unknown = 0 } = counts
  // With the history there are rows for them.
  const showsSuperseded = rows > declared + missing + unknown + unreadable + assembly + notFitted
  const older = some(superseded, 'superseded by newer declarations')
  const subject =
    kind === 'parts'
      ? plural(rows, 'row')
      : `${plural(counts.substances, 'substance')} of ${plural(rows - unreadable, 'part')}`
  const kinds = [
    `${formatCount(declared)} declared`,
    some(missing, 'missing'),
    some(unknown, 'unknown'),
    some(assembly, 'assembly', 'assemblies'),
    some(notFitted, 'not fitted'),
    some(unreadable, 'unreadable'),
    showsSuperseded ? older : '',
  ]
  const left = listed([
    showsSuperseded ? '' : older,
    some(notListed, 'declared part not on the parts list', 'declared parts not on the parts list'),
    some(requests, 'file with a request for a declaration', 'files with a request for a declaration'),
  ])
  const all =
    missing + unknown + assembly + unreadable + notFitted > 0 || showsSuperseded ? `: ${listed(kinds)}` : ''
  return {
    kind: 'counts',
    title: 'Rows',
    look: 'line',
    sentence: `${subject} from ${plural(files, 'file')}${all}${left === '' ? '' : `; not in the report: ${left}`}`,
    counts: [
      plainCount('rows', rows),
      plainCount('declared', declared),
      plainCount('missing', missing),
      ...(unknown > 0 ? [plainCount('unknown, because their request failed', unknown)] : []),
      ...(assembly > 0 ? [plainCount('assemblies, evaluated from their lines', assembly)] : []),
      ...(notFitted > 0 ? [plainCount('not fitted', notFitted)] : []),
      plainCount('unreadable', unreadable),
      plainCount('superseded by newer declarations', superseded),
      plainCount('not on the parts list', notListed),
      ...(requests > 0 ? [plainCount('requests', requests)] : []),
      plainCount('files', files),
    ],
  }
}

/** The declared rows by what they say of RoHS, and of REACH. */
function declaredCounts({ counts: { rohs, reach, declared } }: ReportSummary): readonly Counts[] {
  if (declared === 0) return []
  return [
    {
      kind: 'counts',
      title: 'RoHS',
      look: 'line',
      counts: Object.entries(rohs).map(([name, count]) => ({
        name,
        count,
        tone: 'none' as const,
        rows: { rohs: name },
      })),
    },
    {
      kind: 'counts',
      title: 'REACH',
      look: 'line',
      counts: Object.entries(REACH_WORDS).map(([key, { word }]) => ({
        name: word.replace(/^SVHC /, ''),
        count: reach[key as keyof typeof reach],
        tone: 'none' as const,
        rows: { svhc: word },
      })),
    },
  ]
}

function svhcChart(summary: ReportSummary): Counts {
  return {
    kind: 'counts',
    title: 'SVHCs by number of rows',
    look: 'chart',
    counts: summary.svhcs.map(({ name, parts }) => ({
      name,
      count: parts,
      tone: 'warn',
      rows: { substance: name },
    })),
  }
}

function listChart({ lists }: ReportSummary): Counts {
  return { kind: 'counts', title: 'Age of declared lists', look: 'chart', counts: lists.map(listCount) }
}

function listCount({ name, parts, ageMonths }: ListUse): Count {
  const list = readListIdentity(name)
  const date = listDate(list)
  const age = ageMonths === undefined ? 'no date' : plural(Math.max(0, ageMonths), 'month')
  return {
    name: date === undefined ? name : `${name} (${date})`,
    count: parts,
    text: `${age}, ${plural(parts, 'row')}`,
    tone: listTone(),
    rows: { list: name },
  }

  // The Candidate List grows twice a year; a RoHS list is up to date if it covers all ten groups.
  function listTone(): Tone {
    if (ageMonths === undefined) return 'none'
    if (list.family === 'rohs') return compareListAge(list, TEN_GROUPS) >= 0 ? 'good' : 'bad'
    return ageMonths > 24 ? 'bad' : ageMonths > 12 ? 'warn' : 'good'
  }
}

const TEN_GROUPS = readListIdentity('EUROHS-1506')

function shardNote(shard: Shard): Note {
  const text = `shard ${shardText(shard)} of the sources: the newest declarations within it; missing parts are not known`
  return { kind: 'note', text }
}

// The product

/** `RoHS compliant; REACH: no SVHC declared, by lists of June 2024 or older (12 of 253 entries not covered)`. */
export function productStatuses({ rollup }: Product, reference: ReferenceFacts | undefined): string {
  const { status, notStated } = rollup.reach
  const lack =
    isFreeOfSvhc(status) && notStated.length > 0
      ? `, but some parts do not state ${notStated.join(', ')}`
      : ''
  return `RoHS ${rollup.rohs}; REACH: ${reachText(status, reference)}${lack}`
}

/** What is declared of SVHCs, with the age of the lists that it rests on. */
function reachText(status: string, reference: ReferenceFacts | undefined): string {
  if (!isFreeOfSvhc(status)) return status
  const newest = reference?.tables.svhcUpdates.rows.at(-1)
  const lists = reference?.candidateLists.filter(({ behind }) => behind !== null) ?? []
  const most = Math.max(0, largest(lists.map(({ behind }) => behind!)))
  const [first] = lists
  if (first === undefined || newest === undefined || most === 0) return 'no SVHC declared'
  const least = smallest(lists.map(({ behind }) => behind!))
  const behind = least === most ? String(most) : least === 0 ? `up to ${most}` : `${least} to ${most}`
  return `no SVHC declared, by lists of ${listDate(readListIdentity(first.list))} or older (${behind} of ${newest.entries} entries not covered)`
}

/** The product: what its status rests on, exemptions, SVHCs, mass and assemblies. */
export function productSection(product: Product, index = 0): Section {
  const { list, rollup, hasQuantities } = product
  const { leftOut, notCompliant, incomplete, byOthers, withoutData, exemptions, svhcs, mass, assemblies } =
    rollup
  const fact = (name: string, count: number, text: Text): readonly (readonly [string, Text])[] =>
    count === 0 ? [] : [[name, text]]
  const { missing, unknown = 0, notDeclared } = withoutData
  const silent = missing + unknown + notDeclared
  const kinds = listed([
    some(missing, 'missing'),
    some(unknown, 'unknown'),
    some(notDeclared, 'not declared'),
  ])
  const names = withoutData.parts.map(({ part }) => part)
  return {
    id: index === 0 ? 'product' : `product-${index + 1}`,
    title: `Product ${list} (${plural(rollup.parts, 'part')}${piecesText(product)})`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ...fact('left out', leftOut, `${plural(leftOut, 'row')} not fitted or with quantity 0`),
          ...fact('not compliant', notCompliant.count, [notCompliant]),
          ...fact('incomplete', incomplete.count, [incomplete]),
          ...fact('declared by another company only', byOthers.count, [byOthers]),
          ...fact('without data', silent, [{ parts: names, count: silent }, ` (${kinds})`]),
        ],
      },
      {
        kind: 'facts',
        facts: exemptions.map(({ exemption, expires, status, ...parts }) => {
          if (expires === null || !status.startsWith(DATE_PASSED))
            return [`exemption ${exemption} (${expires ?? 'no date known'})`, [parts]]
          return [`exemption ${exemption}`, [parts, `; ${passedText({ earliest: expires, status })}`]]
        }),
        of: { count: exemptions.length, one: 'exemption', many: 'exemptions' },
      },
      {
        kind: 'facts',
        facts: svhcs.map(({ substance, ...parts }) => [`SVHC ${substance}`, [parts]]),
        of: { count: svhcs.length, one: 'SVHC', many: 'SVHCs' },
      },
      {
        kind: 'facts',
        facts: [
          ...(hasQuantities ? [['mass', massText(mass)] as const] : []),
          ...(assemblies.flattened === null
            ? []
            : [['assemblies', `none, ${assemblies.flattened}`] as const]),
        ],
      },
      ...(assemblies.flattened === null && assemblies.count > 0 ? [assemblyTable(assemblies)] : []),
    ],
  }
}

function piecesText({ rollup: { pieces }, hasQuantities }: Product): string {
  if (!hasQuantities) return ''
  if (pieces === null) return ', not all quantities are known'
  return `, ${Number.isInteger(pieces) ? plural(pieces, 'piece') : `${pieces} pieces`}`
}

function massText({ mg, knownMg, unknown, unknownCount }: Rollup['mass']): Text {
  if (mg !== null) return formatMass(mg)
  const [first] = unknown
  if (first === undefined) return `no total (${formatMass(knownMg)} known)`
  return [
    `no total (${formatMass(knownMg)} known): `,
    { parts: [first.part], count: 1 },
    ` (${first.reason})${moreParts(unknownCount - 1)}`,
  ]
}

function assemblyTable({ count, declared, lines }: Rollup['assemblies']): Table {
  const all = `${plural(count, 'assembly', 'assemblies')}, evaluated from ${count === 1 ? 'its' : 'their'} lines`
  return {
    kind: 'table',
    name: 'Assemblies',
    caption: listed([all, some(declared, 'with a declaration of its own', 'with declarations of their own')]),
    columns: [
      tableColumn('Assembly', 'id', 38),
      tableColumn('Quantity', 'count', 12),
      tableColumn('RoHS', 'text', 22),
      tableColumn('Without data', 'count', 14),
      tableColumn('With SVHC', 'count', 14),
      tableColumn('Mass of one', 'amount', 14),
    ],
    rows: lines.map(({ part, quantity, rohs, withoutData, withSvhc, massMg }) => [
      part,
      quantity,
      rohs,
      withoutData,
      withSvhc,
      massMg === null ? null : formatMass(massMg),
    ]),
    line: ([, quantity, rohs, silent, withSvhc, mass]) =>
      listed([
        quantity === '' ? '' : `× ${quantity}`,
        `RoHS ${rohs}`,
        silent === '0' ? '' : `${silent} without data`,
        withSvhc === '0' ? '' : `${withSvhc} with SVHC`,
        mass === '' ? '' : `${mass} each`,
      ]),
    of: { count, one: 'assembly', many: 'assemblies' },
  }
}

/** `12.5 g`: four significant digits in the unit that suits. */
export function formatMass(mg: number): string {
  const [value, unit] = mg >= 1e6 ? [mg / 1e6, 'kg'] : mg >= 1e3 ? [mg / 1e3, 'g'] : [mg, 'mg']
  return `${Number(value.toPrecision(4))} ${unit}`
}

// Exemptions, waivers and tables

/** The exemptions in use with their nominal dates, how well these are confirmed, and the parts that rely on them. */
function exemptionSection(
  { exemptions, moreExemptions, withoutDate, tables }: ReferenceFacts,
  { what }: JudgedCount,
): Section {
  const unknown = `${plural(withoutDate, what)} with an exemption whose date is not known: ${NOT_JUDGED}`
  const dates = `dates from ${tables.rohsExemptions.file}; nominal dates are for information only: a renewal that was requested in time keeps an exemption valid until it is decided`
  const table: Table = {
    kind: 'table',
    name: 'exemptions in use',
    sheet: 'Exemptions',
    columns: exemptionColumns(what),
    rows: exemptions.map(exemptionCells),
    line: ([, earliest, latest, status, confirmation, , parts]) =>
      listed([
        status!.startsWith(DATE_PASSED)
          ? passedText({ earliest: earliest!, status: status! })
          : listed([earliest!, status!]),
        latest === '' ? '' : `${latest} for other product categories`,
        confirmation!,
        `used by ${parts}`,
      ]),
    of: { count: exemptions.length + moreExemptions, one: 'exemption', many: 'exemptions' },
  }
  const notes: readonly Note[] = [
    ...(withoutDate > 0 ? [{ kind: 'note', text: unknown } as const] : []),
    { kind: 'note', text: dates, isAside: true },
  ]
  return {
    id: 'exemptions',
    title: 'Exemptions in use and their nominal dates',
    blocks: exemptions.length === 0 ? [] : [table, ...notes],
  }
}

const exemptionColumns = (what: JudgedCount['what']) => [
  tableColumn('Exemption', 'id', 14, 'its legal number, or the text that is not recognized'),
  tableColumn('Nominal date', 'day', 12, 'the earliest over product categories'),
  tableColumn('Latest date', 'day', 12, 'the latest, where product categories differ'),
  tableColumn(
    'Status',
    'text',
    28,
    'for information only: a renewal requested in time keeps an exemption valid',
  ),
  tableColumn('Confirmed', 'text', 18, 'whether the text with the dates was seen, or others tell them'),
  tableColumn(what === 'line' ? 'Lines' : 'Parts', 'count', 8, `how many ${what}s rely on it`),
  tableColumn('Which parts', 'text', 34, 'the first of them'),
  tableColumn('Remarks', 'text', 30, 'what else the table says'),
  tableColumn('Source', 'text', 30, 'where the dates are from'),
]

function exemptionCells(use: ExemptionUse): Table['rows'][number] {
  const { number, annex, declared, earliest, latest, status, confidence, remark, source } = use
  const spelled = declared.filter((text) => text !== number)
  const remarks = listed(
    [
      annex === '' ? '' : `Annex ${annex}`,
      earliest === '' ? '' : remark,
      spelled.length === 0 ? '' : `declared as ${spelled.join(', ')}`,
    ],
    '; ',
  )
  return [
    [exemptionLink(use)],
    earliest,
    latest === earliest ? '' : latest,
    earliest === '' && remark !== '' ? `${status} (${remark})` : status,
    earliest === '' ? '' : unconfirmedText(confidence),
    use.parts,
    [{ parts: use.firstParts, count: use.parts }],
    remarks,
    source === '' ? '' : [{ sources: source, label: source }],
  ]
}

function exemptionLink(use: ExemptionUse): Piece {
  return { text: exemptionName(use), rows: { exemption: exemptionKey(use) } }
}

/** The exemption as rows name it. */
export function exemptionKey({ number, declared }: ExemptionUse): string {
  return number === '' ? (declared[0] ?? '') : number
}

/** The legal number, or the text as declared where it is not recognized. */
export function exemptionName({ number, declared }: ExemptionUse): string {
  return number === '' ? `"${(declared[0] ?? '').slice(0, 40)}"` : number
}

/** The used, expired and unmatched waivers, each with its reason, owner and last day. */
function waiverSection({ file, used, runOut, unmatched }: WaiverFacts): Section {
  const groups: readonly (readonly [string, readonly Waiver[]])[] = [
    ['has expired', runOut],
    ['matches nothing', unmatched],
    ['in use', used],
  ]
  const rows = groups.flatMap(([state, waivers]) =>
    waivers.map(({ part, rule, reason, owner, until }) => [
      [{ text: part, rows: { part } }],
      rule,
      state,
      until,
      reason,
      owner,
    ]),
  )
  const table: Table = {
    kind: 'table',
    name: 'waivers',
    columns: [
      tableColumn('Part', 'id', 38),
      tableColumn('Rule', 'text', 20),
      tableColumn('Waiver', 'text', 16),
      tableColumn('Until', 'day', 12),
      tableColumn('Reason', 'text', 40),
      tableColumn('Owner', 'text', 20),
    ],
    rows,
    line: ([, rule, state, until, reason, owner]) => `${rule} ${state}, until ${until} (${reason}, ${owner})`,
    of: { count: rows.length, one: 'waiver', many: 'waivers' },
  }
  return { id: 'waivers', title: `Waivers of ${file}`, blocks: rows.length === 0 ? [] : [table] }
}

/** The reference tables with their dates. */
export function tablesText({ tables, oldTable }: Pick<ReferenceFacts, 'tables' | 'oldTable'>): string {
  return Object.values(tables)
    .map((table) => tableText(table, table === tables.svhcUpdates && oldTable !== ''))
    .join(', ')
}

/** How old the declared Candidate Lists are, and which tables say so. */
function tablesSection({ candidateLists, oldTable, tables }: ReferenceFacts): Section {
  const newest = tables.svhcUpdates.rows.at(-1)
  const hasLists = candidateLists.length > 0 && newest !== undefined
  return {
    id: 'tables',
    title: 'Lists and reference tables',
    isAside: true,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ...(hasLists ? [['Candidate List', candidateListText(candidateLists, newest)] as const] : []),
          ['reference tables', tablesText({ tables, oldTable })],
        ],
      },
    ],
  }
}

/** Lists that one line has room for. */
const MAX_LISTS = 3

/** `241 entries of June 2024, 12 entries behind the newest list in the table (3 rows); …`. */
function candidateListText(
  uses: readonly CandidateListUse[],
  newest: { readonly date: string; readonly entries: number; readonly confidence: string },
): string {
  const lists = uses.map(listText)
  // The newest and the oldest say the most.
  const left = lists.length - MAX_LISTS
  if (left > 0) lists.splice(MAX_LISTS - 1, left, `${plural(left, 'list')} between`)
  return `${lists.join('; ')}; the newest list in the table has ${newest.entries} entries (${listed([newest.date, unconfirmedText(newest.confidence)])})`
}

function listText({ list, parts, entries, behind }: CandidateListUse): string {
  const rows = plural(parts, 'row')
  if (entries === null) return `${list}, number of entries not known (${rows})`
  const age =
    behind === 0
      ? 'the newest list in the table'
      : `${plural(behind ?? 0, 'entry', 'entries')} behind the newest list in the table`
  return `${entries} entries of ${listDate(readListIdentity(list))}, ${age} (${rows})`
}

/** `rohs-exemptions.csv of matdecl 1.0.0 (newest date 2027-12-31, checked 2026-11-21)`. */
function tableText({ file, newest, checked }: ReferenceTable<unknown>, isOld: boolean): string {
  const facts = [
    newest === '' ? 'no date' : `newest date ${newest}`,
    isOld ? 'old: later entries are not known' : '',
    checked === '' ? '' : `checked ${checked}`,
  ]
  return `${file} (${listed(facts)})`
}

/** `3 missing`, empty for none. */
function some(count: number, one: string, many = one): string {
  return count === 0 ? '' : plural(count, one, many)
}

function listed(parts: readonly string[], separator = ', '): string {
  return parts.filter((part) => part !== '').join(separator)
}
