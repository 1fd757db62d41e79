import { cleanText } from '../base/clean-text.ts'
import { largest } from '../base/extremes.ts'
import type {
  Article,
  CategoryList,
  Exemption,
  ExemptionClaims,
  Quantity,
  QueryList,
  SubstanceCategory,
  Unread,
} from './declaration.ts'
import { type ListEntry, nameKey } from './entry-keys.ts'
import { isDoubtful } from './exemptions.ts'
import { kindOfList, type ListKind, readListIdentity } from './list-identity.ts'
import {
  absoluteMassMg,
  belowBound,
  concentrationPercent,
  isNotDetected,
  readDecimal,
  readingRemarks,
  relativePercent,
} from './quantity.ts'
import {
  digestOf,
  digestOfEntries,
  remembered,
  sharedEntries,
  sharedEntry,
  textOfEntry,
} from './shared-entries.ts'

/** What one declaration states about one part: typed statements, which depend on the file alone. Lines are counted from the product's. */
export interface PartRecord {
  /** The class C lists of the part and its sub-products, as stated: what newer ones replace is in it too. */
  readonly lists: readonly ListRecord[]
  /** The names of the sub-products, at any depth, in the order of their numbers. */
  readonly articles: readonly string[]
  /** The class A answers, list by list. */
  readonly answers: readonly AnswersRecord[]
  /** Exemptions stated outside class C; they are in use, but excuse no category. */
  readonly otherExemptions: readonly StatedExemption[]
  /** What is in the product but is not understood. */
  readonly unread: readonly Unread[]
  /** The classes whose elements the part has, as letters in order. */
  readonly classes: string
  /** Remarks on how the file writes its values. */
  readonly remarks: readonly string[]
}

/** The statements of a class C list. */
export interface ListRecord {
  readonly kind: ListKind
  /** Lists with the same text state about the same entries: `rohs`, `reach`, or the identity of another list. */
  readonly key: string
  readonly identity: string
  /** `YYYY-MM` of a dated list. */
  readonly month: string | undefined
  /** The text of `@revision`, where it dates the list. */
  readonly revision: string
  readonly line: number
  /** The sub-product that states it, empty for the part itself; and its number, from 0 for the part, for names repeat. */
  readonly article: string
  readonly articleNumber: number
  /** Entries with a plain "not over". Lists with the same ones share them. */
  readonly plain: readonly ListEntry[]
  /** Of a RoHS list, the line of each of them. */
  readonly plainLines: readonly number[]
  /** Entries without a statement. */
  readonly silent: readonly SilentEntry[]
  /** Entries with more than a plain "not over". */
  readonly marked: readonly EntryRecord[]
  /** How many categories the file has for it. */
  readonly size: number
  /** Exemptions that are stated for the list as a whole. */
  readonly exemptions: readonly StatedExemption[]
  /** An exemption is stated for it in a form that is not known. */
  readonly hasUnknownExemption: boolean
  /** Answers in it that are not understood. */
  readonly unread: readonly Unread[]
}

/** An entry without a statement. */
interface SilentEntry {
  readonly entry: ListEntry
  readonly line: number
}

/** An entry that is over its threshold, or that says more than that it is not: an exemption or a value. */
export interface EntryRecord {
  readonly entry: ListEntry
  readonly line: number
  /** Its code where it has no name. */
  readonly name: string
  readonly code: string
  readonly state: 'over' | 'not over' | 'unclear'
  /** The text of a statement that is not understood. */
  readonly text: string
  /** The worst case in the part: in percent, or in milligrams. */
  readonly percent?: number | undefined
  readonly massMg?: number | undefined
  /** The worst case in a homogeneous material, in percent. */
  readonly concentration?: number | undefined
  /** The highest upper bound in percent, such as that of `< 0.1`. */
  readonly upTo?: number | undefined
  /** A value that cannot be read, with what it is: `concentration "n.s."`; empty without one. */
  readonly unreadValue: string
  readonly exemptions: readonly StatedExemption[]
  /** An exemption is stated in a form that is not known. */
  readonly hasUnknownExemption: boolean
  /** An exemption of the whole list covers this entry or another one. */
  readonly mayBeExempt: boolean
  /** The sub-product that states it; empty for the part itself. */
  readonly article: string
}

/** An exemption as declared: its text, the list that it is from, and what it is stated for. */
export interface StatedExemption {
  readonly identity: string
  readonly list: string
  readonly subject: string
}

