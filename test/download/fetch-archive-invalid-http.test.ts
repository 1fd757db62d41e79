import { describe } from 'vitest'
import { type FaultRow, testFaults } from '../support/fault-table.ts'
import { ARCHIVE } from '../support/fetching.ts'
import { answer, head } from '../support/raw-server.ts'

const LENGTH = `Content-Length: ${ARCHIVE.length}`
const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)

describe('a response that is not HTTP', () => {
  testFaults([
    {
      title: 'such as the greeting of another protocol is retried once, then reported',
      serve: (_, socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      ends: 'unavailable',
      requests: 2,
      says: [/did not send a valid HTTP response/, /check the port, the scheme/],
      options: { retries: 5 },
    },
    ...malformed('a garbled status line', 'HTTP/1.1 abc OK\r\n\r\n'),
    {
      title: 'with a status below 100 is retried once',
      serve: (_, socket) => socket.end(joined(head(999, [LENGTH]).replace('999', '099'), ARCHIVE)),
      ends: 'unavailable',
      requests: 2,
      says: /did not send a valid HTTP response/,
      options: { retries: 5 },
    },
    ...malformed('line feeds alone', `HTTP/1.1 200 OK\n${LENGTH}\n\n`),
    ...malformed('a NUL in a header', head(200, ['X-Odd: a\0b', LENGTH])),
    {
      title: 'with a control character after its length is invalid HTTP, sent three times at most',
      serve: (_, socket) => socket.end(joined(head(200, [LENGTH, 'X-Odd: a\x01b']), ARCHIVE)),
      ends: 'unavailable',
      requests: 3,
      says: /sent invalid HTTP in the headers of a response with status 200/,
      options: { retries: 5 },
    },
    ...malformed('a space before a colon', head(200, ['X-Odd : a', LENGTH])),
    ...malformed('a folded header', head(200, ['X-Odd: a\r\n b', LENGTH])),
    {
      title: 'of headers over 16 KiB is refused at once',
      serve: (_, socket) =>
        socket.write(joined(head(200, [`X-Long: ${'x'.repeat(20_000)}`, LENGTH]), ARCHIVE)),
      ends: 'unavailable',
      requests: 1,
      says: /response headers of 127\.0\.0\.1:\d+ are too large/,
    },
    {
      title: 'of 3,000 headers is refused at once',
      serve: (_, socket) => {
        const many = Array.from({ length: 3_000 }, (_, at) => `X-H${at}: v`)
        socket.write(joined(head(200, [...many, LENGTH]), ARCHIVE))
      },
      ends: 'unavailable',
      requests: 1,
      says: /too large/,
    },
  ])
})

describe('an error status with headers that are not valid HTTP', () => {
  const LONG_BODY = `{"message":"no"}`
  const odd = (status: number, ...lines: string[]): string => `${head(status, lines)}${LONG_BODY}`
  testFaults([
    ...[
      ['before its length', ['X-Odd: a\x01b', 'Content-Length: 16']],
      ['after its length', ['Content-Length: 16', 'X-Odd: a\x1b[31mb']],
      ['a NUL', ['Content-Length: 16', 'X-Odd: a\0b']],
      ['in a name', ['Content-Length: 16', 'X\x07Odd: a']],
    ].map(
      ([what, lines]): FaultRow => ({
        title: `means what its status says: 401, ${what}`,
        serve: (_, socket) => socket.end(odd(401, ...(lines as string[]))),
        ends: 'auth',
        requests: 1,
        status: 401,
        says: /rejected the token \(status 401\)/,
      }),
    ),
    {
      title: 'is retried where the status says so',
      serve: (request, socket) =>
        request.number === 1
          ? socket.end(odd(500, 'Content-Length: 16', 'X-Odd: a\x01b'))
          : socket.end(WHOLE),
      ends: 'saved',
      requests: 2,
    },
    {
      title: 'is a broken connection when that ends in the middle of the headers',
      serve: (_, socket) => socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 16\r\nX-Od'),
      ends: 'unavailable',
      requests: 3,
      says: /closed the connection without a response/,
    },
  ])
})

describe('what comes before the response', () => {
  testFaults([
    {
      title: 'early hints are ignored, and their headers are not taken for those of the response',
      serve: (_, socket) =>
        socket.write(
          joined(
            head(103, ['Content-Disposition: attachment; filename="/etc/passwd"', 'ETag: "early"']),
            WHOLE,
          ),
        ),
      ends: 'saved',
      requests: 1,
    },
    {
      title: 'a thousand interim responses are ignored',
      serve: (_, socket) => socket.write(joined(head(102).repeat(1_000), WHOLE)),
      ends: 'saved',
      requests: 1,
    },
    {
      title: 'an unrequested switch of protocols fails at once',
      serve: (_, socket) => socket.write(head(101, ['Upgrade: websocket', 'Connection: Upgrade'])),
      ends: 'unavailable',
      requests: 1,
      says: /switched protocols without a request/,
    },
  ])
})

function malformed(what: string, bytes: string): FaultRow[] {
  return [
    {
      title: `with ${what} is refused at once`,
      serve: (_, socket) => socket.end(joined(bytes, ARCHIVE)),
      ends: 'unavailable',
      requests: 1,
      says: /did not send a valid HTTP response/,
    },
  ]
}

function joined(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}
