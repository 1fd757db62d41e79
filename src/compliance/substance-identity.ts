import { memoized } from '../base/memoized.ts'
import { plainName } from './plain-name.ts'

/** True for a CAS Registry Number with the right check digit: the digits before it, weighted 1, 2, 3… from the right, modulo 10. */
export function isValidCas(identity: string): boolean {
  const match = /^(\d{2,7})-(\d{2})-(\d)$/.exec(identity)
  if (!match) return false
  const digits = `${match[1]}${match[2]}`
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    sum += Number(digits[digits.length - 1 - index]) * (index + 1)
  }
  return sum % 10 === Number(match[3])
}

/** A CAS number as the tables have it: without `CAS No.` and leading zeros, with plain hyphens, which writers leave out. Undefined for text that is none. */
export function casNumber(identity: string): string | undefined {
  return identity.length < 50 ? shortCas(identity) : casIn(identity)
}

const shortCas = memoized(casIn, 2_000)

function casIn(identity: string): string | undefined {
  const text = identity
    .normalize('NFKC')
    .trim()
    .replace(/^cas(?:[\s_-]*(?:rn|no|nr|number))?[\s.:#-]*(?=\d)/i, '')
  const [, first, second, check] =
    /^0*(\d{2,7}?)[\s./\u00ad\u2010-\u2015\u2212-]*(\d\d)[\s./\u00ad\u2010-\u2015\u2212-]*(\d)$/.exec(text) ??
    []
  const number = `${first}-${second}-${check}`
  return first !== undefined && isValidCas(number) ? number : undefined
}

/** The CAS number that a text is, or those that stand in it. */
export function casNumbersIn(text: string): readonly string[] {
  const whole = casNumber(text)
  if (whole !== undefined) return [whole]
  const found =
    text
      .normalize('NFKC')
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .match(CAS_INSIDE) ?? []
  return found.filter(isValidCas)
}

const CAS_INSIDE = /(?<![\d-])\d{2,7}-\d\d-\d(?![\d-])/g

/** Another name at the end, such as `(DEHP)` or `(TEGDME; triglyme)`; what follows a letter directly is part of the name. */
const LAST_BRACKETS = /^(.*\S)\s+\(([^()]+)\)\s*$/
/** An abbreviation in the middle. */
const ABBREVIATION = /(?<=\s)\(([A-Z][\w-]*[A-Z]\w*)\)(?=[\s,])/g

/** How a substance may be called: its name, the name before its last brackets, and what is in them; without case and punctuation. */
export function substanceNames(name: string): readonly string[] {
  return name.length < 200 ? shortNames(name) : namesIn(name)
}

const shortNames = memoized(namesIn, 5_000)

function namesIn(name: string): readonly string[] {
  const names = [name, ...[...name.matchAll(ABBREVIATION)].map(([, text]) => text!)]
  for (let match = LAST_BRACKETS.exec(name); match !== null; match = LAST_BRACKETS.exec(match[1]!)) {
    names.push(match[1]!)
    for (const one of match[2]!.split(';')) names.push(one)
  }
  return [...new Set(names.map(substanceName))].filter((text) => text.length > 2)
}

/** A name without what writers spell differently: case and punctuation, Greek letters, British and American spelling. */
export function substanceName(name: string): string {
  const plain = plainName(
    GREEK_LETTERS.test(name) ? name.replace(/[αβγδ]/g, (letter) => GREEK[letter]!) : name,
  )
  return BRITISH.test(plain) ? plain.replaceAll('sulph', 'sulf').replaceAll('aluminium', 'aluminum') : plain
}

const GREEK_LETTERS = /[αβγδ]/
const BRITISH = /sulph|aluminium/
const GREEK: Readonly<Record<string, string>> = { α: 'alpha', β: 'beta', γ: 'gamma', δ: 'delta' }
