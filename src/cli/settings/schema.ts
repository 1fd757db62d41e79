import * as z from 'zod/mini'
import { nearest } from '../../base/nearest.ts'
import { formatCount, parseDuration, parseSize } from '../../base/units.ts'
import type { OptionRow } from '../../reference/option-row.ts'
import { parseBaseUrl } from '../../request/request.ts'

const LONGEST_WAIT_MS = 10 * 365 * 86_400_000
const SIZE = 'expected a size such as 500MB or 16 GiB'
const DURATION = 'expected a duration such as 500ms, 10s, 5m or 2h'

/** The schema of an option's value: from the text that was typed to the value the program uses. */
export function schemaOf({ type }: OptionRow): z.ZodMiniType {
  switch (type.kind) {
    case 'flag':
      return z.stringbool({
        truthy: ['true', '1', 'yes', 'on'],
        falsy: ['false', '0', 'no', 'off'],
        error: 'expected true or false',
      })
    case 'count':
      return wholeNumber(0, 9)
    case 'integer':
      return wholeNumber(type.min, type.max)
    case 'choice':
      return z.enum(type.values, {
        error: ({ input }) => choiceWords(String(input), type.values),
      })
    case 'size':
      return z.pipe(textTo(parseSize), z.number(SIZE).check(z.positive(SIZE)))
    case 'duration':
      return z.pipe(textTo(parseDuration), z.number(DURATION).check(z.lte(LONGEST_WAIT_MS, DURATION)))
    case 'date':
      return z.iso.date('expected a calendar date as YYYY-MM-DD')
    case 'url':
      return z.pipe(z.string(), z.transform(readBaseUrl))
    case 'text':
      return z.string()
    case 'file':
    case 'folder':
      return z.string().check(z.refine((text) => text !== '' && !text.includes('\0'), 'expected a path'))
  }
}

function wholeNumber(min: number, max: number): z.ZodMiniType<number, string> {
  const words = `expected a whole number from ${formatCount(min)} to ${formatCount(max)}`
  const digits = z.string().check(z.trim(), z.regex(/^\d+$/, words))
  return z.pipe(z.pipe(digits, z.transform(Number)), z.int(words).check(z.gte(min, words), z.lte(max, words)))
}

function textTo<T>(parse: (text: string) => T) {
  return z.pipe(z.string(), z.transform(parse))
}

function choiceWords(text: string, values: readonly string[]): string {
  const near = nearest(text, values)
  return `expected one of ${values.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`
}

function readBaseUrl(text: string, context: { readonly issues: unknown[] }): string {
  const result = parseBaseUrl(text)
  if ('baseUrl' in result) return result.baseUrl
  context.issues.push({ code: 'custom', message: result.reason, input: text })
  return z.NEVER
}
