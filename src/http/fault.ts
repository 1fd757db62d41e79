import { Failure, type FailureDetails, type FailureKind } from '../base/failure.ts'
import type { RetryRule } from './retry.ts'

interface FaultOptions extends FailureDetails {
  readonly hint?: string
  readonly cause?: unknown
  /** The server had closed the kept connection. */
  readonly isStale?: boolean
}

/** A Failure with a retry rule, for the code that retries. */
export class Fault extends Failure {
  readonly retry: RetryRule
  readonly isStale: boolean

  constructor(kind: FailureKind, retry: RetryRule, message: string, options: FaultOptions = {}) {
    const { isStale = false, ...rest } = options
    super(kind, message, rest)
    this.retry = retry
    this.isStale = isStale
  }
}

/** A network fault: exit 7, retried as often as `retry` allows. */
export function networkFault(retry: RetryRule, message: string, options: FaultOptions = {}): Fault {
  return new Fault('unavailable', retry, message, options)
}
