import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { FailureKind } from '../../src/base/failure.ts'
import { type FaultRow, testFaults } from '../support/fault-table.ts'
import { ARCHIVE, TOKEN, withService } from '../support/fetching.ts'
import { answer, head, type RawHandler, rawServer, writeForever } from '../support/raw-server.ts'

const JSON_TYPE = ['Content-Type: application/json']

describe('a status that refuses', () => {
  testFaults([
    ...refused(401, 'auth', [/rejected the token \(status 401\): bad token/, /check MATDECL_TOKEN/]),
    ...refused(403, 'auth', [
      /does not allow this request with this token \(status 403\)/,
      /privilege or tier/,
    ]),
    ...refused(400, 'rejected', [/refused the request as invalid \(status 400\): bad token/, /--start-date/]),
    ...refused(404, 'rejected', [
      /did not find what was requested \(status 404\)/,
      /check the supplier, the parts/,
    ]),
    ...refused(405, 'rejected', /does not accept this kind of request/),
    ...refused(409, 'rejected', /refused the request \(status 409\)/),
    ...refused(410, 'rejected', /no longer has what was requested/),
    ...refused(413, 'rejected', [/too long/, /--max-url-length/]),
    ...refused(414, 'rejected', [/too long/, /--max-url-length/]),
    ...refused(415, 'rejected', /refused the format/),
    ...refused(416, 'rejected', /status 416/),
    ...refused(422, 'rejected', /as invalid \(status 422\): bad token/),
    ...refused(423, 'rejected', /status 423/),
    ...refused(431, 'rejected', /too long/),
    ...refused(451, 'rejected', /status 451/),
    ...refused(407, 'auth', /proxy requires a login/),
    ...refused(501, 'unavailable', /does not support this request \(status 501\)/),
    ...refused(505, 'unavailable', /does not support this request \(status 505\)/),
    ...refused(511, 'unavailable', [/network requires a login/, /sign in to the network/]),
    ...refused(999, 'unavailable', /unusable status \(999\)/),
    {
      title: '400 shows a request ID that is not UTF-8 as Latin-1',
      serve: (_, socket) =>
        void socket.end(
          Buffer.from('HTTP/1.1 400 x\r\nX-Request-Id: k\xe4se\r\nContent-Length: 0\r\n\r\n', 'latin1'),
        ),
      ends: 'rejected',
      requests: 1,
      says: /request id käse\)/,
    },
    {
      title: '403 with a web page shows its title in quotes',
      serve: always(403, ['Content-Type: text/html'], '<html><head><title>Access &amp; denied</title>'),
      ends: 'auth',
      requests: 1,
      says: /status 403\): "Access & denied"/,
    },
    {
      title: '400 shows a field-by-field reason',
      serve: always(400, JSON_TYPE, '{"errors":[{"message":"format is wrong"},{"message":"supplier too"}]}'),
      ends: 'rejected',
      requests: 1,
      says: /status 400\): format is wrong; supplier too/,
    },
    {
      title: 'any message is cleaned, cut, and without the token',
      serve: always(
        400,
        JSON_TYPE,
        JSON.stringify({ message: `\u001b[31mred\u0007\u202e ${TOKEN} ${'long '.repeat(5_000)}` }),
      ),
      ends: 'rejected',
      requests: 1,
      says: [/\\u001b\[31mred\\u0007\\u202e \*\*\* long/, /…/],
      also: (run) => expect(run.failure!.message.length).toBeLessThan(500),
    },
    {
      title: 'a refusal whose body never ends is still a refusal',
      serve: (_, socket) => socket.write(`${head(404, ['Content-Length: 1000'])}{"message":`),
      ends: 'rejected',
      requests: 1,
      status: 404,
      options: { hasSocketTimeouts: true },
    },
  ])
})

