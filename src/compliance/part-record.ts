import { cleanText } from '../base/clean-text.ts'
import type {
  Article,
  CategoryList,
  Exemption,
  ExemptionClaims,
  Quantity,
  QueryList,
  SubstanceCategory,
} from './declaration.ts'
import { codeAndName, entryKey, nameKey, oneKeyFor, packKeys, packNames } from './entry-keys.ts'
import { isDoubtful } from './exemptions.ts'
import { compareListAge, type ListIdentity, readListIdentity } from './list-identity.ts'
import {
  absoluteMassMg,
  concentrationPercent,
  readDecimal,
  readingRemarks,
  relativePercent,
} from './quantity.ts'
import { groupLimit, groupsOf } from './rohs-groups.ts'

/** What one declaration states about one part: typed statements, which depend on the file alone. */
export interface PartRecord {
  /** The class C lists by key, without what newer lists of the same family in the file replace. */
  readonly lists: readonly ListRecord[]
  /** The class A answers, list by list. */
  readonly answers: readonly AnswersRecord[]
  /** Exemptions stated outside class C; they are in use, but excuse no category. */
  readonly otherExemptions: readonly StatedExemption[]
  /** What is in the product but is not understood, each as a reason. */
  readonly unread: readonly string[]
  /** The classes whose elements the part has, as letters in order. */
  readonly classes: string
  /** Remarks on how the file writes its values. */
  readonly remarks: readonly string[]
}

/** A list about RoHS, the Candidate List, a list that names the Candidate List otherwise, or any other one. */
type RecordFamily = 'rohs' | 'reach' | 'misnamed' | 'other'

/** The statements of a class C list. */
export interface ListRecord {
  readonly family: RecordFamily
  /** Lists with the same text state about the same entries: `rohs`, `reach`, or the identity of another list. */
  readonly key: string
  readonly identity: string
  /** The identities of older lists that this one replaces as a whole. */
  readonly older: readonly string[]
  /** The text of `@revision`, where it dates the list. */
  readonly revision: string
  /** The entries with a statement for the whole part, packed. */
  readonly stated: string
  /** The entries without a statement, packed. */
  readonly silent: string
  /** Of the Candidate List, hashes of the names of entries that are known by their codes, each after its code, one to a line. */
  readonly names: string
  /** Entries with more than a plain "not over". */
  readonly marked: readonly EntryRecord[]
  /** How many categories the file has for it. */
  readonly size: number
  /** Exemptions that are stated for the list as a whole. */
  readonly exemptions: readonly StatedExemption[]
  /** An exemption is stated for it in a form that is not known. */
  readonly hasUnknownExemption: boolean
  /** Of so many sub-products so many have no such list, and the part has none of its own. */
  readonly silentArticles?: { readonly silent: number; readonly all: number } | undefined
}

