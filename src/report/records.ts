import type * as z from 'zod'
import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'

/** A record of a file that a user wrote: its values, and its line. */
export interface FileRecord {
  readonly line: number | undefined
  readonly values: Readonly<Record<string, unknown>>
}

/** Where records are from and what they must be. */
interface RecordKind<Schema extends z.ZodType> {
  /** The file, as in messages. */
  readonly name: string
  readonly schema: Schema
  readonly hint: string
  /** Long names of options that help. */
  readonly options: readonly string[]
}

/** The records by a schema; the first that does not fit is a `usage` failure with file, line and column. */
export function checkRecords<Schema extends z.ZodType>(
  records: readonly FileRecord[],
  { name, schema, hint, options }: RecordKind<Schema>,
): readonly z.infer<Schema>[] {
  return records.map(({ line, values }) => {
    const result = schema.safeParse(values)
    if (result.success) return result.data
    const { path, message } = result.error.issues[0]!
    const column = path.map(String).join('.')
    throw recordFailure({ name, hint, options }, line, column === '' ? message : `${column}: ${message}`)
  })
}

/** The failure of one record. */
export function recordFailure(
  { name, hint, options }: Pick<RecordKind<z.ZodType>, 'name' | 'hint' | 'options'>,
  line: number | undefined,
  what: string,
): Failure {
  return new Failure('usage', `${name}${line === undefined ? '' : `:${line}`}: ${cleanText(what, 300)}`, {
    hint,
    options,
    file: name,
    ...(line === undefined ? {} : { line }),
  })
}
