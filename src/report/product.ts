import { Account } from '../base/account.ts'
import type { AccountEntry } from '../base/account-entry.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import { calendarDate } from '../base/units.ts'
import { type ExemptionLookup, NO_DATES } from '../compliance/exemptions.ts'
import type { FindingRule } from '../compliance/finding-rules.ts'
import { tidy } from '../compliance/quantity.ts'
import { type ReachStatus, worstReach } from '../compliance/reach.ts'
import { type RohsStatus, worstRohs } from '../compliance/rohs.ts'
import { addPieces, type Bom, nameIn, type PartPieces } from '../parts/bom.ts'
import { isPiece } from '../parts/read-quantity.ts'
import { createRowMatches } from './gate/fail-on.ts'
import { countOfLines, type JudgedCount, UnreadableFiles } from './line-counts.ts'
import type { ListLine, ProductList } from './lines.ts'
import {
  type AssemblyLine,
  type GateResult,
  MOST_LISTED,
  type ProductResult,
  type Rollup,
} from './report-result.ts'
import {
  findingRank,
  findingWord,
  findingWords,
  isBehind,
  isFreeOfSvhc,
  isJudged,
  isNoted,
  isSilent,
  lineVerdict,
  needsAttention,
  productFindings,
  type RowFinding,
} from './row-findings.ts'
import type { RowContext } from './rows/make-row.ts'
import type { JudgedRow } from './rows/report-row.ts'

/** A parts list as a product: its verdict is that of the worst of its lines. */
export interface Product {
  /** The list, as the user named it. */
  readonly list: string
  /** What its lines amount to: the one count that every format shows. */
  readonly count: JudgedCount
  readonly counts: ProductCounts
  readonly account: AccountEntry
  /** What the rules to fail on matched in its lines, and in the product as a whole. */
  readonly gate: GateResult | undefined
  /** The files that cannot be read, as far as a rule asks for them: they may be about any of its lines. */
  readonly matchedFiles: readonly JudgedRow[]
  readonly rollup: Rollup
  readonly hasQuantities: boolean
  /** The findings that fail it or make it doubtful, with their rows, worst first. */
  readonly findings: readonly LineFinding[]
  /** What the gate does not count because a waiver accepts it. */
  readonly waived: readonly LineFinding[]
  /** What to know of lines that pass: SVHCs, and exemptions that end within a year. */
  readonly notes: readonly LineFinding[]
}

/** A finding, and the row that it is in. */
interface LineFinding {
  readonly row: JudgedRow
  readonly finding: RowFinding
}

/** Lines by verdict, those that are not fitted apart, and the lines with a finding of each rule. */
interface ProductCounts {
  readonly lines: number
  readonly failed: number
  readonly doubtful: number
  readonly clean: number
  readonly notFitted: number
  /** Of those that failed or are doubtful: lines with lines below them, by which they are so. */
  readonly openAssemblies: number
  readonly findings: Readonly<Record<string, number>>
}

