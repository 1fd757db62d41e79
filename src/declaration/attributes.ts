import type { Attributes } from './xml-scan.ts'
import { normalizeValue } from './xml-text.ts'

/** Attributes being collected: positions in the text only, so that what nobody asks for costs no string. */
export interface MutableAttributes extends Attributes {
  /** Begins a new tag in `text`. */
  readonly start: (text: string) => void
  /** Adds one by its positions; returns what is wrong with it, if anything. */
  readonly add: (
    nameFrom: number,
    nameTo: number,
    valueFrom: number,
    valueTo: number,
    isPlain: boolean,
  ) => string | undefined
}

const MAX_ATTRIBUTES = 256
const MAX_VALUE = 1024 * 1024

/** A reusable holder of one tag's attributes, at most 256 of at most 1 Mi characters each. */
export function createAttributes(): MutableAttributes {
  const nameFrom = new Int32Array(MAX_ATTRIBUTES)
  const nameTo = new Int32Array(MAX_ATTRIBUTES)
  const valueFrom = new Int32Array(MAX_ATTRIBUTES)
  const valueTo = new Int32Array(MAX_ATTRIBUTES)
  const plain = new Uint8Array(MAX_ATTRIBUTES)
  let source = ''
  let count = 0

  return {
    start(text) {
      source = text
      count = 0
    },
    add(from, to, start, end, isPlain) {
      if (count >= MAX_ATTRIBUTES) return `more than ${MAX_ATTRIBUTES} attributes`
      if (end - start > MAX_VALUE) return `an attribute of more than ${MAX_VALUE} characters`
      const length = to - from
      for (let index = 0; index < count; index += 1) {
        if (nameTo[index]! - nameFrom[index]! !== length) continue
        if (sameText(source, nameFrom[index]!, from, length)) return `"${source.slice(from, to)}" twice`
      }
      nameFrom[count] = from
      nameTo[count] = to
      valueFrom[count] = start
      valueTo[count] = end
      plain[count] = isPlain ? 1 : 0
      count += 1
      return undefined
    },
    get(localName) {
      for (let index = 0; index < count; index += 1) {
        const start = nameTo[index]! - localName.length
        if (start < nameFrom[index]! || !source.startsWith(localName, start)) continue
        if (start === nameFrom[index]! || source.charCodeAt(start - 1) === 0x3a) return value(index)
      }
      return undefined
    },
    namespace(prefix) {
      const name = prefix === '' ? 'xmlns' : `xmlns:${prefix}`
      for (let index = 0; index < count; index += 1) {
        if (source.slice(nameFrom[index], nameTo[index]) === name) return value(index)
      }
      return undefined
    },
  }

  function value(index: number): string {
    const raw = source.slice(valueFrom[index], valueTo[index])
    return plain[index] === 1 ? raw : normalizeValue(raw)
  }
}

function sameText(text: string, a: number, b: number, length: number): boolean {
  for (let offset = 0; offset < length; offset += 1) {
    if (text.charCodeAt(a + offset) !== text.charCodeAt(b + offset)) return false
  }
  return true
}
