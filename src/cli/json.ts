import { joinTexts, jsonText } from '../base/clean-text.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The result of a command that succeeded. */
export function okResult(command: string, facts: Readonly<Record<string, unknown>>) {
  return { schema: `matdecl.${command}/1`, status: 'ok', ...facts }
}

/** Prints a result: with `--json` as one object, else as the text. */
export async function printResult(terminal: Terminal, result: object, text = ''): Promise<void> {
  if (!terminal.choice.json) return text === '' ? undefined : terminal.write(text)
  for (const piece of jsonPieces(result)) await terminal.write(piece)
}

/** One JSON object on one line, in pieces: a long result is never one string. */
export function* jsonPieces(value: unknown): Generator<string> {
  yield* joinTexts(tokens(value), 1 << 20)
  yield '\n'
}

/** How many texts or numbers of an array become one piece. */
const ITEMS_AT_ONCE = 1000

/** The items of an array without its brackets. */
function itemsText(items: readonly unknown[]): string {
  return jsonText(items).slice(1, -1)
}

function* tokens(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '['
    if (value.some((item) => typeof item === 'object' && item !== null)) {
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
  } else if (typeof value === 'object' && value !== null && Object.values(value).some(Array.isArray)) {
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

/** An array of a result whose items come in batches, and are printed as they come. */
export class StreamedArray {
  readonly batches: () => AsyncIterable<readonly unknown[]>

  constructor(batches: () => AsyncIterable<readonly unknown[]>) {
    this.batches = batches
  }
}

/** Prints a result with streamed arrays as one JSON object on one line. */
export async function printStreamed(terminal: Terminal, result: object): Promise<void> {
  for await (const piece of streamedPieces(result)) await terminal.write(piece)
  await terminal.write('\n')
}

async function* streamedPieces(value: unknown): AsyncGenerator<string> {
  if (value instanceof StreamedArray) {
    let isFirst = true
    yield '['
    for await (const items of value.batches()) {
      if (items.length === 0) continue
      yield `${isFirst ? '' : ','}${itemsText(items)}`
      isFirst = false
    }
    yield ']'
  } else if (!hasStreamed(value)) yield* joinTexts(tokens(value), 1 << 20)
  else {
    const isArray = Array.isArray(value)
    const entries = Object.entries(value as object).filter(([, item]) => item !== undefined)
    yield isArray ? '[' : '{'
    for (const [index, [key, item]] of entries.entries()) {
      yield `${index > 0 ? ',' : ''}${isArray ? '' : `${jsonText(key)}:`}`
      yield* streamedPieces(item)
    }
    yield isArray ? ']' : '}'
  }
}

function hasStreamed(value: unknown): boolean {
  if (value instanceof StreamedArray) return true
  if (typeof value !== 'object' || value === null) return false
  const items = Object.values(value)
  // Long arrays of a result are of texts.
  return typeof items[0] !== 'string' || !Array.isArray(value) ? items.some(hasStreamed) : false
}
