import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { type FaultRow, testFaults } from '../support/fault-table.ts'
import { ARCHIVE, fetching, withService } from '../support/fetching.ts'
import { answer, head, type RawHandler, rawServer, reset, writeForever } from '../support/raw-server.ts'

const HALF = ARCHIVE.subarray(0, 500)
const LENGTH = `Content-Length: ${ARCHIVE.length}`
const CHUNKED = head(200, ['Transfer-Encoding: chunked'])
const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)

/** Resets the connection once the first half of the archive has been received. */
function resetInBody(start: string): Pick<FaultRow, 'serve' | 'options'> {
  let open: Socket | undefined
  return {
    serve: (_, socket) => {
      open = socket
      socket.write(joined(start, HALF))
    },
    options: {
      onProgress: ({ phase, bytes }) => {
        if (phase === 'receiving' && bytes === HALF.length) reset(open!)
      },
    },
  }
}

describe('a body that breaks off', () => {
  testFaults([
    {
      title: 'before its Content-Length is fetched again, and unavailable with the figures when it stays so',
      serve: (_, socket) => socket.end(joined(head(200, [LENGTH]), HALF)),
      ends: 'unavailable',
      requests: 3,
      says: [
        /cut short: the connection closed early after 500 of 9\d\d bytes/,
        /attempt 2 of 3/,
        /3 attempts in/,
      ],
    },
    {
      title: 'before its Content-Length, once, is fetched again and saved',
      serve: onFirst((_, socket) => socket.end(joined(head(200, [LENGTH]), HALF))),
      ends: 'saved',
      requests: 2,
      also: (run) => expect(run.got?.attempts).toBe(2),
    },
    {
      title: 'by a reset is fetched again',
      ...resetInBody(head(200, [LENGTH])),
      ends: 'unavailable',
      requests: 3,
      says: /cut short: the connection was reset after 500 of 9\d\d bytes/,
    },
    {
      title: 'without a length, closed, is a damaged archive with the likely reason',
      serve: (_, socket) => socket.end(joined(head(200), HALF)),
      ends: 'archive',
      requests: 2,
      says: /no end of central directory; 127\.0\.0\.1:\d+ sent no length, it may have been cut short/,
    },
    {
      title: 'in HTTP/1.0 is a damaged archive',
      serve: (_, socket) => socket.end(joined('HTTP/1.0 200 OK\r\n\r\n', HALF)),
      ends: 'archive',
      requests: 2,
    },
    {
      title: 'without a length, by a reset, is a damaged archive and no success',
      ...resetInBody(head(200, ['Connection: close'])),
      ends: 'archive',
      requests: 2,
    },
    {
      title: 'inside a chunk is cut short',
      serve: (_, socket) => socket.end(joined(CHUNKED, '3e8\r\n', HALF)),
      ends: 'unavailable',
      requests: 3,
      says: /the transfer ended before the last chunk after 500 bytes/,
    },
    {
      title: 'without its last chunk is cut short, though every byte of the archive came',
      serve: (_, socket) => socket.end(joined(CHUNKED, chunk(ARCHIVE))),
      ends: 'unavailable',
      requests: 3,
      says: /the transfer ended before the last chunk/,
    },
    {
      title: 'by a garbled chunk size is fetched again twice at most',
      serve: (_, socket) => socket.end(joined(CHUNKED, chunk(HALF), 'zz\r\nrest')),
      ends: 'unavailable',
      requests: 3,
      says: /invalid HTTP in the body/,
      options: { retries: 5 },
    },
    {
      title: 'by a chunk size beyond all numbers is fetched again twice at most',
      serve: (_, socket) => socket.end(joined(CHUNKED, 'fffffffffffffffffffff\r\nrest')),
      ends: 'unavailable',
      requests: 3,
      says: /invalid HTTP/,
      options: { retries: 5 },
    },
  ])
})

