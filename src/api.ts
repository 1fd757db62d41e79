import { Readable, Writable } from 'node:stream'
import type { ExtractResult, ListResult, VerifyResult } from './archive/archive-results.ts'
import type { FailedResult } from './base/failed-result.ts'
import { Failure } from './base/failure.ts'
import type { World } from './base/world.ts'
import type { Context } from './cli/context.ts'
import type { CamelCase, OptionRow } from './cli/option-row.ts'
import type { CommandName, OPTIONS } from './cli/options.ts'
import type { DiffResult } from './diff/diff-result.ts'
import type { DownloadResult, PlanResult } from './download/download-result.ts'
import type { ReportRow } from './report/columns.ts'
import type { ReportResult } from './report/report-result.ts'
import type { SubstanceRow } from './report/rows/part-declaration.ts'

export type { Entry, ExtractResult, ListResult, VerifyResult } from './archive/archive-results.ts'
export type { FailedResult } from './base/failed-result.ts'
export { EXIT_CODES } from './base/failure.ts'
export type { DiffResult } from './diff/diff-result.ts'
export type { DownloadResult, Manifest, PlanResult } from './download/download-result.ts'
export type { ReportRow } from './report/columns.ts'
export type { ReportResult } from './report/report-result.ts'
export type { SubstanceRow } from './report/rows/part-declaration.ts'

/** A line of the log: `event` is a stable id such as `request.retry`; further fields depend on it. */
export interface LogEvent {
  /** RFC 3339, UTC. */
  readonly time: string
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'trace'
  readonly event: string
  readonly message: string
  readonly [field: string]: unknown
}

/** Options of every function, in addition to those of its command. */
export interface CallOptions {
  /** The bearer token; by default from the environment or the config file, as for the command. */
  readonly token?: string
  /** The API key of v1. */
  readonly apiKey?: string
  /** The environment to read options from; by default that of the process. It is not changed. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The base of relative paths; by default the working directory of the process. */
  readonly cwd?: string
  /** Stops the run; completed requests are kept for the next one. */
  readonly signal?: AbortSignal
  /** Receives what the command would print on standard error. */
  readonly onEvent?: (event: LogEvent) => void
}

type Rows = (typeof OPTIONS)[number]

// Options about the terminal have no meaning for a program that calls another.
type OfTerminal =
  | 'json'
  | 'quiet'
  | 'logFormat'
  | 'noProgress'
  | 'color'
  | 'noColor'
  | 'noInput'
  | 'version'
  | 'help'

type RowsOf<Command extends string> = Rows extends infer R
  ? R extends { readonly commands: 'all'; readonly key: OfTerminal }
    ? never
    : R extends { readonly commands: 'all' }
      ? R
      : R extends { readonly commands: readonly (infer C)[] }
        ? Command extends C
          ? R
          : never
        : never
  : never

// A duration is text such as `10s` or a number of seconds, a size text such as `1GiB` or a number of bytes.
type OneGiven<R extends OptionRow> = R['type'] extends { kind: 'flag' }
  ? boolean
  : R['type'] extends { kind: 'count' | 'integer' }
    ? number
    : R['type'] extends { kind: 'size' | 'duration' }
      ? string | number
      : R['type'] extends { kind: 'choice'; values: readonly (infer V)[] }
        ? V
        : string

type ValueGiven<R extends OptionRow> = R extends { repeatable: true }
  ? readonly OneGiven<R>[]
  : R extends { takesOptionalValue: true }
    ? OneGiven<R> | true
    : OneGiven<R>

/** The options of a command by their long names, each as a program would give it; from the one option table. */
type GivenOptions<Command extends string> = {
  readonly [R in RowsOf<Command> as R extends OptionRow ? CamelCase<R['name']> : never]?: R extends OptionRow
    ? ValueGiven<R> | undefined
    : never
}

export type DownloadOptions = CallOptions & Omit<GivenOptions<'download'>, 'dryRun' | 'curl' | 'yes'>
export type ListOptions = CallOptions & GivenOptions<'list'>
export type VerifyOptions = CallOptions & GivenOptions<'verify'>
export type ExtractOptions = CallOptions & GivenOptions<'extract'>
export type ReportOptions = CallOptions & GivenOptions<'report'>
export type DiffOptions = CallOptions & GivenOptions<'diff'>

/** A report with its rows, absent with `output`. */
export type RowsResult<Row> = Omit<ReportResult, 'rows'> & { readonly rows?: readonly Row[] }

/** The error that all functions reject with: `code` and `exitCode` are those of the command, `hint` is how to fix it. */
export class MatdeclError extends Error {
  readonly code: FailedResult['error']['code']
  readonly exitCode: number
  readonly hint: string | undefined
  /** The complete result, as printed by `--json`. */
  readonly result: FailedResult

  constructor(result: FailedResult, cause?: unknown) {
    super(result.error.message, { cause })
    this.name = 'MatdeclError'
    this.code = result.error.code
    this.exitCode = result.error.exitCode
    this.hint = result.error.hint
    this.result = result
  }
}

/** Downloads one verified archive, as `matdecl download` does. Rejects with a `MatdeclError`. */
export function download(options: DownloadOptions): Promise<DownloadResult> {
  return call('download', [], options, async (context) => {
    const { dryRun, output } = context.settings.values
    if (dryRun) throw new Failure('usage', 'a dry run downloads nothing', { hint: 'call plan()' })
    if (output === '-') {
      throw new Failure('usage', 'a function cannot download to standard output', {
        hint: 'name an output file',
      })
    }
    const { runDownload } = await import('./cli/download/run-download.ts')
    await using run = await runDownload(context)
    await run.settle()
    await run.complete()
    return run.result
  })
}

