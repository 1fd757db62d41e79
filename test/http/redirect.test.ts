import { describe, expect, test } from 'vitest'
import { isRedirect, nextHop, originOf } from '../../src/http/redirect.ts'

const FIRST = 'https://api.example.com/v2/download?x=1'

function hop(
  location: string | undefined,
  options: Partial<Parameters<typeof nextHop>[0]> = {},
): ReturnType<typeof nextHop> {
  return nextHop({ trail: [FIRST], method: 'GET', status: 302, location, ...options })
}

describe('a redirect leads', () => {
  test.each([
    ['/other', 'https://api.example.com/other'],
    ['?y=2', 'https://api.example.com/v2/download?y=2'],
    ['//cdn.example.net/a', 'https://cdn.example.net/a'],
    ['https://cdn.example.net/a#part', 'https://cdn.example.net/a'],
    [' https://cdn.example.net/a ', 'https://cdn.example.net/a'],
  ])('by %s to %s', (location, url) => {
    expect(hop(location)).toEqual({ url, method: 'GET' })
  })

  test.each([
    [undefined, /names no URL/],
    ['  ', /names no URL/],
    ['http://api.example.com/', /from https to http/],
    ['https://u:p@api.example.com/', /user name or password/],
    ['https://u@api.example.com/', /user name or password/],
    ['https://:p@api.example.com/', /user name or password/],
    ['https://127.0.0.1/', /a local address/],
    ['https://localhost/', /a local address/],
    ['https://a.localhost/', /a local address/],
    ['https://169.254.169.254/latest/meta-data', /a local address/],
    ['https://[::1]/', /a local address/],
    ['https://[::ffff:127.0.0.1]/', /a local address/],
    ['https://[fe80::1]/', /a local address/],
    ['https://0.0.0.0/', /a local address/],
    ['https://2130706433/', /a local address/],
    ['https://0x7f.1/', /a local address/],
    ['ftp://example.com/', /leads to ftp:/],
    ['https://', /is not valid/],
    [FIRST, /it is a loop/],
  ])('not by %s', (location, reason) => {
    const next = hop(location)
    expect('reason' in next && next.reason).toMatch(reason)
  })

  test('within this machine when it began there', () => {
    const next = nextHop({
      trail: ['http://127.0.0.1:1/a'],
      method: 'GET',
      status: 302,
      location: 'http://127.0.0.1:2/b',
    })
    expect(next).toEqual({ url: 'http://127.0.0.1:2/b', method: 'GET' })
  })

  test.each([
    [301, 'GET'],
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ])('a POST by %s on as %s', (status, method) => {
    expect(hop('/there', { method: 'POST', status })).toMatchObject({ method })
  })

  test.each([
    [5, undefined],
    [6, 'it is the 6th in a row'],
  ])('after %i URLs on, or not: %s', (count, reason) => {
    const trail = Array.from({ length: count }, (_, index) => `https://api.example.com/${index}`)
    const next = hop('/next', { trail })
    expect(next).toEqual(reason === undefined ? expect.objectContaining({ method: 'GET' }) : { reason })
  })

  test('back to where it was only for a POST, or to look again', () => {
    expect(hop(FIRST, { method: 'POST', status: 307 })).toEqual({ url: FIRST, method: 'POST' })
    expect(hop(FIRST, { isPoll: true })).toEqual({ url: FIRST, method: 'GET' })
    expect(hop(FIRST, { method: 'POST' })).toEqual({ reason: 'it is a loop, back to api.example.com' })
  })

  test('from this machine to no other one without protection', () => {
    const next = hop('http://api.example.com/', { trail: ['http://127.0.0.1/a'] })
    expect(next).toEqual({ reason: 'it leads to unprotected http:' })
  })

  test('a body with its key to no other origin, not even another port', () => {
    for (const location of ['https://cdn.example.net/', 'https://api.example.com:8443/']) {
      const next = hop(location, { method: 'POST', status: 307 })
      expect('reason' in next && next.reason).toMatch(/API key/)
    }
  })
})

test('an origin is scheme, host and port', () => {
  expect(originOf('https://API.example.com:443/x')).toBe('https://api.example.com')
  expect(originOf('https://api.example.com:8443')).not.toBe(originOf('https://api.example.com'))
  expect(originOf('http://api.example.com')).not.toBe(originOf('https://api.example.com'))
})

test('304 is none', () => {
  expect([300, 301, 302, 303, 307, 308].every(isRedirect)).toBe(true)
  expect([200, 204, 304, 305, 306, 400].some(isRedirect)).toBe(false)
})
