import { errors } from 'undici'
import { cleanText } from '../base/clean-text.ts'
import { isFailure, systemCode } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import { connectError, type Peer } from './connect-errors.ts'
import { type Fault, networkFault } from './fault.ts'

/** The state of a response when it failed. */
export interface Transfer extends Peer {
  /** The host, with its port unless it is the scheme's default. */
  readonly name: string
  readonly received: number
  readonly total: number | undefined
  readonly isChunked: boolean
  /** True after the head of the response. */
  readonly isStarted: boolean
  /** True on a connection that has served another request. */
  readonly isReused: boolean
}

const CHECK_ADDRESS = { hint: 'check the service URL', options: ['base-url'] }

/** Translates an error between sending a request and the last byte of its response; unknown ones are returned unchanged. */
export function transferError(error: unknown, transfer: Transfer): unknown {
  if (isFailure(error)) return error
  const { name, isStarted } = transfer
  const code = systemCode(error) ?? ''
  if (error instanceof errors.HTTPParserError) return invalidHttp(error, transfer)
  switch (code) {
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return isStarted
        ? cutShort('the connection closed early', error, transfer)
        : invalidLength(error, transfer)
    case 'UND_ERR_HEADERS_OVERFLOW':
      return networkFault('never', `the response headers of ${name} are too large (over 16 KiB)`, {
        cause: error,
        ...CHECK_ADDRESS,
      })
    case 'UND_ERR_SOCKET':
      return socketError(error, transfer)
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return isStarted
        ? cutShort('the connection was reset', error, transfer)
        : noResponse('reset', error, transfer)
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return networkFault('always', `the connection to ${name} was lost${progress(transfer)} (${code})`, {
        cause: error,
        hint: 'check the network, then run the command again',
      })
    default:
      return code === '' || code.startsWith('UND_ERR_INVALID') ? error : connectError(error, transfer)
  }
}

// undici has one code for all of these; only the text differs.
function socketError(error: unknown, transfer: Transfer): Fault {
  const text = error instanceof Error ? error.message : ''
  const { name } = transfer
  if (text === 'bad upgrade') {
    return networkFault('never', `${name} switched protocols without a request to do so (status 101)`, {
      cause: error,
      ...CHECK_ADDRESS,
    })
  }
  if (text === 'bad response') {
    return networkFault('once', `${name} sent an unexpected response (such as 100 Continue)`, {
      cause: error,
      ...CHECK_ADDRESS,
    })
  }
  return transfer.isStarted
    ? cutShort(howClosed(transfer), error, transfer)
    : noResponse('closed', error, transfer)
}

// The parser's reason is only in the message, in brackets at the end.
function invalidHttp(error: Error, transfer: Transfer): Fault {
  const { name } = transfer
  const reason = cleanText(/\(([^()]*)\)$/.exec(error.message)?.[1] ?? 'unreadable', 100)
  if (/EOF/.test(reason)) {
    return transfer.isStarted
      ? cutShort(howClosed(transfer), error, transfer)
      : noResponse('closed', error, transfer)
  }
  if (transfer.isStarted) {
    return networkFault('twice', `${name} sent invalid HTTP in the body: ${reason}${progress(transfer)}`, {
      cause: error,
      hint: 'something between here and the service damages the transfer',
    })
  }
  if (/content-length/i.test(reason)) return invalidLength(error, transfer)
  return networkFault(
    /^Expected HTTP/.test(reason) ? 'once' : 'never',
    `${name} did not send a valid HTTP response: ${reason}`,
    { cause: error, hint: 'check the port, the scheme (https:) and the proxy settings' },
  )
}

function invalidLength(cause: unknown, { name }: Transfer): Fault {
  return networkFault('twice', `${name} sent invalid HTTP (Content-Length)`, {
    cause,
    hint: 'something between here and the service damages the response; report it to the provider',
  })
}

function cutShort(how: string, cause: unknown, transfer: Transfer): Fault {
  return networkFault(
    'always',
    `the transfer from ${transfer.name} was cut short: ${how}${progress(transfer)}`,
    {
      cause,
      hint: 'run the command again; if it persists, request fewer parts at once',
      options: ['batch-size'],
    },
  )
}

function noResponse(how: 'closed' | 'reset', cause: unknown, transfer: Transfer): Fault {
  const { name, isReused, hasClientCertificate } = transfer
  return networkFault('always', `${name} ${how} the connection without a response`, {
    cause,
    isStale: isReused,
    hint: hasClientCertificate
      ? 'the service may be overloaded, or refuse the client certificate; try again later'
      : 'the service may be overloaded; try again later',
  })
}

function howClosed({ isChunked }: Transfer): string {
  return isChunked ? 'the transfer ended before the last chunk' : 'the connection closed early'
}

function progress({ received, total }: Transfer): string {
  const of = total === undefined ? '' : ` of ${formatCount(total)}`
  return ` after ${formatCount(received)}${of} bytes`
}
