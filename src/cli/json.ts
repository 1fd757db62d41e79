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

function* tokens(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '['
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ','
      yield* tokens(item)
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

  constructor(reason: unknown, known: Readonly<Record<string, unknown>>) {
    super('the run failed', { cause: reason })
    this.reason = reason
    this.known = known
  }
}
