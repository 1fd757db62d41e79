import type { RetryRule } from '../domain/retry.ts'
import { Failure, type FailureDetails, type FailureKind } from '../failure.ts'

interface FaultOptions extends FailureDetails {
  readonly hint?: string
  readonly cause?: unknown
}

/** A Failure that knows whether asking again may help. Internal to the step that asks; outside of it only the Failure counts. */
export class Fault extends Failure {
  readonly retry: RetryRule

  constructor(kind: FailureKind, retry: RetryRule, message: string, options: FaultOptions = {}) {
    super(kind, message, options)
    this.retry = retry
  }
}

/** A network fault: exit 7, tried again as often as `retry` allows. */
export function networkFault(retry: RetryRule, message: string, options: FaultOptions = {}): Fault {
  return new Fault('unavailable', retry, message, options)
}
