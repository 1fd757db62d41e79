import type { Failure } from '../base/failure.ts'
import { formatBytes, formatCount } from '../base/units.ts'
import { Fault, networkFault } from '../http/fault.ts'
import type { ServiceResponse } from '../http/service-response.ts'

// Another download would break these rules again.
const UNSAFE_RULES: readonly unknown[] = ['name', 'limit', 'unsupported']

/** The body is, or will be, larger than `maxBytes`; `totalBytes` is what the service announced. */
export function tooLarge(response: ServiceResponse, maxBytes: number, totalBytes: number | undefined): Fault {
  const limit = `the limit of ${formatBytes(maxBytes)}`
  return new Fault(
    'archive',
    'never',
    totalBytes === undefined
      ? `stopped at ${limit}: ${response.host} sends more`
      : `${response.host} announces ${formatBytes(totalBytes)}, more than ${limit}`,
    { hint: 'request fewer parts at once, or raise the maximum size', options: ['max-size'] },
  )
}

/** The body ended before its announced size. */
export function cutShort(response: ServiceResponse, bytes: number, totalBytes: number): Fault {
  const got = `${formatCount(bytes)} of ${formatCount(totalBytes)} bytes`
  return networkFault('always', `the transfer from ${response.host} was cut short after ${got}`, {
    hint: 'run the command again; if it persists, request fewer parts at once',
  })
}

/** The draft is gone or is another file. */
export function vanished(draftPath: string): Fault {
  return new Fault('io', 'once', `${draftPath} disappeared while it was being verified`, {
    file: draftPath,
    hint: 'another program removes files there; run the command again, or choose another output path',
    options: ['output'],
  })
}

/** The archive is damaged or unsafe; without a response, an earlier run received it. */
export function damagedFault(
  error: Failure,
  response: ServiceResponse | undefined,
  { draftPath, wasResumed }: { readonly draftPath: string; readonly wasResumed: boolean },
): Fault {
  const { file: _, ...details } = error.details
  const hasNoLength =
    response?.contentLength === undefined && response?.headers['transfer-encoding'] === undefined
  const addition = wasResumed
    ? '; the content changes between attempts'
    : hasNoLength && response !== undefined
      ? `; ${response.host} sent no length, it may have been cut short`
      : ''
  const isUnsafe = UNSAFE_RULES.includes(error.details.rule)
  const message = error.message.replaceAll(draftPath, 'the archive')
  return new Fault('archive', isUnsafe ? 'never' : 'always', `${message}${addition}`, {
    ...details,
    cause: error,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  })
}
