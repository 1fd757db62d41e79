import { Account, addedAccounts } from '../base/account.ts'
import type { AccountEntry, ListAccount } from '../base/account-entry.ts'
import { companyName, isMadeUpCompany } from '../compliance/company-names.ts'
import type { FindingRule } from '../compliance/finding-rules.ts'
import { listAgeMonths } from '../compliance/list-identity.ts'
import { joinedAccount } from '../parts/list-account.ts'
import { reachWord, rowName, supplierOf } from './columns.ts'
import { createRowMatches } from './gate/fail-on.ts'
import { createWaiverCounter } from './gate/waivers.ts'
import {
  countOfLines,
  countOfParts,
  type JudgedCount,
  judgedOf,
  NO_FILES,
  sumOfCounts,
  UnreadableFiles,
} from './line-counts.ts'
import type { ProductList } from './lines.ts'
import { type Product, productFields } from './product.ts'
import {
  candidateLists,
  createExemptionCounter,
  oldTableText,
  type ReferenceFacts,
} from './regulations/reference-facts.ts'
import type { ReferenceTable } from './regulations/reference-tables.ts'
import type { GateResult, ReportCounts, Waiver, WaiverFacts } from './report-result.ts'
import { findingWords, isJudged, NOTHING_TO_JUDGE, needsAttention } from './row-findings.ts'
import type { RowContext } from './rows/make-row.ts'
import type { JudgedRow } from './rows/report-row.ts'
import type { Shard } from './sources/shard.ts'
import { NO_SOURCES, type SourceAccounts } from './sources/source-account.ts'
import { confidenceLevel } from './words.ts'

interface Frequency {
  readonly name: string
  readonly parts: number
}

export interface ListUse extends Frequency {
  /** Age of the list in whole months at the time of the report; undefined where its name has no date. */
  readonly ageMonths: number | undefined
}

/** The rows of one supplier by status. */
export interface SupplierUse {
  /** Empty for rows of which no supplier is known. */
  readonly name: string
  readonly rows: number
  /** How many of them need attention. */
  readonly open: number
  /** The rows that need it, by their worst finding. */
  readonly rules: Readonly<Partial<Record<FindingRule, number>>>
}

/** The summary after the last row. */
export interface ReportSummary {
  readonly counts: ReportCounts
  readonly gate: GateResult | undefined
  /** The most frequent substances of very high concern, at most fifty. */
  readonly svhcs: readonly Frequency[]
  /** The lists that the statements refer to, newest first, at most fifty. */
  readonly lists: readonly ListUse[]
  /** The names of lists that are neither RoHS nor REACH. */
  readonly otherLists: readonly string[]
  /** How many declared rows have no material data to screen. */
  readonly withoutMaterials: number
  /** The suppliers of the rows that count, at most fifty: those with the most open rows first, rows without a supplier last. */
  readonly suppliers: readonly SupplierUse[]
  /** The sandbox has made up some of it. */
  readonly isMadeUp: boolean
  /** The shard of the sources that the report is about. */
  readonly shard: Shard | undefined
  /** The count of all lines, or without a list of all parts, with the verdict on them. */
  readonly count: JudgedCount
  /** The rows that are on no list. */
  readonly others: JudgedCount
  /** What became of the lines, or without a list of the rows. */
  readonly account: AccountEntry
  /** What became of the parts lists; undefined without one. */
  readonly listAccount: ListAccount | undefined
  /** What became of the records of the tables that the user gave; undefined without one. */
  readonly records: AccountEntry | undefined
  /** What became of the files of the sources, and of the entries of their archives. */
  readonly sources: SourceAccounts
  /** Each parts list as a product; undefined without one. */
  readonly products: readonly Product[] | undefined
  /** What the reference tables know; undefined without them. */
  readonly reference: ReferenceFacts | undefined
  /** The used, expired and unmatched waivers; undefined without any, or without a gate. */
  readonly waivers: WaiverFacts | undefined
}

/** Adds up finished rows; memory does not grow with their number. */
export type SummaryBuilder = ReturnType<typeof createSummary>

/** What is counted without a row. */
type OtherCount = 'files' | 'skipped' | 'requests' | 'substances' | 'superseded' | 'notListed'

/** Most different names that are counted, so that memory stays bounded. */
const MAX_NAMES = 20_000
const MAX_SHOWN = 50

