import { describe, expect, test } from 'vitest'
import { fetchQuota, readQuota } from '../../src/http/quota.ts'
import { TOKEN, withService } from '../support/fetching.ts'
import { answer, rawServer } from '../support/raw-server.ts'

const never = new AbortController().signal

describe('the yearly allowance', () => {
  test('is that of the download counter', () => {
    const counter = { authorized: true, tier_limit: 1000, tier_usage: 123 }
    expect(readQuota({ company: {}, 'api:consume': counter, 'api:request': {} })).toEqual({
      limit: 1000,
      used: 123,
      left: 877,
      isForbidden: false,
    })
  })

  test('may be closed to this token', () => {
    const counter = { authorized: false, tier_limit: 1000, tier_usage: 0 }
    expect(readQuota({ 'api:consume': counter })?.isForbidden).toBe(true)
  })

  test('is never less than nothing', () => {
    expect(readQuota({ 'api:consume': { tier_limit: 10, tier_usage: 12 } })?.left).toBe(0)
  })

  test.each([
    [undefined],
    [null],
    [[]],
    ['text'],
    [{}],
    [{ 'api:consume': null }],
    [{ 'api:consume': { tier_limit: 10 } }],
    [{ 'api:consume': { tier_limit: '10', tier_usage: '1' } }],
    [{ 'api:consume': { tier_limit: -1, tier_usage: 1 } }],
    [{ 'api:request': { tier_limit: 10, tier_usage: 1 } }],
  ])('is unknown in %o', (value) => {
    expect(readQuota(value)).toBeUndefined()
  })
})

describe('requesting it', () => {
  test('sends the token to /v2/quota', async () => {
    const body = '{"api:consume":{"tier_limit":5,"tier_usage":2}}'
    const server = await rawServer((_, socket) =>
      socket.write(answer(200, ['Content-Type: application/json'], body)),
    )
    await withService(server.url, {}, async (service) => {
      expect(await fetchQuota(service, never)).toEqual({ limit: 5, used: 2, left: 3, isForbidden: false })
    })
    expect(server.requests.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual(
      [['GET', '/v2/quota', `Bearer ${TOKEN}`]],
    )
    await server.close()
  })

  test.each([404, 401, 429, 500, 204])(
    'is no failure when the response is %s, and is not repeated',
    async (status) => {
      const server = await rawServer((_, socket) => socket.write(answer(status, [], '')))
      await withService(server.url, {}, async (service) => {
        expect(await fetchQuota(service, never)).toBeUndefined()
      })
      expect(server.requests.length).toBe(1)
      await server.close()
    },
  )

  test.each([
    [404, ''],
    [405, ''],
    [200, '<html>Welcome</html>'],
    [200, '{}'],
  ])('is not repeated in a run where the service has none (%i %j)', async (status, body) => {
    const server = await rawServer((_, socket) => socket.write(answer(status, [], body)))
    await withService(server.url, {}, async (service) => {
      for (const _ of [1, 2, 3]) expect(await fetchQuota(service, never)).toBeUndefined()
    })
    expect(server.requests.length).toBe(1)
    await server.close()
  })

  test('is no failure without a response, but ends with the run', async () => {
    const server = await rawServer(() => undefined)
    await withService(server.url, { hasSocketTimeouts: true }, async (service) => {
      expect(await fetchQuota(service, never)).toBeUndefined()
      const reason = new Error('stopped')
      await expect(fetchQuota(service, AbortSignal.abort(reason))).rejects.toBe(reason)
    })
    await server.close()
  })
})