describe('a body in odd wrapping', () => {
  testFaults([
    {
      title: 'with a chunk extension of 100 kB is saved without a byte of the extension',
      serve: (_, socket) => {
        socket.write(joined(CHUNKED, `${ARCHIVE.length.toString(16)};${'x'.repeat(100_000)}\r\n`, ARCHIVE))
        socket.write('\r\n0\r\n\r\n')
      },
      ends: 'saved',
      requests: 1,
    },
    {
      title: 'of one-byte chunks is saved',
      serve: (_, socket) => {
        const chunks = [...ARCHIVE].map((byte) => chunk(Buffer.from([byte])))
        socket.write(joined(CHUNKED, ...chunks, '0\r\n\r\n'))
      },
      ends: 'saved',
      requests: 1,
    },
  ])
})

describe('a body with the wrong length', () => {
  testFaults([
    {
      title: 'of more bytes than announced is saved without the rest, which is never written',
      serve: (_, socket) => socket.write(joined(WHOLE, 'HTTP/1.1 200 trailing junk')),
      ends: 'saved',
      requests: 1,
    },
    ...[
      ['two different Content-Lengths', ['Content-Length: 10', 'Content-Length: 20']],
      ['a Content-Length beside chunks', ['Content-Length: 10', 'Transfer-Encoding: chunked']],
      ['a negative Content-Length', ['Content-Length: -5']],
      ['a Content-Length in words', ['Content-Length: many']],
      ['a Content-Length beyond all numbers', ['Content-Length: 10000000000000000000000']],
    ].map(([what, lines]) => ({
      title: `with ${what} is invalid HTTP, sent three times at most`,
      serve: ((_, socket) => socket.end(joined(head(200, lines as string[]), ARCHIVE))) as RawHandler,
      ends: 'unavailable' as const,
      requests: 3,
      says: /invalid HTTP|valid HTTP/,
      options: { retries: 5 },
    })),
    {
      title: 'of no bytes is refused at once and called an empty response',
      serve: (_, socket) => socket.end(head(200, ['Content-Length: 0'])),
      ends: 'rejected',
      requests: 1,
      status: 200,
      says: /sent an empty response instead of a ZIP/,
    },
    {
      title: 'of no bytes and no length is refused at once',
      serve: (_, socket) => socket.end(head(200)),
      ends: 'rejected',
      requests: 1,
      says: /empty response/,
    },
    {
      title: 'of 5 TB is refused for want of room before a byte of it is taken',
      serve: (_, socket) => socket.write(joined(head(200, ['Content-Length: 5000000000000']), ARCHIVE)),
      ends: 'io',
      requests: 1,
      says: /not enough space .*needs 4\.5 TiB, .* free/,
    },
    {
      title: 'above the limit is refused before a byte of it is taken',
      serve: (_, socket) => socket.write(joined(head(200, ['Content-Length: 5000']), ARCHIVE)),
      ends: 'archive',
      requests: 1,
      says: /announces 4\.9 KiB, more than the limit of 2\.0 KiB/,
      options: { maxBytes: 2048 },
    },
    {
      title: 'that never ends is stopped at the limit',
      serve: (_, socket) => {
        socket.write(joined(head(200), ARCHIVE))
        writeForever(socket, Buffer.alloc(64 * 1024))
      },
      ends: 'archive',
      requests: 1,
      says: /stopped at the limit of 1\.0 MiB/,
      options: { maxBytes: 1024 ** 2 },
    },
  ])
})

