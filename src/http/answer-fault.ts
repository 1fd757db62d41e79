import { cleanText } from '../base/clean-text.ts'
import { isFailure, systemCode } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import { connectFault } from './connect-fault.ts'
import { type Fault, networkFault } from './fault.ts'

/** How far an answer had come when it failed. */
export interface Received {
  readonly host: string
  readonly port: number
  readonly received: number
  readonly total: number | undefined
  /** True once the head of the answer was there. */
  readonly started: boolean
  readonly chunked: boolean
}

/** What went wrong between sending a request and the last byte of its answer, in words. */
export function answerFault(error: unknown, facts: Received): unknown {
  if (isFailure(error)) return error
  const code = systemCode(error) ?? ''
  if (error instanceof Error && error.name === 'HTTPParserError') return invalidHttp(error, facts)
  switch (code) {
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return facts.started
        ? cutShort('the connection closed early', error, facts)
        : invalidLength(error, facts)
    case 'UND_ERR_HEADERS_OVERFLOW':
      return networkFault('never', `the answer headers of ${facts.host} are too large (over 16 KiB)`, {
        cause: error,
        hint: 'check --base-url and what stands between here and there',
      })
    case 'UND_ERR_SOCKET':
      return socketFault(error, facts)
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return facts.started
        ? cutShort('the connection was reset', error, facts)
        : noAnswer('reset', error, facts)
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return networkFault('always', `the connection to ${facts.host} was lost${progress(facts)} (${code})`, {
        cause: error,
        hint: 'check the network; run the command again to go on',
      })
    default:
      if (code.startsWith('UND_ERR_INVALID') || code === '') return error
      return connectFault(error, facts)
  }
}

function socketFault(error: unknown, facts: Received): Fault {
  const message = error instanceof Error ? error.message : ''
  if (message === 'bad upgrade') {
    return networkFault('never', `${facts.host} switched protocols unasked (status 101)`, {
      cause: error,
      hint: 'check --base-url',
    })
  }
  if (message === 'bad response') {
    return networkFault('once', `${facts.host} sent an answer that nobody asked for`, {
      cause: error,
      hint: 'check --base-url and what stands between here and there',
    })
  }
  return facts.started ? cutShort(closedHow(facts), error, facts) : noAnswer('closed', error, facts)
}

function closedHow(facts: Received): string {
  return facts.chunked ? 'the transfer ended before the last chunk' : 'the connection closed early'
}

function cutShort(how: string, cause: unknown, facts: Received): Fault {
  return networkFault('always', `the transfer from ${facts.host} was cut short: ${how}${progress(facts)}`, {
    cause,
    hint: 'run the command again; if it stays, ask for fewer parts at once',
  })
}

function noAnswer(how: 'closed' | 'reset', cause: unknown, facts: Received): Fault {
  return networkFault('always', `${facts.host} ${how} the connection without an answer`, {
    cause,
    unanswered: true,
    hint: 'the service may be overloaded; try again later',
  })
}

// The parser gives its reason in words only, in brackets at the end.
function invalidHttp(error: Error, facts: Received): Fault {
  const reason = cleanText(/\(([^()]*)\)$/.exec(error.message)?.[1] ?? 'unreadable', 100)
  if (/EOF/.test(reason)) {
    return facts.started ? cutShort(closedHow(facts), error, facts) : noAnswer('closed', error, facts)
  }
  if (facts.started) {
    return networkFault('twice', `${facts.host} sent invalid HTTP in the body: ${reason}${progress(facts)}`, {
      cause: error,
      hint: 'something between here and the service damages the transfer',
    })
  }
  if (/content-length/i.test(reason)) return invalidLength(error, facts)
  return networkFault(
    /^Expected HTTP/.test(reason) ? 'once' : 'never',
    `${facts.host} did not give a valid HTTP answer: ${reason}`,
    { cause: error, hint: 'wrong port, wrong scheme (https:?) or a proxy in between?' },
  )
}

function invalidLength(cause: unknown, facts: Received): Fault {
  return networkFault('twice', `${facts.host} sent invalid HTTP (Content-Length)`, {
    cause,
    hint: 'something between here and the service damages the answer; tell the provider',
  })
}

function progress({ received, total }: Received): string {
  return total === undefined
    ? ` after ${formatCount(received)} bytes`
    : ` after ${formatCount(received)} of ${formatCount(total)} bytes`
}
