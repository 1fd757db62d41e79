import { describe, expect, test } from 'vitest'
import { cleanText, quoteText } from '../../src/base/clean-text.ts'
import { redactForeign, redactHeader, redactor, redactUrl } from '../../src/base/redact.ts'
import { JWT, pieceOf, writtenForms } from '../support/secret-pieces.ts'
import { soakTest, sweep } from '../support/soak.ts'

const TOKEN = 'se/cr+et=.tok"en%7'

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')

describe('a secret is masked', () => {
  const redact = redactor([TOKEN])

  test.each([
    ['unchanged', TOKEN],
    ['percent-encoded', encodeURIComponent(TOKEN)],
    [
      'percent-encoded in lower case',
      encodeURIComponent(TOKEN).replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    ],
    ['form-encoded', new URLSearchParams({ a: TOKEN }).toString()],
    ['inside JSON', JSON.stringify({ token: TOKEN })],
    ['inside JSON inside JSON', JSON.stringify(JSON.stringify({ token: TOKEN }))],
    ['in base64', Buffer.from(TOKEN).toString('base64')],
    ['in base64 for URLs', Buffer.from(TOKEN).toString('base64url')],
    ['in the base64 of a login', Buffer.from(`user:${TOKEN}`).toString('base64')],
    ['in the base64 of a longer text', Buffer.from(`ab${TOKEN}yz`).toString('base64')],
    ['with every character percent-encoded', TOKEN.replace(/./g, (one) => `%${hexOf(one)}`)],
    ['with every character as \\u', TOKEN.replace(/./g, (one) => `\\u00${hexOf(one)}`)],
    [
      'with every character as \\u in capitals',
      TOKEN.replace(/./g, (one) => `\\u00${hexOf(one).toUpperCase()}`),
    ],
    ['in decimal entities', TOKEN.replace(/./g, (one) => `&#${one.charCodeAt(0)};`)],
    ['in hexadecimal entities', TOKEN.replace(/./g, (one) => `&#x${hexOf(one)};`)],
    ['in hexadecimal entities in capitals', TOKEN.replace(/./g, (one) => `&#X${hexOf(one).toUpperCase()};`)],
    ['with some characters as entities', TOKEN.replace('/', '&#x2F;').replaceAll('=', '&equals;')],
    ['with one character percent-encoded', TOKEN.replace('s', '%73')],
    ['with one character as \\u', TOKEN.replace('t', '\\u0074')],
    ['percent-encoded twice', TOKEN.replace(/./g, (one) => `%25${hexOf(one)}`)],
    ['escaped for HTML', TOKEN.replaceAll('"', '&quot;')],
    ['in hexadecimal', Buffer.from(TOKEN).toString('hex')],
    ['in hexadecimal capitals', Buffer.from(TOKEN).toString('hex').toUpperCase()],
  ])('%s', (_, text) => {
    const shown = redact(`before ${text} after`)
    expect(shown).toMatch(/\*\*\*/)
    expect(shown).not.toContain(text)
    expect(shown.startsWith('before ')).toBe(true)
    expect(shown.endsWith(' after')).toBe(true)
    for (const form of [
      TOKEN,
      encodeURIComponent(TOKEN),
      Buffer.from(TOKEN).toString('base64').slice(0, 20),
    ]) {
      expect(shown).not.toContain(form)
    }
  })

  test('every time it occurs, also side by side', () => {
    expect(redact(`${TOKEN}${TOKEN} ${TOKEN}`)).toBe('****** ***')
  })

  test('of several, the longest first, so that no part of it remains', () => {
    expect(redactor(['abcd', 'abcdefgh'])('x abcdefgh y abcd z')).toBe('x *** y *** z')
  })

  test('that is short only as a separate word', () => {
    expect(redactor(['abc'])('abc: abcde xabc "abc"')).toBe('***: abcde xabc "***"')
    const short = redactor(['a1b2c3'])
    expect(short('the token a1b2c3. ?key=a1b2c3&x Bearer a1b2c3')).toBe(
      'the token ***. ?key=***&x Bearer ***',
    )
    expect(short(JSON.stringify({ message: 'no\na1b2c3\nis wrong' }))).toBe(
      '{"message":"no\\n***\\nis wrong"}',
    )
    expect(short('the key "a1b2c3": wrong')).toBe('the key "***": wrong')
    expect(short('say%20a1b2c3%20')).toBe('say%20***%20')
    expect(short(`x${Buffer.from('a1b2c3').toString('base64')}x`)).toBe('x***x')
  })

  test.each([
    '/srv/test/bom.zip',
    '/tmp/job-test-1/test.zip',
    '{"test":1,"tested":2}',
    'MATDECL_test contest',
  ])('that is short is not masked within %s', (text) => {
    expect(redactor(['test'])(text)).toBe(text)
  })

  test.each(['1', '42', 'true'])('that is the JSON value %s leaves JSON valid', (secret) => {
    const json = `{"a":${secret},"b":[${secret},${secret}],"c":"is ${secret}"}`
    expect(redactor([secret])(json)).toBe(`{"a":${secret},"b":[${secret},${secret}],"c":"is ***"}`)
  })

  test('with a slash is masked where slashes are escaped, also in JSON within JSON', () => {
    const mask = redactor(['Sekret/token+42=='])
    for (const text of ['Sekret/token+42==', 'Sekret\\/token+42==', 'Sekret\\\\/token+42==']) {
      expect(mask(`{"foo":"bad ${text}"}`)).toBe('{"foo":"bad ***"}')
    }
  })

  soakTest('that is very long is masked too', () => {
    const secret = 'a1b2c3d4'.repeat(20_000)
    const text = redactor([secret, 'short'])(`x ${secret} short ${Buffer.from(secret).toString('base64')}`)
    expect(text).toBe('x *** *** ***')
  })

  test('of invalid Unicode is no error', () => {
    expect(redactor(['tok\ud800en'])('a tok\ud800en b')).toBe('a *** b')
  })

  test('and nothing else is: no secrets, empty secrets, text without them', () => {
    expect(redactor([])('some text')).toBe('some text')
    expect(redactor([''])('some text')).toBe('some text')
    expect(redact('some text with secret words')).toBe('some text with secret words')
  })

  test('with pattern characters in it is taken literally', () => {
    expect(redactor(['a.c*[d]'])('abccc[d] a.c*[d]')).toBe('abccc[d] ***')
  })
})

