import { plainName } from './entry-keys.ts'

/** How a substance may be called: its name, the name before its brackets, and what is in them; without case and punctuation. */
export function substanceNames(name: string): readonly string[] {
  const inside = [...name.matchAll(/\(([^()]{2,})\)/g)].map(([, text]) => text!)
  const outside = name.replace(/\s*\([^()]*\)\s*$/, '')
  const names = [name, outside, ...inside.filter((text) => /[A-Z]{2}|^[\w -]{5,}$/.test(text))].map(plainName)
  return [...new Set(names)].filter((text) => text.length > 1)
}
