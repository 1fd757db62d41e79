import { hash } from 'node:crypto'

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
  return STANDARD_CODE.test(key) ? key : `${key}${nameKey(name)}`
}

const STANDARD_CODE = /^\d{5}$/

/** The key of an entry by its name: case, spaces and punctuation do not count. */
export function nameKey(name: string): string {
  return `~${plainName(name)}`
}

/** Most names that are kept without what writers spell differently: the files of a report share some hundreds. */
const MOST_NAMES = 5_000
const plainNames = new Map<string, string>()

/** A name without what writers spell differently: case, spaces, punctuation. */
export function plainName(name: string): string {
  const known = plainNames.get(name)
  if (known !== undefined) return known
  const letters = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  const plain = letters === '' ? oneSpace(name) : letters
  if (plainNames.size >= MOST_NAMES) plainNames.clear()
  if (name.length < 500) plainNames.set(name, plain)
  return plain
}

/** Packed keys are separated by tabs and line breaks. */
function oneSpace(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

const CODE_LENGTH = 5

/** The code of an entry before a hash of its name, for a list has hundreds; empty where the key has the name, or there is none. */
export function codeAndName(key: string, name: string): string {
  return STANDARD_CODE.test(key) && name !== '' ? `${key}${nameHash(name)}` : ''
}

const hashes = new Map<string, string>()

/** 48 bits of a name. */
function nameHash(name: string): string {
  const known = hashes.get(name)
  if (known !== undefined) return known
  const short = hash('sha1', plainName(name), 'base64').slice(0, 8)
  if (hashes.size >= MOST_NAMES) hashes.clear()
  if (name.length < 500) hashes.set(name, short)
  return short
}

/** Such texts as one, the same in any order. */
export function packNames(codesAndNames: readonly string[]): string {
  return sortedOnce(codesAndNames).join('\n')
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
  const sorted = sortedOnce(keys)
  const packed: string[] = []
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at]!
    let end = at + 1
    if (isNumber(first)) {
      let next = Number(first) + 1
      while (end < sorted.length && isSameLength(first, sorted[end]!) && Number(sorted[end]) === next) {
        end += 1
        next += 1
      }
    }
    packed.push(end - at < 3 ? sorted.slice(at, end).join('\n') : `${first}${RANGE}${sorted[end - 1]}`)
    at = end
  }
  return packed.join('\n')
}

function sortedOnce(keys: readonly string[]): readonly string[] {
  // Most files list their entries in order, some the other way round.
  if (isAscending(keys)) return keys
  const turned = [...keys].reverse()
  return isAscending(turned) ? turned : [...new Set(keys)].sort()
}

function isAscending(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1) if (keys[index - 1]! >= keys[index]!) return false
  return true
}

function isSameLength(a: string, b: string): boolean {
  return a.length === b.length && isNumber(b)
}

function isNumber(key: string): boolean {
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index)
    if (code < 0x30 || code > 0x39) return false
  }
  return key.length > 0 && key.length < 10
}

/** Most different texts whose keys are kept: reports have a handful. */
const MOST_KEPT = 500
const kept = new Map<string, ReadonlySet<string>>()

/** The keys in a packed text. */
export function unpackKeys(packed: string): ReadonlySet<string> {
  const known = kept.get(packed)
  if (known !== undefined) return known
  const keys = new Set<string>()
  for (const piece of packed === '' ? [] : packed.split('\n')) {
    const [first, last] = piece.split(RANGE) as [string, string?]
    if (last === undefined) keys.add(first)
    else {
      for (let code = Number(first); code <= Number(last); code += 1)
        keys.add(String(code).padStart(first.length, '0'))
    }
  }
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(packed, keys)
  return keys
}
