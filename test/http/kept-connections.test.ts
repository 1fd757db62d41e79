import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Service } from '../../src/http/service.ts'
import { ARCHIVE, request, withService } from '../support/fetching.ts'
import { answer, type RawServer, rawServer, reset } from '../support/raw-server.ts'
import { testWorld } from '../support/world.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)
const { signal } = new AbortController()

/** Sends a request and reads its body. */
async function bodyOf(service: Service, server: RawServer): Promise<Buffer> {
  const response = await service.send(request(server.url), { signal })
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('a kept connection', () => {
  const cases: readonly (readonly [
    title: string,
    requests: number,
    close: (socket: Socket, work: (ms: number) => void) => void,
  ])[] = [
    ['that is closed at once is stale: the request is sent again', 3, (socket) => reset(socket)],
    [
      'that is closed within a second is stale',
      3,
      (socket, work) => {
        work(999)
        reset(socket)
      },
    ],
    [
      'that is closed after a second may have been worked on: the attempt has failed',
      2,
      (socket, work) => {
        work(1000)
        reset(socket)
      },
    ],
    [
      'that is closed after a byte of the response was worked on',
      2,
      (socket) => socket.write('HTTP/1.1 2', () => socket.end()),
    ],
  ]

  test.each(cases)('%s', async (_, requests, close) => {
    const world = testWorld()
    const server = await rawServer(({ number }, socket) => {
      if (number === 2) close(socket, (ms) => world.fakeClock.advance(ms))
      else socket.write(WHOLE)
    })
    await withService(server.url, { world, responseTimeoutMs: 60_000 }, async (service) => {
      expect(await bodyOf(service, server)).toEqual(ARCHIVE)
      const second = bodyOf(service, server)
      if (requests === 3) expect(await second).toEqual(ARCHIVE)
      else await expect(second).rejects.toThrow(/the connection without a response$/)
    })
    expect(server.requests.length).toBe(requests)
    await server.close()
  })
})

describe('a 100 (Continue) that nobody asked for', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

  test.each([
    ['in one piece with the response', [Buffer.concat([Buffer.from(CONTINUE), WHOLE])]],
    ['before the response', [CONTINUE, WHOLE]],
    ['with a header', ['HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n', WHOLE]],
    ['in pieces', [...CONTINUE, WHOLE]],
    ['three times', [CONTINUE.repeat(3), WHOLE]],
    [
      'at no time, but the response comes in pieces',
      [...WHOLE.toString('latin1', 0, 20), WHOLE.subarray(20)],
    ],
  ] as const)('%s costs no second request', async (_, pieces) => {
    const server = await rawServer(async (__, socket) => {
      for (const piece of pieces) {
        socket.write(piece)
        await setImmediate()
      }
    })
    await withService(server.url, {}, async (service) => {
      expect(await bodyOf(service, server)).toEqual(ARCHIVE)
      expect(await bodyOf(service, server)).toEqual(ARCHIVE)
    })
    expect(server.requests.length).toBe(2)
    expect(server.connections()).toBe(1)
    await server.close()
  })

  test('and no response after it is no response', async () => {
    const server = await rawServer((_, socket) => socket.end(CONTINUE))
    await withService(server.url, {}, async (service) => {
      await expect(bodyOf(service, server)).rejects.toThrow('closed the connection without a response')
    })
    expect(server.requests.length).toBe(1)
    await server.close()
  })
})
