/** All kinds of failure with their exit codes, which never change. */
export const EXIT_CODES = {
  internal: 1,
  usage: 2,
  config: 3,
  auth: 4,
  rejected: 5,
  limited: 6,
  unavailable: 7,
  archive: 8,
  io: 9,
  partial: 10,
  locked: 11,
  missing: 12,
  policy: 13,
  interrupted: 130,
} as const

export type FailureKind = keyof typeof EXIT_CODES

/** What the same command does when it is run again. */
interface RunAgain {
  /** What it resumes, in words: `3 of 7 requests`. */
  readonly kept?: string
  /** What else is to be known of it. */
  readonly notes?: readonly string[]
}

/** Facts about a failure; those for programs become fields of the JSON error object. */
export interface FailureDetails {
  readonly httpStatus?: number | undefined
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly entry?: string | undefined
  /** For `archive`: the broken rule. Downloading again can only fix `structure` and `data`. */
  readonly rule?: 'name' | 'limit' | 'structure' | 'unsupported' | 'data' | undefined
  /** Long names of options that help, without dashes; appended when the hint is printed. */
  readonly options?: readonly string[] | undefined
  /** Running the same command again may help, at once or after the hint. */
  readonly again?: RunAgain | undefined
  /** So may requesting fewer parts at once. */
  readonly fewerParts?: boolean | undefined
  /** Several problems reported at once; `message` then is their number. */
  readonly problems?: readonly string[] | undefined
  /** When a retry may work: milliseconds since the epoch. */
  readonly retryAtMs?: number | undefined
  /** How many requests were sent before this failure. */
  readonly attempts?: number | undefined
  /** For `interrupted`: the exit code of the signal. */
  readonly exitCode?: number | undefined
}

/** What a failure is made with, besides its kind and message. */
export interface FailureOptions extends FailureDetails {
  readonly hint?: string | undefined
  readonly cause?: unknown
}

/**
 * The only error that is thrown on purpose: what happened (`message`, lower case, no full stop), what to do (`hint`), and the exit
 * code (`kind`). Anything else that is thrown is a bug.
 */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly hint: string | undefined
  readonly details: FailureDetails
  readonly exitCode: number

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    const { hint, cause, ...details } = options
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'Failure'
    this.kind = kind
    this.hint = hint
    this.details = details
    this.exitCode = details.exitCode ?? EXIT_CODES[kind]
  }

  /** The same failure with these changes. */
  with({
    kind = this.kind,
    message = this.message,
    ...changed
  }: FailureOptions & { readonly kind?: FailureKind; readonly message?: string }): Failure {
    const { hint, details, cause = this } = this
    return new Failure(kind, message, { hint, ...details, cause, ...changed })
  }
}

/** True for a Failure, also of another copy of this module. */
export function isFailure(error: unknown): error is Failure {
  return error instanceof Failure || (error instanceof Error && error.name === 'Failure' && 'kind' in error)
}

/** The `code` of a system error (`ENOSPC`, `ECONNRESET` …), or undefined. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: unknown }
  if (typeof code !== 'string') return undefined
  return typeof errno === 'number' && /^unknown/i.test(code) ? (nameOfErrno(-errno) ?? code) : code
}

// Node has no name for some error numbers, such as EDQUOT and ESTALE.
function nameOfErrno(errno: number): string | undefined {
  const names = process.getBuiltinModule('node:os').constants.errno
  return Object.entries(names).find(([, each]) => each === errno)?.[0]
}

/** True for an error that says that this process, or the system, may not open more files. */
export function isOutOfFiles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (['EMFILE', 'ENFILE'].includes(systemCode(cause) ?? '')) return true
  return false
}

const MEMORY_CODES = [
  'ENOMEM',
  'ERR_WORKER_OUT_OF_MEMORY',
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_BUFFER_TOO_LARGE',
]
// V8 and WebAssembly have no codes.
const MEMORY_WORDS = /out of memory|allocation failed|could not allocate|cannot allocate|bad_alloc/i

/**
 * The `io` Failure for an error that says that this process may not have more memory, address space, files or threads; undefined
 * for any other error. That is a limit of the environment, not a bug.
 */
export function scarceResource(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const code = systemCode(error) ?? ''
  const isThread = code === 'ERR_WORKER_INIT_FAILED'
  const isFiles = ['EMFILE', 'ENFILE'].includes(code) || (isThread && /\bE[MN]FILE\b/.test(error.message))
  const isHeap = code === 'ERR_WORKER_OUT_OF_MEMORY' || /heap out of memory|heap limit/i.test(error.message)
  const isWasm = error.message.includes('WebAssembly') || /wasm memory/i.test(error.message)
  const isMemory = MEMORY_WORDS.test(error.message)
  const scarce = (message: string, hint: string, options?: readonly string[]): Failure =>
    new Failure('io', message, { cause: error, hint, options })
  const connections = ['concurrency']
  if (isFiles) {
    const hint = 'raise the limit (ulimit -n); a download can use fewer connections'
    return scarce('too many open files', hint, connections)
  }
  if (isThread) {
    const hint = 'raise the limit on processes (ulimit -u) or on memory (ulimit -v)'
    return scarce('no more threads can be started', hint)
  }
  if (isHeap) {
    const hint = 'raise the limit (NODE_OPTIONS=--max-old-space-size=MEBIBYTES), or use smaller inputs'
    return scarce('out of memory: a thread reached the limit of its heap', hint)
  }
  if (isWasm && isMemory) {
    const hint = 'raise the limit (ulimit -v unlimited): it needs about 10 GiB of addresses, not of memory'
    return scarce('out of address space: WebAssembly memory cannot be reserved', hint)
  }
  if (MEMORY_CODES.includes(code) || (error.name === 'RangeError' && isMemory)) {
    const hint =
      'raise the memory limit (ulimit -v, or that of the container); a download can use fewer connections'
    return scarce('out of memory', hint, connections)
  }
  return undefined
}
