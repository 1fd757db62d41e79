import { type Node, type ParseError, parseTree, printParseErrorCode, visit } from 'jsonc-parser'

/** A position in a text: line and column, from 1. */
interface TextPosition {
  readonly line: number
  readonly column: number
}

type ParsedJson =
  | { readonly value: unknown }
  | { readonly problem: TextPosition & { readonly message: string } }

const STRICT = { disallowComments: true, allowTrailingComma: false }

/** Parses JSON (RFC 8259). The problem has the position of the first error and, unlike the engine's message, never quotes the text. */
export function parseJson(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const { message, offset } = firstError(text)
    return { problem: { message, ...positionAt(text, offset) } }
  }
}

/** The value of a JSON text; undefined when it is not valid. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The first key that an object of a valid JSON text has twice, of those that are the same by `fold`; `JSON.parse` takes the last one.
 * Throws where the text is nested too deeply for its parser.
 */
export function repeatedKey(text: string, fold = (name: string) => name): string | undefined {
  const open: Set<string>[] = []
  let repeated: string | undefined
  visit(
    text,
    {
      onObjectBegin: () => void open.push(new Set()),
      onObjectProperty: (name) => {
        if (open.at(-1)!.has(fold(name))) repeated ??= name
        open.at(-1)!.add(fold(name))
      },
      onObjectEnd: () => void open.pop(),
    },
    STRICT,
  )
  return repeated
}

// The parser is recursive and overflows the stack after some thousand levels.
function treeOf(text: string, errors: ParseError[] = []): Node | undefined {
  try {
    return parseTree(text, errors, STRICT)
  } catch {
    return undefined
  }
}

function firstError(text: string): { readonly message: string; readonly offset: number } {
  const errors: ParseError[] = []
  const root = treeOf(text, errors)
  const [first] = errors
  if (first === undefined) {
    return { message: root === undefined ? 'nested too deeply' : 'invalid symbol', offset: 0 }
  }
  const words = printParseErrorCode(first.error).replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`)
  return { message: words.toLowerCase(), offset: first.offset }
}

function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: before.at(-1)!.length + 1 }
}
