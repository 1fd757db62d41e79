import { hash } from 'node:crypto'
import { memoized } from '../base/memoized.ts'

/**
 * What a list states, as keys of its entries: `00167`, or `~lead` where an entry has only a name. Packed, a list of 241 codes is one
 * short text, the same for every file that states the same entries.
 */

/**
 * How an entry of a list is known: by its code, else by its name. Codes that are not of the standard may be numbers of the writer,
 * which change from file to file: then the name counts too.
 */
export function entryKey(code: string, name: string): string {
  const key = oneSpace(code).toUpperCase()
  return isCode(key) ? key : `${key}${nameKey(name)}`
}

/** The key of an entry by its name: case, spaces and punctuation do not count. */
export function nameKey(name: string): string {
  return `~${plainName(name)}`
}

/** A name without what writers spell differently: case, spaces, punctuation. */
export function plainName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  return plain === '' ? oneSpace(name) : plain
}

/** Packed keys are separated by tabs and line breaks. */
function oneSpace(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

const CODE_LENGTH = 5

/** The code of an entry before a hash of its name, for a list has hundreds; empty where the key has the name, or there is none. */
export function codeAndName(key: string, name: string): string {
  if (!isCode(key) || name === '') return ''
  return `${key}${name.length < 500 ? knownHash(name) : nameHash(name)}`
}

/** 48 bits of a name. */
function nameHash(name: string): string {
  return hash('sha1', plainName(name), 'base64').slice(0, 8)
}

/** The files of a report share some hundreds of names. */
const knownHash = memoized(nameHash, 5_000)

/** Such texts as one, the same in any order. */
export function packNames(codesAndNames: readonly string[]): string {
  // Most files list their entries in order.
  const isSorted = codesAndNames.every((text, index) => index === 0 || codesAndNames[index - 1]! < text)
  return (isSorted ? codesAndNames : [...new Set(codesAndNames)].sort()).join('\n')
}

/**
 * One key for each entry of lists of which some have codes and others only names: a key that has a name becomes the code of the entry
 * with this name, where the lists have one such code.
 */
export function oneKeyFor(packedNames: readonly string[]): (key: string) => string {
  const codes = new Map<string, string>()
  for (const text of packedNames.flatMap((packed) => packed.split('\n'))) {
    const [code, name] = [text.slice(0, CODE_LENGTH), text.slice(CODE_LENGTH)]
    codes.set(name, (codes.get(name) ?? code) === code ? code : '')
  }
  return (key) => {
    const at = key.indexOf('~')
    return (at === -1 ? '' : codes.get(nameHash(key.slice(at + 1)))) || key
  }
}

const RANGE = '\t'

/** The keys as one text, in which consecutive codes are a range. */
export function packKeys(keys: readonly string[]): string {
  const codes: number[] = []
  const names = new Set<string>()
  for (const key of keys) {
    if (isCode(key)) codes.push(Number(key))
    else names.add(key)
  }
  const sorted = Uint32Array.from(codes).sort()
  const packed: string[] = []
  for (let at = 0; at < sorted.length; ) {
    let end = at + 1
    while (sorted[end]! - sorted[end - 1]! <= 1) end += 1
    const [first, last] = [codeText(sorted[at]!), codeText(sorted[end - 1]!)]
    packed.push(first === last ? first : `${first}${RANGE}${last}`)
    at = end
  }
  return [...packed, ...[...names].sort()].join('\n')
}

function isCode(key: string): boolean {
  return key.length === 5 && /^\d{5}$/.test(key)
}

function codeText(code: number): string {
  return String(code).padStart(5, '0')
}

/** The keys in a packed text. Reports have a handful of different texts. */
export const unpackKeys = memoized(keysIn, 500)

function keysIn(packed: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const piece of packed === '' ? [] : packed.split('\n')) {
    const [first, last] = piece.split(RANGE) as [string, string?]
    if (last === undefined) keys.add(first)
    else for (let code = Number(first); code <= Number(last); code += 1) keys.add(codeText(code))
  }
  return keys
}
