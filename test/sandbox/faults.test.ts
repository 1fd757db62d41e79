import { describe, expect, it } from 'vitest'
import { parseFaults } from '../../src/sandbox/faults.ts'
import { type Running, running, unzipped } from '../support/sandbox.ts'

const QUERY = 'format=1752A&supplier=100200300'

/** The status of the response, and the number of bytes until it ended or was cut off. */
async function received(answer: Response): Promise<{ readonly bytes: number; readonly broken: boolean }> {
  let bytes = 0
  try {
    for await (const chunk of answer.body!) bytes += (chunk as Uint8Array).length
    return { bytes, broken: false }
  } catch {
    return { bytes, broken: true }
  }
}

async function wholeLength(service: Running): Promise<number> {
  return Number((await service.ask(QUERY)).headers.get('content-length'))
}

describe('parseFaults', () => {
  it('reads faults in order, with commas or spaces', () => {
    const forever = Number.POSITIVE_INFINITY
    expect(parseFaults('503x2, 429:retry-after=2x1 truncate@0.5x3,stall@1000')).toMatchObject([
      { fault: { kind: 'status', status: 503 }, count: 2 },
      { fault: { kind: 'status', status: 429, retryAfter: '2' }, count: 1 },
      { fault: { kind: 'truncate', at: { share: 0.5 } }, count: 3 },
      { fault: { kind: 'stall', at: { bytes: 1000 } }, count: forever },
    ])
    expect(parseFaults('reset')).toMatchObject([
      { fault: { kind: 'reset', at: { bytes: 0 } }, count: forever },
    ])
    expect(parseFaults('')).toEqual([])
  })

  it.each([
    ['nonsense', /unknown fault/],
    ['503x0', /x0 applies to no request/],
    ['503x', /invalid syntax/],
    ['200', /expected status 204 or 400 to 599/],
    ['600', /expected status 204 or 400 to 599/],
    ['503@5', /status takes no @/],
    ['429:retry-after', /retry-after=SECONDS/],
    ['429:wait=3', /"wait=3"/],
    ['truncate@half', /expected a share/],
    ['truncate@1.5', /expected a share/],
    ['html:x=1', /takes no setting after a colon/],
    ['html@3', /html takes no @/],
    ['x3', /unknown fault|invalid syntax/],
  ])('refuses %s, with all faults in the hint', (text, reason) => {
    expect(() => parseFaults(`503x1 ${text}`)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: expect.stringMatching(reason),
        hint: expect.stringContaining('truncate@0.5'),
      }),
    )
    expect(() => parseFaults(text)).toThrow(`fault ${JSON.stringify(text)}`)
  })

  it('refuses a fault that could never happen', () => {
    expect(() => parseFaults('html 503x2')).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: 'fault "503x2" would never happen: html applies to all requests',
        hint: expect.stringContaining('htmlx1'),
      }),
    )
  })
})

describe('a mock service with faults', () => {
  it('fails the first requests, then succeeds', async () => {
    await using service = await running({ faults: parseFaults('503x2') })
    const statuses = []
    for (let index = 0; index < 4; index++) statuses.push((await service.ask(QUERY)).status)
    expect(statuses).toEqual([503, 503, 200, 200])
  })

  it('applies its faults in order, to valid requests only', async () => {
    await using service = await running({ faults: parseFaults('500x1,404x1,204x1') })
    expect((await service.ask('format=none')).status).toBe(400)
    expect((await service.ask(QUERY, { Authorization: 'none' })).status).toBe(401)
    const statuses = []
    for (let index = 0; index < 4; index++) statuses.push((await service.ask(QUERY)).status)
    expect(statuses).toEqual([500, 404, 204, 200])
  })

  it('counts only successful responses against the quota', async () => {
    await using service = await running({ faults: parseFaults('503x2,204x1'), quota: 9 })
    for (let index = 0; index < 4; index++) await service.ask(QUERY)
    const quota = (await (await service.get('/v2/quota')).json()) as Record<string, { tier_usage: number }>
    expect(quota['api:consume']?.tier_usage).toBe(2)
  })

  it('sends Retry-After as it is given', async () => {
    await using service = await running({ faults: parseFaults('429:retry-after=2x1') })
    const refused = await service.ask(QUERY)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
    expect(await refused.json()).toEqual({ message: expect.any(String) })
  })

  it('closes the connection in the middle of the body', async () => {
    await using service = await running({ faults: parseFaults('truncate@0.5x1 truncate@1000x1') })
    const half = await service.ask(QUERY)
    const length = Number(half.headers.get('content-length'))
    expect(await received(half)).toEqual({ bytes: Math.floor(length / 2), broken: true })
    expect(await received(await service.ask(QUERY))).toEqual({ bytes: 1000, broken: true })
    expect((await unzipped(await service.ask(QUERY))).size).toBeGreaterThan(20)
  })

  it('truncates ranges in the same way', async () => {
    await using service = await running({ faults: parseFaults('truncate@0.5') })
    const length = await wholeLength(service)
    const rest = await service.ask(QUERY, { Range: `bytes=${length - 100}-` })
    expect(await received(rest)).toEqual({ bytes: 50, broken: true })
  })

  it('sends a number of bytes and then stalls, with the connection open', async () => {
    await using service = await running({ faults: parseFaults('stall@1000') })
    const answer = await service.ask(QUERY)
    const reader = answer.body!.getReader()
    let bytes = 0
    while (bytes < 1000) bytes += (await reader.read()).value!.length
    expect(bytes).toBe(1000)
    let next = 'nothing'
    const more = reader.read().then(
      () => (next = 'more'),
      () => (next = 'closed'),
    )
    // A second response begins meanwhile.
    const second = (await service.ask(QUERY)).body!.getReader()
    expect((await second.read()).value!.length).toBeGreaterThan(0)
    expect(next).toBe('nothing')
    await service.close()
    expect(await more).toBe('closed')
  })

  it('sends a response that is shorter than the position completely', async () => {
    await using service = await running({ faults: parseFaults('stall@100MB') })
    expect((await unzipped(await service.ask(QUERY))).size).toBeGreaterThan(20)
  })

  it('resets the connection, immediately or in the body', async () => {
    await using service = await running({ faults: parseFaults('resetx1 reset@1000x1') })
    await expect(service.ask(QUERY)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    const { bytes, broken } = await received(await service.ask(QUERY))
    expect(broken).toBe(true)
    expect(bytes).toBeLessThanOrEqual(1000)
  })

  it('responds with a sign-in page', async () => {
    await using service = await running({ faults: parseFaults('html') })
    const page = await service.ask(QUERY)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('<title>Sign in</title>')
  })
})
