import type { OptionRow } from '../../reference/option-row.ts'

/** A value of the config file as the text a user would type, several for a repeatable option; undefined for a wrong type. */
export function textsOf(row: OptionRow, value: unknown): readonly (string | true)[] | undefined {
  if (row.repeatable === true && Array.isArray(value)) {
    const texts = value.map((one) => textOf(row, one))
    return texts.every((text) => text !== undefined) ? texts : undefined
  }
  const text = textOf(row, value)
  return text === undefined ? undefined : [text]
}

function textOf(row: OptionRow, value: unknown): string | true | undefined {
  const kind = row.type.kind
  if (typeof value === 'boolean') {
    if (kind === 'flag') return String(value)
    return row.optionalValue === true && value ? true : undefined
  }
  if (kind === 'flag') return undefined
  if (typeof value === 'string') return kind === 'integer' || kind === 'count' ? undefined : value
  if (typeof value === 'number' || typeof value === 'bigint') {
    return ['integer', 'count', 'size', 'duration'].includes(kind) ? String(value) : undefined
  }
  if (kind === 'date' && value instanceof Date) return value.toISOString().slice(0, 10)
  return undefined
}

/** The type of an option's value in the file, in words. */
export function wantedType(row: OptionRow): string {
  const one = {
    flag: 'true or false',
    count: 'a number',
    integer: 'a number',
    size: 'a size in quotes, such as "500MB"',
    duration: 'a duration in quotes, such as "10s"',
    date: 'a date, such as "2026-01-31"',
  }
  const word = one[row.type.kind as keyof typeof one] ?? 'a string in quotes'
  return row.repeatable === true ? `${word}, or a list of them` : word
}