/** The class A statements about one list; those with an answer that is understood, or with none. */
export interface AnswersRecord {
  readonly list: string
  readonly count: number
  readonly line: number
  readonly statements: readonly {
    readonly code: string
    readonly text: string
    /** Undefined where the answer is missing or not understood. */
    readonly answer: boolean | undefined
    /** The text of an answer that is not understood; empty otherwise. */
    readonly quoted: string
  }[]
}

const MOST_EXEMPTIONS = 1_000
const MOST_STATEMENTS = 50
const MOST_REMARKS = 20
const TEXT_LENGTH = 300

/** The record of a product and its sub-products. */
export function partRecord(product: Article): PartRecord {
  const articles = [product, ...descendants(product)]
  const remarks = new Set<string>()
  const claims = articles.flatMap((article) => article.otherClaims)
  const otherExemptions = claims.flatMap((claim) => statedExemptions(claim, claim.subject))
  const from = product.line
  const lists = articles.flatMap((article, number) =>
    openLists(article, { name: number === 0 ? '' : articleName(article), number, from }, remarks),
  )
  const answers = articles.flatMap(({ queryLists }) => queryLists.map((list) => answersRecord(list, from)))
  return {
    lists: lists.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(closeList),
    articles: articles.slice(1).map(articleName),
    answers,
    otherExemptions: otherExemptions.slice(0, MOST_EXEMPTIONS),
    unread: [
      ...relative(
        articles.flatMap((article) => article.unread),
        from,
      ),
      ...(claims.some((claim) => claim.hasUnknownExemption) ? [{ text: UNKNOWN_EXEMPTION, line: 0 }] : []),
      ...lists.flatMap(unidentified),
    ],
    classes: [
      articles.some((article) => article.queryLists.length > 0) ? 'A' : '',
      articles.some((article) => article.hasMaterialGroups) ? 'B' : '',
      articles.some((article) => article.lists.length > 0) ? 'C' : '',
      articles.some((article) => article.materials.length > 0) ? 'D' : '',
    ].join(''),
    remarks: [...remarks].slice(0, MOST_REMARKS),
  }
}

const NO_IDENTITY = 'a list without identity'

/** A list without identity may be RoHS or the Candidate List: what it states over is of all of them. */
function unidentified({ identity, marked }: OpenList): readonly Unread[] {
  const over = identity === NO_IDENTITY ? marked.filter(({ state }) => state === 'over') : []
  const names = [...new Set(over.map(({ name }) => name))].slice(0, 5).join(', ')
  return over.length === 0 ? [] : [{ text: `${NO_IDENTITY} states over: ${names}`, line: over[0]!.line }]
}

function relative(unread: readonly Unread[], from: number): readonly Unread[] {
  return unread.map(({ text, line }) => ({ text: cleanText(text, TEXT_LENGTH), line: line - from }))
}

/** Why something is incomplete although every category has a statement. */
export const UNKNOWN_EXEMPTION = 'an exemption is stated in a form that is not recognized'

/** The sub-products of an article, at any depth. */
function* descendants(article: Article): Generator<Article> {
  for (const part of article.subProducts) {
    yield part
    yield* descendants(part)
  }
}

/** A sub-product in a text. */
export function articleName(part: Article): string {
  return cleanText(part.ids[0]?.itemNumber || part.ids[0]?.itemName || 'sub-product', 60)
}

