import papaparse from 'papaparse'
import { largest } from '../base/extremes.ts'
import table from './heading-words.csv'

/** What a column of part numbers holds, and what the other columns of a list do. */
export const NUMBER_ROLES = ['manufacturer number', 'part number', 'supplier number', 'own number'] as const
export type NumberRole = (typeof NUMBER_ROLES)[number]
const OTHER_ROLES = [
  'quantity',
  'unit',
  'level',
  'item',
  'manufacturer',
  'supplier',
  'designator',
  'fitted',
  'not fitted',
  'description',
  'parent',
  'other',
] as const
export type HeadingRole = NumberRole | (typeof OTHER_ROLES)[number]

/** Words of one meaning. */
interface WordClass {
  readonly name: string
  /** How much it speaks against a part number: the number is that of a price, a drawing, an invoice. */
  readonly against: number
  /** The column is for something else. */
  readonly isOther: boolean
  readonly words: readonly string[]
}

/** Every word that headings are understood by. */
export function wordClasses(): readonly WordClass[] {
  const { data } = papaparse.parse<string[]>(table.trim(), { delimiter: ',' })
  return data.slice(1).map(([name, against, other, words]) => ({
    name: name!,
    against: Number(against),
    isOther: other !== '',
    words: words!.split(' '),
  }))
}

/** Longer texts are no headings, unless their first line is one. */
const LONGEST_HEADING = 70

/** A sign of Chinese, Japanese or Korean. */
export const EAST_ASIAN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/

/** The table of words. Made when it is first needed: a report without a parts list needs none of it. */
class Dictionary {
  readonly classes: ReadonlyMap<string, WordClass>
  readonly #classOf = new Map<string, string>()
  /** Words that others can be made of. */
  readonly #stems: ReadonlySet<string>
  readonly #longest: number

  constructor() {
    this.classes = new Map(wordClasses().map((one) => [one.name, one]))
    for (const { name, words } of this.classes.values())
      for (const word of words) this.#classOf.set(word, name)
    const isStem = (word: string): boolean =>
      word.length >= 3 || EAST_ASIAN.test(word) || ['no', 'nr', 'pn', 'id'].includes(word)
    this.#stems = new Set([...this.#classOf.keys()].filter(isStem))
    this.#longest = largest([...this.#stems].map((word) => word.length))
  }

  isOf(name: string, word: string): boolean {
    return this.#classOf.get(word) === name
  }

