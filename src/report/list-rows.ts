import { cleanText } from '../base/clean-text.ts'
import { plural } from '../base/units.ts'
import { MADE_UP_COMPANY, type NamesAgree } from '../compliance/company-names.ts'
import type { Finding } from '../compliance/finding.ts'
import { worstReach } from '../compliance/reach.ts'
import { worstRohs } from '../compliance/rohs.ts'
import { type ListedNumber, type ListLine, type ProductList, type RowLine, usesOf } from './lines.ts'
import { collectProduct, type Product } from './product.ts'
import { findingWords, isJudged, isNoted, lineVerdict, needsAttention, type Verdict } from './row-findings.ts'
import type { Candidate } from './rows/current-declarations.ts'
import { finishRow, type RowContext } from './rows/make-row.ts'
import { type JudgedRow, missingRow, type OpenRow, unknownRow } from './rows/report-row.ts'
import type { RequestedParts } from './rows/resolve-rows.ts'
import { fileName } from './sources/file-name.ts'

/** The rows of parts lists. Memory grows with the listed parts. */
export type ListRows = ReturnType<typeof createListRows>

/**
 * Makes the rows of parts lists: each line has a row for each of its numbers and each supplier that declares it, in the order of the
 * lists. Numbers match exactly, the supplier's or the buyer's.
 */
export function createListRows(
  lists: readonly ProductList[],
  { asked, isSameCompany, context, unknown, partsIn }: ListRowsOptions,
) {
  const listed = new Set(
    lists.flatMap(({ lines }) => lines.flatMap(({ numbers }) => numbers.map(({ part }) => part))),
  )
  const numbersOf = new Map<string, Set<string>>()
  const declared = new Map<string, OpenRow[]>()
  const listedNumbers = (...numbers: readonly string[]): readonly string[] =>
    numbers.filter((number) => number !== '' && listed.has(number))
  return {
    /** Takes every declaration, before the first row: a newer one may lack the number that is on the list. */
    learn({ key, part, requesterPart }: Candidate): void {
      const numbers = listedNumbers(part, requesterPart)
      if (key === undefined || numbers.length === 0) return
      const known = numbersOf.get(key) ?? new Set()
      numbersOf.set(key, known)
      for (const number of numbers) known.add(number)
    },
    /** Keeps a row of a listed part; false for any other, which is a row of its own. */
    keep(row: OpenRow): boolean {
      const others = row.key === undefined ? undefined : numbersOf.get(row.key)
      const numbers = new Set([...listedNumbers(row.part, row.requesterPart), ...(others ?? [])])
      for (const number of numbers) {
        const rows = declared.get(number)
        if (rows === undefined) declared.set(number, [row])
        else rows.push(row)
      }
      return numbers.size > 0
    },
    /** The rows of each list, finished, and the list as a product. */
    result(
      unreadable: readonly JudgedRow[],
    ): readonly { readonly rows: readonly JudgedRow[]; readonly product: Product }[] {
      const uses = usesOf(lists)
      const { byNumber: files, others } = filesByNumber(unreadable, listed, partsIn)
      const near = new Map([...asked.missing()].map((row) => [row.part, row.notes]))
      return lists.map((list, index) => {
        const product = collectProduct(list, context)
        const lineRows = list.lines.map((line) => {
          const rows = rowsOfLine(line, {
            product: index,
            uses,
            near,
            declared,
            files,
            isSameCompany,
            unknown,
          })
          for (const row of rows) finishRow(row, context)
          return rows
        })
        judgeAssemblies(list, lineRows)
        for (const [at, rows] of lineRows.entries()) {
          const verdict = lineVerdict(rows)
          for (const { line } of rows) if (line !== undefined) line.verdict = verdict
          product.see(list.lines[at]!, rows)
        }
        return { rows: lineRows.flat(), product: product.result(others) }
      })
    },
  }
}

interface ListRowsOptions {
  /** The parts of all lists, with the numbers that are similar to missing ones. */
  readonly asked: RequestedParts
  readonly isSameCompany: NamesAgree
  readonly context: RowContext
  /** Parts whose request failed. */
  readonly unknown: ReadonlySet<string>
  /** The parts that a file was recorded to have, which cannot be read any more. */
  readonly partsIn?: ((source: string) => readonly string[]) | undefined
}

