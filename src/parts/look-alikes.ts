import type { Damage } from './damage.ts'

// Letters of other scripts that look like a Latin one (from Unicode TR 39, confusables).
const CYRILLIC = 'АВЕЅІЈКМНОРСТУХаеѕіјорсух'
const CYRILLIC_AS_LATIN = 'ABESIJKMHOPCTYXaesijopcyx'
const GREEK = 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοι'
const GREEK_AS_LATIN = 'ABEZHIKMNOPTYXoi'

const LATIN_TWIN: ReadonlyMap<string, string> = new Map(
  [...CYRILLIC]
    .map((letter, index): [string, string] => [letter, CYRILLIC_AS_LATIN[index]!])
    .concat(
      [...GREEK].map((letter, index): [string, string] => [letter, GREEK_AS_LATIN[index]!]),
      [['ı', 'i']],
    ),
)

const NAMES: ReadonlyMap<number, string> = new Map([
  [0xa0, 'no-break space'],
  [0x202f, 'narrow no-break space'],
  [0x3000, 'ideographic space'],
  [0xad, 'soft hyphen'],
  [0x200b, 'zero-width space'],
  [0xfeff, 'byte order mark'],
  [0x2010, 'hyphen'],
  [0x2011, 'no-break hyphen'],
  [0x2012, 'figure dash'],
  [0x2013, 'en dash'],
  [0x2014, 'em dash'],
  [0x2212, 'minus sign'],
])

const SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/
const DASH = /[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/
const INVISIBLE =
  /\u034f|\ufe0f|\ufe0e|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u
const QUOTE = /[\u2018\u2019\u201c\u201d\u2032\u2033]/
const COMBINING = /\p{M}/u

/**
 * What is wrong with one non-ASCII character of `part`: it looks like a keyboard character, or is invisible. Undefined for
 * letters that are just foreign, such as `Ü` or the Cyrillic ones of a Cyrillic word.
 */
export function describeCharacter(character: string, part: string): Damage | undefined {
  const code = character.codePointAt(0)!
  if (SPACE.test(character))
    return { kind: 'white-space', says: `has ${article(label(code, 'space'))} instead of a plain one` }
  if (DASH.test(character))
    return { kind: 'dash', says: `has ${article(label(code, 'dash'))} where "-" may be meant` }
  if (INVISIBLE.test(character))
    return { kind: 'invisible', says: `has an invisible ${label(code, 'character')}` }
  if (QUOTE.test(character))
    return { kind: 'quotes', says: `has a typographic ${label(code, 'quotation mark')}` }
  if (COMBINING.test(character) && part !== part.normalize('NFC')) {
    return { kind: 'look-alike', says: `has an accent as a separate character (${codePoint(code)})` }
  }
  const twin = latinTwin(character, code, part)
  if (twin === undefined) return undefined
  return { kind: 'look-alike', says: `has ${codePoint(code)}, which only looks like "${twin}"` }
}

function latinTwin(character: string, code: number, part: string): string | undefined {
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  const twin = LATIN_TWIN.get(character)
  if (twin === undefined) return undefined
  // A word with letters that only the other script has is meant to be in that script.
  const script = code >= 0x400 ? /\p{Script=Cyrillic}/u : /\p{Script=Greek}/u
  const isForeignWord = [...part].some((other) => script.test(other) && !LATIN_TWIN.has(other))
  return isForeignWord ? undefined : twin
}

function article(words: string): string {
  return `${/^[aei]/.test(words) ? 'an' : 'a'} ${words}`
}

function label(code: number, noun: string): string {
  const name = NAMES.get(code) ?? noun
  return `${name} (${codePoint(code)})`
}

function codePoint(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