/** Collects the rows of a list's lines, which are finished. */
export function collectProduct({ name, bom }: ProductList, { failOn, dates, nowMs, place }: RowContext) {
  const byKey = new Map<string, DeclaredPart[]>()
  const unknown = new Set<string>()
  const counts = { lines: 0, failed: 0, doubtful: 0, clean: 0, notFitted: 0, openAssemblies: 0 }
  const words = new Map<string, number>()
  const findings: LineFinding[] = []
  const waived: LineFinding[] = []
  const notes: LineFinding[] = []
  const matches = createRowMatches(failOn)
  const account = new Account()
  const openRules = new Set<FindingRule>()
  return {
    see({ key, line, numbers }: ListLine, rows: readonly JudgedRow[]): void {
      counts.lines += 1
      account.arrive()
      const verdict = lineVerdict(rows)
      if (!isJudged({ verdict })) {
        counts.notFitted += 1
        account.name('not fitted', `${name}:${line}`)
        return
      }
      account.use()
      counts[verdict as keyof typeof counts] += 1
      if (needsAttention({ verdict }) && bom.assemblies.has(key)) counts.openAssemblies += 1
      for (const word of new Set(rows.flatMap((row) => findingWords(row.findings)))) {
        words.set(word, (words.get(word) ?? 0) + 1)
      }
      const first = numbers[0]?.part ?? key
      const numberOf = (row: JudgedRow): string => numbers[row.line?.alternate ?? 0]?.part ?? key
      matches.addLine(rows, (row) => (numberOf(row) === first ? undefined : first))
      for (const row of rows) {
        for (const finding of row.gate.waived) waived.push({ row, finding })
        for (const finding of notable(row, dates, nowMs)) notes.push({ row, finding })
        for (const finding of row.findings) {
          if (!isNoted(finding)) findings.push({ row, finding })
          if (finding.waivers === undefined) openRules.add(finding.rule)
        }
        if (row.status === 'unknown') unknown.add(key)
        if (row.status !== 'declared') continue
        const { judged } = row
        push(byKey, key, {
          number: numberOf(row),
          rohs: judged.rohs.status,
          exemptions: exemptionsOf(row, dates?.exemption),
          reach: judged.reach.status,
          lacking: isFreeOfSvhc(judged.reach.status) ? (judged.reach.count?.lacking ?? []) : [],
          svhcs: judged.reach.over.map((one) => one.name),
          massMg: row.massMg,
          unitType: row.unitType,
          isOtherManufacturer: row.otherManufacturers.length > 0,
        })
      }
    },
    /** The product; these files cannot be read, and may be about any of its parts. */
    result(unreadable: readonly JudgedRow[]): Product {
      const summaries = new Map([...byKey].map(([key, all]) => [key, partSummary(all)]))
      const others = unreadable.flatMap((row) => row.findings.map((finding) => ({ row, finding })))
      const files = new UnreadableFiles(place)
      for (const row of unreadable) files.add(row)
      const rollup = rollUp(bom, (key) => summaries.get(key) ?? NOT_DECLARED, files.count, unknown)
      const matchedFiles = unreadable.filter((row) => row.gate.open.length > 0)
      const count = countOfLines(counts, files)
      matches.addProduct(name, productFindings(rollup, openRules))
      return {
        list: name,
        count,
        counts: { ...counts, findings: Object.fromEntries(words) },
        account: account.close('lines'),
        gate: matches.result(count.verdict, matchedFiles.length),
        matchedFiles,
        rollup,
        hasQuantities: bom.hasQuantities,
        findings: sortedLineFindings([...findings, ...others]),
        waived: [
          ...waived,
          // A gate without a rule for files matches none.
          ...others.filter(({ finding }) => finding.waivers !== undefined),
        ],
        notes,
      }
    },
  }
}

/** A product as JSON has it. */
export function productFields({
  list,
  count,
  gate,
  rollup,
  counts,
  findings,
  notes,
}: Product): ProductResult {
  return {
    list,
    verdict: count.verdict,
    ...(gate && { passed: gate.passed }),
    rohs: rollup.rohs,
    reach: rollup.reach.status,
    counts,
    findings: findings.slice(0, MOST_LISTED).map(findingFields),
    notes: notes.slice(0, MOST_LISTED).map(findingFields),
  }
}

function findingFields({ row, finding }: LineFinding): ProductResult['findings'][number] {
  const [waiver] = finding.waivers ?? []
  return {
    line: row.line?.line ?? null,
    part: escapeUnsafe(row.part),
    rule: findingWord(finding),
    note: finding.sentence,
    source: finding.place?.source ?? '',
    ...(waiver === undefined
      ? {}
      : { waived: { reason: waiver.reason, owner: waiver.owner, until: waiver.until } }),
  }
}

const YEAR_MS = 365 * 86_400_000

/** What a line that passes is still worth a look for; what a waiver accepts has been looked at. */
function notable(row: JudgedRow, dates: RowContext['dates'], nowMs: number): readonly RowFinding[] {
  const until = calendarDate(nowMs + YEAR_MS)
  return row.findings.flatMap((finding): readonly RowFinding[] => {
    if (finding.waivers !== undefined) return []
    if (finding.rule === 'svhc') return [finding]
    if (finding.rule !== 'exemption') return []
    const id = row.judged.rohs.exemptionIds.find(({ identity }) => identity === finding.subject)
    const days = (id === undefined ? [] : (dates?.exemption(id) ?? [])).map(({ earliest }) => earliest)
    const next = days.filter((day) => day >= calendarDate(nowMs) && day <= until).sort()[0]
    return next === undefined ? [] : [{ ...finding, sentence: `${finding.sentence} ends on ${next}` }]
  })
}

function sortedLineFindings(all: readonly LineFinding[]): readonly LineFinding[] {
  return all.toSorted((a, b) => findingRank(a.finding) - findingRank(b.finding))
}

/** The exemptions in use of a row by their legal numbers, or as declared where none is understood. */
function exemptionsOf({ judged }: JudgedRow, lookup: ExemptionLookup = NO_DATES): readonly RollupExemption[] {
  return judged.rohs.exemptionIds.flatMap((id) =>
    lookup(id).map(({ number, earliest, status }) => ({
      identity: number === '' ? id.identity : number,
      expires: earliest,
      status,
    })),
  )
}

