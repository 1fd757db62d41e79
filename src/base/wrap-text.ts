import { displayWidth } from './display-width.ts'

interface WrapOptions {
  /** Before each line but the first. */
  readonly indent?: string
  /** Rather breaks after a comma or semicolon outside of parentheses, where the line is then at least half full. */
  readonly prefersClauses?: boolean
}

/** Breaks text at spaces so that no line is wider than `width` columns, unless one word is. */
export function wrapText(
  text: string,
  width: number,
  { indent = '', prefersClauses = false }: WrapOptions = {},
): string[] {
  const lines: string[] = []
  const words: string[] = []
  const lineOf = (some: readonly string[]): string => `${lines.length === 0 ? '' : indent}${some.join(' ')}`
  for (const word of text.split(' ')) {
    while (words.length > 0 && displayWidth(lineOf([...words, word])) > width) {
      const most = prefersClauses
        ? clauseEnd(words, (some) => displayWidth(lineOf(some)) * 2 >= width)
        : undefined
      const line = lineOf(words.splice(0, most ?? words.length))
      lines.push(line)
    }
    words.push(word)
  }
  lines.push(lineOf(words))
  return lines
}

/** How many of these words end with a clause, as long as they are enough; undefined where there is none. */
function clauseEnd(
  words: readonly string[],
  areEnough: (some: readonly string[]) => boolean,
): number | undefined {
  let depth = 0
  let end: number | undefined
  for (const [index, word] of words.entries()) {
    for (const character of word)
      depth = Math.max(0, depth + (character === '(' ? 1 : character === ')' ? -1 : 0))
    if (depth === 0 && /[,;]$/.test(word) && areEnough(words.slice(0, index + 1))) end = index + 1
  }
  return end
}

/** A line of a summary for a terminal: what follows its first line is indented by two columns more. */
export function wrapSummary(line: string, width: number): string[] {
  const [leading = ''] = /^ */.exec(line) ?? []
  return wrapText(line, width, { indent: `${leading}  `, prefersClauses: true })
}
