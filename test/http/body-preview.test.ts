import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { redactor } from '../../src/base/redact.ts'
import { PREVIEW_BYTES, previewBody, readStart, serverMessage } from '../../src/http/body-preview.ts'

const plain = (text: string): string => text
const see = (text: string): ReturnType<typeof previewBody> => previewBody(Buffer.from(text), plain)

describe('the first bytes of a response', () => {
  test.each([
    ['', { kind: 'nothing', words: '' }],
    ['\n \t', { kind: 'nothing', words: '' }],
    ['{"message":"no"}', { kind: 'json', words: 'no' }],
    ['  ["a"]', { kind: 'json', words: 'a' }],
    ['{"a":1}', { kind: 'json', words: '{"a":1}' }],
    ['{"message":', { kind: 'json', words: '{"message":' }],
    ['<!doctype html><title>A &lt;b&gt;</title>', { kind: 'html', words: 'A <b>' }],
    ['<HTML><body><h1>Down for\nnow</h1>', { kind: 'html', words: 'Down for now' }],
    ['<html><script>var a = "<title>no</title>"</script><p>Plain words</p>', { kind: 'html', words: 'no' }],
    [
      '<html><title>Sign in</title><p>Enter your name and your password below</p>',
      { kind: 'html', words: 'Sign in' },
    ],
    ['<html><body>Just <i>words</i>', { kind: 'html', words: 'Just words' }],
    ['<!-- x --><html><title>T</title>', { kind: 'html', words: 'T' }],
    ['<title>Sign in</title><p>x', { kind: 'html', words: 'Sign in' }],
    ['<meta charset=utf-8><h1>Down</h1>', { kind: 'html', words: 'Down' }],
    ['<?xml version="1.0"?><Error>Denied</Error>', { kind: 'xml', words: 'Denied' }],
    ['No API key supplied', { kind: 'text', words: 'No API key supplied' }],
  ])('"%s" are %o', (text, expected) => {
    expect(see(text)).toEqual(expected)
  })

  test.each([
    gzipSync('x'.repeat(50)),
    deflateSync('y'.repeat(50)),
    Buffer.alloc(100),
    Buffer.from([255, 254, 253, 0, 1, 2]),
  ])('of binary data are never quoted', (bytes) => {
    const { words } = previewBody(bytes, plain)
    expect(words).not.toMatch(/[\0-\x1f\x7f-\x9f]/)
  })

  test.each([
    ['{"status":"pending","url":"/a"}', true],
    ['{"State":"In Progress","retryAfter":5}', true],
    ['{"status":"not-ready","job_id":7}', true],
    ['{"status":"pending"}', undefined],
    ['{"url":"/a"}', undefined],
    ['{"status":"failed","url":"/a"}', undefined],
    ['{"status":202,"url":"/a"}', undefined],
    ['["pending","url"]', undefined],
  ])('%s are the state of an archive that is being prepared: %s', (text, isPending) => {
    expect(see(text).isPending).toBe(isPending)
  })

  test('may be UTF-16 with a byte order mark', () => {
    const little = Buffer.from('\ufeffNo key', 'utf16le')
    for (const bytes of [little, Buffer.from(little).swap16()])
      expect(previewBody(bytes, plain)).toEqual({ kind: 'text', words: 'No key' })
  })

  test.each([
    ['text/html; charset=iso-8859-1', 'Ung\xfcltig', 'Ungültig'],
    ['application/json;charset="Shift_JIS"', '\x8f\xb3\x94F', '承認'],
    ['text/plain; Charset = gbk; format=flowed', '\xce\xde\xd0\xa7', '无效'],
    ['application/json; charset=utf-16', 'n\0o\0', 'no'],
    ['text/plain; charset=klingon-8', 'n\xc3\xb6', 'nö'],
    ['text/plain', 'n\xc3\xb6', 'nö'],
  ])('are in the encoding of their content type: %s', (type, bytes, words) => {
    const headers = { 'content-type': type }
    expect(previewBody(Buffer.from(bytes, 'latin1'), plain, { headers })).toEqual({ kind: 'text', words })
  })

  test.each([
    [20, 'text'],
    [19, 'binary'],
  ])('with one control character of %i are %s', (length, kind) => {
    expect(see('\u0001'.padEnd(length, 'x')).kind).toBe(kind)
  })

  test('have the characters of HTML as they are read', () => {
    const title = '<html><title>&amp;&LT;&gt;&quot;&apos;&#39;a&nbsp;b&copy;</title>'
    expect(see(title).words).toBe(`&<>"''a b&copy;`)
  })

  test('are cleaned of escapes, bidi and control characters, and cut', () => {
    expect(see('{"message":"\\u001b[2J\\u202eevil\\u0000\\r\\nnew line"}').words).toBe(
      '\\u001b[2J\\u202eevil\\u0000 new line',
    )
    expect(see(`{"message":"${'m'.repeat(9_999)}"}`).words.length).toBe(300)
    expect(see(`<title>${'t'.repeat(9_999)}</title><html>`).words.length).toBeLessThanOrEqual(300)
    expect(see(`<html><title>${'t'.repeat(9_999)}</title>`).words.length).toBe(80)
  })

  test('of a long text are quoted from its beginning, in whole words', () => {
    expect(see(`No key. ${'x '.repeat(700)}`).words).toBe(`No key. ${'x '.repeat(146)}…`.replace(' …', '…'))
    const word = 'y'.repeat(2_000)
    expect(see(word).words).toBe(`${word.slice(0, 299)}…`)
    expect(see(`No key. ${word}`).words).toBe('No key.')
  })

  // In quadratic time this would exceed the time limit of a test.
  test('of a page of nothing but opening tags are found', () => {
    for (const piece of ['<title>', '<h1>', '<script>', '<', '<!--', '&amp'])
      expect(see(`<html>${piece.repeat(60_000)}`).kind).toBe('html')
  })
})

