import { describe, expect, test } from 'vitest'
import { previewBody } from '../../src/http/body-preview.ts'
import {
  MOST_ATTEMPTS,
  mayRetry,
  notAnArchive,
  outcomeOf,
  type RetryRule,
  refusal,
  retryWaitMs,
  scopeOf,
  shownUrl,
} from '../../src/http/outcome.ts'

const nothing = previewBody(Buffer.alloc(0), String)
const SECRETS = { redact: String, secretSource: undefined }
const of = (status: number, more: Partial<Parameters<typeof refusal>[0]> = {}, preview = nothing) =>
  refusal(
    { status, outcome: outcomeOf(status, more), host: 'h', finalUrl: 'https://h/x', headers: {}, ...more },
    preview,
    SECRETS,
  )

describe('an error status', () => {
  test.each([
    [400, 'rejected', 'h refused the request as invalid (status 400)'],
    [401, 'auth', 'h rejected the token (status 401)'],
    [403, 'auth', 'h does not allow this request with this token (status 403)'],
    [404, 'rejected', 'h did not find what was requested (status 404): https://h/x'],
    [407, 'auth', 'a proxy requires a login (status 407)'],
    [408, 'unavailable', 'h timed out waiting for the request (status 408)'],
    [414, 'rejected', 'the request is too long for h (status 414)'],
    [299, 'rejected', 'h sent no archive (status 299)'],
    [418, 'rejected', 'h refused the request (status 418)'],
    [499, 'rejected', 'h refused the request (status 499)'],
    [519, 'unavailable', 'h is failing (status 519)'],
    [599, 'unavailable', 'h is failing (status 599)'],
    [600, 'unavailable', 'h responded with an unusable status (600)'],
    [425, 'unavailable', 'h is not ready for this request yet (status 425)'],
    [429, 'unavailable', 'h is limiting the request rate (status 429)'],
    [500, 'unavailable', 'h is failing (status 500)'],
    [501, 'unavailable', 'h does not support this request (status 501)'],
    [511, 'unavailable', 'the network requires a login (status 511)'],
    [302, 'unavailable', 'h responded with an unusable status (302)'],
    [999, 'unavailable', 'h responded with an unusable status (999)'],
  ])('%d is %s', (status, kind, message) => {
    expect(of(status)).toMatchObject({ kind, message, hint: expect.stringMatching(/\w/) })
  })

  test.each([
    ['Bearer realm="x", error="invalid_token", error_description="it expired"', nothing, ': it expired'],
    ['Bearer error_description="it expired"', previewBody(Buffer.from('no'), String), ': no'],
    ['Basic realm="x"', nothing, ''],
  ])('401 has the reason of %s where the body has none', (challenge, preview, words) => {
    const headers = { 'www-authenticate': challenge }
    expect(of(401, { headers }, preview).message).toBe(`h rejected the token (status 401)${words}`)
  })

  test('of v1 is about the API key', () => {
    const response = {
      status: 401,
      outcome: outcomeOf(401),
      host: 'h',
      finalUrl: 'https://h/x',
      headers: {},
    }
    const secrets = { redact: String, secretName: 'API key', secretSource: 'token-file in c.toml' }
    expect(refusal(response, nothing, secrets)).toMatchObject({
      message: 'h rejected the API key (status 401)',
      hint: 'check token-file in c.toml: the API key may have expired or belong to another service; the provider issues them',
    })
  })

  test('shows the URL that was not found, without the query of another origin', () => {
    const url = 'https://h/v2/download?partNumbers[]=A'
    const redact = (text: string): string => text.replace('S3CRET', '***')
    expect(of(404, { finalUrl: url }).message).toBe(`h did not find what was requested (status 404): ${url}`)
    expect(shownUrl('https://h/S3CRET/x', false, redact)).toBe('https://h/***/x')
    expect(shownUrl('https://cdn.example/x.zip?Signature=abc', true, redact)).toBe(
      'https://cdn.example/x.zip?…',
    )
    expect(shownUrl(`${url}${'B'.repeat(9_000)}`, false, redact).length).toBeLessThanOrEqual(201)
  })

  test('quotes the service and names its request id', () => {
    const preview = previewBody(Buffer.from('{"message":"supplier 1 is unknown"}'), String)
    expect(of(422, { headers: { 'x-request-id': 'r-1' } }, preview).message).toBe(
      'h refused the request as invalid (status 422): supplier 1 is unknown (request id r-1)',
    )
  })

  test('does not blame the token where none was sent', () => {
    const { message, details } = of(401, { foreign: true })
    expect(message).toBe('a redirect led to h, which refused access (status 401)')
    expect(details.options).toEqual(['base-url'])
  })
})

test.each([
  ['', 'an empty response', undefined],
  ['<html><title>Sign in</title>', 'a web page', ['base-url', 'api']],
  ['{"message":"no"}', 'a JSON message', ['base-url', 'api']],
  ['\u0000\u0001\u0002', 'unknown bytes', ['base-url', 'api']],
])('a 200 with %j is %s instead of an archive', (body, what, options) => {
  const preview = previewBody(Buffer.from(body), String)
  const of = (headers: Record<string, string>) =>
    notAnArchive({ status: 200, host: 'h', headers }, preview, String)
  const fault = of({ 'content-type': 'a/b' })
  expect(fault).toMatchObject({ kind: 'rejected', retry: 'never' })
  expect(fault.details.options).toEqual(options)
  expect(fault.details.fewerParts).toBe(body === '' ? true : undefined)
  expect(fault.message).toContain(`h sent ${what} instead of a ZIP archive (status 200, a/b)`)
  expect(of({}).message).toContain('(status 200, no content type)')
})