/** Entries that a sentence has room for. */
const MOST_NOT_STATED = 10

/**
 * The summary of a whole product: the worst status, exemptions and SVHCs with their parts, parts without data, and the mass where
 * everything is known. An assembly is judged by its parts, and by its own declaration beside them where it has one; its own mass is
 * not counted. Files that could not be read are counted, and change nothing.
 */
export function rollUp(
  bom: Bom,
  facts: FactsOf,
  unreadable: number,
  unknown: ReadonlySet<string> = new Set(),
): Rollup {
  const { assemblies } = bom
  const isLeaf = (part: string): boolean => !assemblies.has(part)
  const leaves = [...partsOf(bom)].filter(isLeaf).sort(byText)
  const declared = [...assemblies.keys()].filter((part) => isDeclared(facts(part))).sort(byText)
  const judged = [...leaves, ...declared]
  const unstated = leaves.filter((part) => isSilent(facts(part).rohs))
  const absent = unstated.filter((part) => !isDeclared(facts(part)))
  const failed = absent.filter((part) => unknown.has(part)).length
  const pieces = productPieces(bom)
  const behind = usersOf(judged, facts, causeOf)
  const reaches = countEach(leaves.map((part) => facts(part).reach))
  const lacking = leaves.flatMap((part) => facts(part).all.flatMap((one) => one.lacking))
  return {
    rohs: worstRohs(statusesOf('rohs', bom, judged, facts)),
    parts: leaves.length,
    pieces: sum(leaves.map((part) => pieces.get(part))),
    statuses: countEach(leaves.map((part) => facts(part).rohs)),
    leftOut: bom.leftOut,
    notCompliant: behind.get('not compliant') ?? NOBODY,
    incomplete: behind.get('incomplete') ?? NOBODY,
    byOthers: behind.get('by others') ?? NOBODY,
    withoutData: {
      parts: unstated.slice(0, MOST_LISTED).map((part) => ({
        part: nameIn(bom, part),
        reason: isDeclared(facts(part)) ? 'not declared' : unknown.has(part) ? 'unknown' : 'missing',
      })),
      missing: absent.length - failed,
      ...(failed > 0 ? { unknown: failed } : {}),
      notDeclared: unstated.length - absent.length,
      unreadable,
    },
    exemptions: exemptionsIn(judged, facts),
    svhcs: [...usersOf(judged, facts, ({ svhcs }) => svhcs)]
      .map(([substance, users]) => ({ substance, ...users }))
      .sort((a, b) => b.count - a.count || byText(a.substance, b.substance))
      .slice(0, MOST_LISTED),
    reach: {
      status: worstReach(statusesOf('reach', bom, judged, facts)),
      withSvhc: reaches.SVHC ?? 0,
      withoutSvhc: reaches['no SVHC'] ?? 0,
      incomplete: reaches.incomplete ?? 0,
      notDeclared: reaches['not declared'] ?? 0,
      notStated: [...new Set(lacking)].sort().slice(0, MOST_NOT_STATED),
    },
    mass: productMass(bom, leaves, pieces, facts),
    assemblies: {
      count: assemblies.size,
      declared: declared.length,
      flattened: bom.flattened ?? null,
      lines: assemblyLines(bom, facts, pieces),
    },
  }
}

/** The parts and assemblies of a product, each once. */
function partsOf({ top, assemblies }: Bom): ReadonlySet<string> {
  return new Set([top, ...assemblies.values()].flatMap((pieces) => [...pieces.keys()]))
}

function isDeclared({ all }: PartSummary): boolean {
  return all.length > 0
}

/** What a declared part is behind: the status of its part, or that only others than its manufacturer declare it. */
function causeOf(one: DeclaredPart, { rohs, isByOthers }: PartSummary): readonly string[] {
  if (isByOthers) return ['by others']
  return isBehind(rohs, one.rohs) ? [rohs] : []
}

type Users = Rollup['notCompliant']

const NOBODY: Users = { parts: [], count: 0 }

