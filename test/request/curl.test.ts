import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { API_KEY_STAND_IN, curlCommand } from '../../src/request/curl.ts'
import { serviceRequest } from '../../src/request/request.ts'

// The words of the line as a shell splits them, with curl replaced by printf.
function words(line: string): string[] {
  const script = line.replace(/^curl/, "printf '%s\\0'")
  const env = { MATDECL_TOKEN: 'TOK "x', MATDECL_API_KEY: 'KEY' }
  return execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

test('a v2 request runs in a shell', () => {
  const request = serviceRequest(
    'https://api.example.com',
    { api: 'v2', format: '1752A' },
    ["it's", 'a b'],
    'matdecl/9',
  )
  expect(words(curlCommand(request, "o'ut.zip"))).toEqual([
    '--fail',
    '--silent',
    '--show-error',
    '--globoff',
    '-H',
    'Authorization: Bearer TOK "x',
    '-H',
    'Content-Type: application/json',
    '-H',
    'Accept: application/zip',
    '-H',
    'Accept-Encoding: identity',
    '-H',
    'User-Agent: matdecl/9',
    '-o',
    "o'ut.zip",
    'https://api.example.com/v2/download?format=1752A&partNumbers[]=it%27s&partNumbers[]=a%20b',
  ])
})

test('a v1 request takes the key from the environment', () => {
  const request = serviceRequest(
    'https://old.example.com',
    { api: 'v1', format: 'XML' },
    ["it's"],
    'u',
    API_KEY_STAND_IN,
  )
  const line = curlCommand(request, 'out.zip')
  expect(line).toContain('$MATDECL_API_KEY')
  const body = words(line)[words(line).indexOf('--data') + 1]!
  expect(JSON.parse(body)).toEqual({ apikey: 'KEY', format: 'XML', partNumbers: '"it\'s"' })
})

test('a request for PowerShell names its curl, its variables and its quotes', () => {
  const v2 = serviceRequest('https://api.example.com', { api: 'v2', format: '1752A' }, ["it's"], 'matdecl/9')
  const line = curlCommand(
    v2,
    "o'ut.zip",
    { proxyVariable: 'HTTPS_PROXY', hasProxyLogin: true, caFile: 'C:\\a b.pem' },
    'win32',
  )
  expect(line).toBe(
    `curl.exe --fail --silent --show-error --globoff --proxy "$env:HTTPS_PROXY" --proxy-user "$env:PROXY_LOGIN" --cacert 'C:\\a b.pem' -H "Authorization: Bearer $env:MATDECL_TOKEN" -H 'Content-Type: application/json' -H 'Accept: application/zip' -H 'Accept-Encoding: identity' -H 'User-Agent: matdecl/9' -o 'o''ut.zip' 'https://api.example.com/v2/download?format=1752A&partNumbers[]=it%27s'`,
  )
})

test('a v1 body goes to PowerShell through a pipe, in ASCII, with the key from its variable', () => {
  const v1 = serviceRequest(
    'https://api.example.com',
    { api: 'v1', format: 'XML' },
    ["it's ä"],
    'matdecl/9',
    API_KEY_STAND_IN,
  )
  const line = curlCommand(v1, 'out.zip', {}, 'win32')
  expect(line).toMatch(
    /^\('\{.*' \+ \$env:MATDECL_API_KEY \+ '.*'\) \| curl\.exe .* -X POST .* --data '@-' -o out\.zip /,
  )
  expect(line).toContain(String.raw`it''s \u00e4`)
  expect(line).not.toMatch(/[^\0-\x7f]/)
})