describe('a retry', () => {
  test.each([
    ['never', 1, 1, 1, 5, false],
    ['always', 1, 1, 1, 5, true],
    ['always', 5, 5, 5, 5, true],
    ['always', 6, 6, 6, 5, false],
    ['always', 1, 1, 1, 0, false],
    ['always', 40, 2, 40, 5, true],
    ['once', 1, 1, 1, 5, true],
    ['once', 2, 2, 2, 5, false],
    ['once', 3, 3, 1, 5, true],
    ['once', 7, 6, 1, 5, false],
    ['twice', 2, 2, 2, 5, true],
    ['twice', 3, 3, 3, 5, false],
    ['twice', 2, 2, 2, 1, false],
    ['always', MOST_ATTEMPTS - 1, 0, 1, 5, true],
    ['always', MOST_ATTEMPTS, 0, 1, 5, false],
  ] as const)(
    'under "%s" after %s attempts, %s failures, %s of its kind, --retries %s: %s',
    (rule, attempts, failures, sameRule, retries, expected) => {
      expect(mayRetry(rule as RetryRule, { attempts, failures, sameRule }, retries)).toBe(expected)
    },
  )

  test('is due for temporary statuses only', () => {
    const retried = [...Array(600).keys()].filter((status) => outcomeOf(status).retry === 'always')
    expect(retried).toEqual([408, 425, 429, 500, 502, 503, 504, ...range(520, 530)])
    expect(outcomeOf(404, { isRedirected: true }).retry).toBe('always')
    expect(outcomeOf(403, { foreign: true }).retry).toBe('once')
  })
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

describe('the wait before it', () => {
  const maxWaitMs = 300_000

  test('is anywhere under a ceiling that doubles up to a minute', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((times) => retryWaitMs(times, 0.999_999, { maxWaitMs }))
    expect(ceilings).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
    expect(retryWaitMs(5, 0.25, { maxWaitMs })).toBe(4_000)
  })

  test('is never zero', () => {
    expect(retryWaitMs(1, 0, { maxWaitMs })).toBe(100)
  })

  test('is what the server requested, plus up to a second', () => {
    expect(retryWaitMs(1, 0, { maxWaitMs, requestedMs: 3_000 })).toBe(3_000)
    expect(retryWaitMs(9, 0.999_999, { maxWaitMs, requestedMs: 3_000 })).toBe(4_000)
    expect(retryWaitMs(1, 0.5, { maxWaitMs, requestedMs: 20 })).toBe(100)
  })

  test('is at most the maximum wait, unless the server requested more', () => {
    expect(retryWaitMs(9, 0.9, { maxWaitMs: 5_000 })).toBe(5_000)
    expect(retryWaitMs(1, 0.9, { maxWaitMs: 3_000, requestedMs: 3_000 })).toBe(3_000)
    expect(retryWaitMs(1, 0.5, { maxWaitMs: 0 })).toBe(0)
  })
})

describe('a request that may be too long', () => {
  const GUNICORN = `<html>
  <head>
    <title>Bad Request</title>
  </head>
  <body>
    <h1><p>Bad Request</p></h1>
    Request Line is too large (4268 &gt; 4094)
  </body>
</html>`
  const NGINX =
    '<html><head><title>400 Bad Request</title></head><body><center><h1>400 Bad Request</h1></center><hr><center>nginx</center></body></html>'
  const IIS =
    '<html><head><title>404 - Not Found</title></head><body><h2>HTTP Error 404.15 - Not Found</h2>The request filtering module is configured to deny a request where the query string is too long.</body></html>'

  const IIS_REMOTE =
    '<html><head><title>404 - File or directory not found.</title></head><body><h2>404 - File or directory not found.</h2><h3>The resource you are looking for might have been removed, had its name changed, or is temporarily unavailable.</h3></body></html>'

  const refused = (status: number, body: string, foreign = false) => {
    return of(status, { foreign }, previewBody(Buffer.from(body), String))
  }

  test.each([
    [400, GUNICORN, 'divide-longest'],
    [404, IIS, 'divide-longest'],
    [400, '{"message":"URL too long"}', 'divide-longest'],
    [400, 'query exceeds the limit of 2048', 'divide-longest'],
    [400, 'Request-URI Too Large', 'divide-longest'],
    [400, NGINX, 'divide-once'],
    [404, IIS_REMOTE, 'divide-once'],
    [400, '', 'divide-once'],
    [404, 'Not Found', 'divide-once'],
    [400, '{"message":"Bad Request"}', 'divide-once'],
    [400, '{"message":"supplier is not valid"}', 'request'],
    [404, 'part not found', 'request'],
    [403, GUNICORN, 'request-of-many'],
    [413, '', 'divide'],
    [414, '', 'divide'],
    [431, '', 'divide'],
  ])('by a %i with %j is %s', (status, body, scope) => {
    const fault = refused(status, body)
    expect(scopeOf(fault)).toBe(scope)
    expect(scopeOf(fault.with({ message: 'the same, told otherwise' }))).toBe(scope)
  })

  test('is quoted where the title only repeats the status, with what to do', () => {
    const { message, details } = refused(400, GUNICORN)
    expect(message).toBe(
      'h refused the request as invalid (status 400): "Bad Request Request Line is too large (4268 > 4094)"',
    )
    expect(details).toMatchObject({ fewerParts: true, options: ['max-url-length'] })
    expect(refused(400, NGINX).message).toBe(
      'h refused the request as invalid (status 400): "400 Bad Request"',
    )
  })

  test('is not one for a store', () => {
    expect(scopeOf(refused(404, '', true))).toBe('request')
  })
})
