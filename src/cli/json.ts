import { joinTexts, jsonText } from '../base/clean-text.ts'
/** The JSON result of a command on one line: schema, status, then its fields. */
export function jsonResult(
  command: string,
  status: string,
  facts: Readonly<Record<string, unknown>>,
): string {
  return `${jsonText({ schema: `matdecl.${command}/1`, status, ...facts })}\n`
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
