import * as z from 'zod/mini'
import { parseCalendarDate } from '../../base/calendar-date.ts'
import { nearest } from '../../base/nearest.ts'
import { formatBytes, formatCount, parseDuration, parseSize } from '../../base/units.ts'
import { parseBaseUrl } from '../../request/request.ts'
import type { OptionRow } from '../options/option-row.ts'

const TRUE_WORDS = ['true', '1', 'yes', 'on']
const FALSE_WORDS = ['false', '0', 'no', 'off']
const LONGEST_WAIT_MS = 10 * 365 * 86_400_000

/** The schema of one value of an option, from the text that was typed to the value the program uses. */
export function schemaOf(row: OptionRow): z.ZodMiniType<unknown, string> {
  const type = row.type
  switch (type.kind) {
    case 'flag':
      return parsed((text) => readFlag(text), 'it must be true or false')
    case 'count':
      return parsed((text) => readInteger(text, 0, 9), 'it must be a number from 0 to 9')
    case 'choice':
      return checked((text) => {
        if (type.values.includes(text)) return { value: text }
        const near = nearest(text, type.values)
        return {
          reason: `it must be one of ${type.values.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`,
        }
      })
    case 'integer':
      return parsed(
        (text) => readInteger(text, type.min, type.max),
        `it must be a whole number from ${formatCount(type.min)} to ${formatCount(type.max)}`,
      )
    case 'size':
      return parsed(
        (text) => positive(parseSize(text)),
        `it must be a size such as 500MB or ${formatBytes(16 * 1024 ** 3).replace('.0 ', '')}`,
      )
    case 'duration':
      return parsed((text) => inRange(parseDuration(text)), 'it must be a time such as 500ms, 10s, 5m or 2h')
    case 'date':
      return parsed(
        (text) => (parseCalendarDate(text) === undefined ? undefined : text),
        'it must be a real date, written YYYY-MM-DD',
      )
    case 'url':
      return checked((text) => {
        const result = parseBaseUrl(text)
        return 'baseUrl' in result ? { value: result.baseUrl } : result
      })
    case 'text':
      return z.string()
    case 'file':
    case 'folder':
      return parsed(
        (text) => (text === '' || text.includes('\0') ? undefined : text),
        'it must be a path, and not empty',
      )
  }
}

function parsed<T>(read: (text: string) => T | undefined, rule: string): z.ZodMiniType<T, string> {
  return checked((text) => {
    const value = read(text)
    return value === undefined ? { reason: rule } : { value }
  })
}

function checked<T>(
  read: (text: string) => { readonly value: T } | { readonly reason: string },
): z.ZodMiniType<T, string> {
  const transform = z.transform((text: string, context): T => {
    const result = read(text)
    if ('value' in result) return result.value
    context.issues.push({ code: 'custom', message: result.reason, input: text })
    return z.NEVER
  })
  return z.pipe(z.string(), transform)
}

function readFlag(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  if (TRUE_WORDS.includes(word)) return true
  return FALSE_WORDS.includes(word) ? false : undefined
}

function readInteger(text: string, min: number, max: number): number | undefined {
  if (!/^\d{1,15}$/.test(text.trim())) return undefined
  const value = Number(text)
  return value >= min && value <= max ? value : undefined
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined
}

function inRange(ms: number | undefined): number | undefined {
  return ms !== undefined && ms <= LONGEST_WAIT_MS ? ms : undefined
}
