import { cleanText } from '../base/clean-text.ts'
import { type Answer, readStart } from '../http/answer.ts'
import { refusalOf } from '../http/answer-refusal.ts'
import { previewBody } from '../http/body-preview.ts'
import {
  parseContentRange,
  parseUnsatisfiedTotal,
  type ResumePoint,
  rangeMismatch,
} from '../http/content-range.ts'
import { Fault } from '../http/fault.ts'
import { RETRIED_STATUSES } from '../http/retry.ts'
import type { Service } from '../http/service.ts'

/** What the head of a usable response announces: the whole body, the rest of one, nothing, or that it is complete already. */
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
 * Reads the head of a response to a request for the whole body, or from `point` on. Throws a Fault for every response without
 * a usable body, with the service's own message if it has one.
 */
export async function readHead(
  service: Service,
  answer: Answer,
  point: ResumePoint | undefined,
): Promise<Head> {
  const { status, headers, host } = answer
  if (status === 204) {
    await answer.drain()
    return { kind: 'empty' }
  }
  if (status === 416 && point !== undefined) {
    await answer.drain()
    if (parseUnsatisfiedTotal(headers['content-range']) === point.start) return { kind: 'complete' }
    throw new Fault('archive', 'always', `${host} no longer has the rest of the file (status 416)`, {
      httpStatus: status,
      hint: 'the content has changed; run the command again',
    })
  }
  if (status === 200 || (status === 206 && point !== undefined)) {
    const encoding = encodingOf(headers)
    if (encoding !== undefined) {
      answer.abandon()
      throw new Fault(
        'archive',
        'once',
        `${host} compressed the response (${encoding}) against the request`,
        {
          httpStatus: status,
          hint: 'a proxy or gateway changes responses; tell the provider',
        },
      )
    }
    return status === 200 ? { kind: 'whole', totalBytes: answer.contentLength } : readRest(answer, point!)
  }
  throw await refusedAnswer(service, answer)
}

function readRest(answer: Answer, point: ResumePoint): Head {
  const mismatch = rangeMismatch(point, answer.headers)
  const range = parseContentRange(answer.headers['content-range'])
  if (mismatch === undefined) return { kind: 'rest', totalBytes: range?.total ?? point.total }
  answer.abandon()
  throw new Fault(
    'archive',
    'always',
    `${answer.host} did not resume the transfer as requested: ${mismatch}`,
    {
      httpStatus: answer.status,
      hint: 'run the command again; if it persists, tell the provider',
    },
  )
}

/** The Fault for a response whose status means that there is no archive; reads only as much of its body as it quotes. */
export async function refusedAnswer(service: Service, answer: Answer): Promise<Fault> {
  const { status, host, foreign, headers } = answer
  if (status === 206) {
    answer.abandon()
    const named = headers['content-range']
    const range = named === undefined ? '' : ` (${cleanText(named, 80)})`
    return new Fault(
      'archive',
      'once',
      `${host} sent a partial response${range} to a request for the whole file`,
      {
        httpStatus: status,
        hint: 'a proxy or gateway changes responses; tell the provider',
      },
    )
  }
  if (status === 304) {
    answer.abandon()
    return new Fault('archive', 'never', `${host} sent an unexpected 304 (not modified)`, {
      httpStatus: status,
      hint: 'a cache between here and the service is misconfigured; tell its administrator',
    })
  }
  const preview = previewBody(await readStart(answer))
  if (status > 200 && status < 300) {
    return new Fault('rejected', 'never', `${host} answered ${status}, without an archive`, {
      httpStatus: status,
      hint: 'check the address of the service and the API version',
      options: ['base-url', 'api'],
    })
  }
  const requestId = REQUEST_ID_HEADERS.map((name) => headers[name]).find((id) => id !== undefined)
  const { kind, message, ...advice } = refusalOf({
    status,
    host,
    foreign,
    preview,
    requestId: requestId === undefined ? undefined : cleanText(requestId, 100),
  })
  // A signed URL that has expired: the next attempt gets a new one.
  const expiredAddress = foreign && status === 403
  const rule = RETRIED_STATUSES.includes(status) ? 'always' : expiredAddress ? 'once' : 'never'
  return new Fault(kind, rule, service.redact(message), { ...advice, httpStatus: status })
}

function encodingOf(headers: Answer['headers']): string | undefined {
  const transfer = (headers['transfer-encoding'] ?? '').replace(/\bchunked\b/gi, '')
  const names = `${headers['content-encoding'] ?? ''},${transfer}`
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  return names.length === 0 ? undefined : cleanText(names.join(', '), 60)
}