/** Whether a category is declared over its threshold; undefined without a statement, or with an unknown one. */
export function isOver({ over }: Pick<SubstanceCategory, 'over'>): boolean | undefined {
  if (over === 'false') return false
  const text = over?.trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** The lists of one article while they are read. */
type OpenList = {
  -readonly [Name in Exclude<keyof ListRecord, 'plain'>]: ListRecord[Name] extends readonly (infer T)[]
    ? T[]
    : ListRecord[Name]
} & { readonly plain: ReturnType<typeof sharedEntry>[] }

/** The lists of an article; several elements with one identity are one list. */
function openLists({ lists }: Article, of: ListOwner, remarks: Set<string>): readonly OpenList[] {
  const open: OpenList[] = []
  for (const list of lists) {
    const next = openList(list, of, remarks)
    const same = open.find((one) => one.key === next.key && one.identity === next.identity)
    if (same === undefined) open.push(next)
    else joinLists(same, next)
  }
  for (const list of open) applyListExemptions(list)
  return open
}

/** The list with the entries that it shares with others. */
function closeList({ plain, plainLines, ...list }: OpenList): ListRecord {
  const { entries, lines } = sharedEntries(plain, plainLines)
  return { ...list, plain: entries, plainLines: lines }
}

function joinLists(list: OpenList, more: OpenList): void {
  for (const one of more.plain) list.plain.push(one)
  for (const one of more.plainLines) list.plainLines.push(one)
  for (const one of more.silent) list.silent.push(one)
  for (const one of more.marked) list.marked.push(one)
  for (const one of more.exemptions) list.exemptions.push(one)
  for (const one of more.unread) list.unread.push(one)
  list.size += more.size
  list.hasUnknownExemption ||= more.hasUnknownExemption
}

/** The article that a list is of, and the line that its own are counted from. */
interface ListOwner {
  readonly name: string
  readonly number: number
  readonly from: number
}

function openList(list: CategoryList, { name, number, from }: ListOwner, remarks: Set<string>): OpenList {
  const id = readListIdentity(list.identity, list.revision)
  const kind = kindOfList(id.identity)
  const isRevised = id.family !== 'other' && id.identity !== list.identity
  const identity = cleanText(id.identity.trim() || NO_IDENTITY, TEXT_LENGTH)
  const opened: OpenList = {
    kind,
    key: kind === 'rohs' || kind === 'reach' ? kind : `list ${nameKey(identity)}`,
    identity,
    month: id.month,
    revision: isRevised ? cleanText(list.revision, 40) : '',
    line: list.line - from,
    article: name,
    articleNumber: number,
    plain: [],
    plainLines: [],
    silent: [],
    marked: [],
    size: list.categories.length,
    exemptions: statedExemptions(list, ''),
    hasUnknownExemption: list.hasUnknownExemption,
    unread: [...relative(list.unread, from)],
  }
  for (const category of list.categories) addEntry(opened, category, from, remarks)
  return opened
}

function addEntry(list: OpenList, category: SubstanceCategory, from: number, remarks: Set<string>): void {
  const { amounts, concentrations, hasUnknownExemption, exemptions } = category
  const entry = sharedEntry(category)
  const line = category.line - from
  const over = isOver(category)
  const written = (category.over ?? '').trim()
  if (over === undefined && written === '') {
    list.silent.push({ entry, line })
    return
  }
  const hasMore = amounts.length + concentrations.length + exemptions.length > 0 || hasUnknownExemption
  if (over === false && !hasMore) {
    list.plain.push(entry)
    if (list.kind === 'rohs') list.plainLines.push(line)
    return
  }
  const name = cleanText(category.name, TEXT_LENGTH)
  const code = cleanText(category.code, TEXT_LENGTH)
  list.marked.push({
    entry,
    line,
    name: name || code,
    code,
    state: over === undefined ? 'unclear' : over ? 'over' : 'not over',
    text: over === undefined ? cleanText(written, 40) : '',
    ...valuesOf(category, remarks),
    exemptions: statedExemptions(category, name),
    hasUnknownExemption,
    mayBeExempt: false,
    article: list.article,
  })
}

/** The highest of each kind of value. */
function valuesOf(
  { amounts, concentrations, name, code }: SubstanceCategory,
  remarks: Set<string>,
): Pick<EntryRecord, 'percent' | 'massMg' | 'concentration' | 'upTo' | 'unreadValue'> {
  const subject = cleanText(name || code, 100)
  let unreadValue = ''
  const note = (quantity: Quantity, isRead: boolean, what: string): void => {
    // That nothing is detected, or that it is less than so much, is understood.
    if (!isRead && !saysMore(quantity)) return
    for (const remark of readingRemarks(quantity, isRead, what, subject)) remarks.add(remark)
    if (!isRead) unreadValue ||= `${what} "${cleanText(`${quantity.value} ${quantity.unit}`.trim(), 40)}"`
  }
  for (const amount of amounts) {
    note(amount, (relativePercent(amount) ?? absoluteMassMg(amount)) !== undefined, 'amount')
  }
  for (const share of concentrations) note(share, concentrationPercent(share) !== undefined, 'concentration')
  return {
    percent: highest(amounts.map(relativePercent)),
    massMg: highest(amounts.map(absoluteMassMg)),
    concentration: highest(concentrations.map(concentrationPercent)),
    upTo: highest([
      ...[...amounts, ...concentrations].map((quantity) => concentrationPercent(belowBound(quantity))),
    ]),
    unreadValue,
  }
}

function highest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : largest(known)
}

/** True for a value that is neither left out, nor none in any unit, nor not detected, nor an upper bound in percent such as `< 0.1`. */
function saysMore(quantity: Quantity): boolean {
  const { value } = quantity
  if (isPlaceholder(value) || isNotDetected(value) || readDecimal(value) === 0) return false
  return concentrationPercent(belowBound(quantity)) === undefined
}

