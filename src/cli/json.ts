import { jsonText } from '../base/clean-text.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The result of a command that succeeded. */
export function okResult(command: string, facts: Readonly<Record<string, unknown>>) {
  return { schema: `matdecl.${command}/1`, status: 'ok', ...facts }
}

/** Prints a result: with `--json` as one object, else as the text. */
export async function printResult(terminal: Terminal, result: object, text = ''): Promise<void> {
  if (!terminal.choice.json) return text === '' ? undefined : terminal.write(text)
  for await (const piece of jsonPieces(result)) await terminal.write(piece)
}

/** An array of a result whose items come in batches, and are printed as they come. */
export class StreamedArray {
  readonly batches: () => AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>

  constructor(batches: StreamedArray['batches']) {
    this.batches = batches
  }

  /** A streamed array is printed by `jsonPieces`, which looks for it in objects and in arrays of these, no deeper. */
  toJSON(): never {
    throw new Error('a streamed array stands too deep in a result')
  }
}

const PIECE_LENGTH = 1 << 20

/** One JSON object on one line, in pieces: a long result is never one string. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  let joined = ''
  for (const token of tokens(value)) {
    if (token instanceof StreamedArray) {
      let isFirst = true
      for await (const items of token.batches()) {
        if (items.length === 0) continue
        yield `${joined}${isFirst ? '' : ','}${itemsText(items)}`
        joined = ''
        isFirst = false
      }
    } else joined += token
    if (joined.length < PIECE_LENGTH) continue
    yield joined
    joined = ''
  }
  yield `${joined}\n`
}

/** How many texts or numbers of an array become one piece. */
const ITEMS_AT_ONCE = 1000

/** The items of an array without its brackets. */
function itemsText(items: readonly unknown[]): string {
  return jsonText(items).slice(1, -1)
}

/** The text of a value; where an array is streamed, the array between its brackets. */
function* tokens(value: unknown): Generator<string | StreamedArray> {
  if (isArray(value)) {
    yield '['
    if (value instanceof StreamedArray) yield value
    else if (value.some((item) => typeof item === 'object' && item !== null)) {
      for (const [index, item] of value.entries()) {
        if (index > 0) yield ','
        yield* tokens(item)
      }
    } else {
      for (let at = 0; at < value.length; at += ITEMS_AT_ONCE) {
        yield `${at > 0 ? ',' : ''}${itemsText(value.slice(at, at + ITEMS_AT_ONCE))}`
      }
    }
    yield ']'
  } else if (typeof value === 'object' && value !== null && Object.values(value).some(isArray)) {
    yield '{'
    let isFirst = true
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue
      yield `${isFirst ? '' : ','}${jsonText(key)}:`
      yield* tokens(item)
      isFirst = false
    }
    yield '}'
  } else {
    yield jsonText(value ?? null)
  }
}

function isArray(value: unknown): value is readonly unknown[] | StreamedArray {
  return Array.isArray(value) || value instanceof StreamedArray
}

/** An error of a run, with what its JSON result has beside the error. */
export class FailedRun extends Error {
  readonly reason: unknown
  readonly known: Readonly<Record<string, unknown>>
  /** Nobody needs to look at it yet: with `--quiet` the exit code is enough. */
  readonly mayWait: boolean

  constructor(reason: unknown, known: Readonly<Record<string, unknown>>, mayWait = false) {
    super('the run failed', { cause: reason })
    this.reason = reason
    this.known = known
    this.mayWait = mayWait
  }
}
