/** Every way a run can end badly, with the exit code users rely on (contract §5). The numbers never change. */
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

/** Facts about a failure that programs may want; each lands in the JSON error object when it is there. */
export interface FailureDetails {
  readonly httpStatus?: number
  readonly file?: string
  readonly line?: number
  readonly entry?: string
  /** For `archive`: the rule that was broken. Only broken `structure` and `data` may be mended by fetching again. */
  readonly rule?: 'name' | 'limit' | 'structure' | 'unsupported' | 'data'
  /** Long names of options, without dashes, that help; whoever prints the hint writes them as its users do. */
  readonly options?: readonly string[]
  /** Several mistakes told at once; `message` then says how many. */
  readonly problems?: readonly string[]
  /** When a later try may work: milliseconds since the epoch. */
  readonly retryAtMs?: number
  /** How often the service was asked before this was the answer. */
  readonly attempts?: number
  /** The signal's own code, for `interrupted`. */
  readonly exitCode?: number
}

interface FailureOptions extends FailureDetails {
  readonly hint?: string
  readonly cause?: unknown
}

/**
 * The one error this tool throws on purpose: what happened (`message`, lower case, no full stop), what to do
 * (`hint`), and which exit code it ends with. Anything else that is thrown is a bug.
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
}

/** True for a Failure, also for one that came from another copy of this module (a worker's chunk). */
export function isFailure(error: unknown): error is Failure {
  return error instanceof Failure || (error instanceof Error && error.name === 'Failure' && 'kind' in error)
}

/** The `code` of a Node system error (`ENOSPC`, `ECONNRESET` …), or undefined. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: unknown }
  if (typeof code !== 'string') return undefined
  return typeof errno === 'number' && /^unknown/i.test(code) ? (nameOfErrno(-errno) ?? code) : code
}

/** The name of an error number of this system that Node has none for: a used-up quota, a lost network file. */
function nameOfErrno(errno: number): string | undefined {
  const names = process.getBuiltinModule('node:os').constants.errno
  return Object.entries(names).find(([, each]) => each === errno)?.[0]
}