describe('a response without an archive', () => {
  testFaults([
    {
      title: '200 with the state of an archive that is being prepared says so',
      serve: always(200, JSON_TYPE, '{"status":"pending","url":"/jobs/1","message":"please wait"}'),
      ends: 'rejected',
      requests: 1,
      says: [
        /please wait; it looks like the state of an archive that is still being prepared/,
        /202 response/,
      ],
    },
    {
      title: '200 with a presigned URL does not show its signature',
      serve: always(
        200,
        JSON_TYPE,
        '{"message":"get it at https://s3.test/a.zip?X-Amz-Credential=AKIA9&X-Amz-Signature=c0ffee9&part=7"}',
      ),
      ends: 'rejected',
      requests: 1,
      says: /\?X-Amz-Credential=\*\*\*&X-Amz-Signature=\*\*\*&part=\*\*\*/,
      also: ({ words }) => expect(words).not.toMatch(/AKIA9|c0ffee9/),
    },
    {
      title: '204 is an empty success',
      serve: (_, socket) => socket.write(head(204)),
      ends: 'empty',
      requests: 1,
      also: (run) => expect(run.got).toMatchObject({ archive: undefined, status: 204, attempts: 1 }),
    },
    { title: '205 is refused', serve: always(205, [], ''), ends: 'rejected', requests: 1, status: 205 },
    {
      title: 'an unexpected 304 is rejected as not an archive',
      serve: (_, socket) => socket.write(head(304, ['ETag: "x"'])),
      ends: 'archive',
      requests: 1,
      says: /unexpected 304/,
    },
  ])
})

describe('a 200 that is no ZIP', () => {
  testFaults([
    {
      title: 'but a web page shows its title, cleaned and short',
      serve: always(
        200,
        ['Content-Type: text/html; charset=utf-8'],
        `<!DOCTYPE html><html><head><title>Sign\n in \u001b[2J${'x'.repeat(300)}</title>`,
      ),
      ends: 'rejected',
      requests: 1,
      status: 200,
      says: /sent a web page instead of a ZIP archive \(status 200, text\/html; charset=utf-8\): "Sign in \\u001b\[2Jx+…"/,
    },
    {
      title: 'but JSON shows its message',
      serve: always(200, JSON_TYPE, '{"message":"No API key supplied"}'),
      ends: 'rejected',
      requests: 1,
      says: /sent a JSON message instead of a ZIP archive \(status 200, application\/json\): No API key supplied/,
    },
    {
      title: 'but text shows its first words',
      serve: always(200, ['Content-Type: application/zip'], 'Supplier DUNS numbers "1" do not exist'),
      ends: 'rejected',
      requests: 1,
      says: /sent text instead of a ZIP archive .*: Supplier DUNS numbers "1" do not exist/,
    },
    {
      title: 'but XML is reported as XML',
      serve: always(
        200,
        ['Content-Type: text/xml'],
        '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
      ),
      ends: 'rejected',
      requests: 1,
      says: /an XML document .*AccessDenied/,
    },
    {
      title: 'but unknown bytes is refused without showing them',
      serve: always(200, [], Buffer.from([0x1f, 0x8b, 8, 0, 0, 1, 2, 3, 255, 254, 0, 0])),
      ends: 'rejected',
      requests: 1,
      says: /sent unknown bytes instead of a ZIP archive \(status 200, no content type\)/,
    },
    {
      title: 'but blanks is an empty response',
      serve: always(200, [], ' \n '),
      ends: 'rejected',
      requests: 1,
      says: /an empty response/,
    },
    {
      title: 'and does not stop is cut off after what it takes to quote it',
      serve: (_, socket) => {
        socket.write(`${head(200, ['Content-Type: text/html'])}<html><title>Log in</title>`)
        writeForever(socket, 'x'.repeat(10_000))
      },
      ends: 'rejected',
      requests: 1,
      says: /"Log in"/,
    },
    {
      title: 'and is cut short is refused all the same',
      serve: (_, socket) => socket.end(`${head(200, ['Content-Length: 5000'])}<html><title>Log in</title>`),
      ends: 'rejected',
      requests: 1,
      says: /"Log in"/,
    },
    {
      title: 'in UTF-16 shows its words',
      serve: always(200, ['Content-Type: text/plain'], Buffer.from('\ufeffnot found', 'utf16le')),
      ends: 'rejected',
      requests: 1,
      says: /not found/,
    },
  ])
})

