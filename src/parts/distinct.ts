/** Texts, each once, in the order first seen. */
export interface Distinct {
  readonly add: (text: string) => void
  readonly count: () => number
  readonly values: () => readonly string[]
}

/** Collects distinct texts. Sorted lists, as most are, need no Set: for a million parts it takes as long as reading them. */
export function collectDistinct(): Distinct {
  const ascending: string[] = []
  let last = ''
  let seen: Set<string> | undefined
  return {
    add(text) {
      if (seen !== undefined) seen.add(text)
      else if (text > last || ascending.length === 0) {
        ascending.push(text)
        last = text
      } else if (text !== last) seen = new Set(ascending).add(text)
    },
    count: () => seen?.size ?? ascending.length,
    values: () => (seen === undefined ? ascending : [...seen]),
  }
}
