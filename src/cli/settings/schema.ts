import * as z from 'zod/mini'
import { nearest } from '../../base/clean-text.ts'
import { formatCount, parseDuration, parseSize } from '../../base/units.ts'
import { parseBaseUrl } from '../../request/request.ts'
import type { OptionRow } from '../option-row.ts'

const LONGEST_WAIT_MS = 10 * 365 * 86_400_000
const SIZE = /^\s*\d+(\.\d+)?\s*([kKmMgGtT]([iI]?[bB])?|[bB])?\s*$/
const DURATION = /^\s*(\d+(\.\d+)?|(\d+(\.\d+)?([mM][sS]|[sSmMhHdDwW]))+)\s*$/

/** The schema of an option's value: from the text that was typed to the value the program uses. */
export function schemaOf(row: OptionRow): z.ZodMiniType {
  const { type } = row
  const words = wordsOf(row)
  switch (type.kind) {
    case 'flag':
      return z.stringbool({
        truthy: ['true', '1', 'yes', 'on'],
        falsy: ['false', '0', 'no', 'off'],
        error: words,
      })
    case 'count':
    case 'integer': {
      const digits = z.string().check(z.trim(), z.regex(/^\d+$/, words))
      return z.pipe(z.pipe(digits, z.transform(Number)), wholeNumber(row))
    }
    case 'choice':
      return z.enum(type.values, {
        error: ({ input }) => `${words}${suggestion(String(input), type.values)}`,
      })
    case 'size': {
      const text = z.string().check(z.regex(SIZE, words))
      return z.pipe(z.pipe(text, z.transform(parseSize)), z.number(words).check(z.positive(words)))
    }
    case 'duration': {
      const text = z.string().check(z.regex(DURATION, words))
      return z.pipe(
        z.pipe(
          text,
          z.transform((value) => parseDuration(value) ?? Number.NaN),
        ),
        milliseconds(words),
      )
    }
    case 'date':
      return z.iso.date(words)
    case 'url':
      return z.pipe(z.string(words), z.transform(readBaseUrl))
    case 'text':
      return z.string(words)
    case 'file':
    case 'folder':
      return z.string(words).check(
        z.minLength(1, words),
        z.refine((text) => !text.includes('\0'), words),
      )
  }
}

/** The same for a value of the config file, which has types of its own: numbers, booleans, arrays. */
export function fileSchemaOf(row: OptionRow): z.ZodMiniType {
  const one = fileValueOf(row)
  const words = wordsOf(row)
  if (row.repeatable === true) {
    const single = z.pipe(
      one,
      z.transform((value) => [value]),
    )
    return z.union([single, z.array(one)], `${words}, or an array of them`)
  }
  return row.takesOptionalValue ? z.union([z.literal(true), one], words) : one
}

function fileValueOf(row: OptionRow): z.ZodMiniType {
  const words = wordsOf(row)
  switch (row.type.kind) {
    case 'flag':
      return z.boolean(words)
    case 'count':
    case 'integer':
      return wholeNumber(row)
    case 'size':
      return z.union([z.int().check(z.gte(1)), schemaOf(row)], words)
    case 'duration': {
      const seconds = z.number().check(z.gte(0))
      const inMs = z.pipe(
        z.pipe(
          seconds,
          z.transform((value) => value * 1000),
        ),
        milliseconds(words),
      )
      return z.union([inMs, schemaOf(row)], words)
    }
    default:
      return schemaOf(row)
  }
}

function wholeNumber(row: OptionRow) {
  const words = wordsOf(row)
  const { min, max } = row.type.kind === 'integer' ? row.type : COUNT
  return z.int(words).check(z.gte(min, words), z.lte(max, words))
}

function milliseconds(words: string) {
  return z.number(words).check(z.lte(LONGEST_WAIT_MS, words))
}

const COUNT = { min: 0, max: 9 }

function wordsOf({ type }: OptionRow): string {
  switch (type.kind) {
    case 'flag':
      return 'expected true or false'
    case 'count':
    case 'integer': {
      const { min, max } = type.kind === 'integer' ? type : COUNT
      return `expected a whole number from ${formatCount(min)} to ${formatCount(max)}`
    }
    case 'choice':
      return `expected one of ${type.values.join(', ')}`
    case 'size':
      return 'expected a size such as "500MB" or "16 GiB"'
    case 'duration':
      return 'expected a duration such as "500ms", "10s", "5m" or "2h"'
    case 'date':
      return 'expected a calendar date as YYYY-MM-DD'
    case 'url':
      return 'expected a URL'
    case 'text':
      return 'expected a string'
    case 'file':
    case 'folder':
      return 'expected a path'
  }
}

function suggestion(text: string, values: readonly string[]): string {
  const near = nearest(text, values)
  return near === undefined ? '' : `; did you mean ${near}?`
}

function readBaseUrl(text: string, context: { readonly issues: unknown[] }): string {
  const result = parseBaseUrl(text)
  if ('baseUrl' in result) return result.baseUrl
  context.issues.push({ code: 'custom', message: result.reason, input: text })
  return z.NEVER
}
