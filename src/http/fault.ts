import { Failure, type FailureDetails, type FailureKind } from '../base/failure.ts'
import type { RetryRule } from './retry.ts'

interface FaultOptions extends FailureDetails {
  readonly hint?: string
  readonly cause?: unknown
  /** The connection ended before a byte of an answer came. */
  readonly unanswered?: boolean
}

/** A Failure that knows whether asking again may help. Internal to the step that asks; outside of it only the Failure counts. */
export class Fault extends Failure {
  readonly retry: RetryRule
  /** True when the connection ended before a byte of an answer came: on a kept one that says nothing about the service. */
  readonly unanswered: boolean

  constructor(kind: FailureKind, retry: RetryRule, message: string, options: FaultOptions = {}) {
    const { unanswered = false, ...rest } = options
    super(kind, message, rest)
    this.retry = retry
    this.unanswered = unanswered
  }
}

/** A network fault: exit 7, tried again as often as `retry` allows. */
export function networkFault(retry: RetryRule, message: string, options: FaultOptions = {}): Fault {
  return new Fault('unavailable', retry, message, options)
}