/** Summarizes rows that were finished in this context, and what the rules to fail on match. */
export function createSummary({ failOn, nowMs, dates, waivers, place }: RowContext, shard?: Shard) {
  const counts = {
    rows: 0,
    declared: 0,
    missing: 0,
    assembly: 0,
    unreadable: 0,
    notFitted: 0,
    superseded: 0,
    notListed: 0,
    failed: 0,
    doubtful: 0,
    clean: 0,
    rohs: {
      compliant: 0,
      'compliant with exemptions': 0,
      'not compliant': 0,
      incomplete: 0,
      'not declared': 0,
    },
    reach: { withSvhc: 0, withoutSvhc: 0, incomplete: 0, notDeclared: 0 },
    contradictory: 0,
    indicated: 0,
    findings: {} as Record<string, number>,
    files: 0,
    skipped: 0,
    requests: 0,
    substances: 0,
  } satisfies ReportCounts
  const account = new Account()
  let sources = NO_SOURCES
  const unreadable = new UnreadableFiles(place)
  const others = { failed: 0, doubtful: 0, clean: 0, notFitted: 0 }
  let unknown = 0
  let withoutMaterials = 0
  let isMadeUp = false
  const svhcs = new Map<string, number>()
  const lists = new Map<string, number>()
  const otherLists = new Map<string, number>()
  const suppliers = createSupplierCounter()
  const matches = createRowMatches(failOn)
  const waived = failOn && waivers && createWaiverCounter(waivers)
  const exemptions = dates && createExemptionCounter(dates.exemption)

  return {
    add(rows: readonly JudgedRow[], more: Partial<Pick<ReportCounts, OtherCount>> = {}): void {
      counts.rows += rows.length
      for (const [name, number] of Object.entries(more)) counts[name as keyof typeof more] += number
      for (const row of rows) {
        if (row.status === 'unknown') unknown += 1
        else counts[row.status === 'not fitted' ? 'notFitted' : row.status] += 1
        account.arrive()
        if (isJudged(row)) {
          account.use()
          if (row.status === 'unreadable') unreadable.add(row)
          else if (row.line === undefined) others[row.verdict as 'failed' | 'doubtful' | 'clean'] += 1
        } else account.name(row.status, rowName(row))
        // Those of lines are counted by their product, and files below.
        if (row.line === undefined && row.status !== 'unreadable')
          for (const word of findingWords(row.findings)) addWord(counts.findings, word)
        // Lines are matched by their product.
        if (row.line === undefined) matches.add(row)
        waived?.add(row.findings)
        suppliers.add(row)
        isMadeUp ||= isMadeUpCompany(row.supplier)
        for (const { list } of row.judged.otherLists) count(otherLists, list)
        if (row.status !== 'declared') continue
        const { rohs, reach } = row.judged
        if (!row.classes.includes('D')) withoutMaterials += 1
        counts.rohs[rohs.status] += 1
        counts.reach[reachWord(row)!] += 1
        exemptions?.add(row)
        for (const { name } of reach.over) count(svhcs, name)
        for (const name of [...rohs.lists, ...reach.lists]) count(lists, name)
      }
    },
    /** Takes what became of the sources, once they are read. */
    readSources(accounts: SourceAccounts): void {
      sources = accounts
    },
    result(
      products?: readonly Product[],
      {
        lists: listed = [],
        records,
      }: {
        readonly lists?: readonly ProductList[] | undefined
        readonly records?: AccountEntry | undefined
      } = {},
    ): ReportSummary {
      for (const one of products ?? []) {
        for (const [word, lines] of Object.entries(one.counts.findings)) addWord(counts.findings, word, lines)
      }
      counts.contradictory = counts.findings.contradictory ?? 0
      counts.indicated = counts.findings.indicated ?? 0
      for (const { gate } of products ?? []) matches.addGate(gate)
      const count =
        products === undefined
          ? countOfParts(others, unreadable)
          : countOfLines(
              sumOfCounts(products.map((one) => one.count)),
              products[0]?.count.unreadable ?? unreadable,
            )
      if (count.unreadable.count > 0) addWord(counts.findings, 'unreadable', count.unreadable.count)
      const { failed, doubtful, clean } = count
      Object.assign(counts, { failed, doubtful, clean })
      // Each of several lists has to have something that is judged.
      const isEmpty = [count, ...(products ?? []).map((one) => one.count)].some(
        ({ verdict }) => verdict === NOTHING_TO_JUDGE,
      )
      const shownLists = mostFrequent(lists)
        .map((use) => ({ ...use, ageMonths: listAgeMonths(use.name, nowMs) }))
        .sort((a, b) => (a.ageMonths ?? Infinity) - (b.ageMonths ?? Infinity))
      return {
        counts: unknown > 0 ? { ...counts, unknown } : counts,
        gate: matches.result(isEmpty ? NOTHING_TO_JUDGE : count.verdict),
        count,
        others: countOfParts(others, NO_FILES),
        account:
          products === undefined ? account.close('rows') : addedAccounts(products.map((one) => one.account)),
        listAccount: listAccountOf(listed),
        records,
        sources,
        products,
        otherLists: [...otherLists.keys()],
        withoutMaterials,
        shard,
        svhcs: mostFrequent(svhcs),
        lists: shownLists,
        suppliers: suppliers.result(),
        isMadeUp,
        waivers: waiverFacts(waived?.result(), shard),
        reference: dates && {
          tables: dates.tables,
          oldTable: oldTableText(dates.tables, nowMs),
          candidateLists: candidateLists(shownLists, dates),
          ...exemptions!.result(),
        },
      }
    },
  }
}

function addWord(counts: Record<string, number>, word: string, more = 1): void {
  counts[word] = (counts[word] ?? 0) + more
}

/** What a waiver is for may be in another shard. */
function waiverFacts(facts: WaiverFacts | undefined, shard: Shard | undefined): WaiverFacts | undefined {
  return facts && shard ? { ...facts, unmatched: [] } : facts
}