interface LineContext {
  readonly product: number
  readonly uses: ReadonlyMap<string, readonly string[]>
  readonly near: ReadonlyMap<string, readonly string[]>
  readonly declared: ReadonlyMap<string, readonly OpenRow[]>
  /** Files that cannot be read, by the number that their names have. */
  readonly files: ReadonlyMap<string, readonly JudgedRow[]>
  readonly isSameCompany: NamesAgree
  readonly unknown: ReadonlySet<string>
}

function rowsOfLine(line: ListLine, context: LineContext): readonly OpenRow[] {
  const { declared, near } = context
  const declaredNumbers = line.numbers.map(({ part }) => part).filter((part) => declared.has(part))
  if (line.numbers.length === 0) return [lineRow(emptyLine(line), line, undefined, 0, [], context)]
  return line.numbers.flatMap((number, index) => {
    const found = declared.get(number.part)
    if (found !== undefined) {
      const { own, others } = byManufacturer(found, manufacturerOf(line, number), context)
      // A row of its own for each line: what the list says of the part differs.
      return own.map((row) =>
        lineRow({ ...row, notes: [...row.notes, ...others] }, line, number, index, [], context),
      )
    }
    const row = context.unknown.has(number.part)
      ? unknownRow(number.part)
      : missingRow(number.part, near.get(number.part)!)
    if (line.isAssembly) Object.assign(row, evaluated(row.notes.slice(row.status === 'unknown' ? 0 : 1)))
    return [lineRow(row, line, number, index, declaredNumbers, context)]
  })
}

function manufacturerOf(line: ListLine, number: ListedNumber | undefined): string {
  return number?.manufacturer ?? line.manufacturer
}

/**
 * Many makers have the same numbers: where the manufacturer of the line has a declaration, those of others are told, and judged in no
 * line.
 */
function byManufacturer(
  found: readonly OpenRow[],
  manufacturer: string,
  { isSameCompany }: LineContext,
): { readonly own: readonly OpenRow[]; readonly others: readonly string[] } {
  const isOwn = ({ supplier }: OpenRow): boolean => isMaker(manufacturer, supplier, isSameCompany)
  if (!found.some((row) => row.status === 'declared' && isOwn(row))) return { own: found, others: [] }
  const others = found.filter((row) => row.status === 'declared' && !isOwn(row))
  return {
    own: found.filter(isOwn),
    others: others.map(
      ({ supplier, sources }) =>
        `also declared by ${supplier || 'an unnamed company'} (${sources.join(', ')}), another maker of the same number: not judged`,
    ),
  }
}

function isMaker(manufacturer: string, supplier: string, isSameCompany: NamesAgree): boolean {
  return manufacturer === '' || supplier === MADE_UP_COMPANY || isSameCompany(manufacturer, supplier)
}

/** A line without a number: an assembly where it has lines below it. */
function emptyLine({ isAssembly }: ListLine): OpenRow {
  const row = missingRow('', ['the list has no part number for this line'])
  return isAssembly ? Object.assign(row, evaluated([])) : row
}

function evaluated(notes: readonly string[]): Pick<OpenRow, 'status' | 'notes'> {
  return { status: 'assembly', notes: ['evaluated from its lines', ...notes] }
}

function lineRow(
  row: OpenRow,
  line: ListLine,
  number: ListedNumber | undefined,
  index: number,
  declaredInstead: readonly string[],
  { product, uses, files, isSameCompany }: LineContext,
): OpenRow {
  const { numbers: _, parent: __, key, ...columns } = line
  const manufacturer = manufacturerOf(line, number)
  row.line = {
    ...columns,
    product,
    manufacturer: cleanText(manufacturer),
    alternate: index === 0 ? undefined : index,
    verdict: '',
    declaredInstead,
    openInside: [],
    foundInside: [],
    usedIn: uses.get(number?.part ?? key) ?? [],
  } satisfies RowLine
  if (row.status === 'superseded') return row
  const unreadable = number === undefined ? [] : (files.get(number.part) ?? [])
  row.findings = [...row.findings, ...unreadable.flatMap((file) => file.findings.map(inFile))]
  if (row.status === 'missing' || row.status === 'unknown') {
    row.name = line.description
    row.supplier = cleanText(manufacturer)
  }
  const isOther = row.status === 'declared' && !isMaker(manufacturer, row.supplier, isSameCompany)
  if (isOther) {
    row.otherManufacturers = [cleanText(manufacturer, 100)]
    const by = row.supplier || 'an unnamed company'
    row.notes = [`declared by ${by}, the parts list has ${cleanText(manufacturer, 100)}`, ...row.notes]
  }
  if (line.isLeftOut) {
    row.status = 'not fitted'
    row.notes = ['not fitted: not part of the product', ...row.notes]
  }
  return row
}

