import { describe, expect, test } from 'vitest'
import { MOST_ATTEMPTS } from '../../src/http/outcome.ts'
import { testFaults } from '../support/fault-table.ts'
import { ARCHIVE, fetching } from '../support/fetching.ts'
import { answer, head, type RawHandler, type RawRequest, rawServer } from '../support/raw-server.ts'

const TOTAL = ARCHIVE.length
const ETAG = '"v1"'
const STRONG = [`ETag: ${ETAG}`, 'Accept-Ranges: bytes']
const HALF = ARCHIVE.subarray(0, 500)

describe('a transfer that broke off under a strong validator', () => {
  testFaults([
    {
      title: 'resumes, and the archive is complete',
      serve: breakingFirst(STRONG, rest(500)),
      ends: 'saved',
      requests: 2,
      also: (_, server) => {
        expect(server.requests[1]!.headers.range).toBe('bytes=500-')
        expect(server.requests[1]!.headers['if-range']).toBe(ETAG)
        expect(server.requests[0]!.headers.range).toBeUndefined()
      },
    },
    {
      title: 'resumes as often as it receives new bytes, without using up retries',
      serve: (request, socket) => {
        const start = startOf(request)
        const piece = ARCHIVE.subarray(start, start + 100)
        socket.end(joined(partial(start, TOTAL, request.number === 1 ? 200 : 206), piece))
      },
      ends: 'saved',
      requests: Math.ceil(TOTAL / 100),
      options: { retries: 1 },
    },
    {
      title: 'resumes from a 206 without a validator and Accept-Ranges',
      serve: (request, socket) => {
        const start = startOf(request)
        const lines = [
          `Content-Range: bytes ${start}-${TOTAL - 1}/${TOTAL}`,
          `Content-Length: ${TOTAL - start}`,
        ]
        const said = request.number === 1 ? partial(0, TOTAL, 200) : head(206, lines)
        socket.end(joined(said, ARCHIVE.subarray(start, start + 300)))
      },
      ends: 'saved',
      requests: Math.ceil(TOTAL / 300),
      options: { retries: 1 },
    },
    {
      title: 'does not gain the same ground twice',
      serve: (request, socket) =>
        request.headers.range
          ? socket.write(answer(416, [], ''))
          : socket.end(joined(partial(0, TOTAL, 200), HALF)),
      ends: 'unavailable',
      requests: 4,
      options: { retries: 2 },
    },
    {
      title: 'counts every attempt when the server promises to go on and never does, and keeps nothing of it',
      serve: (_, socket) => socket.end(joined(partial(0, TOTAL, 200), HALF)),
      ends: 'unavailable',
      requests: 3,
      options: { retries: 2 },
    },
    {
      title: 'is not tried again with --retries 0',
      serve: breakingFirst(STRONG, rest(500)),
      ends: 'unavailable',
      keeps: 500,
      requests: 1,
      options: { retries: 0 },
    },
    {
      title: 'starts over when the range starts elsewhere, and takes none of its bytes',
      serve: breakingFirst(STRONG, (request, socket) =>
        request.number === 2
          ? socket.write(joined(range(400, TOTAL), ARCHIVE.subarray(400)))
          : socket.write(answer(200, STRONG, ARCHIVE)),
      ),
      ends: 'saved',
      requests: 3,
      says: /did not resume the transfer as requested: it starts at byte 400, byte 500 was requested/,
      also: (_, server) => expect(server.requests[2]!.headers.range).toBeUndefined(),
    },
    {
      title: 'ends as a damaged archive when no response is ever valid',
      serve: breakingFirst(STRONG, (_, socket) =>
        socket.write(joined(range(400, TOTAL), ARCHIVE.subarray(400))),
      ),
      ends: 'archive',
      requests: 4,
      options: { retries: 3 },
    },
    {
      title: 'starts over when the total is another one',
      serve: breakingFirst(STRONG, (request, socket) =>
        request.number === 2
          ? socket.write(joined(range(500, TOTAL + 7), ARCHIVE.subarray(500), 'more...'))
          : socket.write(answer(200, STRONG, ARCHIVE)),
      ),
      ends: 'saved',
      requests: 3,
      says: /the size is now \d+ bytes, it was \d+/,
    },
    {
      title: 'starts over when the validator of the range is another one',
      serve: breakingFirst(STRONG, (request, socket) =>
        request.number === 2
          ? socket.write(joined(range(500, TOTAL, '"v2"'), ARCHIVE.subarray(500)))
          : socket.write(answer(200, STRONG, ARCHIVE)),
      ),
      ends: 'saved',
      requests: 3,
      says: /the content has changed/,
    },
    {
      title: 'starts over when ranges come in several parts',
      serve: breakingFirst(STRONG, (request, socket) =>
        request.number === 2
          ? socket.write(answer(206, ['Content-Type: multipart/byteranges; boundary=x'], '--x--'))
          : socket.write(answer(200, STRONG, ARCHIVE)),
      ),
      ends: 'saved',
      requests: 3,
      says: /it has several parts/,
    },
    {
      title: 'takes the whole body from its start when the server sends that, in the same attempt',
      serve: breakingFirst(STRONG, (_, socket) => socket.write(answer(200, STRONG, ARCHIVE))),
      ends: 'saved',
      requests: 2,
      says: /cannot resume the transfer; starting over/,
    },
    {
      title: 'takes a changed content from its start: two bodies are never spliced',
      serve: (request, socket) => {
        const old = Buffer.from(ARCHIVE)
        old.fill('o', 60, 500)
        if (request.number === 1) socket.end(joined(partial(0, TOTAL, 200), old.subarray(0, 500)))
        else socket.write(answer(200, ['ETag: "v2"', 'Accept-Ranges: bytes'], ARCHIVE))
      },
      ends: 'saved',
      requests: 2,
      says: /the content on the server has changed since the transfer began; starting over/,
    },
    {
      title: 'starts over once when two bodies have the same validator, and reports that the content changes',
      serve: (request, socket) => {
        const other = Buffer.from(ARCHIVE)
        other.fill('o', 60, 500)
        if (request.number === 1) socket.end(joined(partial(0, TOTAL, 200), other.subarray(0, 500)))
        else if (request.headers.range) socket.write(joined(range(500, TOTAL), ARCHIVE.subarray(500)))
        else socket.write(answer(200, STRONG, ARCHIVE))
      },
      ends: 'saved',
      requests: 3,
      says: /the content changes between attempts/,
      also: (_, server) => expect(server.requests[2]!.headers.range).toBeUndefined(),
    },
    {
      title: 'is complete when a 416 names just the bytes that are here',
      serve: (request, socket) => {
        if (request.number === 1) {
          socket.end(joined(head(200, [...STRONG, 'Transfer-Encoding: chunked']), chunk(ARCHIVE)))
        } else {
          socket.write(answer(416, [`Content-Range: bytes */${TOTAL}`], ''))
        }
      },
      ends: 'saved',
      requests: 2,
    },
    {
      title: 'starts over after a 416 that names another size',
      serve: breakingFirst(STRONG, (request, socket) =>
        request.number === 2
          ? socket.write(answer(416, ['Content-Range: bytes */12'], ''))
          : socket.write(answer(200, STRONG, ARCHIVE)),
      ),
      ends: 'saved',
      requests: 3,
      also: (_, server) => expect(server.requests[2]!.headers.range).toBeUndefined(),
    },
    ...(
      [
        ['200 with the rest', range(500, TOTAL).replace('206', '200'), ARCHIVE.subarray(500)],
        ['200 with the rest and nothing that says so', head(200, ['Content-Length: 474']), 'x'.repeat(474)],
        ['200 with a web page', head(200, ['Content-Type: text/html', 'Content-Length: 6']), '<html>'],
        ['204', head(204, []), ''],
        ['304', head(304, []), ''],
        ['400', head(400, ['Content-Length: 0']), ''],
        ['403', head(403, ['Content-Length: 0']), ''],
        ['405', head(405, ['Content-Length: 0']), ''],
        ['416 without a size', head(416, ['Content-Length: 0']), ''],
        ['206 of other bytes', range(400, TOTAL), ARCHIVE.subarray(400)],
        ['206 that is compressed', `${range(500, TOTAL).trimEnd()}\r\nContent-Encoding: gzip\r\n\r\n`, 'x'],
      ] as const
    ).map(([what, start, body]) => ({
      title: `starts over in the same run after a ${what}, also without retries`,
      serve: ((request, socket) => {
        if (request.number === 1) socket.end(joined(partial(0, TOTAL, 200), HALF))
        else if (request.headers.range !== undefined) socket.write(joined(start, body))
        else socket.write(answer(200, STRONG, ARCHIVE))
      }) as RawHandler,
      ends: 'saved' as const,
      requests: 3,
      says: /starting over|requesting the whole archive/,
      options: { retries: 1 },
      also: (_run: unknown, server: { requests: readonly RawRequest[] }) =>
        expect(server.requests[2]!.headers.range).toBeUndefined(),
    })),
    {
      title: 'starts over after the rest as status 200, though that begins like an archive',
      serve: breakingFirst(STRONG, (request, socket) => {
        if (request.headers.range === undefined) return socket.write(answer(200, STRONG, ARCHIVE))
        const lines = [...STRONG, `Content-Range: bytes 500-${TOTAL - 1}/${TOTAL}`]
        return socket.write(answer(200, lines, joined('PK\u0003\u0004', ARCHIVE.subarray(504))))
      }),
      ends: 'saved',
      requests: 3,
      says: /it sent a part of the file as status 200; starting over, which may use allowance twice/,
      also: (_, server) => expect(server.requests[2]!.headers.range).toBeUndefined(),
    },
    {
      title: 'is not given up for a refusal that has another reason',
      serve: breakingFirst(STRONG, (_, socket) =>
        socket.write(answer(200, ['Content-Type: text/html'], '<html>login')),
      ),
      ends: 'rejected',
      keeps: 500,
      requests: 3,
      says: /a web page instead of a ZIP/,
    },
    {
      title: 'is cut short again when the rest is shorter than promised',
      serve: breakingFirst(STRONG, (request, socket) => {
        const start = startOf(request)
        const piece = ARCHIVE.subarray(start, start + 10)
        const lines = [...STRONG, `Content-Range: bytes ${start}-${start + piece.length - 1}/${TOTAL}`]
        socket.write(joined(answer(206, lines, piece)))
      }),
      ends: 'saved',
      requests: 1 + Math.ceil((TOTAL - 500) / 10),
      options: { retries: 1 },
    },
  ])
})

