import type { XmlAttributes } from '../base/xml.ts'
import { type QueryListDraft, type StatementDraft, text } from './build.ts'

/** An open element of class A. */
export type QueryLevel =
  | { readonly in: 'queries'; readonly list: QueryListDraft }
  | { readonly in: 'query'; readonly statement: StatementDraft }

/**
 * Takes an element inside a QueryList. The names of its attributes are not verified: no file with class A was to be had. So the
 * usual ones are all tried; `undefined` for an element whose children are not read.
 */
export function enterQueries(
  list: QueryListDraft,
  name: string,
  attributes: XmlAttributes,
): QueryLevel | undefined {
  if (name === 'QueryListID') {
    list.identity ||= text(attributes, 'identity').trim()
    return undefined
  }
  const statement = {
    code: first(attributes, ['code', 'identity', 'id', 'number']),
    text: first(attributes, ['statement', 'text', 'question', 'description', 'name']),
    answer: answerOf(attributes),
  }
  list.statements.push(statement)
  return { in: 'query', statement }
}

/** Takes an element inside one statement: its code, its text or its answer. */
export function enterQuery(statement: StatementDraft, name: string, attributes: XmlAttributes): QueryLevel {
  if (/(?:ID|Code)$/.test(name)) {
    statement.code ||= first(attributes, ['identity', 'code', 'id', 'value'])
  } else {
    statement.text ||= first(attributes, ['statement', 'text', 'question', 'description', 'name'])
    statement.answer ??= answerOf(attributes)
  }
  return { in: 'query', statement }
}

const ANSWERS = ['response', 'answer', 'value', 'selected', 'checked', 'isTrue', 'queryResponse']

function answerOf(attributes: XmlAttributes): string | undefined {
  const found = ANSWERS.map((name) => attributes.get(name)).find((value) => value !== undefined)
  return found?.slice(0, 100).trim()
}

function first(attributes: XmlAttributes, names: readonly string[]): string {
  return names.map((name) => text(attributes, name).trim()).find((value) => value !== '') ?? ''
}
