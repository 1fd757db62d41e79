/**
 * Something worth telling while the work goes on. The use cases only tell; `terminal/` decides what of it people see:
 * `warning` and `info` by default, `detail` with `-v`, `trace` with `-vv`, nothing with `--quiet`.
 */
export interface Notice {
  readonly level: 'warning' | 'info' | 'detail' | 'trace'
  /** A stable id such as `request.retry`, never renamed: log readers match on it. */
  readonly event: string
  /** One line, lower case, no full stop; text from outside in it has gone through `cleanText`. */
  readonly message: string
  /** Long names of options, without dashes, that help; whoever prints the notice writes them as its users do. */
  readonly options?: readonly string[]
  /** Further fields of the JSON log line; units in the names. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** How far the work is; told often, drawn rarely. */
export interface Progress {
  readonly phase: 'asking' | 'receiving' | 'waiting' | 'verifying' | 'merging' | 'extracting' | 'reporting'
  readonly bytes?: number
  readonly totalBytes?: number
  readonly requestsDone?: number
  readonly requestsTotal?: number
  /** When waiting: how long still, and for what. */
  readonly waitMs?: number
  readonly reason?: string
}

/** Where notices and progress go. */
export interface Reporter {
  readonly notice: (notice: Notice) => void
  readonly progress: (progress: Progress) => void
}

/** A reporter that hears nothing. */
export const SILENT: Reporter = { notice: () => undefined, progress: () => undefined }
