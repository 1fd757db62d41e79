import { describe } from 'vitest'
import { type FaultRow, testFaults } from '../support/fault-table.ts'
import { ARCHIVE } from '../support/fetching.ts'
import { answer, head } from '../support/raw-server.ts'

const LENGTH = `Content-Length: ${ARCHIVE.length}`
const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)

describe('an answer that is no HTTP', () => {
  testFaults([
    {
      title: 'such as the greeting of another protocol is asked for once more, then named',
      serve: (_, socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      ends: 'unavailable',
      requests: 2,
      says: [/did not give a valid HTTP answer/, /wrong port, wrong scheme/],
      options: { retries: 5 },
    },
    ...malformed('a garbled status line', 'HTTP/1.1 abc OK\r\n\r\n'),
    ...malformed('line feeds alone', `HTTP/1.1 200 OK\n${LENGTH}\n\n`),
    ...malformed('a NUL in a header', head(200, ['X-Odd: a\0b', LENGTH])),
    ...malformed('a space before a colon', head(200, ['X-Odd : a', LENGTH])),
    ...malformed('a folded header', head(200, ['X-Odd: a\r\n b', LENGTH])),
    {
      title: 'of headers over 16 KiB is refused at once',
      serve: (_, socket) =>
        socket.write(joined(head(200, [`X-Long: ${'x'.repeat(20_000)}`, LENGTH]), ARCHIVE)),
      ends: 'unavailable',
      requests: 1,
      says: /answer headers of 127\.0\.0\.1:\d+ are too large/,
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

describe('what comes before the answer', () => {
  testFaults([
    {
      title: 'an unasked 100 Continue is passed over',
      serve: (_, socket) => socket.write(joined('HTTP/1.1 100 Continue\r\n\r\n', WHOLE)),
      ends: 'saved',
      requests: 1,
    },
    {
      title: 'an unasked 100 Continue in pieces is passed over',
      serve: (_, socket) => {
        const bytes = joined(
          'HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n',
          'HTTP/1.1 100 Continue\r\n\r\n',
          WHOLE,
        )
        const cuts = [7, 20, 33, 40, 64]
        cuts.forEach((cut, at) => {
          setTimeout(() => socket.write(bytes.subarray(at === 0 ? 0 : cuts[at - 1], cut)), at * 10)
        })
        setTimeout(() => socket.write(bytes.subarray(cuts.at(-1))), cuts.length * 10)
      },
      ends: 'saved',
      requests: 1,
    },
    {
      title: 'early hints are passed over, and their headers are not taken for the answer’s',
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
      title: 'a thousand interim answers are passed over',
      serve: (_, socket) => socket.write(joined(head(102).repeat(1_000), head(100).repeat(1_000), WHOLE)),
      ends: 'saved',
      requests: 1,
    },
    {
      title: 'an unasked switch of protocols is refused at once',
      serve: (_, socket) => socket.write(head(101, ['Upgrade: websocket', 'Connection: Upgrade'])),
      ends: 'unavailable',
      requests: 1,
      says: /switched protocols unasked/,
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
      says: /did not give a valid HTTP answer/,
    },
  ]
}

function joined(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}