/** What cannot be read in a file of its own name is a finding of the line. */
function inFile(finding: Finding): Finding {
  const { source = '' } = finding.place ?? {}
  return { ...finding, sentence: `${fileName(source)} cannot be read: ${finding.sentence}` }
}

/** Files that cannot be read by the listed number that they are known to have, or in their names in any case and with any marks; and the others. */
function filesByNumber(
  unreadable: readonly JudgedRow[],
  listed: ReadonlySet<string>,
  partsIn: (source: string) => readonly string[] = () => [],
) {
  const numbers = new Map<string, string[]>()
  if (unreadable.length > 0) {
    for (const number of listed) {
      const key = wordsOf(number).join('-')
      // A short number without a letter is in many names.
      if (!/\p{L}|\d{4}/u.test(key)) continue
      numbers.set(key, [...(numbers.get(key) ?? []), number])
    }
  }
  const byNumber = new Map<string, JudgedRow[]>()
  const others: JudgedRow[] = []
  for (const row of unreadable) {
    const words = wordsOf(fileName(row.sources[0] ?? '').replace(/\.\w+$/, '')).slice(0, MOST_WORDS)
    const spans = words.flatMap((_, from) =>
      words.slice(from).map((__, length) => words.slice(from, from + length + 1).join('-')),
    )
    const known = partsIn(row.sources[0] ?? '').filter((part) => listed.has(part))
    const own = [...new Set([...known, ...spans.flatMap((span) => numbers.get(span) ?? [])])]
    for (const number of own) byNumber.set(number, [...(byNumber.get(number) ?? []), row])
    if (own.length === 0) others.push(row)
  }
  return { byNumber, others }
}

const MOST_WORDS = 20

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** What is in an assembly, by its line. */
interface Inside {
  readonly verdicts: Verdict[]
  readonly open: Set<string>
  readonly found: Set<string>
  readonly statuses: Statuses[]
}

type Statuses = NonNullable<RowLine['inside']>

/** An assembly is as bad as the worst of its lines, and says what is in it. */
function judgeAssemblies({ lines }: ProductList, rows: readonly (readonly OpenRow[])[]): void {
  const byLine = new Map<number, Inside>()
  // Lines come after the assembly that they are in.
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const { line, parent } = lines[index]!
    const inside = byLine.get(line)
    if (inside !== undefined) for (const row of rows[index]!) if (isJudged(row)) addInside(row, inside)
    const verdict = lineVerdict(rows[index]!)
    if (parent === undefined || !isJudged({ verdict })) continue
    const outer = byLine.get(parent) ?? { verdicts: [], open: new Set(), found: new Set(), statuses: [] }
    byLine.set(parent, outer)
    outer.verdicts.push(verdict)
    outer.statuses.push(worstOf([...statusesOf(rows[index]!), ...(inside?.statuses ?? [])]))
    for (const { gate, findings, line: own } of rows[index]!) {
      const found = findings.filter((one) => !isNoted(one) && one.waivers === undefined)
      for (const word of [...gate.open, ...(own?.openInside ?? [])]) outer.open.add(word)
      for (const word of [...findingWords(found), ...(own?.foundInside ?? [])]) outer.found.add(word)
    }
  }
}

/** Those of the numbers of a line that are declared. */
function statusesOf(rows: readonly OpenRow[]): readonly Statuses[] {
  const declared = rows.filter(({ status }) => status === 'declared')
  return declared.map(({ judged }) => ({ rohs: judged.rohs.status, reach: judged.reach.status }))
}

function worstOf(all: readonly Statuses[]): Statuses {
  return { rohs: worstRohs(all.map(({ rohs }) => rohs)), reach: worstReach(all.map(({ reach }) => reach)) }
}

function addInside(row: OpenRow, { verdicts, open, found, statuses }: Inside): void {
  const bad = verdicts.filter((verdict) => needsAttention({ verdict })).length
  if (bad > 0) row.notes = [...row.notes, `${bad} of ${plural(verdicts.length, 'line')} in it not clean`]
  row.verdict = lineVerdict([row, ...verdicts.map((verdict) => ({ verdict }))])
  if (row.line === undefined) return
  row.line.openInside = [...open]
  row.line.foundInside = [...found]
  if (row.status !== 'assembly' || statuses.length === 0) return
  row.line.inside = worstOf(statuses)
}
