import { describe, expect, test } from 'vitest'
import { previewBody } from '../../src/http/body-preview.ts'
import { notAnArchive, refusalOf, shownUrl } from '../../src/http/refusal.ts'

const nothing = previewBody(Buffer.alloc(0), String)
const of = (status: number, more: Partial<Parameters<typeof refusalOf>[0]> = {}) =>
  refusalOf({ status, host: 'h', foreign: false, preview: nothing, ...more })

describe('refusalOf', () => {
  test.each([
    [400, 'rejected', 'h refused the request as invalid (status 400)'],
    [401, 'auth', 'h rejected the token (status 401)'],
    [403, 'auth', 'h does not allow this request with this token (status 403)'],
    [404, 'rejected', 'h did not find what was requested (status 404)'],
    [407, 'auth', 'a proxy requires a login (status 407)'],
    [408, 'unavailable', 'h timed out waiting for the request (status 408)'],
    [414, 'rejected', 'the request is too long for h (status 414)'],
    [418, 'rejected', 'h refused the request (status 418)'],
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

  test('shows the URL that was not found, without the query of another origin', () => {
    const url = 'https://h/v2/download?partNumbers[]=A'
    const redact = (text: string): string => text.replace('S3CRET', '***')
    expect(of(404, { url: shownUrl(url, false, redact) }).message).toBe(
      `h did not find what was requested (status 404): ${url}`,
    )
    expect(shownUrl('https://h/S3CRET/x', false, redact)).toBe('https://h/***/x')
    expect(shownUrl('https://cdn.example/x.zip?Signature=abc', true, redact)).toBe(
      'https://cdn.example/x.zip?…',
    )
    expect(shownUrl(`${url}${'B'.repeat(9_000)}`, false, redact).length).toBeLessThanOrEqual(201)
  })

  test('quotes the service and names its request id', () => {
    const preview = previewBody(Buffer.from('{"message":"supplier 1 is unknown"}'), String)
    expect(of(422, { preview, requestId: 'r-1' }).message).toBe(
      'h refused the request as invalid (status 422): supplier 1 is unknown (request id r-1)',
    )
  })

  test('does not blame the token where none was sent', () => {
    const { message, options } = of(401, { foreign: true })
    expect(message).toBe('a redirect led to h, which refused access (status 401)')
    expect(options).toEqual(['base-url'])
  })
})

test.each([
  ['', 'an empty response', ['batch-size']],
  ['<html><title>Sign in</title>', 'a web page', ['base-url', 'api']],
  ['{"message":"no"}', 'a JSON message', ['base-url', 'api']],
  ['\u0000\u0001\u0002', 'unknown bytes', ['base-url', 'api']],
])('a 200 with %j is %s instead of an archive', (body, what, options) => {
  const facts = { status: 200, host: 'h', foreign: false, preview: previewBody(Buffer.from(body), String) }
  const refusal = notAnArchive({ ...facts, contentType: 'a/b' })
  expect(refusal).toMatchObject({ kind: 'rejected', options })
  expect(refusal.message).toContain(`h sent ${what} instead of a ZIP archive (status 200, a/b)`)
  expect(notAnArchive({ ...facts, contentType: undefined }).message).toContain(
    '(status 200, no content type)',
  )
})
