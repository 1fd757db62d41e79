import { cleanText } from '../base/clean-text.ts'
import { previewBody } from '../http/body-preview.ts'
import {
  parseContentRange,
  parseUnsatisfiedTotal,
  type ResumePoint,
  rangeMismatch,
} from '../http/content-range.ts'
import { Fault } from '../http/fault.ts'
import { refusalOf, shownUrl } from '../http/refusal.ts'
import { RETRIED_STATUSES } from '../http/retry.ts'
import type { Service } from '../http/service.ts'
import { readStart, type ServiceResponse } from '../http/service-response.ts'

/** What a usable response has: the whole body, the rest of it, nothing, or nothing because the draft is already complete. */
export type Head =
  | { readonly kind: 'whole' | 'rest'; readonly totalBytes: number | undefined }
  | { readonly kind: 'empty' }
  | { readonly kind: 'complete' }

const REQUEST_ID_HEADERS = [
  'x-request-id',
  'x-amzn-requestid',
  'x-amz-request-id',
  'x-correlation-id',
  'cf-ray',
]

/**
 * Checks the head of a response to a request for the whole body, or for the rest from `point`. Throws a Fault for a response
 * without a usable body, with the service's own message if there is one.
 */
export async function readHead(
  service: Service,
  response: ServiceResponse,
  point: ResumePoint | undefined,
): Promise<Head> {
  const { status, headers, host } = response
  if (status === 204) {
    await response.drain()
    return { kind: 'empty' }
  }
  if (status === 416 && point !== undefined) {
    await response.drain()
    if (parseUnsatisfiedTotal(headers['content-range']) === point.start) return { kind: 'complete' }
    throw new Fault('archive', 'always', `${host} no longer has the rest of the file (status 416)`, {
      httpStatus: status,
      hint: 'the content has changed; run the command again',
    })
  }
  if (status === 200 || (status === 206 && point !== undefined)) {
    const encoding = encodingOf(headers, service.redact)
    if (encoding !== undefined) {
      response.abandon()
      throw new Fault(
        'archive',
        'once',
        `${host} compressed the response (${encoding}) although the request did not allow it`,
        {
          httpStatus: status,
          hint: 'a proxy or gateway changes responses; report it to the provider',
        },
      )
    }
    return status === 200 ? { kind: 'whole', totalBytes: response.contentLength } : readRest(response, point!)
  }
  throw await refusedResponse(service, response)
}

function readRest(response: ServiceResponse, point: ResumePoint): Head {
  const mismatch = rangeMismatch(point, response.headers)
  const range = parseContentRange(response.headers['content-range'])
  if (mismatch === undefined) return { kind: 'rest', totalBytes: range?.total ?? point.total }
  response.abandon()
  throw new Fault(
    'archive',
    'always',
    `${response.host} did not resume the transfer as requested: ${mismatch}`,
    {
      httpStatus: response.status,
      hint: 'run the command again; if it persists, report it to the provider',
    },
  )
}

/** The Fault for a status without an archive; reads only as much of the body as it quotes. */
export async function refusedResponse(service: Service, response: ServiceResponse): Promise<Fault> {
  const { status, host, foreign, headers } = response
  if (status === 206) {
    response.abandon()
    const header = headers['content-range']
    const range = header === undefined ? '' : ` (${cleanText(service.redact(header), 80)})`
    return new Fault(
      'archive',
      'once',
      `${host} sent a partial response${range} to a request for the whole file`,
      {
        httpStatus: status,
        hint: 'a proxy or gateway changes responses; report it to the provider',
      },
    )
  }
  if (status === 304) {
    response.abandon()
    return new Fault('archive', 'never', `${host} sent an unexpected 304 (not modified)`, {
      httpStatus: status,
      hint: 'a cache in front of the service is misconfigured; report it to its administrator',
    })
  }
  const preview = previewBody(await readStart(response), service.redact)
  if (status > 200 && status < 300) {
    return new Fault('rejected', 'never', `${host} sent no archive (status ${status})`, {
      httpStatus: status,
      hint: 'check the service URL and the API version',
      options: ['base-url', 'api'],
    })
  }
  const requestId = REQUEST_ID_HEADERS.map((name) => headers[name]).find((id) => id !== undefined)
  const { kind, message, ...advice } = refusalOf({
    status,
    host,
    foreign,
    preview,
    url: shownUrl(response.finalUrl, foreign, service.redact),
    secretSource: service.secretSource,
    requestId: requestId === undefined ? undefined : cleanText(service.redact(requestId), 100),
  })
  // An expired signed URL: the next attempt is redirected to a new one.
  const expiredAddress = foreign && status === 403
  const rule = RETRIED_STATUSES.includes(status) ? 'always' : expiredAddress ? 'once' : 'never'
  return new Fault(kind, rule, service.redact(message), { ...advice, httpStatus: status })
}

function encodingOf(
  headers: ServiceResponse['headers'],
  redact: (text: string) => string,
): string | undefined {
  const transfer = (headers['transfer-encoding'] ?? '').replace(/\bchunked\b/gi, '')
  const names = redact(`${headers['content-encoding'] ?? ''},${transfer}`)
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  return names.length === 0 ? undefined : cleanText(names.join(', '), 60)
}
