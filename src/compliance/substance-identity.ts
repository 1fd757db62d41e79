import { plainName } from './entry-keys.ts'

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

/** How a substance may be called: its name, the name before its brackets, and what is in them; without case and punctuation. */
export function substanceNames(name: string): readonly string[] {
  const inside = [...name.matchAll(/\(([^()]{2,})\)/g)].map(([, text]) => text!)
  const outside = name.replace(/\s*\([^()]*\)\s*$/, '')
  const names = [name, outside, ...inside.filter((text) => /[A-Z]{2}|^[\w -]{5,}$/.test(text))].map(plainName)
  return [...new Set(names)].filter((text) => text.length > 1)
}
