import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { declarationXml } from '../../src/sandbox/declaration-xml.ts'
import { parseFaults } from '../../src/sandbox/faults.ts'
import { describePart } from '../../src/sandbox/made-up.ts'
import { running, unzipped } from '../support/sandbox.ts'

const OWN = 'EXC188R60000KA'
const message = async (answer: Response): Promise<string> =>
  ((await answer.json()) as { message: string }).message

describe('GET /v2/download', () => {
  it('responds to a supplier with a ZIP of its declarations, one file per family', async () => {
    await using service = await running()
    const answer = await service.ask('format=1752A&supplier=100200300')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/zip')
    const entries = await unzipped(answer)
    const declared = Array.from({ length: 30 }, (_, serial) => describePart(serial * 8)).filter(
      ({ regulatory }) => regulatory !== undefined,
    )
    expect([...entries.values()]).toEqual(declared.map((part) => declarationXml(part, '1752A', 'C')))
    expect([...entries.keys()][0]).toBe('1752A_C_100200300_EXC188R60000KA.xml')
  })

  it('matches part numbers exactly, the supplier’s and the buyer’s, each family once', async () => {
    await using service = await running()
    const family = Array.from({ length: 240 }, (_, n) => describePart(n)).find(
      ({ numbers }) => numbers.length > 1,
    )!
    const numbers = [
      family.numbers[2]!.number,
      family.numbers[1]!.requesterNumber!,
      OWN.toLowerCase(),
      `${OWN} `,
      'FC 4x0,75/10000',
      'IM-10µH-10000',
      'nobody',
    ]
    const query = numbers.map((number) => `partNumbers[]=${encodeURIComponent(number)}`).join('&')
    const entries = await unzipped(await service.ask(`format=1752B&formatClass=checkDthenC&${query}`))
    const isInvented = (xml: string): boolean => xml.includes('Made-up data (sandbox)')
    // The other spellings are numbers of their own.
    expect([...entries.values()].filter((xml) => !isInvented(xml))).toHaveLength(3)
    expect([...entries.values()]).toContain(declarationXml(family, '1752B', 'D'))
    expect([...entries.keys()].every((name) => /^1752B_[CD]_\d{9}_[A-Za-z0-9._%-]+\.xml$/.test(name))).toBe(
      true,
    )
  })

  it('matches supplier and part if both are given', async () => {
    await using service = await running()
    const both = (supplier: string): Promise<ReadonlyMap<string, string>> =>
      service.ask(`format=1752A&supplier=${supplier}&partNumbers[]=${OWN}`).then(unzipped)
    expect((await both('100200300')).size).toBe(1)
    expect((await both('200300400')).size).toBe(0)
  })

  it('returns class C by default, class D on request, and D before C for checkDthenC', async () => {
    await using service = await running()
    const parts = Array.from({ length: 240 }, (_, n) => describePart(n))
    const [both, onlyC, onlyD] = [
      parts.find(({ situation }) => situation === 'compliant, full material')!,
      parts.find(({ situation }) => situation === 'materials confidential')!,
      parts.find(({ situation }) => situation === 'full material only')!,
    ]
    const query = [both, onlyC, onlyD]
      .map(({ numbers }) => `partNumbers[]=${encodeURIComponent(numbers[0].number)}`)
      .join('&')
    const got = async (more: string): Promise<readonly string[]> =>
      [...(await unzipped(await service.ask(`format=1752A&${query}${more}`))).values()].sort()
    const xml = (wanted: readonly (string | undefined)[]): readonly string[] =>
      wanted.map((text) => text!).sort()
    const c = (part: typeof both): string | undefined => declarationXml(part, '1752A', 'C')
    const d = (part: typeof both): string | undefined => declarationXml(part, '1752A', 'D')
    expect(await got('')).toEqual(xml([c(both), c(onlyC)]))
    expect(await got('&formatClass=D')).toEqual(xml([d(both), d(onlyD)]))
    expect(await got('&formatClass=checkDthenC')).toEqual(xml([d(both), c(onlyC), d(onlyD)]))
  })

  it('selects declarations approved after the start date, not on it', async () => {
    await using service = await running()
    const { approved } = describePart(0).regulatory!
    const dayBefore = new Date(Date.parse(approved) - 86_400_000).toISOString().slice(0, 10)
    const since = async (day: string): Promise<number> =>
      (await unzipped(await service.ask(`format=1752A&partNumbers[]=${OWN}&startDate=${day}`))).size
    expect([await since(dayBefore), await since(approved)]).toEqual([1, 0])
  })

  it('sends the same bytes for the same criteria, in any order, from another process and in another year', async () => {
    await using first = await running()
    await using second = await running()
    second.clock.advance(400 * 86_400_000)
    const one = await first.ask(`format=1752A&partNumbers[]=${OWN}&partNumbers[]=0040000`)
    const other = await second.ask(
      `partNumbers[]=0040000&partNumbers[]=${OWN}&partNumbers[]=${OWN}&format=1752A`,
    )
    expect(other.headers.get('etag')).toBe(one.headers.get('etag'))
    expect(Buffer.from(await other.arrayBuffer()).equals(Buffer.from(await one.arrayBuffer()))).toBe(true)
  })

  it('has different validators for other criteria and catalogs', async () => {
    await using small = await running({ parts: 100 })
    await using large = await running({ parts: 101 })
    const etags = await Promise.all([
      small.ask(`format=1752A&partNumbers[]=${OWN}`),
      small.ask(`format=1752B&partNumbers[]=${OWN}`),
      small.ask(`format=1752A&formatClass=D&partNumbers[]=${OWN}`),
      small.ask(`format=1752A&partNumbers[]=${OWN}&startDate=2020-01-01`),
      large.ask(`format=1752A&partNumbers[]=${OWN}`),
    ])
    expect(new Set(etags.map(({ headers }) => headers.get('etag'))).size).toBe(etags.length)
  })

  it('responds to a search without matches with an empty ZIP', async () => {
    await using service = await running()
    const answer = await service.ask('format=1752A&partNumbers[]=nobody')
    expect([answer.status, (await unzipped(answer)).size]).toEqual([200, 0])
  })

  it.each([
    ['supplier=100200300', /format/],
    ['format=XML&supplier=100200300', /1752A or 1752B/],
    ['format=1752a&supplier=100200300', /1752A or 1752B/],
    ['format=1752A&format=1752B&supplier=100200300', /once/],
    ['format=1752A&formatClass=E&supplier=100200300', /formatClass/],
    ['format=1752A&formatClass=checkdthenc&supplier=100200300', /formatClass/],
    ['format=1752A', /at least one/],
    ['format=1752A&supplier=%20&partNumbers[]=', /at least one/],
    ['format=1752A&supplier=12345678', /nine-digit/],
    ['format=1752A&supplier=100200300,200300400', /nine-digit/],
    ['format=1752A&supplier=100200300&supplier=200300400', /once/],
    ['format=1752A&partNumbers=a,b', /partNumbers\[\]/],
    ['format=1752A&supplier=100200300&startdate=2024-01-01', /startDate/],
    ['format=1752A&supplier=100200300&startDate=2026-02-30', /YYYY-MM-DD/],
    ['format=1752A&supplier=100200300&startDate=', /YYYY-MM-DD/],
  ])('refuses %s with 400 and a message', async (query, reason) => {
    await using service = await running()
    const answer = await service.ask(query)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await message(answer)).toMatch(reason)
  })

  it('ignores unknown parameters', async () => {
    await using service = await running()
    const answer = await service.ask(`format=1752A&partNumbers[]=${OWN}&language=en`)
    expect((await unzipped(answer)).size).toBe(1)
  })

  it.each([['Bearer wrong'], ['Basic let-me-in'], ['let-me-in'], ['Bearer'], ['Bearer let-me-in x']])(
    'refuses the authorization %j with 401, whatever else is wrong',
    async (authorization) => {
      await using service = await running()
      const answer = await service.ask('format=none', { Authorization: authorization })
      expect([answer.status, await message(answer)]).toEqual([401, expect.stringContaining('token')])
    },
  )

  it('does not accept the v1 key in the query', async () => {
    await using service = await running()
    expect((await service.ask(`format=1752A&partNumbers[]=${OWN}&apikey=let-me-in`)).status).toBe(401)
  })

  it('refuses wrong content types', async () => {
    await using service = await running()
    const query = `format=1752A&partNumbers[]=${OWN}`
    const raw = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const options = { headers: { Authorization: 'Bearer let-me-in', ...headers } }
        httpRequest(`${url}/v2/download?${query}`, options, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await raw(service.url, {})).toBe(200)
    expect(await raw(service.url, { 'Content-Type': 'text/plain' })).toBe(415)
    expect(await raw(service.url, { Accept: 'text/html' })).toBe(406)
  })

  it('streams a supplier of many parts, the same bytes each time, without an archive in memory', async () => {
    await using service = await running({ parts: 8 * 1_000 })
    const query = 'format=1752A&formatClass=D&supplier=200300400'
    const whole = await service.ask(query)
    expect(whole.headers.get('content-length')).toBeNull()
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect((await unzipped(bytes)).size).toBeGreaterThan(500)
    const rest = await service.ask(query, { Range: 'bytes=1000-', 'If-Range': whole.headers.get('etag')! })
    expect(rest.headers.get('content-range')).toBe(`bytes 1000-${bytes.length - 1}/${bytes.length}`)
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(1000))).toBe(true)
  })
})

