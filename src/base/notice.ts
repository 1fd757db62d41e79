/** A message about the run. `terminal/` shows `warning` and `info` by default, `detail` and `trace` when verbose. */
export interface Notice {
  readonly level: 'warning' | 'info' | 'detail' | 'trace'
  /** A stable id such as `request.retry`, for programs that read the log. */
  readonly event: string
  /** One line, lower case, no full stop; text from outside in it is escaped by `cleanText`. */
  readonly message: string
  /** Long names of options that help, without dashes; appended when the notice is printed. */
  readonly options?: readonly string[]
  /** Somebody has to look at it, such as what uses allowance twice: shown even when the user wants errors only. */
  readonly needsLook?: boolean
  /** Further fields of the JSON log line, with units in their names. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** Progress of the run, reported often. */
export interface Progress {
  readonly phase: 'asking' | 'receiving' | 'waiting' | 'verifying' | 'merging' | 'extracting' | 'reporting'
  /** With what earlier runs kept. */
  readonly bytes?: number
  /** Of many requests: set when the lengths of all responses are known. */
  readonly totalBytes?: number | undefined
  readonly requestsDone?: number
  readonly requestsTotal?: number
  readonly filesDone?: number
  /** Of many requests: when the last one is probably answered, by the monotonic clock, and how many may start in a minute. */
  readonly endMs?: number | undefined
  readonly perMinute?: number
  /** While waiting: until when by the monotonic clock, for what, and what follows. */
  readonly waitUntilMs?: number
  readonly reason?: string
  readonly next?: 'retrying' | 'next request' | 'checking again'
}

/** Where notices and progress go. */
export interface Reporter {
  readonly notice: (notice: Notice) => void
  readonly progress: (progress: Progress) => void
}

/** A reporter that drops everything. */
export const SILENT: Reporter = { notice: () => undefined, progress: () => undefined }

/**
 * A hint with the options that help, as typed, where the command has them: `raise the timeout: --connect-timeout`. At the end of a hint
 * they take the place of `the option`, and say which path is meant.
 */
export function withOptions(
  text: string,
  options: readonly string[] = [],
  hasOption: (name: string) => boolean = () => true,
): string {
  // One may have its value after a space.
  const typed = options.filter((option) => hasOption(option.split(' ')[0]!)).map((option) => `--${option}`)
  if (typed.length === 0) return text
  const listed = typed.join(', ')
  if (text.endsWith(' the option')) return text.replace(/the option$/, () => listed)
  return `${text}${text.endsWith(' the path') ? ' of' : ':'} ${listed}`
}
