import { describe, expect, it } from 'vitest'
import { isCurlLine, readCurlLine } from '../../src/migrate/curl-line.ts'

const BODY = '{"format": "XML"}'

describe('isCurlLine', () => {
  it.each([
    'curl -d x',
    '  curl\t-d x',
    '$ curl -d x',
    '% curl -d x',
    'sudo curl -d x',
    'KEY=abc OTHER=1 curl -d x',
    '/usr/bin/curl -d x',
    'C:\\Windows\\System32\\curl.exe -d x',
    '# fetch it\ncurl -d x',
  ])('knows %j', (text) => {
    expect(isCurlLine(text)).toBe(true)
  })

  it.each(['{"a": "curl "}', 'curling -d x', 'wget -O x', '', '"curl -d x"', 'curl'])(
    'is not misled by %j',
    (text) => {
      expect(isCurlLine(text)).toBe(false)
    },
  )
})

describe('readCurlLine', () => {
  it.each([
    `curl -d '${BODY}' https://old.example/api/download`,
    `curl --data '${BODY}' https://old.example/api/download`,
    `curl --data-raw '${BODY}' --url https://old.example/api/download`,
    `curl --data-binary '${BODY}' https://old.example/api/download`,
    `curl --json '${BODY}' https://old.example/api/download`,
    `curl -d'${BODY}' https://old.example/api/download`,
    `curl -sSd '${BODY}' https://old.example/api/download`,
    `curl https://old.example/api/download -X POST -H 'Content-Type: application/json' -d '${BODY}'`,
    `curl -XPOST -u me:secret --retry 3 -m 60 https://old.example/api/download --data "{\\"format\\": \\"XML\\"}"`,
    `$ curl --location --compressed -k \\\n  'https://old.example/api/download' \\\n  --data-raw $'{"format": "XML"}'`,
  ])('finds the body and the address: %s', (line) => {
    expect(readCurlLine(line)).toEqual({ body: BODY, url: 'https://old.example/api/download' })
  })

  it('finds the output file', () => {
    expect(readCurlLine(`curl -o out.zip -d '${BODY}' https://x.example`)).toMatchObject({
      output: 'out.zip',
    })
    expect(readCurlLine(`curl -sSLo 'a b.zip' -d '${BODY}'`)).toEqual({ body: BODY, output: 'a b.zip' })
    expect(readCurlLine(`curl -o "$OUT" -d '${BODY}'`)).toEqual({ body: BODY })
  })

  it('treats @ as literal where curl does', () => {
    expect(readCurlLine('curl --data-raw @x')).toEqual({ body: '@x' })
  })

  it.each([
    ['curl -d @request.json https://x.example', /from a file/, /that file/],
    ['curl --json @request.json https://x.example', /from a file/, /that file/],
    ['curl -d @- https://x.example', /standard input/, /JSON request instead/],
    ['curl https://x.example', /no request body/, /-d/],
    ["curl -d '{", /incomplete: a ' is not closed/, /complete/],
  ])('reports what is missing in %s', (line, message, hint) => {
    expect(readCurlLine(line)).toEqual({
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    })
  })
})