/** What declared parts have, each with the numbers that it is declared of: those of alternates, not the first choice of their line. */
function usersOf(
  parts: readonly string[],
  facts: FactsOf,
  whatOf: (one: DeclaredPart, part: PartSummary) => readonly string[],
): ReadonlyMap<string, Users> {
  const found = new Map<string, { parts: string[]; count: number; alternateOf?: Record<string, string> }>()
  for (const part of parts) {
    const summary = facts(part)
    const seen = new Set<string>()
    for (const one of summary.all) {
      for (const what of whatOf(one, summary)) {
        if (seen.size === seen.add(`${what}\n${one.number}`).size) continue
        const users = found.get(what) ?? { parts: [], count: 0 }
        found.set(what, users)
        users.count += 1
        if (users.count > MOST_LISTED) continue
        const number = escapeUnsafe(one.number)
        users.parts.push(number)
        if (one.number === part) continue
        users.alternateOf ??= {}
        users.alternateOf[number] = escapeUnsafe(part)
      }
    }
  }
  return found
}

/** The statuses that count for several parts together: an assembly that declares nothing is judged by its parts alone. */
function statusesOf<Kind extends 'rohs' | 'reach'>(
  kind: Kind,
  { assemblies }: Bom,
  parts: readonly string[],
  facts: FactsOf,
): readonly PartSummary[Kind][] {
  return parts
    .filter((part) => !assemblies.has(part) || !isSilent(facts(part)[kind]))
    .map((part) => facts(part)[kind])
}

function assemblyLines(
  bom: Bom,
  facts: FactsOf,
  pieces: ReadonlyMap<string, number | undefined>,
): readonly AssemblyLine[] {
  const masses = assemblyMasses(bom, facts)
  return [...bom.assemblies.keys()].slice(0, MOST_LISTED).map((assembly) => {
    const inside = partsIn(bom, assembly)
    const leaves = inside.filter((part) => !bom.assemblies.has(part))
    return {
      part: nameIn(bom, assembly),
      declared: isDeclared(facts(assembly)),
      quantity: tidied(pieces.get(assembly)),
      rohs: worstRohs(statusesOf('rohs', bom, inside, facts)),
      parts: leaves.length,
      withoutData: leaves.filter((part) => isSilent(facts(part).rohs)).length,
      withSvhc: inside.filter((part) => facts(part).all.some(({ svhcs }) => svhcs.length > 0)).length,
      massMg: tidied(masses.get(assembly)),
    }
  })
}

/** The assembly and everything in it, each once. */
function partsIn({ assemblies }: Bom, assembly: string): readonly string[] {
  const found = new Set([assembly])
  for (const part of found) for (const inner of assemblies.get(part)?.keys() ?? []) found.add(inner)
  return [...found]
}

/** Each exemption once, with the earliest date known for it. */
function exemptionsIn(parts: readonly string[], facts: FactsOf): Rollup['exemptions'] {
  const known = new Map<string, RollupExemption>()
  for (const exemption of parts.flatMap((part) => facts(part).all.flatMap(({ exemptions }) => exemptions))) {
    const other = known.get(exemption.identity)
    if (other === undefined || (exemption.expires || '9999') < (other.expires || '9999')) {
      known.set(exemption.identity, exemption)
    }
  }
  return [...usersOf(parts, facts, ({ exemptions }) => exemptions.map(({ identity }) => identity))]
    .map(([exemption, users]) => {
      const { expires, status } = known.get(exemption)!
      return { exemption, expires: expires === '' ? null : expires, status, ...users }
    })
    .sort((a, b) => byText(a.expires ?? '9999', b.expires ?? '9999') || byText(a.exemption, b.exemption))
    .slice(0, MOST_LISTED)
}

function countEach<T extends string>(all: readonly T[]): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {}
  for (const one of all) counts[one] = (counts[one] ?? 0) + 1
  return counts
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

function sum(numbers: readonly (number | undefined)[]): number | null {
  const known = numbers.filter((number) => number !== undefined)
  return known.length < numbers.length ? null : tidy(known.reduce((total, number) => total + number, 0))
}

