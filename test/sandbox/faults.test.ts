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
    expect(parseFaults('503x2, 429:retry-after=2x1 truncate@0.5x3,stall@1000').steps).toMatchObject([
      { fault: { kind: 'status', status: 503 }, count: 2 },
      { fault: { kind: 'status', status: 429, retryAfter: '2' }, count: 1 },
      { fault: { kind: 'break', how: 'truncate', at: { share: 0.5 } }, count: 3 },
      { fault: { kind: 'break', how: 'stall', at: { bytes: 1000 } }, count: forever },
    ])
    expect(parseFaults('reset').steps).toMatchObject([
      { fault: { kind: 'break', how: 'reset', at: { bytes: 0 } }, count: forever },
    ])
    expect(parseFaults('')).toMatchObject({ steps: [], manner: { nothing: 'empty-zip' } })
  })

  it('reads settings for all responses anywhere in the list', () => {
    expect(parseFaults('no-length 503 slow=2k no-range strict nothing=404 max-url=900').manner).toEqual({
      noLength: true,
      noRange: true,
      strict: true,
      bytesPerSecond: 2048,
      maxUrlBytes: 900,
      nothing: '404',
    })
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
    ['429:retry-date=soon', /retry-date=SECONDS/],
    ['truncate@half', /expected a share/],
    ['truncate@1.5', /expected a share/],
    ['html:x=1', /takes no settings after a colon/],
    ['html@3', /html takes no @/],
    ['slow', /bytes per second/],
    ['slow=0', /bytes per second/],
    ['max-url=long', /number of bytes/],
    ['nothing=500', /empty-zip, 204, 404 or json/],
    ['x3', /unknown fault|invalid syntax/],
  ])('refuses %s by name, with all faults in the hint', (text, reason) => {
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
    expect(() => parseFaults('no-length html strict 503x2')).toThrow(
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

  it('sends Retry-After in seconds or as a date', async () => {
    await using service = await running({ faults: parseFaults('429:retry-after=2x1 503:retry-date=90') })
    const [seconds, date] = [await service.ask(QUERY), await service.ask(QUERY)]
    expect([seconds.status, seconds.headers.get('retry-after')]).toEqual([429, '2'])
    expect(Date.parse(date.headers.get('retry-after')!) - service.clock.nowMs()).toBe(90_000)
    expect(await seconds.json()).toEqual({ message: expect.any(String) })
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

  it('responds with a page, JSON, no body, or an empty archive', async () => {
    await using service = await running({ faults: parseFaults('htmlx1 jsonx1 emptyx1 empty-zipx1') })
    const page = await service.ask(QUERY)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain('<title>Sign in</title>')
    const json = await service.ask(QUERY)
    expect([json.status, await json.json()]).toEqual([200, { message: expect.any(String) }])
    const empty = await service.ask(QUERY)
    expect([empty.status, empty.headers.get('content-length'), await empty.text()]).toEqual([200, '0', ''])
    expect((await unzipped(await service.ask(QUERY))).size).toBe(0)
  })

  it('flips a byte of the archive without changing its length', async () => {
    await using service = await running({ faults: parseFaults('corruptx1 corrupt@30x1') })
    const answers = []
    for (let index = 0; index < 3; index++) {
      answers.push(Buffer.from(await (await service.ask(QUERY)).arrayBuffer()))
    }
    const [middle, early, good] = answers as [Buffer, Buffer, Buffer]
    const differing = (bytes: Buffer): readonly number[] =>
      Array.from(good.keys()).filter((index) => bytes[index] !== good[index])
    expect([middle.length, early.length]).toEqual([good.length, good.length])
    expect(differing(middle)).toEqual([Math.floor(good.length / 2)])
    expect(differing(early)).toEqual([30])
  })

  it('omits the length, or the validator for resuming', async () => {
    await using lengthless = await running({ faults: parseFaults('no-length') })
    const chunked = await lengthless.ask(QUERY)
    expect([chunked.headers.get('content-length'), chunked.headers.get('etag')]).toEqual([
      null,
      expect.any(String),
    ])
    expect((await unzipped(chunked)).size).toBeGreaterThan(20)
    await using rangeless = await running({ faults: parseFaults('no-range') })
    const whole = await rangeless.ask(QUERY, { Range: 'bytes=10-' })
    expect([whole.status, whole.headers.get('etag'), whole.headers.get('accept-ranges')]).toEqual([
      200,
      null,
      null,
    ])
  })

  it('sends at the configured rate', async () => {
    await using service = await running({ faults: parseFaults('slow=1000') })
    const { bytes } = await received(await service.ask(QUERY))
    const slept = service.clock.slept.reduce((sum, ms) => sum + ms, 0)
    expect(slept).toBeCloseTo(bytes, -2)
  })

  it('refuses a URL that is too long', async () => {
    await using service = await running({ faults: parseFaults('max-url=100') })
    expect((await service.ask(QUERY)).status).toBe(200)
    expect((await service.ask(`${QUERY}&partNumbers[]=${'x'.repeat(100)}`)).status).toBe(414)
  })

  it('redirects to the same URL', async () => {
    await using service = await running({ faults: parseFaults('redirectx2') })
    expect((await service.ask(QUERY)).status).toBe(200)
    expect(service.requests.download).toBe(3)
  })
})