/** An exemption of the list covers the only entry that is over without one; of several it is not known which. */
function applyListExemptions(list: OpenList): void {
  if (list.exemptions.length === 0) return
  const bare = list.marked.filter(({ state, exemptions }) => state === 'over' && exemptions.length === 0)
  const entries = new Set(bare.map(({ name, code }) => `${code}\n${name}`)).size
  if (entries === 0) return
  list.marked = list.marked.map((entry) => {
    if (!bare.includes(entry)) return entry
    return entries === 1 ? { ...entry, exemptions: list.exemptions } : { ...entry, mayBeExempt: true }
  })
}

/** The exemptions that have a text, which need not be a number. */
function statedExemptions({ exemptions }: ExemptionClaims, subject: string): StatedExemption[] {
  return exemptions.flatMap((exemption) => {
    const identity = exemptionText(exemption)
    return identity === ''
      ? []
      : [{ identity, list: cleanText(exemption.list, TEXT_LENGTH), subject: cleanText(subject, TEXT_LENGTH) }]
  })
}

/** The identity, or else the description; both where the description leaves open whether the exemption is claimed. */
function exemptionText({ identity, description }: Exemption): string {
  if (identity.trim() === '' || isPlaceholder(identity))
    return cleanText(description.trim() || identity, TEXT_LENGTH)
  const isTakenBack = isDoubtful(description) && !isDoubtful(identity)
  return cleanText(isTakenBack ? `${identity}: ${description}` : identity, TEXT_LENGTH)
}

/** What some writers give where no exemption is claimed. */
export function isPlaceholder(text: string): boolean {
  return /^(?:[^\p{L}\p{N}]*|0|n\.?[/ ]?a\.?|none|no|nil|null|(?:none|not?) (?:applicable|available|required|exemptions?)|unknown|tbd)$/iu.test(
    text.trim(),
  )
}

function answersRecord({ identity, statements, line }: QueryList, from: number): AnswersRecord {
  return {
    list: cleanText(identity, 60),
    count: statements.length,
    line: line - from,
    statements: statements.slice(0, MOST_STATEMENTS).map(({ code, text, answer: written }) => {
      const answer = readAnswer(written)
      const quoted = answer === undefined ? cleanText(written ?? '', 40) : ''
      return { code: cleanText(code, 40), text: cleanText(text, 120), answer, quoted }
    }),
  }
}

/** True where an answer is understood: the statements about a list are then made. */
export function isAnswered({ statements }: AnswersRecord): boolean {
  return statements.some(({ answer }) => answer !== undefined)
}

function readAnswer(answer: string | undefined): boolean | undefined {
  if (answer === undefined) return undefined
  if (/^(?:true|1|yes|y|x|checked|selected)$/i.test(answer)) return true
  return /^(?:false|0|no|n|n\/?a|-|unchecked|)$/i.test(answer) ? false : undefined
}

/** About how much memory a record takes that shares nothing. */
export function sizeOfRecord({ lists }: PartRecord): number {
  return 500 + lists.reduce((sum, list) => sum + 200 * list.marked.length + 16 * list.size, 0)
}

/** Adds the entries of a record to those of others, as objects, and the sets of them. */
export function collectEntries(known: Set<object>, { lists }: PartRecord): void {
  for (const { plain } of lists) {
    if (known.has(plain)) continue
    known.add(plain)
    for (const entry of plain) known.add(entry)
  }
}

/** Identifies what a record states, in whatever order and on whatever lines. */
export const digestOfRecord = remembered(({ lists, answers, unread, ...rest }: PartRecord): string =>
  digestOf([
    JSON.stringify([
      rest,
      lists.map(digestOfList).sort(),
      answers.map((one) => ({ ...one, line: 0 })),
      unread.map(({ text }) => text),
    ]),
  ]),
)

function digestOfList({ plain, silent, marked, unread, ...rest }: ListRecord): string {
  return digestOf([
    JSON.stringify({ ...rest, line: 0, plainLines: [], unread: unread.map(({ text }) => text) }),
    digestOfEntries(plain),
    ...silent.map(({ entry }) => textOfEntry(entry)).sort(),
    ...sortedTexts(marked.map((one) => ({ ...one, line: 0, entry: textOfEntry(one.entry) }))),
  ])
}

function sortedTexts(all: readonly object[]): readonly string[] {
  return all.map((one) => JSON.stringify(one)).sort()
}