/** Counts rows by supplier. Names are compared without case, punctuation and legal form. */
function createSupplierCounter() {
  const uses = new Map<
    string,
    { name: string; rows: number; open: number; rules: Partial<Record<FindingRule, number>> }
  >()
  return {
    add(row: JudgedRow): void {
      if (!isJudged(row) || row.status === 'assembly') return
      const name = supplierOf(row)
      const key = companyName(name)
      if (!uses.has(key) && uses.size >= MAX_NAMES) return
      const use = uses.get(key) ?? { name, rows: 0, open: 0, rules: {} }
      uses.set(key, use)
      use.rows += 1
      const [worst] = row.findings
      if (!needsAttention(row) || worst === undefined) return
      use.open += 1
      use.rules[worst.rule] = (use.rules[worst.rule] ?? 0) + 1
    },
    result: (): SupplierUse[] =>
      [...uses.values()]
        .sort(
          (a, b) =>
            Number(a.name === '') - Number(b.name === '') ||
            b.open - a.open ||
            b.rows - a.rows ||
            (a.name < b.name ? -1 : 1),
        )
        .slice(0, MAX_SHOWN),
  }
}

function count(counts: Map<string, number>, name: string): void {
  if (name === '') return
  const known = counts.get(name)
  if (known !== undefined || counts.size < MAX_NAMES) counts.set(name, (known ?? 0) + 1)
}

function mostFrequent(counts: ReadonlyMap<string, number>): Frequency[] {
  return [...counts]
    .map(([name, parts]) => ({ name, parts }))
    .sort((a, b) => b.parts - a.parts || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SHOWN)
}

function listAccountOf(lists: readonly ProductList[]): ListAccount | undefined {
  const known = lists.flatMap(({ name, account }) => (account === undefined ? [] : { name, account }))
  return known.length === 0 ? undefined : joinedAccount(known)
}

/** What came in and what became of it, as JSON has it. */
export function summaryAccount({
  account,
  listAccount,
  sources,
  records,
}: Pick<ReportSummary, 'account' | 'listAccount' | 'sources' | 'records'>) {
  return { lines: account, ...sources, ...listAccount, ...(records === undefined ? {} : { records }) }
}

/** Counts and, where there are any, the shard, the roll-up, the gate, the waivers and what the reference tables know. */
export function summaryFields(summary: ReportSummary) {
  const { counts, gate, reference, products, shard, waivers, isMadeUp } = summary
  const [only, ...others] = products ?? []
  return {
    verdict: summary.count.verdict,
    account: summaryAccount(summary),
    ...(isMadeUp ? { sandbox: true } : {}),
    counts,
    ...(products !== undefined && judgedOf(summary.others) > 0
      ? { others: othersFields(summary.others) }
      : {}),
    ...(shard === undefined ? {} : { shard }),
    ...(products === undefined ? {} : { products: products.map(productFields) }),
    ...(only !== undefined && others.length === 0 && only.hasQuantities ? { rollup: only.rollup } : {}),
    ...(gate === undefined ? {} : { failOn: gate }),
    ...(waivers === undefined ? {} : { waivers: shortened(waivers) }),
    ...referenceFields(reference),
  }
}

function othersFields({ failed, doubtful, clean }: JudgedCount) {
  return { failed, doubtful, clean }
}

const MOST_WAIVERS = 1_000

function shortened({ used, runOut, unmatched, ...facts }: WaiverFacts): WaiverFacts {
  const first = (all: readonly Waiver[]): readonly Waiver[] => all.slice(0, MOST_WAIVERS)
  return { ...facts, used: first(used), runOut: first(runOut), unmatched: first(unmatched) }
}

/** The fields of a summary about reference tables and dates; none without tables. */
export function referenceFields(facts: ReferenceFacts | undefined) {
  if (facts === undefined) return {}
  const { tables, candidateLists, exemptions, withoutDate } = facts
  const newest = tables.svhcUpdates.rows.at(-1)
  return {
    tables: {
      svhcUpdates: tableFields(tables.svhcUpdates, newest?.confidence),
      rohsExemptions: tableFields(tables.rohsExemptions),
      svhcSubstances: tableFields(tables.svhcSubstances),
      rohsSubstances: tableFields(tables.rohsSubstances),
    },
    candidateLists,
    exemptions: exemptions.map(({ declared, earliest, latest, ...use }) => ({
      exemption: declared.join('; '),
      number: use.number,
      annex: use.annex,
      parts: use.parts,
      firstParts: use.firstParts,
      earliest: earliest || null,
      latest: latest || null,
      status: use.status,
      confidence: confidenceLevel(use.confidence),
      research: use.confidence,
      source: use.source,
      remark: use.remark,
    })),
    exemptionsNotJudged: withoutDate,
  }
}

function tableFields({ file, isShipped, rows, newest, checked }: ReferenceTable<unknown>, research = '') {
  return {
    file,
    shipped: isShipped,
    rows: rows.length,
    newest: newest || null,
    checked: checked || null,
    confidence: confidenceLevel(research) || null,
    research: research || null,
  }
}