describe('a ZIP with a wrong label', () => {
  testFaults([
    {
      title: 'of type text/plain is saved',
      serve: always(200, ['Content-Type: text/plain'], ARCHIVE),
      ends: 'saved',
      requests: 1,
    },
    { title: 'of no type is saved', serve: always(200, [], ARCHIVE), ends: 'saved', requests: 1 },
    ...[
      'attachment; filename="../../etc/passwd"',
      'attachment; filename="C:\\windows\\a.zip"',
      "attachment; filename*=UTF-8''%2F..%2Fa.zip",
      `attachment; filename="${'x'.repeat(10_000)}"`,
      'attachment; filename="b\u00fc\u00e9.zip"',
    ].map((value) => ({
      title: `with the Content-Disposition ${value.slice(0, 50)} is saved under our name`,
      serve: always(200, [`Content-Disposition: ${value}`], ARCHIVE),
      ends: 'saved' as const,
      requests: 1,
    })),
    ...[201, 203].map(
      (status): FaultRow => ({
        title: `${status} with an archive is saved`,
        serve: always(status, [], ARCHIVE),
        ends: 'saved',
        requests: 1,
      }),
    ),
    {
      title: '202 that never comes to an end shows its message',
      serve: always(202, JSON_TYPE, '{"message":"the export was queued, see your mail"}'),
      ends: 'unavailable',
      requests: 3,
      status: 202,
      says: /did not finish preparing the archive within 10 s: the export was queued, see your mail/,
      options: { responseTimeoutMs: 10_000 },
    },
    {
      title: 'with a clock a year off and a validator in the future is saved',
      serve: always(
        200,
        ['Date: Mon, 03 Mar 2025 00:00:00 GMT', 'Last-Modified: Sat, 03 Mar 2040 00:00:00 GMT'],
        ARCHIVE,
      ),
      ends: 'saved',
      requests: 1,
    },
  ])
})

describe('a compressed transfer', () => {
  testFaults([
    ...(
      [
        ['gzip', gzipSync(ARCHIVE)],
        ['x-gzip', gzipSync(ARCHIVE)],
        ['deflate', deflateSync(ARCHIVE)],
        ['br', brotliCompressSync(ARCHIVE)],
        ['gzip, br', brotliCompressSync(gzipSync(ARCHIVE))],
      ] as const
    ).map(
      ([encoding, body]): FaultRow => ({
        title: `in ${encoding} is decoded and noted, not requested again`,
        serve: always(200, [`Content-Encoding: ${encoding}`], body),
        ends: 'saved',
        requests: 1,
        says: /compresses responses although requests do not allow it; decompressing them/,
        options: { retries: 0 },
        also: (run) => expect(run.got).toMatchObject({ archive: { bytes: ARCHIVE.length } }),
      }),
    ),
    ...['none', 'identity', 'x-unknown', 'gzip', 'application/zip'].map(
      (encoding): FaultRow => ({
        title: `whose headers say ${encoding}, but that is an archive, is taken as it is`,
        serve: always(200, [`Content-Encoding: ${encoding}`], ARCHIVE),
        ends: 'saved',
        requests: 1,
        also: ({ words }) => expect(words).not.toContain('compresses'),
      }),
    ),
    {
      title: 'in an unknown encoding is requested once more',
      serve: always(200, ['Content-Encoding: x-unknown'], gzipSync(ARCHIVE)),
      ends: 'archive',
      requests: 2,
      says: /encoded the response \(x-unknown\) although/,
      options: { retries: 5 },
    },
    {
      title: 'that is not what its headers say is requested once more',
      serve: always(200, ['Content-Encoding: br'], gzipSync(ARCHIVE)),
      ends: 'unavailable',
      requests: 2,
      says: /the compressed transfer from \S+ is damaged/,
      options: { retries: 5 },
    },
    {
      title: 'in gzip that is cut short is requested again from the start',
      serve: (request, socket) => {
        const headers = ['Content-Encoding: gzip', 'ETag: "a"', 'Accept-Ranges: bytes']
        const body = gzipSync(ARCHIVE)
        socket.write(answer(200, headers, request.number < 4 ? body.subarray(0, -10) : body))
      },
      ends: 'saved',
      requests: 4,
      options: { retries: 5 },
      says: /the compressed transfer from 127\.0\.0\.1:\d+ is damaged or was cut short/,
      also: (_, server) =>
        expect(server.requests.some(({ headers }) => headers.range !== undefined)).toBe(false),
    },
    {
      title: 'in gzip is decompressed up to the maximum size only',
      serve: always(
        200,
        ['Content-Encoding: gzip'],
        gzipSync(Buffer.concat([ARCHIVE, Buffer.alloc(5_000_000)])),
      ),
      ends: 'archive',
      requests: 1,
      says: /stopped at the limit of/,
      options: { maxBytes: 100_000 },
    },
    {
      title: 'in gzip that is not an archive is quoted',
      serve: always(200, ['Content-Encoding: gzip'], gzipSync('{"message":"no such supplier"}')),
      ends: 'rejected',
      requests: 1,
      says: /a JSON message instead of a ZIP archive .*no such supplier/,
    },
    {
      title: 'that stops after a second request for identity is saved',
      serve: (request, socket) =>
        socket.write(
          request.number === 1
            ? answer(200, ['Content-Encoding: gzip'], gzipSync(ARCHIVE).subarray(0, -10))
            : answer(200, ['Content-Encoding: identity'], ARCHIVE),
        ),
      ends: 'saved',
      requests: 2,
    },
    {
      title: 'in Transfer-Encoding is decoded as well',
      serve: (_, socket) => {
        const body = gzipSync(ARCHIVE)
        socket.write(head(200, ['Transfer-Encoding: gzip, chunked']))
        socket.write(
          Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
        )
      },
      ends: 'saved',
      requests: 1,
    },
  ])
})

