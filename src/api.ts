import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type {
  DownloadResult,
  ErrorResult,
  ExtractResult,
  LogEvent,
  ReportResult,
  VerifyResult,
} from './api-types.ts'
import { Failure } from './base/failure.ts'
import type { World } from './base/world.ts'
import type { GivenOptions } from './cli/options/given-options.ts'

export type * from './api-types.ts'
export { EXIT_CODES } from './base/failure.ts'

/** What every function takes besides the options of its command. */
export interface Surroundings {
  /** The bearer token; else it comes from the environment or the settings, as for the command. */
  readonly token?: string
  /** The API key of v1. */
  readonly apiKey?: string
  /** The environment to read settings from; that of the process unless given. It is not changed. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What relative paths start from; the working directory of the process unless given. */
  readonly cwd?: string
  /** Stops the run; what was got is kept for the next one. */
  readonly signal?: AbortSignal
  /** Hears what the command would say on standard error. */
  readonly onEvent?: (event: LogEvent) => void
}

export type DownloadOptions = Surroundings & GivenOptions<'download'>
export type VerifyOptions = Surroundings & GivenOptions<'verify'>
export type ExtractOptions = Surroundings & GivenOptions<'extract'>
export type ReportOptions = Surroundings & GivenOptions<'report'>

/** What the functions reject with: `code` and `exitCode` are those of the command, `hint` is what to do. */
export class MatdeclError extends Error {
  readonly code: string
  readonly exitCode: number
  readonly hint: string | undefined
  /** The whole result, as `--json` gives it. */
  readonly result: ErrorResult

  constructor(result: ErrorResult) {
    super(result.error.message)
    this.name = 'MatdeclError'
    this.code = result.error.code
    this.exitCode = result.error.exitCode
    this.hint = result.error.hint
    this.result = result
  }
}

/** Asks the service and saves one verified archive, as `matdecl download` does. Rejects with a `MatdeclError`. */
export async function download(options: DownloadOptions): Promise<DownloadResult> {
  return (await call('download', [], options)) as DownloadResult
}

/** Checks archives, as `matdecl verify` does. Rejects with a `MatdeclError` when one is damaged or unsafe. */
export async function verify(
  archives: string | readonly string[],
  options: VerifyOptions = {},
): Promise<VerifyResult> {
  return (await call('verify', listed(archives), options)) as VerifyResult
}

/** Unpacks an archive into a new folder, all or nothing, as `matdecl extract` does. Rejects with a `MatdeclError`. */
export async function extract(
  archive: string,
  folder?: string,
  options: ExtractOptions = {},
): Promise<ExtractResult> {
  return (await call(
    'extract',
    folder === undefined ? [archive] : [archive, folder],
    options,
  )) as ExtractResult
}

/**
 * What each part declares, as `matdecl report` says it: the rows, or with `output` the file. Rejects with a `MatdeclError`,
 * also when `failOn` matches.
 */
export async function report(
  sources: string | readonly string[],
  options: ReportOptions = {},
): Promise<ReportResult> {
  return (await call('report', listed(sources), options)) as ReportResult
}

function listed(paths: string | readonly string[]): readonly string[] {
  return typeof paths === 'string' ? [paths] : paths
}

// The command itself runs, in this process: one way to do a thing, and one that is tested.
async function call(command: string, operands: readonly string[], options: Surroundings): Promise<unknown> {
  const { token, apiKey, env = process.env, cwd, signal, onEvent, ...given } = options
  const argv = [command, '--json', '--log-format=json', '--no-progress', ...words(given), '--', ...operands]
  const secrets = {
    ...(token === undefined ? {} : { MATDECL_TOKEN: token }),
    ...(apiKey === undefined ? {} : { MATDECL_API_KEY: apiKey }),
  }
  const out: string[] = []
  const interrupt = interruptOf(signal)
  const { realWorld } = await import('./real-world.ts')
  const real = realWorld(argv, interrupt.signal, startWorker)
  const world: World = {
    ...shared(real),
    env: { ...env, ...secrets },
    forgetEnv: () => undefined,
    cwd: () => cwd ?? real.cwd(),
    stdin: Readable.from([]),
    stdout: collect((text) => out.push(text)),
    stderr: lines((line) => onEvent?.(JSON.parse(line) as LogEvent)),
  }
  const { run } = await import('./cli/run.ts')
  try {
    const exitCode = await run(world)
    const result = JSON.parse(out.join('')) as ErrorResult
    if (exitCode !== 0) throw new MatdeclError(result)
    return result
  } finally {
    interrupt.forget()
  }
}

// The real world without its streams: they are the caller's own.
function shared(real: World): Omit<World, 'stdin' | 'stdout' | 'stderr' | 'env' | 'forgetEnv' | 'cwd'> {
  const { argv, clock, random, disk, syncDisk, interrupt, startWorker: start, runProgram, host } = real
  return { argv, clock, random, disk, syncDisk, interrupt, startWorker: start, runProgram, host }
}

function startWorker(name: string, workerData: unknown): ReturnType<World['startWorker']> {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  return new Worker(join(import.meta.dirname, 'workers', `${name}.js`), { workerData, env: {} })
}

// `startDate: '2026-01-31'` is `--start-date=2026-01-31`; what is undefined or false was not given.
function words(given: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(given).flatMap(([key, value]) => {
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (value === undefined || value === false) return []
    if (value === true) return [flag]
    if (Array.isArray(value)) return value.map((one) => `${flag}=${one}`)
    return key === 'verbose' ? Array.from({ length: Number(value) }, () => flag) : [`${flag}=${value}`]
  })
}

function interruptOf(signal: AbortSignal | undefined): { signal: AbortSignal; forget: () => void } {
  const controller = new AbortController()
  const stop = (): void => controller.abort(new Failure('interrupted', 'stopped by the caller'))
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop, { once: true })
  return { signal: controller.signal, forget: () => signal?.removeEventListener('abort', stop) }
}

function collect(take: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _, done) => {
      take(typeof chunk === 'string' ? chunk : chunk.toString('utf8'))
      done()
    },
  })
}

function lines(take: (line: string) => void): Writable {
  let rest = ''
  return collect((text) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) if (part !== '') take(part)
  })
}
