import { EXIT_CODES, type FailureKind } from '../../src/base/failure.ts'

/** One exit code as the documents list it. */
export interface ExitCodeRow {
  readonly code: number
  /** The `code` of the JSON error object; empty for success. */
  readonly name: FailureKind | ''
  readonly meaning: string
}

const MEANINGS: Readonly<Record<FailureKind, string>> = {
  internal: 'a bug in the tool',
  usage: 'invalid options or criteria; an input file does not exist',
  config: 'settings or token missing or invalid',
  auth: 'the service refused the token (401, 403)',
  rejected:
    'the service refused the request (400, 404, 415, 422, other 4xx), or responded without an archive',
  limited: 'rate limit beyond --max-wait, or allowance used up',
  unavailable: 'network or service failed after every retry, or --timeout ran out; a later run may succeed',
  archive: 'damaged or unsafe archive',
  io: 'local file system error; also an output that exists without --overwrite',
  partial: '--allow-partial, and something is missing',
  locked: 'another run holds the output',
  missing:
    'none of the parts asked for without a start date was ever found; also with --fail-if-empty or --fail-if-missing',
  policy: 'a gate is not passed: `check`, or `--fail-on`',
  interrupted:
    'stopped by SIGHUP (129), SIGINT (130) or SIGTERM (143); completed requests are not sent again',
}

/** Every exit code, in order. The numbers never change; a number that is not here means failure. */
export const EXIT_CODE_ROWS: readonly ExitCodeRow[] = [
  { code: 0, name: '', meaning: 'success; also when nothing new was found' },
  ...Object.entries(EXIT_CODES)
    .map(([name, code]) => ({
      code,
      name: name as FailureKind,
      meaning: MEANINGS[name as FailureKind],
    }))
    .sort((a, b) => a.code - b.code),
]

/** The code as a table shows it: the signals share a row. */
export function exitCodeText({ code, name }: ExitCodeRow): string {
  return name === 'interrupted' ? '129, 130, 143' : String(code)
}
