/**
 * Where a text stops being JSON (RFC 8259): the offset of the first character that can't be there, or undefined for a text
 * that is JSON. The engine's own message often has no place, and quotes the text, secrets included.
 */
export function jsonFaultOffset(text: string): number | undefined {
  let at = 0
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  for (;;) {
    at = after(/[ \t\n\r]*/y, text, at)!
    const step = nextStep(text, at, expected, open)
    if (step === undefined) return at === text.length && expected === 'end' ? undefined : at
    at = step.at
    expected = step.expected
  }
}

/** The line (from 1) of a place in a text. */
export function lineOfOffset(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

type Expected = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma-or-close' | 'end'

interface Step {
  readonly at: number
  readonly expected: Expected
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

function nextStep(text: string, at: number, expected: Expected, open: ('{' | '[')[]): Step | undefined {
  const character = text[at]
  switch (expected) {
    case 'value':
    case 'value-or-close':
      if (character === ']' && expected === 'value-or-close') return close(at, open)
      if (character === '{' || character === '[') {
        open.push(character)
        return { at: at + 1, expected: character === '{' ? 'key-or-close' : 'value-or-close' }
      }
      return past(after(STRING, text, at) ?? after(SCALAR, text, at), afterValue(open))
    case 'key':
    case 'key-or-close':
      if (character === '}' && expected === 'key-or-close') return close(at, open)
      return past(after(STRING, text, at), 'colon')
    case 'colon':
      return character === ':' ? { at: at + 1, expected: 'value' } : undefined
    case 'comma-or-close': {
      const innermost = open.at(-1)
      if (character === ',') return { at: at + 1, expected: innermost === '{' ? 'key' : 'value' }
      return character === (innermost === '{' ? '}' : ']') ? close(at, open) : undefined
    }
    case 'end':
      return undefined
  }
}

function close(at: number, open: ('{' | '[')[]): Step {
  open.pop()
  return { at: at + 1, expected: afterValue(open) }
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'end' : 'comma-or-close'
}

function past(at: number | undefined, expected: Expected): Step | undefined {
  return at === undefined ? undefined : { at, expected }
}

function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