  /** The classes of a word: of itself, of the words it is made of, or of one that differs in a letter. */
  classesOf(word: string): readonly string[] | undefined {
    const known = this.#classOf.get(word)
    if (known !== undefined) return [known]
    const parts = word.length < 4 && !EAST_ASIAN.test(word) ? undefined : this.#compound(word)
    if (parts !== undefined) return parts
    if (EAST_ASIAN.test(word)) return this.#knownSigns(word)
    if (word.length < 5 || /\d/.test(word)) return undefined
    const similar = [...this.#stems].find((stem) => stem.length >= 5 && differsInOneLetter(stem, word))
    return similar === undefined ? undefined : [this.#classOf.get(similar)!]
  }

  /** `Herstellerteilenummer`, `componentPartNumber`, `制造商零件编号`: the longest words first; German joins them with a letter. */
  #compound(word: string, failed = new Set<number>(), at = 0): readonly string[] | undefined {
    if (at >= word.length) return []
    if (failed.has(at)) return undefined
    for (let length = Math.min(this.#longest, word.length - at); length > 0; length -= 1) {
      const stem = word.slice(at, at + length)
      if (!this.#stems.has(stem)) continue
      for (const joint of ['', 's', 'n', 'en', 'e']) {
        if (!word.startsWith(joint, at + length)) continue
        const rest = this.#compound(word, failed, at + length + joint.length)
        if (rest !== undefined) return [this.#classOf.get(stem)!, ...rest]
      }
    }
    failed.add(at)
    return undefined
  }

  #knownSigns(word: string): readonly string[] | undefined {
    const found: string[] = []
    let known = 0
    for (let at = 0; at < word.length; ) {
      let length = Math.min(this.#longest, word.length - at)
      while (length > 0 && !this.#classOf.has(word.slice(at, at + length))) length -= 1
      if (length > 0) found.push(this.#classOf.get(word.slice(at, at + length))!)
      known += length
      at += length || 1
    }
    // A sign that is known says nothing of a long text.
    return known * 2 < word.length ? undefined : found
  }
}

/** True for a letter more, less or another, after the first. */
function differsInOneLetter(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short[0] !== long[0] || long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  return short.slice(at + (short.length < long.length ? 0 : 1)) === long.slice(at + 1)
}

let dictionary: Dictionary | undefined

/** True for the name of a shop: `eBay`, `Digi-Key`. */
export function isShop(text: string): boolean {
  if (text.length > 20) return false
  dictionary ??= new Dictionary()
  return dictionary.isOf('shop', text.toLowerCase().replace(/[\s-]|\.(?:com|de)$/g, ''))
}

/** `EAN: 4250236821689`, `Farnell order code 2310668`, `3287528 (Farnell)` without the words that say whose number it is. */
export function withoutLabel(text: string): string {
  const [, first, last] = /^([^\s:]*\d[^\s:]*) \(([^()]+)\)$/.exec(text) ?? []
  if (last !== undefined && isShop(last)) return first!
  const [, label, colon, number] = LABELLED.exec(text) ?? []
  if (label === undefined || text.length > 80) return text
  const [shop, ...words] = label.split(/\s+/) as [string, ...string[]]
  const saysNumber = (what: string): boolean => numberPointsOf(headingScores(what)) >= 3
  const isLabel =
    colon!.trim() === ''
      ? (isShop(shop) &&
          !/^\d{1,4}\+?$/.test(number!) &&
          (words.length === 0
            ? shop.length > 2 || /\d{3}-?\d{3}/.test(number!)
            : saysNumber(words.join(' ')))) ||
        (words.length > 0 && numberPointsOf(headingScores(label)) >= 5)
      : NUMBER_LABEL.test(label) || isShop(label) || saysNumber(label)
  return isLabel ? number! : text
}

const LABELLED = /^(\p{L}[\p{L}\p{N}.\-/# ]{1,30}?)(\s*[:：]\s*|\s+)((?=\S*\d\S)[^\s:]+)$/u
const NUMBER_LABEL = /^(?:EAN|GTIN|UPC|ASIN|NSN|PID|product id|ref)\.?$/i

/** A heading in words. */
interface Heading {
  /** Its text in small letters, with signs such as `P/N` as words. */
  readonly text: string
  /** The classes of its words, in order. */
  readonly classes: readonly string[]
  readonly unknown: number
  /** Its number among choices such as `MPN 2`; 0 without one. */
  readonly choice: number
}

// What is written in several ways, as one word.
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/n[°º]|№/g, ' no '],
  [/#/g, ' # '],
  [/[$€£¥]/g, ' price '],
  [/^\s*p\s?\/\s?np\s*$/g, ' fitted '],
  [/\bp\s?\/\s?n(?:o|r)?\b|\bn\s?\/\s?p\b|^\s*p\s*#\s*$/g, ' pn '],
  [/\bu\s?\/\s?m\b|\bu\.\s?m\./g, ' uom '],
  [/q\.?t[àa](?!\p{L})/gu, ' qta '],
  [/\b(?:do\s+not|don'?t)\s+(?:place|fit|populate|mount|install|stuff|assemble)\b/g, ' dnp '],
  [/\bnot\s+(?:placed|fitted|populated|mounted|installed|stuffed|assembled)\b/g, ' dnp '],
  [/\bno\s+(?:stuff|mount|pop|place|fit|montar|montado)\b/g, ' dnp '],
  [/digi-?\s?key/g, 'digikey'],
  [/brick\s?link/g, 'brick'],
  // Any other shop.
  [/\b[\w-]+\.(?:com|de|net|eu)\b/g, ' octopart '],
  [/q['’-]ty/g, 'qty'],
  // A count of them.
  [/^\s*#\s*(?=order|need|required|used|per\b|of\b)/g, ' qty '],
  [/(?<=qty|quantity|menge|anzahl|pcs)\s*\/\s*(?=\p{L}{3})/gu, ' per '],
  [/\b(?:2nd|second) source\b/g, ' alternate '],
  // Alone, it is a note.
  [/\bapproved\s+(?=alternat|equivalent|substitut|part|vendor|supplier)/g, ' '],
  // A list may call its numbers `Serial`.
  [/\bserial\s+(?=(?:no|nr|num|number)s?\b|#)/g, ' serialnumber '],
  [/ref(?:erence)?[\s.]*des(?:ignator)?s?\b/g, ' refdes '],
  [/\((?:s|es|n)\)/g, ''],
  [/\b([1-9])(?:st|nd|rd|th)\b/g, ' $1 '],
]

function readHeading(heading: string): Heading | undefined {
  let text = heading
    .replaceAll('_', ' ')
    .replace(/n\.?\s?[º°]/gi, ' no ')
    .normalize('NFKC')
    .trim()
  // `bom_line_ids/product_id/default_code` and `Parts/Sub Part/Mfr Number` are paths to what a line holds.
  if (/\p{L}[^/]*\/[^/]*\p{L}[^/]*\/|(?:\bids|lines)\//iu.test(text)) {
    text = `child ${text
      .split('/')
      .slice(-2)
      .join(' ')
      .replace(/template|default/gi, '')}`
  }
  text = text
    .replace(/(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{Ll})(?=\p{Lu}\p{Ll})|(?<=\p{Ll}{2})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .replace(/(\S.*)\((?:items?|lines?)\)$/, 'child $1')
  for (const [pattern, word] of SPELLINGS) text = text.replace(pattern, word)
  const classes: string[] = []
  let unknown = 0
  let choice = 0
  dictionary ??= new Dictionary()
  for (const word of text.split(/[^\p{L}\p{M}\p{N}#°ー]+/u)) {
    if (word === '') continue
    if (/^[1-9]$/.test(word)) {
      choice = Number(word)
      continue
    }
    const whole = dictionary.classesOf(word)
    const numbered = whole === undefined ? /^(\D{2,})([1-9])$/.exec(word) : null
    const found = whole ?? (numbered === null ? undefined : dictionary.classesOf(numbered[1]!))
    if (found === undefined) unknown += 1
    else {
      for (const name of found) if (name !== 'filler') classes.push(name)
      if (numbered !== null) choice = Number(numbered[2])
      // What is left of `Alternative Type` says what the alternates are.
      if (found.includes('alternate')) text = text.replace(word, '').trim() || text
    }
  }
  return text === '' ? undefined : { text, classes, unknown, choice }
}

/** How much a heading says each role: 0 nothing, 3 that it may be it, 5 and more that it is. */
export interface HeadingScores {
  readonly points: { readonly [role in HeadingRole]?: number }
  /** The role with the most points, and these. */
  readonly best: number
  readonly choice: number
  /** An alternate of the line's part. */
  readonly isAlternate: boolean
  /** Its words by class: equal for headings that differ only in their choice. */
  readonly key: string
  /** The quantity of the whole product, not of one assembly. */
  readonly isTotal: boolean
  /** What is to be bought: none of a part may be, as it is in stock. */
  readonly isOrder: boolean
  /** The column holds notes, comments or values. */
  readonly isNote: boolean
  /** Every word of it is known. */
  readonly isKnown: boolean
  /** What an assembly is made of, not the assembly. */
  readonly isChild: boolean
  /** Prices, sizes, links and the like: whatever it holds, it is no part number. */
  readonly isElse: boolean
}

/** How much a heading says any of the four kinds of part numbers. */
export function numberPointsOf({ points }: Pick<HeadingScores, 'points'>): number {
  return NUMBER_ROLES.reduce((most, role) => Math.max(most, points[role] ?? 0), 0)
}

const NOTHING: HeadingScores = {
  points: {},
  best: 0,
  choice: 0,
  isAlternate: false,
  key: '',
  isTotal: false,
  isOrder: false,
  isNote: false,
  isKnown: false,
  isChild: false,
  isElse: false,
}

const remembered = new Map<string, HeadingScores>()

/** The scores of a heading; those of texts seen before are remembered. */
export function headingScores(heading: string): HeadingScores {
  if (heading.includes('://')) return NOTHING
  if (heading.length > LONGEST_HEADING) {
    const first = /^[^\n]{1,70}(?=\n)/.exec(heading)
    return first === null ? NOTHING : headingScores(first[0])
  }
  const known = remembered.get(heading)
  if (known !== undefined) return known
  const scores = withoutLabel(heading) === heading ? scoreHeading(readHeading(heading)) : NOTHING
  if (remembered.size < 5000) remembered.set(heading, scores)
  return scores
}

class Points {
  readonly points: { [role in HeadingRole]?: number } = {}

  add(role: HeadingRole, points: number): void {
    this.points[role] = (this.points[role] ?? 0) + points
  }
}

function scoreHeading(heading: Heading | undefined): HeadingScores {
  if (heading === undefined || (heading.classes.length === 0 && heading.unknown > 0)) return NOTHING
  const { classes, choice, text } = heading
  const of = new Set(classes)
  const has = (...names: readonly string[]): boolean => names.some((name) => of.has(name))
  const score = new Points()
  numberPoints(heading, has, score)
  reducePoints(heading, has, score)
  otherPoints(heading, has, score)
  const best = Math.max(0, largest(Object.values(score.points)))
  const isNumber = has(
    'number',
    'part number',
    'part',
    'component',
    'item',
    'manufacturer number',
    'model',
    'reference',
  )
  return {
    points: score.points,
    best,
    choice,
    isAlternate: has('alternate') && (isNumber || numberPointsOf(score) > 0),
    key: classes.join(' ') || text,
    isTotal: has('total'),
    isOrder: has('order') || /\b(?:buy|purchase)\b/.test(text),
    isNote: has('note', 'value'),
    isKnown: heading.unknown === 0,
    isChild: has('child', 'component') && !has('parent'),
    isElse: classes.some((name) => {
      const { isOther, against } = dictionary!.classes.get(name)!
      return isOther && against >= 4 && !(name === 'link' && has('shop'))
    }),
  }
}

type Has = (...names: readonly string[]) => boolean

/** The four kinds of part numbers: a word for a number, or a thing said to be of a manufacturer or a supplier. */
function numberPoints({ classes, text, unknown }: Heading, has: Has, score: Points): void {
  // `ID (Items)` is the key of a row of ERPNext.
  if (/^child ids?\W*$/.test(text)) return
  const isNumber = has('number', 'part number', 'manufacturer number', 'supplier number', 'own number')
  const isReference = has('reference', 'reference number')
  const isThing = isReference || has('part', 'component', 'item', 'order', 'catalog', 'model')
  if (has('manufacturer', 'manufacturer number')) {
    // `Part Manufacturer` and `部品メーカー` are companies.
    const isCompany = !isNumber && !isReference && classes.at(-1) === 'manufacturer'
    const isNamed = has('name') || classes.at(-1) === 'type' || isCompany
    if (has('manufacturer number') || isNumber || isThing) {
      score.add('manufacturer number', isNamed ? 2.5 : has('supplier', 'shop') ? 5.5 : 6.5)
      if (isNamed) score.add('manufacturer', 6)
    } else {
      score.add('manufacturer', 6)
      // `Herstellerbezeichnung` has either.
      if (/bezeichnung|designation/.test(text)) score.add('manufacturer number', 7.5)
    }
    return
  }
  if (has('supplier', 'shop', 'supplier number')) {
    const isCompany = !has('shop') && !isThing && /\bids?\b/.test(text)
    if (has('supplier number') || (!isCompany && (isNumber || isThing))) {
      // `Vendor No.` can be the company's.
      score.add('supplier number', isThing || has('shop', 'supplier number') ? 5 : 3.5)
    } else if (has('shop')) score.add('supplier number', 3.5)
    else {
      score.add('supplier', 5)
      // `Vendor ID` is most often the company's.
      if (isCompany) score.add('supplier number', 2.5)
    }
    return
  }
  if (has('own number') || (has('own') && (isNumber || isThing))) score.add('own number', 5)
  else if (has('part number') || (has('part') && isNumber)) score.add('part number', 6)
  // `Order ID` is most often that of the order.
  else if (has('order') && /\bids?\b/.test(text)) score.add('part number', 1.2)
  else if (has('order', 'catalog') && (isNumber || has('item', 'part') || isReference))
    score.add('part number', 5.2)
  else if (has('component') && isNumber) {
    score.add('part number', 5.3)
    score.add('own number', 4.8)
  } else if (has('model') && isNumber) score.add('part number', 5)
  else if (has('item') && isNumber) {
    const isItem = /\bitem\b/.test(text)
    score.add('own number', isItem && /\bno\b|#|\bnr\b/.test(text) ? 3.3 : 4.8)
    if (isItem) score.add('item', 3.5)
  } else if (has('reference number')) score.add('part number', 5.5)
  else if (has('model')) score.add('part number', 3)
  else if (has('component', 'child')) {
    score.add('own number', /komponente|componente|composant|子/.test(text) ? 3.4 : 2.6)
    score.add('part number', 2)
    score.add('description', 2)
    score.add('designator', 1)
  } else if (has('part')) {
    score.add('part number', 2.8)
    score.add('description', 1.5)
    score.add('designator', 2)
  } else if (has('item')) {
    score.add('own number', /artikel|articolo|artículo|品目|物料/.test(text) ? 3.4 : 2.4)
    if (/\bitems?\b/.test(text)) score.add('item', 3)
    score.add('description', 1.8)
  } else if (has('reference')) {
    score.add('designator', 4.5)
    // `Referencia` is either in Spanish and Portuguese.
    score.add('part number', /refer[eê]nci/.test(text) ? 3.4 : 1.8)
  } else if (/^(?:types?|tipo|类型)$/.test(text)) score.add('part number', 4.5)
  else if (has('number')) {
    const isCode = /code|código|codice|코드/.test(text)
    if (has('alternate')) score.add('part number', 4)
    score.add('own number', /^\W*ids?\W*$/.test(text) ? -0.5 : unknown > 0 ? 0.5 : isCode ? 3 : 2.6)
    score.add('item', /^\s*(?:no|#|nr|n)\W*$/.test(text) ? 3.2 : 2)
    if (/number|nbr|#/.test(text)) score.add('quantity', 1.5)
  }
  if (has('name')) {
    // `Parent Name, Child Name` of a PLM system.
    if (has('child') && new Set(classes).size === 2) score.add('own number', 4)
    return
  }
  if (has('child')) score.add('own number', 2.5)
  if (classes.length > 0 && classes.every((name) => name === 'alternate')) score.add('part number', 2.5)
}

/** What speaks against a part number in the words of its heading. */
function reducePoints({ classes, text }: Heading, has: Has, { points }: Points): void {
  const { classes: known } = dictionary!
  const contrary = [...new Set(classes)].reduce((sum, name) => sum + known.get(name)!.against, 0)
  const isOfMaker = has('manufacturer', 'manufacturer number')
  const isNumber = has('number', 'part number', 'manufacturer number', 'supplier number', 'own number')
  const isOtherReference = has('reference') && !isOfMaker && !has('supplier', 'shop', 'own', 'order', 'item')
  for (const role of NUMBER_ROLES) {
    if (points[role] === undefined) continue
    let less = contrary
    // `Order No. / URL` and `Digikey Link` have either.
    if (has('link') && (isNumber || has('shop'))) less -= known.get('link')!.against
    if (has('name') && !isOfMaker) less += 2.5
    if (has('parent') && !has('component', 'child')) less += 3.5
    if ((has('designator') || isOtherReference) && (role !== 'part number' || isNumber)) less += 2.5
    if (has('alternate')) less += 1.2
    if (/\bto manufacture\b|\bin stock\b/.test(text)) less += 7
    points[role] -= less
  }
  if (classes.length === 0) for (const role of NUMBER_ROLES) delete points[role]
}

function otherPoints({ classes, text, unknown, choice }: Heading, has: Has, score: Points): void {
  const isNumber = has('number', 'part number', 'manufacturer number', 'supplier number', 'own number')
  if (has('quantity')) {
    let points = /amount|units|nb|nombre|uds|unidades|usage/.test(text) ? 3 : 5.5
    const isOther =
      /\b(?:stock|avail\w*|min|minimum|multiple|packs?|packages?|pkgs?|reels?|back|on hand|scrap|ve|vpe|gebinde)\b/.test(
        text,
      )
    if (has('price', 'date', 'measure') || isOther) points = -2
    // `Qty Base` beside `Qty Option` is that of a variant.
    if (has('total') || (has('base') && !/^(?:qty|quantity) base$/.test(text))) points -= 3.5
    if (has('supplier', 'shop')) points -= 2
    if (has('order') || /\b(?:buy|purchase)\b/.test(text)) points -= 1
    // What is there or on its way is no need.
    if (
      /@|\b(?:actual|ordered|bought|purchased|received|delivered|shipped|owned|have|safe|spares?|extra|left|remaining|used|tatsächlich|bestellt|geliefert|vorhanden|réel)\b/.test(
        text,
      )
    )
      points -= 2
    // `Qty-25` is that of 25 boards.
    if (/\b(?:x\s?)?(?:[5-9]|\d{2,})\b/.test(text)) points -= 1
    else if (has('per', 'unit', 'child')) points += 1
    // `Qty` beside `Qty x6` and `Qty to buy`.
    if (classes.length === 1 && unknown === 0 && choice === 0) points += 0.5
    score.add('quantity', points)
  }
  if (has('required') && !has('quantity', 'date')) score.add('quantity', 3.4)
  // `Per Board`, `Per badge`.
  if (classes[0] === 'per' && text.includes(' ') && !has('quantity', 'price')) score.add('quantity', 4.5)
  if (has('unit')) score.add('unit', has('price') ? -4 : 5.5)
  if (has('level')) score.add('level', 5.5)
  if (/^(?:make|compan(?:y|ies))$/.test(text)) score.add('manufacturer', 4)
  // `Line Total` is money.
  if (has('total') && !has('quantity')) score.add('other', 4)
  else if (has('position')) score.add('item', has('part', 'manufacturer', 'supplier') ? 1 : 5)
  if (has('designator')) score.add('designator', 6)
  if (has('reference') && has('component', 'part')) score.add('designator', 5)
  else if (has('reference') && has('own')) score.add('designator', 3)
  if (has('description')) score.add('description', 5.5)
  // A number in French, a name in Spanish.
  if (/nombre/.test(text)) score.add('description', 3.6)
  if (has('name') && !has('manufacturer', 'supplier', 'shop'))
    score.add('description', has('child') ? 4 : 3.6)
  if (has('not fitted') || (has('fitted') && has('not'))) score.add('not fitted', 5)
  else if (has('fitted') && !has('type', 'price', 'position', 'order')) score.add('fitted', 4.5)
  if (has('parent') && !has('component', 'child')) {
    if (classes.every((name) => name === 'parent') || isNumber || has('name', 'item', 'part'))
      score.add('parent', 5)
  }
  if (classes.some((name) => dictionary!.classes.get(name)!.isOther)) score.add('other', 4)
}