describe('silence', () => {
  testFaults([
    {
      title: 'before the response ends the attempt at the response timeout',
      serve: () => undefined,
      ends: 'unavailable',
      requests: 2,
      says: /sent no response within 0\.1 s/,
      options: { retries: 1, hasSocketTimeouts: true },
    },
    {
      title: 'after the head ends the attempt at the stall timeout',
      serve: (_, socket) => socket.write(head(200, [LENGTH])),
      ends: 'unavailable',
      requests: 2,
      says: /sent no data for 0\.1 s, at 0 of 9\d\d bytes/,
      options: { retries: 1, hasSocketTimeouts: true },
    },
    {
      title: 'in the body ends the attempt at the stall timeout',
      serve: (_, socket) => socket.write(joined(head(200, [LENGTH]), HALF)),
      ends: 'unavailable',
      requests: 2,
      says: /sent no data for 0\.1 s, at 500 of 9\d\d bytes/,
      options: { retries: 1, hasSocketTimeouts: true },
    },
    {
      title: 'of an empty reply is retried',
      serve: (_, socket) => socket.end(),
      ends: 'unavailable',
      requests: 3,
      says: /closed the connection without a response/,
    },
    {
      title: 'of an immediate reset is retried',
      serve: (_, socket) => reset(socket),
      ends: 'unavailable',
      requests: 3,
      says: /without a response/,
    },
  ])

  testFaults([
    {
      title: 'all but: a body slower than 1 kB/s over the window is given up, twice tried again at most',
      serve: (_, socket) => {
        socket.write(joined(head(200, ['Content-Length: 100000']), ARCHIVE.subarray(0, 100)))
        const timer = setInterval(() => socket.write('x'), 20)
        socket.on('close', () => clearInterval(timer))
      },
      ends: 'unavailable',
      requests: 2,
      says: /slower than 1 kB\/s for 0\.4 s/,
      options: { retries: 1, hasSocketTimeouts: true },
    },
  ])
})

describe('a kept connection that had gone stale', () => {
  test('is replaced at once, and does not count as an attempt', async () => {
    const server = await rawServer((request, socket) => {
      if (request.path.includes('/v2/ping'))
        socket.write(answer(200, ['Content-Type: application/json'], '{}'))
      else if (request.connection === 1) reset(socket)
      else socket.write(WHOLE)
    })
    await withService(server.url, {}, async (service, fetchOne) => {
      expect(await service.getJson('/v2/ping', { signal: new AbortController().signal })).toEqual({
        value: {},
      })
      const run = await fetchOne({ retries: 0 })
      expect(run.failure).toBeUndefined()
      expect(run.got?.attempts).toBe(1)
      expect(run.bytes?.equals(ARCHIVE)).toBe(true)
    })
    expect(server.requests.map(({ path }) => path.slice(0, 9))).toEqual([
      '/v2/ping',
      '/v2/downl',
      '/v2/downl',
    ])
    await server.close()
  })
})

describe('bytes that differ from one attempt to the next', () => {
  testFaults([
    {
      title: 'are refused when they never make a whole archive',
      serve: ({ number }, socket) => {
        const body = Buffer.from(ARCHIVE)
        body[400 + number]! ^= 0xff
        socket.write(answer(200, [], body))
      },
      ends: 'archive',
      requests: 3,
    },
    {
      title: 'are refused at once when the same damaged ones come again',
      serve: (_, socket) => {
        const body = Buffer.from(ARCHIVE)
        body[400]! ^= 0xff
        socket.write(answer(200, [], body))
      },
      ends: 'archive',
      requests: 2,
      says: /; the same bytes came twice/,
      options: { retries: 5 },
    },
    {
      title: 'are saved as soon as one attempt verifies',
      serve: ({ number }, socket) => {
        const body = Buffer.from(ARCHIVE)
        if (number === 1) body[400]! ^= 0xff
        socket.write(answer(200, [], body))
      },
      ends: 'saved',
      requests: 2,
    },
  ])

  test('an unsafe archive is not requested again', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE))
    const run = await fetching(server.url, {
      verify: async (path) => {
        throw new Failure('archive', `${path}: "../a" is no safe name`, { rule: 'name', entry: '../a' })
      },
    })
    expect(run.failure?.kind).toBe('archive')
    expect(run.failure?.message).toBe('the archive: "../a" is no safe name')
    expect(run.failure?.details.entry).toBe('../a')
    expect(server.requests.length).toBe(1)
    expect(run.files).toEqual([])
    await server.close()
  })
})

/** Plays `fault` for the first request, then behaves. */
function onFirst(fault: RawHandler): RawHandler {
  return (request, socket) => (request.number === 1 ? fault(request, socket) : socket.write(WHOLE))
}

function joined(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

function chunk(bytes: Buffer): Buffer {
  return joined(`${bytes.length.toString(16)}\r\n`, bytes, '\r\n')
}