/** Returns what `download` would send, as `matdecl download --dry-run` does. Rejects with a `MatdeclError`. */
export function plan(options: DownloadOptions): Promise<PlanResult> {
  return call('download', [], { ...options, dryRun: true }, async (context) => {
    const { planDownload, planResult } = await import('./cli/download/plan-download.ts')
    const planned = await planDownload(context)
    return planResult(context, planned)
  })
}

/** Reads the entries of archives, as `matdecl list` does. Rejects with a `MatdeclError`. */
export function list(archives: string | readonly string[], options: ListOptions = {}): Promise<ListResult> {
  return call('list', listed(archives), options, async (context) => {
    const { listResult, readListings } = await import('./cli/commands/list-command.ts')
    return listResult(await readListings(context))
  })
}

/** Verifies archives, as `matdecl verify` does. Rejects with a `MatdeclError` when one is damaged or unsafe. */
export function verify(
  archives: string | readonly string[],
  options: VerifyOptions = {},
): Promise<VerifyResult> {
  return call('verify', listed(archives), options, async (context) => {
    const { verifyEach, verifyResult } = await import('./cli/commands/verify-command.ts')
    const outcomes = []
    for await (const outcome of verifyEach(context)) outcomes.push(outcome)
    return verifyResult(context, outcomes)
  })
}

/** Extracts an archive into a new directory, all or nothing, as `matdecl extract` does. Rejects with a `MatdeclError`. */
export function extract(
  archive: string,
  directory?: string,
  options: ExtractOptions = {},
): Promise<ExtractResult> {
  const operands = directory === undefined ? [archive] : [archive, directory]
  return call('extract', operands, options, async (context) => {
    const { runExtract } = await import('./cli/commands/extract-command.ts')
    return runExtract(context)
  })
}

/**
 * Reports what each part declares, as `matdecl report` does: the rows, or with `output` the file. Rejects with a
 * `MatdeclError`, also when `failOn` matches.
 */
export function report(
  sources: string | readonly string[],
  options: ReportOptions & { readonly substances: true },
): Promise<RowsResult<SubstanceRow>>
export function report(
  sources: string | readonly string[],
  options?: ReportOptions,
): Promise<RowsResult<ReportRow>>
export function report(
  sources: string | readonly string[],
  options: ReportOptions = {},
): Promise<RowsResult<ReportRow | SubstanceRow>> {
  return call('report', listed(sources), options, async (context) => {
    const { collectReport } = await import('./cli/report/run-report.ts')
    return collectReport(context)
  })
}

/** Compares two downloads part by part, as `matdecl diff` does. Rejects with a `MatdeclError`, also when `failOn` matches. */
export function diff(oldSource: string, newSource: string, options: DiffOptions = {}): Promise<DiffResult> {
  return call('diff', [oldSource, newSource], options, async (context) => {
    const { runDiff, settleDiff } = await import('./cli/report/run-diff.ts')
    return settleDiff(context, await runDiff(context))
  })
}

function listed(paths: string | readonly string[]): readonly string[] {
  return typeof paths === 'string' ? [paths] : paths
}

/** Resolves the options, runs `work` with them, and turns every error into a `MatdeclError`. */
async function call<T, Options extends CallOptions>(
  command: CommandName,
  operands: readonly string[],
  options: Options,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const { token, apiKey, env, cwd, signal, onEvent, ...given } = options
  const { openCall } = await import('./cli/api-call.ts')
  const { realWorld } = await import('./real-world.ts')
  const interrupt = interruptOf(signal)
  const real = realWorld([], interrupt.signal, import.meta.dirname)
  const { clock, random, disk, syncDisk, startWorker, runProgram, startPager, host } = real
  const world: World = {
    argv: [],
    clock,
    random,
    disk,
    syncDisk,
    interrupt: interrupt.signal,
    startWorker,
    runProgram,
    startPager,
    host,
    env: {
      ...(env ?? process.env),
      ...(token === undefined ? {} : { MATDECL_TOKEN: token }),
      ...(apiKey === undefined ? {} : { MATDECL_API_KEY: apiKey }),
    },
    forgetEnv: () => undefined,
    cwd: () => cwd ?? real.cwd(),
    stdin: Readable.from([]),
    stdout: textStream(() => undefined),
    stderr: lineStream((line) => onEvent?.(JSON.parse(line) as LogEvent)),
  }
  try {
    const opened = openCall(world, command, operands, given)
    try {
      return await work(await opened.context())
    } catch (error) {
      throw new MatdeclError(opened.failedResult(error), error)
    }
  } finally {
    interrupt.forget()
  }
}

function interruptOf(signal: AbortSignal | undefined): { signal: AbortSignal; forget: () => void } {
  const controller = new AbortController()
  const stop = (): void => controller.abort(new Failure('interrupted', 'stopped by the caller'))
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop, { once: true })
  return { signal: controller.signal, forget: () => signal?.removeEventListener('abort', stop) }
}

function textStream(take: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _, done) => {
      take(String(chunk))
      done()
    },
  })
}

// Log lines are objects, one per line.
function lineStream(take: (line: string) => void): Writable {
  let rest = ''
  return textStream((text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') take(line)
  })
}
