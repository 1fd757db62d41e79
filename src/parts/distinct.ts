/** Texts, each once, in the order first seen. */
export interface Distinct {
  readonly add: (text: string) => void
  readonly count: () => number
  readonly values: () => readonly string[]
}

/** Collects distinct texts. A million of them cost a large table to look in; as long as they come sorted, as most lists do, none. */
export function collectDistinct(): Distinct {
  const ascending: string[] = []
  let last = ''
  let table: Set<string> | undefined
  return {
    add(text) {
      if (table !== undefined) {
        table.add(text)
      } else if (text > last || ascending.length === 0) {
        ascending.push(text)
        last = text
      } else if (text !== last) {
        table = new Set(ascending)
        table.add(text)
      }
    },
    count: () => table?.size ?? ascending.length,
    values: () => (table === undefined ? ascending : Array.from(table)),
  }
}