describe('a header', () => {
  test.each([
    ['Authorization', 'Bearer abc', 'Bearer ***'],
    ['proxy-authorization', 'Basic dXNlcg==', 'Basic ***'],
    ['authorization', 'abc', '***'],
    ['Set-Cookie', 'sid=1; Path=/', '***'],
    ['cookie', 'sid=1', '***'],
    ['X-Api-Key', 'k', '***'],
    ['X-Amz-Security-Token', 't', '***'],
    ['X-Session-Id', 's', '***'],
    ['WWW-Authenticate', 'Bearer realm="a"', 'Bearer realm="a"'],
    ['Location', '/a?ticket=t&supplier=1', '/a?ticket=***&supplier=1'],
    [
      'Link',
      '<https://h/a?ticket=t&supplier=1>; rel="next"',
      '<https://h/a?ticket=***&supplier=1>; rel="next"',
    ],
    ['Content-Type', 'application/zip', 'application/zip'],
  ])('%s: %s is shown as %s', (name, value, shown) => {
    expect(redactHeader(name, value)).toBe(shown)
  })
})

describe('a URL', () => {
  test.each([
    ['https://user:pass@host/a?supplier=1', 'https://***@host/a?supplier=1'],
    ['http://pa@ss@host/', 'http://***@host/'],
    ['https://h/a?X-Amz-Signature=abc&supplier=1', 'https://h/a?X-Amz-Signature=***&supplier=1'],
    ['https://h/a?startDate=2026-03-04&token=t#x', 'https://h/a?startDate=2026-03-04&token=***#x'],
    ['https://h/a#access_token=t', 'https://h/a#access_token=***'],
    ['https://h/a?c0ffee5ec4e7c0ffee5ec4e7&part=1', 'https://h/a?***&part=***'],
    ...['hdnts', 'md5', 'Policy', 'ticket', 'otp', 'key', 'code', 'st', 'h', 'n', 'sig', 'e'].map((name) => [
      `https://h/a?${name}=5ec4e7&format=1752A;x=y`,
      `https://h/a?${name}=***&format=1752A;x=***`,
    ]),
    ['https://h/a?partNumbers%5B%5D=A%20B', 'https://h/a?partNumbers%5B%5D=A%20B'],
    ['https://h/a?partNumbers[]=A', 'https://h/a?partNumbers[]=A'],
    ['/v2/download?format=1752A', '/v2/download?format=1752A'],
  ])('%s is shown as %s', (url, shown) => {
    expect(redactUrl(url)).toBe(shown)
  })
})