describe('a JSON message', () => {
  test.each([
    ['{"message":"a","error":"b"}', 'a'],
    ['{"error":{"message":"deep"}}', 'deep'],
    ['{"errors":[{"detail":"one"},{"detail":"two"}]}', 'one; two'],
    ['{"title":"Bad Request","detail":"format is wrong"}', 'format is wrong'],
    ['{"title":"Invalid","errors":{"supplier":["no DUNS","too long"],"x":1}}', 'supplier: no DUNS; too long'],
    ['{"errors":{"a":"1","b":"2","c":"3","d":"4","e":"5","f":"6"}}', 'a: 1; b: 2; c: 3; d: 4; e: 5'],
    ['{"title":"Invalid","errors":{}}', 'Invalid'],
    ['"just text"', 'just text'],
    ['{"errors":["1","2","3","4","5","6"]}', '1; 2; 3; 4; 5'],
    ['{"error":{"error":{"error":{"error":"deep"}}}}', 'deep'],
    ['{"error":{"error":{"error":{"error":{"error":"too deep"}}}}}', undefined],
    ['{"message":""}', undefined],
    ['{"message":{"a":{"b":{"c":{"message":"too deep"}}}}}', undefined],
    ['{"errors":[{"error":{"error":"deep"}}]}', 'deep'],
    ['{"errors":[{"error":{"error":{"error":"too deep"}}}]}', undefined],
    ['{"__proto__":{"message":"x"}}', undefined],
    ['[]', undefined],
    ['null', undefined],
    ['12', undefined],
    ['no json', undefined],
  ])('%s says %s', (text, expected) => {
    expect(serverMessage(text)).toBe(expected)
  })
})

describe('a body of another origin', () => {
  const foreign = (body: string): string => previewBody(Buffer.from(body), plain, { foreign: true }).words

  test('shows code and message of a store, without its keys', () => {
    const body = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match.</Message>
<AWSAccessKeyId>AKIAIOSFODNN7EXAMPLE</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256 20260304T050607Z</StringToSign>
<SignatureProvided>c0ffee5ec4e7c0ffee5ec4e7</SignatureProvided></Error>`
    expect(foreign(body)).toBe('SignatureDoesNotMatch: The request signature we calculated does not match.')
  })

  test.each([
    ['<Error><Key>abc</Key></Error>', ''],
    ['{"signature":"abc"}', ''],
    ['{"message":"expired","signature":"abc"}', 'expired'],
    ['{"message":"use AKIAIOSFODNN7EXAMPLE"}', 'use ***'],
    ['<html><title>Denied 5ec4e7c0ffee5ec4e7</title></html>', 'Denied ***'],
    ['signature=5ec4e7c0ffee is wrong', 'signature= *** is wrong'],
  ])('%s is quoted as "%s"', (body, words) => {
    expect(foreign(body)).toBe(words)
  })
})

test.each(['\\', '<', '<a', '&', '"', ' ', '{', '[', '<!--'])(
  'a body of %j only is previewed in no time',
  (character) => {
    const body = Buffer.from(character.repeat(64_000))
    expect(previewBody(body, redactor(['tok-Zm9vYmFy.9f8e7d6c5b4a'])).words.length).toBeLessThanOrEqual(300)
  },
)

test('of an error that does not end, no more is read than a preview needs', async () => {
  let [read, isAbandoned] = [0, false]
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; read < 100 * PREVIEW_BYTES; read += 1_000) yield Buffer.alloc(1_000, 'a')
  }
  const abandon = (): void => {
    isAbandoned = true
  }
  expect(await readStart({ body: endless(), abandon })).toEqual(Buffer.alloc(PREVIEW_BYTES, 'a'))
  expect([read <= PREVIEW_BYTES, isAbandoned]).toEqual([true, false])
})

test.each([
  [new Error('cut'), 'what '],
  [new Failure('unavailable', 'no bytes for a minute'), 'what '],
  [new Failure('interrupted', 'stopped by Ctrl-C'), undefined],
])(
  'of an error whose body ends with %s, the message has what arrived, unless the run is stopped',
  async (error, arrived) => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('what ')
      throw error
    }
    const start = readStart({ body: broken(), abandon: () => undefined })
    if (arrived === undefined) await expect(start).rejects.toBe(error)
    else expect(Buffer.from(await start).toString()).toBe(arrived)
  },
)
