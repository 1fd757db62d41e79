/** A field of a JSON result: its path (`requests[].status`), its type, what it holds. */
export interface JsonField {
  /** Ends in `?` where the field may be left out; `*` stands for any name. */
  readonly path: string
  /** `text`, `time` (RFC 3339, UTC), `integer`, `number`, `true or false`, `object`; ` or null` where it may be. */
  readonly type: string
  readonly meaning: string
}

/** One schema: which command gives it, and everything it may hold. Fields are only ever added. */
export interface JsonSchemaRow {
  readonly schema: string
  readonly from: string
  readonly fields: readonly JsonField[]
}

/** What every result begins with. */
export const COMMON_FIELDS: readonly JsonField[] = fields([
  ['schema', 'text', 'the name and version of what follows'],
  ['status?', 'text', '`ok` or `failed`, unless the table says more; not in plans, manifests and versions'],
])

/** What every result of a command that failed has besides; facts known by then stand beside it. */
export const ERROR_FIELDS: readonly JsonField[] = fields([
  ['error', 'object', 'only with `status` `failed`'],
  ['error.code', 'text', 'the name of the exit code, such as `auth`'],
  ['error.exitCode', 'integer', 'the exit code'],
  ['error.message', 'text', 'what happened and why, as on standard error'],
  ['error.hint?', 'text', 'what to do'],
  ['error.httpStatus?', 'integer', 'the status of the answer'],
  ['error.problems[]?', 'text', 'several mistakes told at once'],
  ['error.file?', 'text', 'the file it is about'],
  ['error.line?', 'integer', 'the line in it'],
  ['error.entry?', 'text', 'the entry of the archive it is about'],
  ['error.rule?', 'text', 'for `archive`: `name`, `limit`, `structure`, `unsupported` or `data`'],
  ['error.attempts?', 'integer', 'how often the service was asked'],
  ['error.retryAt?', 'time', 'when a later try may work'],
])

/** Rows of path, type and meaning as fields. */
export function fields(rows: readonly (readonly [string, string, string])[]): JsonField[] {
  return rows.map(([path, type, meaning]) => ({ path, type, meaning }))
}

/** The fields of a part of a result; what is within something that may be left out may be left out too. */
export function within(
  place: string,
  rows: readonly (readonly [string, string, string])[],
): (readonly [string, string, string])[] {
  const isOptional = place.endsWith('?')
  return rows.map(([path, type, meaning]) => [
    `${place.replace(/\?$/, '')}.${path}${isOptional && !path.endsWith('?') ? '?' : ''}`,
    type,
    meaning,
  ])
}
