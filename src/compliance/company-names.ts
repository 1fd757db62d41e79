import { plainName } from './plain-name.ts'

/** The company of what the sandbox makes up: nobody takes it for a real one. It stands for any manufacturer. */
export const MADE_UP_COMPANY = 'Made-up data (sandbox)'

/** True for the name of a company, or for names of several, when the sandbox made one up: all of its suppliers are marked so. */
export function isMadeUpCompany(names: string): boolean {
  return names.includes('(sandbox)')
}

/** What is said wherever such data is shown. */
export const MADE_UP = 'made-up data: the sandbox says nothing about real parts'

/** Legal forms, which writers give or leave out. */
const LEGAL_FORMS = wordSet(
  'ag bv co company corp corporation gmbh inc incorporated kg kk limited llc llp ltd mbh nv oy oyj plc pte pty sa sarl sas se spa srl sro ab as aps kft zoo kabushiki kaisha sdn bhd',
)

/** Words that a company uses in one place and leaves out in another. */
const COMMON_WORDS = wordSet(
  'manufacturing mfg electronics electronic electric semiconductor semiconductors components component devices technology technologies industries industrial international group holding holdings europe european america americas usa us uk asia japan china taiwan germany deutschland global worldwide products solutions systems the and',
)

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** The words of a name without case, punctuation and legal form. */
function companyWords(name: string): readonly string[] {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/株式会社|有限会社|股份有限公司|有限公司|股份/g, ' ')
    // Abbreviations with dots are one word: S.p.A., B.V.
    .replace(/\b(\p{L})\.(?=\p{L}\b)/gu, '$1')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  while (words.length > 1 && (LEGAL_FORMS.has(words.at(-1)!) || words.at(-1) === 'and')) words.pop()
  return words
}

/** The name of a company as it is compared with another: without case, punctuation and legal form. */
export function companyName(name: string): string {
  return companyWords(name).join('')
}

/** A short name or another spelling, and the company that it means. */
export interface CompanyAlias {
  readonly name: string
  readonly alias: string
}

/** Says whether the manufacturer of a parts list and a declaring company are the same. */
export type NamesAgree = (listed: string, declared: string) => boolean

const SHORTEST = 4

/**
 * Names agree when one equals the other or begins with it in whole words, without case, punctuation, legal form and common words such
 * as Electronics or Europe, or when the table of aliases says so.
 */
export function createNamesAgree(aliases: readonly CompanyAlias[]): NamesAgree {
  const meant = new Map<string, Set<string>>()
  for (const { name, alias } of aliases) {
    for (const [from, to] of [
      [alias, name],
      [name, alias],
    ] as const) {
      const known = meant.get(companyName(from)) ?? new Set()
      meant.set(companyName(from), known.add(to))
    }
  }
  // A name means its aliases, and theirs: two short names of one company agree.
  const namesOf = (name: string): readonly string[] => {
    const all = new Set([name])
    for (const one of all) for (const other of meant.get(companyName(one)) ?? []) all.add(other)
    return [...all]
  }
  return (listed, declared) => {
    const others = namesOf(declared)
    return makersIn(listed)
      .flatMap(namesOf)
      .some((one) => others.some((other) => beginsAlike(one, other)))
  }
}

/** What is listed as one name, and each of several in it: `Vishay / Siliconix`. */
function makersIn(listed: string): readonly string[] {
  const pieces = listed.split(/[/;|\n]/)
  return pieces.length === 1 ? pieces : [listed, ...pieces]
}

function beginsAlike(a: string, b: string): boolean {
  if (companyName(a) !== '' && companyName(a) === companyName(b)) return true
  const [short, long] = [essentialWords(a), essentialWords(b)].sort((x, y) => x.length - y.length) as [
    readonly string[],
    readonly string[],
  ]
  if (short.length === 0) return false
  if (short.join('') === long.join('')) return true
  return short.join('').length >= SHORTEST && short.every((word, index) => long[index] === word)
}

/** The words that tell a company from others; all of them where none does. */
function essentialWords(name: string): readonly string[] {
  const words = companyWords(name)
  const essential = words.filter((word) => !COMMON_WORDS.has(word) && !LEGAL_FORMS.has(word))
  return essential.length > 0 ? essential : words
}

/** What a company is known by. */
export interface CompanyIdentity {
  /** Its identifier, as it is compared; empty where it has none. */
  readonly id: string
  /** Its name, as it is compared; empty where it has none. */
  readonly name: string
}

/** What a company is known by: a DUNS number first of its identifiers, and its name. A placeholder is no identifier. */
export function companyIdentity({
  companyIds,
  supplier,
}: {
  readonly companyIds: readonly string[]
  readonly supplier: string
}): CompanyIdentity {
  return { id: companyIds.map(plainName).find(isIdentifier) ?? '', name: companyName(supplier) }
}

/** True where what one says of itself is not contradicted by the other: their names agree, and their identifiers where both have one. */
export function isSameCompany(a: CompanyIdentity, b: CompanyIdentity): boolean {
  if (a.name !== b.name) return false
  return a.name === '' ? a.id !== '' && a.id === b.id : a.id === b.id || a.id === '' || b.id === ''
}

/** An identifier has at least five digits that neither repeat nor count up or down; other texts say that there is none. */
function isIdentifier(id: string): boolean {
  const digits = id.normalize('NFKC').replace(/\D+/g, '')
  if (digits.length < 5) return false
  const steps = new Set(
    [...digits].slice(1).map((digit, index) => (Number(digit) - Number(digits[index]) + 10) % 10),
  )
  return steps.size > 1 || ![0, 1, 9].includes([...steps][0]!)
}