/** An entry that is over its threshold, or that says more than that it is not: an exemption, or a value above the threshold. */
export interface EntryRecord {
  readonly key: string
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
  /** A value is stated that cannot be read. */
  readonly hasUnreadValue: boolean
  /** The threshold in percent, where a value is stated and the list is none whose threshold is known. */
  readonly threshold?: number | undefined
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
  readonly statements: readonly {
    readonly code: string
    readonly text: string
    /** Undefined where the answer is missing or not understood. */
    readonly answer: boolean | undefined
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
  return {
    lists: [...partLists(product, remarks)].sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))),
    answers: articles.flatMap(({ queryLists }) => queryLists.map(answersRecord)),
    otherExemptions: otherExemptions.slice(0, MOST_EXEMPTIONS),
    unread: [
      ...new Set(articles.flatMap((article) => article.unread)),
      ...(claims.some((claim) => claim.hasUnknownExemption) ? [UNKNOWN_EXEMPTION] : []),
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
interface OpenList extends Omit<ListRecord, 'stated' | 'silent' | 'names' | 'older' | 'exemptions'> {
  readonly month: string | undefined
  readonly exemptions: StatedExemption[]
  readonly older: string[]
  readonly names: string[]
  stated: string[]
  silent: string[]
  marked: EntryRecord[]
}

/**
 * The lists of the part, and those of its sub-products as far as the part has none of the family: an entry is stated where every
 * sub-product states it, and over where any is.
 */
function partLists(product: Article, remarks: Set<string>): readonly ListRecord[] {
  const parts = [...descendants(product)]
  const opened = [product, ...parts].map((article) =>
    openLists(article, article === product ? '' : articleName(article), remarks),
  )
  nameEntriesOnce(opened.flat())
  const [own = [], ...inside] = opened.map(withoutReplaced)
  const closed = own.map(closeList)
  for (const key of new Set(inside.flat().map((list) => list.key))) {
    const declaring = inside
      .map((lists) => lists.filter((list) => list.key === key))
      .filter((lists) => lists.length > 0)
    const isOwn = own.some((list) => list.key === key)
    const silent = isOwn ? 0 : parts.length - declaring.length
    const known = declaring.map((lists) => new Set(lists.flatMap(({ stated }) => stated)))
    const isEverywhere = (entry: string): boolean => known.every((one) => one.has(entry))
    const stated = isOwn || silent > 0 ? new Set<string>() : new Set([...known[0]!].filter(isEverywhere))
    const mentioned = new Set(declaring.flat().flatMap((list) => [...list.stated, ...list.silent]))
    const unstated = [...mentioned].filter((entry) => !stated.has(entry))
    const byIdentity = new Map<string, OpenList>()
    for (const list of declaring.flat()) {
      const first = byIdentity.get(list.identity)
      if (first === undefined) byIdentity.set(list.identity, list)
      else joinLists(first, list)
    }
    for (const list of byIdentity.values()) {
      closed.push({
        ...closeList({ ...list, stated: [...stated], silent: isOwn ? list.silent : unstated }),
        ...(silent > 0 ? { silentArticles: { silent, all: parts.length } } : {}),
      })
    }
  }
  return closed
}

function closeList({ month, stated, silent, names, ...list }: OpenList): ListRecord {
  return { ...list, stated: packKeys(stated), silent: packKeys(silent), names: packNames(names) }
}

function openLists({ lists }: Article, article: string, remarks: Set<string>): readonly OpenList[] {
  const open: OpenList[] = []
  for (const list of lists) {
    const next = openList(list, article, remarks)
    const same = open.find((one) => one.key === next.key && one.identity === next.identity)
    if (same === undefined) open.push(next)
    else joinLists(same, next)
  }
  for (const list of open) applyListExemptions(list)
  return open
}

/** Of Candidate Lists with and without codes, the entries have one key each. */
function nameEntriesOnce(lists: readonly OpenList[]): void {
  const candidates = lists.filter(({ family }) => family === 'reach')
  if (candidates.length < 2) return
  const keyOf = oneKeyFor(candidates.flatMap(({ names }) => names))
  for (const list of candidates) {
    list.stated = list.stated.map(keyOf)
    list.silent = list.silent.map(keyOf)
    list.marked = list.marked.map((entry) => withKey(entry, keyOf))
  }
}

/** The entry with its one key: a code, where it had only a name. */
export function withKey(entry: EntryRecord, keyOf: (key: string) => string): EntryRecord {
  const key = keyOf(entry.key)
  return key === entry.key ? entry : { ...entry, key, code: key }
}

/** The lists of an article: those of one family with what newer ones do not state. */
function withoutReplaced(lists: readonly OpenList[]): readonly OpenList[] {
  if (lists.length < 2) return lists
  return [...new Set(lists.map(({ key }) => key))].flatMap((key) =>
    notReplaced(lists.filter((list) => list.key === key)),
  )
}

function joinLists(list: OpenList, more: OpenList): void {
  list.stated.push(...more.stated)
  list.silent.push(...more.silent)
  list.marked.push(...more.marked)
  list.names.push(...more.names)
  list.exemptions.push(...more.exemptions)
}

/** An older list counts for what no newer one states; lists without a readable date neither replace nor are replaced. */
function notReplaced(lists: readonly OpenList[]): readonly OpenList[] {
  const dated = lists.filter(({ month }) => month !== undefined).sort((a, b) => compareListAge(b, a))
  const replaced = new Set<OpenList>()
  for (const [index, list] of dated.entries()) {
    const newer = dated.slice(0, index).filter(({ month }) => month! > list.month!)
    const taken = new Set(newer.flatMap(({ stated }) => stated))
    const had = list.stated.length + list.silent.length + list.marked.length
    list.stated = list.stated.filter((key) => !taken.has(key))
    list.silent = list.silent.filter((key) => !taken.has(key))
    list.marked = list.marked.filter(({ key }) => !taken.has(key))
    const left = list.stated.length + list.silent.length + list.marked.length
    if (newer.length === 0 || (left > 0 && had > 0)) continue
    replaced.add(list)
    newer[0]!.older.push(list.identity)
  }
  return lists.filter((list) => !replaced.has(list))
}

function openList(list: CategoryList, article: string, remarks: Set<string>): OpenList {
  const id = readListIdentity(list.identity, list.revision)
  const family = recordFamily(list.identity, id)
  const isRevised = family !== 'other' && id.identity !== list.identity
  const identity = cleanText(id.identity.trim() || 'a list without identity', TEXT_LENGTH)
  const opened: OpenList = {
    family,
    key: family === 'rohs' || family === 'reach' ? family : `list ${nameKey(identity)}`,
    identity,
    month: id.month,
    older: [],
    revision: isRevised ? cleanText(list.revision, 40) : '',
    names: [],
    stated: [],
    silent: [],
    marked: [],
    size: list.categories.length,
    exemptions: statedExemptions(list, ''),
    hasUnknownExemption: list.hasUnknownExemption,
  }
  for (const category of list.categories) {
    const keys = family === 'rohs' ? rohsKeys(category) : [entryKey(category.code, category.name)]
    for (const key of keys) {
      addEntry(opened, key, category, article, remarks)
      const named = family === 'reach' ? codeAndName(key, category.name) : ''
      if (named !== '') opened.names.push(named)
    }
  }
  return opened
}

/** A group, or a category that is none of the ten. */
function rohsKeys({ name, code }: SubstanceCategory): readonly string[] {
  const groups = groupsOf(name, code)
  return groups.length > 0 ? groups : [entryKey(code, name)]
}

function addEntry(
  list: OpenList,
  key: string,
  category: SubstanceCategory,
  article: string,
  remarks: Set<string>,
): void {
  const over = isOver(category)
  const written = (category.over ?? '').trim()
  if (over !== undefined) list.stated.push(key)
  else if (written === '') {
    list.silent.push(key)
    return
  }
  const { amount, concentration, hasUnknownExemption } = category
  const hasExemption = category.exemptions.length > 0 || hasUnknownExemption
  if (over === false && amount === undefined && concentration === undefined && !hasExemption) return
  const values = valuesOf(category, remarks)
  const name = cleanText(category.name, TEXT_LENGTH)
  const code = cleanText(category.code, TEXT_LENGTH)
  const entry: EntryRecord = {
    key,
    name: name || code,
    code,
    state: over === undefined ? 'unclear' : over ? 'over' : 'not over',
    text: over === undefined ? cleanText(written, 40) : '',
    ...values,
    threshold: list.family === 'other' ? thresholdPercent(category.threshold) : undefined,
    exemptions: statedExemptions(category, name),
    hasUnknownExemption,
    mayBeExempt: false,
    article,
  }
  if (over !== false || hasExemption || values.hasUnreadValue || mayBeAbove(list, entry))
    list.marked.push(entry)
}

/** A mass is a share of the part, whose mass is known later. */
function mayBeAbove(list: OpenList, entry: EntryRecord): boolean {
  const shares = [entry.percent, entry.concentration]
  return (
    (entry.massMg ?? 0) > 0 || shares.some((share) => share !== undefined && isAboveLimit(list, entry, share))
  )
}

function valuesOf(
  { amount, concentration, name, code }: SubstanceCategory,
  remarks: Set<string>,
): Pick<EntryRecord, 'percent' | 'massMg' | 'concentration' | 'hasUnreadValue'> {
  const percent = relativePercent(amount)
  const massMg = absoluteMassMg(amount)
  const share = concentrationPercent(concentration)
  const subject = cleanText(name || code, 100)
  const isRead = (percent ?? massMg) !== undefined
  for (const remark of [
    ...readingRemarks(amount, isRead, 'amount', subject),
    ...readingRemarks(concentration, share !== undefined, 'concentration', subject),
  ]) {
    remarks.add(remark)
  }
  const hasUnreadValue = (!isRead && saysMore(amount)) || (share === undefined && saysMore(concentration))
  return { percent, massMg, concentration: share, hasUnreadValue }
}

/** True for a value that is neither left out, nor none in any unit, nor an upper bound such as `< 0.1`. */
function saysMore(quantity: Quantity | undefined): boolean {
  if (quantity === undefined) return false
  return (
    !isPlaceholder(quantity.value) && !/^\s*[<≤]/.test(quantity.value) && readDecimal(quantity.value) !== 0
  )
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

function recordFamily(
  written: string,
  { family, month }: Pick<ListIdentity, 'family' | 'month'>,
): RecordFamily {
  if (family === 'rohs') return 'rohs'
  if (family === 'svhc' && month !== undefined) return 'reach'
  return /reach|svhc|candidate|very high concern/i.test(written) ? 'misnamed' : 'other'
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
  return /^(?:[\W_]*|0|n\.?[/ ]?a\.?|none|no|nil|null|(?:none|not?) (?:applicable|available|required|exemptions?)|unknown|tbd)$/i.test(
    text.trim(),
  )
}

function answersRecord({ identity, statements }: QueryList): AnswersRecord {
  return {
    list: cleanText(identity, 60),
    count: statements.length,
    statements: statements.slice(0, MOST_STATEMENTS).map(({ code, text, answer }) => ({
      code: cleanText(code, 40),
      text: cleanText(text, 120),
      answer: readAnswer(answer),
    })),
  }
}

/** True where an answer is understood: the statements about a list are then made. */
export function isAnswered({ statements }: AnswersRecord): boolean {
  return statements.some(({ answer }) => answer !== undefined)
}

function readAnswer(answer: string | undefined): boolean | undefined {
  if (answer === undefined) return undefined
  if (/^(?:true|1|yes|x|checked|selected)$/i.test(answer)) return true
  return /^(?:false|0|no|)$/i.test(answer) ? false : undefined
}

/** The percentage, or the parts per million, in the text of a threshold such as `0.1% by weight (1 000 ppm) of any article`. */
function thresholdPercent(text: string | undefined): number | undefined {
  const [, percent] = /(\d+(?:[.,]\d+)?)\s*(?:%|percent|mass ?percent)/i.exec(text ?? '') ?? []
  if (percent !== undefined) return Number(percent.replace(',', '.'))
  const [, ppm] = /(\d[\d ]*(?:[.,]\d+)?)\s*(?:ppm|mg\/kg)/i.exec(text ?? '') ?? []
  return ppm === undefined ? undefined : Number(ppm.replaceAll(' ', '').replace(',', '.')) / 10_000
}

/** True for a share above the limit of a RoHS group, above 0.1 % for the Candidate List, or above the threshold that the list states. */
export function isAboveLimit(
  { family }: Pick<ListRecord, 'family'>,
  { key, threshold }: Pick<EntryRecord, 'key' | 'threshold'>,
  percent: number,
): boolean {
  if (family === 'other') return threshold !== undefined && percent > threshold
  return percent > (family === 'rohs' ? groupLimit(key) : 0.1)
}
