/** Texts by index, in the order they were added. */
export interface TextStore {
  readonly add: (text: string) => void
  readonly get: (index: number) => string | undefined
  /** About how much memory they take. */
  readonly bytes: () => number
}

/** Keeps texts as UTF-8 in one buffer: as strings, two million texts of a workbook take three times the memory. */
export function createTextStore(): TextStore {
  let buffer = Buffer.alloc(64 * 1024)
  let used = 0
  const ends: number[] = []
  return {
    add(text) {
      const more = Buffer.byteLength(text)
      if (used + more > buffer.length)
        buffer = Buffer.concat([buffer], Math.max(buffer.length * 2, used + more))
      used += buffer.write(text, used)
      ends.push(used)
    },
    get: (index) => (index in ends ? buffer.toString('utf8', ends[index - 1] ?? 0, ends[index]) : undefined),
    bytes: () => used + ends.length * 24,
  }
}
