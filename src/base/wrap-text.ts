import { displayWidth } from './display-width.ts'

/** Breaks text at spaces so that no line is wider than `width` columns, unless one word is. `indent` is before each line but the first. */
export function wrapText(text: string, width: number, indent = ''): string[] {
  const [first = '', ...words] = text.split(' ')
  const lines = [first]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (displayWidth(longer) <= width || longer.trim() === word) lines[lines.length - 1] = longer
    else lines.push(`${indent}${word}`)
  }
  return lines
}

/** A line of a summary for a terminal: what follows its first line is indented by two columns more. */
export function wrapSummary(line: string, width: number): string[] {
  const [leading = ''] = /^ */.exec(line) ?? []
  return wrapText(line, width, `${leading}  `)
}