describe('a damaged archive', () => {
  const broken = Buffer.from(ARCHIVE)
  broken[100] = 0
  testFaults([
    {
      title: 'that comes twice is final',
      serve: always(200, [], broken),
      ends: 'archive',
      requests: 2,
      says: [/the same bytes came twice/, /report it to the provider/],
      options: { retries: 5 },
    },
    {
      title: 'that comes again after another one is final',
      serve: (request, socket) =>
        socket.write(answer(200, [], request.number === 2 ? broken.subarray(0, 900) : broken)),
      ends: 'archive',
      requests: 3,
      options: { retries: 5 },
    },
    {
      title: 'that is another one each time is requested again',
      serve: (request, socket) => {
        const body = Buffer.from(ARCHIVE)
        if (request.number < 5) body[100] = request.number
        socket.write(answer(200, [], body))
      },
      ends: 'saved',
      requests: 5,
      options: { retries: 5 },
    },
    {
      title: 'in a compressed transfer that comes twice is final',
      serve: (request, socket) => {
        const level = request.number
        socket.write(answer(200, ['Content-Encoding: gzip'], gzipSync(broken, { level })))
      },
      ends: 'archive',
      requests: 2,
      options: { retries: 5 },
    },
  ])
})

test('a service that compresses is asked once for each archive', async () => {
  const server = await rawServer(always(200, ['Content-Encoding: gzip'], gzipSync(ARCHIVE)))
  await withService(server.url, {}, async (_, fetchOne) => {
    for (let run = 0; run < 3; run += 1) expect((await fetchOne()).bytes?.equals(ARCHIVE)).toBe(true)
  })
  expect(server.requests).toHaveLength(3)
  await server.close()
})

function always(status: number, lines: readonly string[], body: Buffer | string): RawHandler {
  return (_, socket) => socket.write(answer(status, lines, body))
}

/** A status that ends the run at once, with the service's words. */
function refused(status: number, ends: FailureKind, says: RegExp | RegExp[]): FaultRow[] {
  return [
    {
      title: `${status} ends the run at once as ${ends}`,
      serve: always(status, JSON_TYPE, '{"message":"bad token"}'),
      ends,
      requests: 1,
      status,
      says,
      options: { retries: 5 },
    },
  ]
}
