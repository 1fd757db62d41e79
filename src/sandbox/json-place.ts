import { lineOfOffset } from '../base/json-fault.ts'

/** The line (from 1) of the value at `path` in a valid JSON text; if there is none, of the last object or list on the way. */
export function lineOfPath(text: string, path: readonly PropertyKey[]): number {
  const token = /[\s,:]*("(?:[^"\\]|\\.)*"|[{}[\]]|[^\s,:{}[\]"]+)/y
  const next = (): Token => {
    const match = token.exec(text)!
    return { text: match[1]!, offset: token.lastIndex - match[1]!.length }
  }
  return lineOfOffset(text, offsetOf(next, next(), path))
}

interface Token {
  readonly text: string
  readonly offset: number
}

function offsetOf(next: () => Token, value: Token, path: readonly PropertyKey[]): number {
  const [step, ...rest] = path
  if (step === undefined || !OPENING.includes(value.text)) return value.offset
  for (let index = 0; ; index++) {
    const first = next()
    if (CLOSING.includes(first.text)) return value.offset
    const key: unknown = value.text === '{' ? JSON.parse(first.text) : index
    const member = value.text === '{' ? next() : first
    if (key === step) return offsetOf(next, member, rest)
    skip(next, member)
  }
}

const OPENING: readonly string[] = ['{', '[']
const CLOSING: readonly string[] = ['}', ']']

function skip(next: () => Token, value: Token): void {
  let depth = OPENING.includes(value.text) ? 1 : 0
  while (depth > 0) {
    const { text } = next()
    if (OPENING.includes(text)) depth += 1
    else if (CLOSING.includes(text)) depth -= 1
  }
}
