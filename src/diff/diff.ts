import type { ArchiveLimits } from '../archive/problem.ts'
import type { AccountEntry } from '../base/account-entry.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { NamesAgree } from '../compliance/company-names.ts'
import { svhcCount } from '../compliance/reach.ts'
import { cellOf } from '../report/columns.ts'
import { createRowMatches, type FailOnRule } from '../report/gate/fail-on.ts'
import type { ProductList } from '../report/lines.ts'
import type { Product } from '../report/product.ts'
import { createRowDates } from '../report/regulations/reference-facts.ts'
import type { ReferenceTables } from '../report/regulations/reference-tables.ts'
import { type ReportOptions, report } from '../report/report.ts'
import type { ReportSummary } from '../report/report-summary.ts'
import { worstVerdict } from '../report/row-findings.ts'
import { finishRow, type RowContext } from '../report/rows/make-row.ts'
import { type JudgedRow, missingRow } from '../report/rows/report-row.ts'
import { fileName } from '../report/sources/file-name.ts'
import type {
  AccountedDiff,
  ChangedPart,
  DeclarationDiff,
  ListUpdate,
  LonePart,
  ProductMove,
  Unreadable,
} from './diff-result.ts'
import { changesOf, directionOf, type Move, type PartChanges, stateKey } from './part-changes.ts'

/** What one side reads: an archive, a directory or an XML file, or a library. */
export type DiffSide = Pick<ReportOptions, 'sources' | 'leaveOut' | 'rowsDirectory' | 'emptyText'>

interface DiffOptions {
  readonly old: DiffSide
  readonly new: DiffSide
  readonly limits: ArchiveLimits
  readonly failOn?: readonly FailOnRule[] | undefined
  /** The parts lists whose lines are compared, each as a product. */
  readonly lists?: readonly ProductList[] | undefined
  readonly isSameCompany?: NamesAgree | undefined
  /** What became of the records of the tables that the user gave. */
  readonly records?: AccountEntry | undefined
  /** What is known about exemptions by date, for the rules to fail on. */
  readonly tables?: ReferenceTables | undefined
}

/** Compares two downloads part by part: on each side the newest declaration of a part decides. Only what is compared is kept in memory. */
export async function diffDeclarations(
  world: World,
  options: DiffOptions,
  reporter: Reporter,
): Promise<AccountedDiff> {
  const { limits, failOn, tables, lists, isSameCompany } = options
  const nowMs = world.clock.nowMs()
  const comparison = createComparison({ nowMs, failOn, dates: tables && createRowDates(tables, nowMs) })
  const read = async (side: 'old' | 'new'): Promise<ReportSummary> => {
    const shared = { limits, tables, failOn, lists, isSameCompany, substances: false, isPart: true }
    await using rows = report(world, { ...shared, ...options[side] }, reporter)
    for await (const { parts } of rows.batches) for (const row of parts) comparison[side](row)
    return await rows.summary()
  }
  const [then, now] = [await read('old'), await read('new')]
  const superseded = { old: then.counts.superseded, new: now.counts.superseded }
  const account = { old: then.sources, new: now.sources, ...now.listAccount, records: options.records }
  return { ...comparison.result(superseded), ...productMoves(then, now), account }
}

/** Each list as a product, before and now. */
function productMoves(then: ReportSummary, now: ReportSummary): Pick<DeclarationDiff, 'products'> {
  if (now.products === undefined) return {}
  const side = ({ count, rollup }: Product): ProductMove['old'] => ({
    verdict: count.verdict,
    rohs: rollup.rohs,
    reach: rollup.reach.status,
  })
  return {
    products: now.products.map((product, index) => ({
      list: product.list,
      old: side(then.products![index]!),
      new: side(product),
    })),
  }
}

const EXAMPLES = 3
const MAX_UNREADABLE = 100

/**
 * Compares two downloads part by part, by part number and supplier, whatever the order and the files. The rules to fail on apply to
 * what is new or changed, and to what matches them only now; a removed part counts as missing. Takes the rows of the old side, then
 * those of the new one.
 */