describe('a client that disconnects', () => {
  it('stops its archive and affects no other client', async () => {
    const logs: { readonly complete: boolean }[] = []
    await using service = await running({ parts: 100_000, onRequest: (log) => logs.push(log) })
    const leave = new AbortController()
    const answer = await fetch(`${service.url}/v2/download?format=1752A&supplier=100200300`, {
      headers: { Authorization: `Bearer ${service.token}` },
      signal: leave.signal,
    })
    await answer.body!.getReader().read()
    leave.abort()
    await expect.poll(() => logs).toMatchObject([{ status: 200, complete: false }])
    expect((await unzipped(await service.ask(`format=1752A&partNumbers[]=${OWN}`))).size).toBe(1)
  })
})

describe('Range', () => {
  it('returns the rest of an archive for its validator', async () => {
    await using service = await running()
    const query = 'format=1752A&supplier=100200300'
    const whole = await service.ask(query)
    const etag = whole.headers.get('etag')!
    expect([whole.headers.get('accept-ranges'), etag]).toEqual([
      'bytes',
      expect.stringMatching(/^"[0-9a-f]{32}"$/),
    ])
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect(whole.headers.get('content-length')).toBe(String(bytes.length))
    const rest = await service.ask(query, { Range: 'bytes=500-', 'If-Range': etag })
    expect([rest.status, rest.headers.get('content-length')]).toEqual([206, String(bytes.length - 500)])
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(500))).toBe(true)
    const few = await service.ask(query, { Range: 'bytes=2-4' })
    expect(Buffer.from(await few.arrayBuffer()).equals(bytes.subarray(2, 5))).toBe(true)
    const changed = await service.ask(query, { Range: 'bytes=500-', 'If-Range': '"another"' })
    expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, bytes.length])
    const beyond = await service.ask(query, { Range: `bytes=${bytes.length}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
  })
})

describe('the other operations', () => {
  it('responds to ping and quota without counting them', async () => {
    await using service = await running({ ratePerMinute: 1, quota: 7 })
    await service.ask(`format=1752A&partNumbers[]=${OWN}`)
    const quota = await service.get('/v2/quota')
    expect([quota.status, await quota.json()]).toEqual([
      200,
      {
        company: { name: expect.any(String), duns: expect.stringMatching(/^\d{9}$/) },
        'api:consume': { authorized: true, tier_limit: 7, tier_usage: 1 },
        'api:request': { authorized: false, tier_limit: 0, tier_usage: 0 },
        'api:declare': { authorized: false, tier_limit: 0, tier_usage: 0 },
      },
    ])
    const ping = await service.get('/v2/ping')
    expect([ping.status, await ping.json()]).toEqual([
      200,
      { message: 'OK', documentation: expect.any(String), status: expect.any(String) },
    ])
    expect((await fetch(`${service.url}/v2/quota`)).status).toBe(401)
    expect(service.requests).toEqual({ total: 4, download: 1, legacy: 0, ping: 1, quota: 2 })
  })

  it('responds to an unknown path with 404 and a wrong method with 405, in JSON', async () => {
    await using service = await running()
    for (const path of [
      '/',
      '/v2',
      '/v2/',
      '/v2/download/',
      '/v1/download',
      '/v2/toString',
      '//v2/download',
    ]) {
      const answer = await service.get(path)
      expect([path, answer.status, await message(answer)]).toEqual([path, 404, expect.any(String)])
    }
    const posted = await fetch(`${service.url}/v2/download`, { method: 'POST', body: '{}' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
    const got = await service.get('/api/download')
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('sends its limits with every response, refusals included', async () => {
    await using service = await running({ ratePerMinute: 5 })
    const answers = [
      await service.get('/v2/ping'),
      await service.get('/nowhere'),
      await service.ask('format=none'),
      await service.ask('', { Authorization: 'x' }),
      await service.ask(`format=1752A&partNumbers[]=${OWN}`),
      await service.askLegacy({ format: 'none' }),
    ]
    const remaining = answers.map(({ headers }) => {
      expect(headers.get('x-ratelimit-limit')).toBe('5')
      expect(Date.parse(headers.get('x-ratelimit-reset')!)).toBeGreaterThan(service.clock.nowMs())
      return headers.get('x-ratelimit-remaining')
    })
    expect(remaining).toEqual(['5', '5', '5', '5', '4', '4'])
  })
})

describe('limits', () => {
  it('responds with 429 above the rate until the minute is over', async () => {
    await using service = await running({ ratePerMinute: 2 })
    const ask = (): Promise<Response> => service.ask(`format=1752A&partNumbers[]=${OWN}`)
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    const refused = await ask()
    expect([refused.status, await message(refused)]).toEqual([429, expect.stringContaining('rate')])
    service.clock.advance(Date.parse(refused.headers.get('x-ratelimit-reset')!) - service.clock.nowMs())
    expect((await ask()).status).toBe(200)
  })

  it('responds with 429 once the yearly quota is used up', async () => {
    await using service = await running({ quota: 1 })
    const ask = (): Promise<Response> => service.ask(`format=1752A&partNumbers[]=${OWN}`)
    expect((await ask()).status).toBe(200)
    service.clock.advance(86_400_000)
    const refused = await ask()
    expect([refused.status, await message(refused)]).toEqual([429, expect.stringContaining('yearly')])
    const quota = (await (await service.get('/v2/quota')).json()) as Record<string, unknown>
    expect(quota['api:consume']).toEqual({ authorized: true, tier_limit: 1, tier_usage: 1 })
  })

  it('delays each response by the latency', async () => {
    await using service = await running({ latencyMs: 250 })
    await service.get('/v2/ping')
    await service.ask(`format=1752A&partNumbers[]=${OWN}`)
    expect(service.clock.slept).toEqual([250, 250])
  })
})

describe('startSandbox', () => {
  it('listens on loopback only and closes open connections', async () => {
    const service = await running({ faults: parseFaults('stall') })
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const hanging = service.ask(`format=1752A&partNumbers[]=${OWN}`).then((answer) => answer.text())
    hanging.catch(() => undefined)
    await expect.poll(() => service.requests.download).toBe(1)
    await service.close()
    await expect(hanging).rejects.toThrow()
    await expect(fetch(service.url)).rejects.toThrow()
  })

  it('generates a random token by default', async () => {
    await using one = await running({ token: undefined })
    await using other = await running({ token: undefined })
    expect(one.token).toMatch(/^[A-Za-z0-9-]{20,}$/)
    expect(other.token).not.toBe(one.token)
    expect((await one.ask(`format=1752A&partNumbers[]=${OWN}`)).status).toBe(200)
    expect((await one.ask('', { Authorization: `Bearer ${other.token}` })).status).toBe(401)
  })

  it('refuses a port that is in use', async () => {
    await using service = await running()
    const port = Number(new URL(service.url).port)
    await expect(running({ port })).rejects.toMatchObject({
      kind: 'usage',
      message: `cannot listen on 127.0.0.1:${port}: the port is in use`,
    })
  })

  it('logs each request without its query', async () => {
    const logs: unknown[] = []
    await using service = await running({ onRequest: (log) => logs.push(log) })
    await (await service.ask(`format=1752A&partNumbers[]=${OWN}`)).arrayBuffer()
    await expect
      .poll(() => logs)
      .toEqual([{ method: 'GET', path: '/v2/download', status: 200, complete: true }])
  })
})

describe('the Host of a request', () => {
  const statusFor = (url: string, host: string, path: string, token: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { Host: host, Authorization: `Bearer ${token}` }
      httpRequest(`${url}${path}`, { headers }, (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode!))
      })
        .once('error', reject)
        .end()
    })

  it.each(['localhost', 'LocalHost:8402', '127.0.0.1', '127.0.0.1:8402', '[::1]:8402', '192.168.1.7'])(
    'may be %s',
    async (host) => {
      await using service = await running()
      expect(await statusFor(service.url, host, '/v2/quota', service.token)).toBe(200)
    },
  )

  it.each([
    'evil.example',
    'evil.example:8402',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[evil]',
  ])('may not be %s, which a page on the web can point to this machine', async (host) => {
    await using service = await running()
    for (const path of ['/v2/download?format=1752A&supplier=100200300', '/v2/ping', '/v2/quota', '/']) {
      expect(await statusFor(service.url, host, path, service.token), path).toBe(421)
    }
  })
})