describe('a transfer that broke off without a way to go on', () => {
  testFaults(
    [
      ['a weak validator', ['ETag: W/"v1"', 'Accept-Ranges: bytes']],
      ['no validator', ['Accept-Ranges: bytes']],
      ['no word on ranges', [`ETag: ${ETAG}`]],
      ['ranges refused', [`ETag: ${ETAG}`, 'Accept-Ranges: none']],
      ['a date alone', ['Last-Modified: Mon, 02 Mar 2026 00:00:00 GMT', 'Accept-Ranges: bytes']],
    ].map(([what, lines]) => ({
      title: `(${what}) starts again from its first byte`,
      serve: breakingFirst(lines as string[], (_, socket) => socket.write(answer(200, [], ARCHIVE))),
      ends: 'saved' as const,
      requests: 2,
      also: (_run: unknown, server: { requests: readonly RawRequest[] }) => {
        expect(server.requests[1]!.headers.range).toBeUndefined()
        expect(server.requests[1]!.headers['if-range']).toBeUndefined()
      },
    })),
  )
})

describe('an unrequested partial response', () => {
  testFaults([
    {
      title: 'is refused, requested once more in whole, and then ends as archive',
      serve: (_, socket) => socket.write(joined(range(0, TOTAL, ETAG, 499), HALF)),
      ends: 'archive',
      requests: 2,
      status: 206,
      says: /sent a partial response \(bytes 0-499\/\d+\) to a request for the whole file/,
      options: { retries: 5 },
    },
    {
      title: 'that is the whole is saved',
      serve: (_, socket) => socket.write(joined(range(0, TOTAL), ARCHIVE)),
      ends: 'saved',
      requests: 1,
    },
  ])

  test('of a byte a time would never end: there is a bound', async () => {
    const endless = 10 ** 6
    const server = await rawServer((request, socket) => {
      const start = startOf(request)
      const piece = start === 0 ? ARCHIVE.subarray(0, 10) : 'x'
      socket.end(joined(partial(start, endless, start === 0 ? 200 : 206), piece))
    })
    const run = await fetching(server.url, { retries: 1 })
    expect(run.failure?.kind).toBe('unavailable')
    expect(server.requests.length).toBe(MOST_ATTEMPTS)
    expect(run).toMatchObject({ kept: 10 + MOST_ATTEMPTS - 1, files: ['body.zip'] })
    await server.close()
  })
})

/** The first response breaks off after 500 bytes, under these headers. */
function breakingFirst(lines: readonly string[], then: RawHandler): RawHandler {
  return (request, socket) =>
    request.number === 1
      ? socket.end(joined(head(200, [...lines, `Content-Length: ${TOTAL}`]), HALF))
      : then(request, socket)
}

function rest(start: number): RawHandler {
  return (_, socket) => socket.write(joined(range(start, TOTAL), ARCHIVE.subarray(start)))
}

function range(start: number, total: number, etag = ETAG, end = total - 1): string {
  return head(206, [
    `ETag: ${etag}`,
    `Content-Range: bytes ${start}-${end}/${total}`,
    `Content-Length: ${end - start + 1}`,
  ])
}

/** The head of a response that promises all from `start` on. */
function partial(start: number, total: number, status: number): string {
  return head(status, [
    ...STRONG,
    ...(status === 206 ? [`Content-Range: bytes ${start}-${total - 1}/${total}`] : []),
    `Content-Length: ${total - start}`,
  ])
}

function startOf(request: RawRequest): number {
  return Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
}

function chunk(bytes: Buffer): Buffer {
  return joined(`${bytes.length.toString(16)}\r\n`, bytes, '\r\n')
}

function joined(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}