export function createComparison(context: RowContext) {
  const sides = { old: new Map<string, JudgedRow>(), new: new Map<string, JudgedRow>() }
  const unreadable = { old: [] as Unreadable[], new: [] as Unreadable[] }
  const unreadableCount = { old: 0, new: 0 }
  const unreadableBefore = new Map<string, number>()
  const matches = createRowMatches(context.failOn)
  // What matches the rules as it did before.
  let unchangedMatches = 0
  const check = (row: JudgedRow): void => matches.add(row)
  const take = (side: 'old' | 'new') => (row: JudgedRow) => {
    if (row.status === 'unreadable') {
      unreadableCount[side] += 1
      const file = unreadableKey(row)
      const before = unreadableBefore.get(file) ?? 0
      if (side === 'old') unreadableBefore.set(file, before + 1)
      else if (before > 0) {
        unreadableBefore.set(file, before - 1)
        if (row.gate.open.length > 0) unchangedMatches += 1
      } else check(row)
      if (unreadable[side].length < MAX_UNREADABLE)
        unreadable[side].push({ source: String(cellOf(row, 'source')), reason: String(cellOf(row, 'note')) })
      return
    }
    // What has no declaration is on this side only: `added` or `removed`.
    if (!isDeclared(row)) return
    // Parts without a number may have the same name: they are compared in their order.
    let key = stateKey(row)
    while (sides[side].has(key)) key += '\nand'
    sides[side].set(key, row)
  }
  return {
    old: take('old'),
    new: take('new'),
    /** The differences; `superseded` counts the declarations of each side that newer ones replaced. */
    result(superseded: Move<number>): DeclarationDiff {
      const added: LonePart[] = []
      const removed: LonePart[] = []
      const changed: ChangedPart[] = []
      const updates = new Map<string, ListUpdate>()
      let redated = 0
      let unchanged = 0
      for (const [key, now] of sides.new) {
        const then = sides.old.get(key)
        const changes = then && changesOf(then, now)
        const names = Object.keys(changes ?? {})
        const isSame = changes !== undefined && names.length === 0
        // What did not change fails only by rules that it did not match before.
        const known = isSame ? new Set(then!.gate.open) : NONE
        const open = now.gate.open.filter((word) => !known.has(word))
        if (open.length === 0 && now.gate.open.length > 0) unchangedMatches += 1
        matches.add({ ...now, gate: { ...now.gate, open } })
        if (changes === undefined) added.push(lonePart(now))
        else if (isSame) unchanged += 1
        else if (names.every((name) => name === 'date')) redated += 1
        else if (names.every((name) => LIST_FACTS.has(name))) addUpdate(updates, now, changes)
        else
          changed.push({
            part: partOf(now),
            supplier: now.supplier,
            direction: directionOf(changes),
            changes,
          })
      }
      for (const [key, then] of sides.old) {
        if (sides.new.has(key)) continue
        removed.push(lonePart(then))
        check(
          finishRow(
            { ...missingRow(then.part, ['not declared any more']), supplier: then.supplier },
            context,
          ),
        )
      }
      const judged = [...sides.new.values()].map((row) => row.verdict)
      const verdict = worstVerdict(unreadableCount.new > 0 ? ['doubtful', ...judged] : judged)
      const gate = matches.result(verdict)
      const listUpdates = [...updates.values()].sort((a, b) => b.parts - a.parts)
      return {
        counts: {
          old: sides.old.size,
          new: sides.new.size,
          unreadable: unreadableCount,
          superseded,
          added: added.length,
          removed: removed.length,
          changed: changed.length,
          listUpdates: listUpdates.reduce((total, { parts }) => total + parts, 0),
          redated,
          unchanged,
        },
        added: added.sort(byPart),
        removed: removed.sort(byPart),
        listUpdates,
        redated,
        unchanged,
        unreadable,
        changed: changed.sort(byPart),
        gate: gate && { ...gate, unchanged: unchangedMatches },
      }
    },
  }
}

/** False for a row of the list that no source declares. */
function isDeclared({ sources }: JudgedRow): boolean {
  return sources.length > 0
}

/** Identifies a file that cannot be read, in whatever archive or directory it is: it fails the gate only when it is new. */
function unreadableKey({ sources, notes }: JudgedRow): string {
  return [...sources.map(fileName), ...notes].join('\n')
}

const NONE: ReadonlySet<string> = new Set()
const LIST_FACTS = new Set(['date', 'rohs_list', 'reach_list'])

function addUpdate(
  updates: Map<string, ListUpdate>,
  now: JudgedRow,
  { rohs_list, reach_list }: PartChanges,
): void {
  const key = JSON.stringify([rohs_list, reach_list])
  const update = updates.get(key) ?? {
    rohs_list: rohs_list ?? null,
    reach_list: reach_list ?? null,
    parts: 0,
    examples: [],
  }
  const examples = update.examples.length < EXAMPLES ? [...update.examples, partOf(now)] : update.examples
  updates.set(key, { ...update, parts: update.parts + 1, examples })
}

function lonePart(row: JudgedRow): LonePart {
  const { supplier, date, judged, verdict } = row
  const { rohs, reach } = judged
  const svhc_count = svhcCount(reach) ?? null
  return { part: partOf(row), supplier, verdict, rohs: rohs.status, svhc_count, date }
}

function partOf(row: JudgedRow): string {
  return String(cellOf(row, 'part'))
}

function byPart(a: { readonly part: string }, b: { readonly part: string }): number {
  return a.part < b.part ? -1 : a.part > b.part ? 1 : 0
}