describe('a text of another origin', () => {
  test.each([
    [
      'Request has expired: https://s3.test/a?X-Amz-Expires=60&X-Amz-Signature=c0ffee9',
      'Request has expired: ***',
    ],
    ['the key AKIAIOSFODNN7EXAMPLE does not exist', 'the key *** does not exist'],
    ['Signature: 1ab/c+d=; try again', 'Signature: ***; try again'],
    [
      'the request signature we calculated does not match',
      'the request signature we calculated does not match',
    ],
  ])('%j is shown as %j', (text, shown) => {
    expect(redactForeign(text)).toBe(shown)
  })
})

test('a text full of backslashes, or of any other character, is masked in no time', () => {
  const redact = redactor([TOKEN, JWT])
  for (const character of ['\\', '%', '&#', '&#0', '=', '?', 'a', ' ', '\\u00']) {
    const text = character.repeat(64_000)
    expect(redact(text)).toBe(text)
  }
})

const TOKEN68 = `q+/~${JWT.slice(0, 120)}==`

describe.each([
  ['a JSON Web Token', JWT],
  ['a token with other characters', TOKEN68],
])('%s', (_title, secret) => {
  const redact = redactor([secret])
  const shownPiece = pieceOf(secret)

  test('shows no part of a secret around any cut, masked before or after it', () => {
    for (const form of writtenForms(secret)) {
      for (const most of [40, 60, 80, 100, 120, 200, 300, 400]) {
        for (let offset = 0; offset <= most; offset += sweep(7, 1)) {
          const text = `${'.'.repeat(offset)} ${form} and more`
          const shown = [
            cleanText(redact(text), most),
            redact(cleanText(text, most)),
            redact(quoteText(text, most)),
            redact(JSON.stringify({ message: cleanText(text, most) })),
          ]
          for (const one of shown) expect(shownPiece(one), `${most}, ${offset}: ${one}`).toBeUndefined()
        }
      }
    }
  })

  test('shows no piece where whitespace is collapsed before the cut', () => {
    for (let blanks = 0; blanks < 1_300; blanks += 1) {
      const shown = redact(cleanText(`${' '.repeat(blanks)}x ${' '.repeat(blanks)}${secret}`, 300))
      expect(shownPiece(shown), `${blanks}: ${shown}`).toBeUndefined()
    }
  })

  test.each(['…', '...', '~'])('shows no piece before the mark %s', (mark) => {
    for (let length = 8; length < secret.length; length += 1) {
      expect(redact(`see ${secret.slice(0, length)}${mark}`)).toBe(`see ***${mark}`)
    }
  })
})

test('a word that is not the beginning of the secret is kept before an ellipsis', () => {
  const redact = redactor(['matdecl-secret-1234567890'])
  expect(redact('matdecl… downloaded matdec... matdecl-parts… matdecl-secret')).toBe(
    'matdecl… downloaded matdec... matdecl-parts… matdecl-secret',
  )
  expect(redact('matdecl-s…')).toBe('***…')
})