function tidied(value: number | undefined): number | null {
  return value === undefined ? null : tidy(value)
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** What one supplier says of one part of a product. */
export interface DeclaredPart {
  /** The number in the list: that of an alternate, where this is one. */
  readonly number: string
  readonly rohs: RohsStatus
  readonly exemptions: readonly RollupExemption[]
  readonly reach: ReachStatus
  /** What its Candidate List does not state, although it is whole. */
  readonly lacking: readonly string[]
  /** The names of the substances of very high concern. */
  readonly svhcs: readonly string[]
  readonly massMg: number | undefined
  readonly unitType: string
  /** The parts list names another manufacturer. */
  readonly isOtherManufacturer: boolean
}

/** An exemption in use, with the earliest date known for it as YYYY-MM-DD, empty where none is, and what is known of its status. */
interface RollupExemption {
  readonly identity: string
  readonly expires: string
  readonly status: string
}

/** What all declarations together say of a part. */
export interface PartSummary {
  readonly all: readonly DeclaredPart[]
  /** Only other companies than its manufacturer declare it, and they say nothing worse. */
  readonly isByOthers: boolean
  readonly rohs: RohsStatus
  /** The worst REACH status of its suppliers; `not declared` where one of them states nothing. */
  readonly reach: ReachStatus
  /** Milligrams of one piece; undefined with the reason. */
  readonly massMg: number | undefined
  readonly massReason: string
}

/** What is declared of a part, by its number as listed. */
type FactsOf = (part: string) => PartSummary

/**
 * What all declarations of a part say together: of several suppliers the worst counts, and a silent one is missing data. So is the
 * manufacturer of the parts list where only others declare the part.
 */
export function partSummary(all: readonly DeclaredPart[]): PartSummary {
  const isOthers = all.every((one) => one.isOtherManufacturer)
  const silent = isOthers ? (['not declared'] as const) : []
  const rohs = worstRohs([...all.map((one) => one.rohs), ...silent])
  const reaches = new Set<ReachStatus>([...all.map(({ reach }) => reach), ...silent])
  // A mass of 0 is a placeholder.
  const masses = new Set(all.map(({ massMg = 0 }) => massMg).filter((mg) => mg > 0))
  const massReason = whyNoMass(all, masses)
  return {
    all,
    isByOthers: all.length > 0 && isOthers && all.every((one) => !isBehind(rohs, one.rohs)),
    rohs,
    reach: reaches.has('not declared') && !reaches.has('SVHC') ? 'not declared' : worstReach(reaches),
    massMg: massReason === '' ? [...masses][0] : undefined,
    massReason,
  }
}

/** The summary of a part that nobody declares. */
export const NOT_DECLARED = partSummary([])

function whyNoMass(all: readonly DeclaredPart[], masses: ReadonlySet<number>): string {
  if (all.length === 0) return 'it has no declaration'
  const otherUnit = all.map(({ unitType }) => unitType).find((unit) => !isPiece(unit))
  if (otherUnit !== undefined) return `its mass is per ${otherUnit}, not per piece`
  if (masses.size > 1) return 'different masses are declared'
  return masses.size === 0 ? 'no mass is declared' : ''
}

/** The pieces of every part and assembly in the product: quantities multiply down the levels. Undefined where unknown. */
function productPieces({ top, assemblies }: Bom): PartPieces {
  const pieces = new Map(top)
  for (const [assembly, contents] of assemblies) {
    const count = pieces.get(assembly)
    for (const [part, each] of contents) addPieces(pieces, part, times(count, each))
  }
  return pieces
}

/** The mass of one of each assembly in milligrams, from its parts; undefined where anything is unknown. */
function assemblyMasses({ assemblies }: Bom, facts: FactsOf): ReadonlyMap<string, number | undefined> {
  const masses = new Map<string, number | undefined>()
  for (const [assembly, contents] of [...assemblies].reverse()) {
    let mass: number | undefined = 0
    for (const [part, pieces] of contents) {
      const each = assemblies.has(part) ? masses.get(part) : facts(part).massMg
      const more = times(pieces, each)
      mass = mass === undefined || more === undefined ? undefined : mass + more
    }
    masses.set(assembly, mass)
  }
  return masses
}

/** The mass of the product: a total only where every piece has a known mass. */
function productMass(
  bom: Bom,
  leaves: readonly string[],
  pieces: PartPieces,
  facts: FactsOf,
): Rollup['mass'] {
  const masses = leaves.map((part) => times(pieces.get(part), facts(part).massMg))
  const unknown = leaves.filter((_, index) => masses[index] === undefined)
  const reasonOf = (part: string): string => {
    return facts(part).massReason || bom.reasons.get(part) || 'an assembly with it has an unknown quantity'
  }
  return {
    mg: sum(masses),
    knownMg: tidy(masses.reduce<number>((total, mass) => total + (mass ?? 0), 0)),
    unknown: unknown
      .slice(0, MOST_LISTED)
      .map((part) => ({ part: nameIn(bom, part), reason: reasonOf(part) })),
    unknownCount: unknown.length,
  }
}

/** Zero pieces weigh nothing, whatever the mass of one. */
function times(count: number | undefined, each: number | undefined): number | undefined {
  if (count === 0 || each === 0) return 0
  return count === undefined || each === undefined ? undefined : count * each
}
