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
  const key = code.trim().toUpperCase()
  return /^\d{5}$/.test(key) ? key : `${key}${nameKey(name)}`
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
  return plain === '' ? name.trim() : plain
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

/** The keys in a packed text. Reports have a handful of different texts. */
export const unpackKeys = memoized(keysIn, 500)

function keysIn(packed: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const piece of packed === '' ? [] : packed.split('\n')) {
    const [first, last] = piece.split(RANGE) as [string, string?]
    if (last === undefined) keys.add(first)
    else {
      for (let code = Number(first); code <= Number(last); code += 1)
        keys.add(String(code).padStart(first.length, '0'))
    }
  }
  return keys
}
