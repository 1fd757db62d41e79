import { describe, expect, test } from 'vitest'
import {
  type Criteria,
  downloadUrl,
  emptyUrlBytes,
  parseBaseUrl,
  partParameterBytes,
  percentEncode,
  serviceRequest,
} from '../../src/request/request.ts'

const BASE = 'https://api.example.com'
const V2: Criteria = { api: 'v2', format: '1752A' }

describe('the v2 URL', () => {
  test('has its parameters in the order of the interface', () => {
    const criteria: Criteria = {
      ...V2,
      formatClass: 'C',
      supplier: '123456789',
      startDate: '2026-01-31',
      query: [['extra[]', 'a b']],
    }
    expect(downloadUrl(BASE, criteria, ['A', 'B/2'])).toBe(
      'https://api.example.com/v2/download?format=1752A&formatClass=C&supplier=123456789&partNumbers[]=A&partNumbers[]=B%2F2&startDate=2026-01-31&extra[]=a%20b',
    )
  })

  test('leaves out criteria that are not set', () => {
    expect(downloadUrl(BASE, { ...V2, supplier: '1' }, [])).toBe(
      'https://api.example.com/v2/download?format=1752A&supplier=1',
    )
  })

  test.each([
    ['a b', 'a%20b'],
    ['a+b', 'a%2Bb'],
    ['a,b;c', 'a%2Cb%3Bc'],
    ['100%', '100%25'],
    ['%20', '%2520'],
    ["it's(*)!", 'it%27s%28%2A%29%21'],
    ['10µH/Ω', '10%C2%B5H%2F%CE%A9'],
    ['[x]&=?#', '%5Bx%5D%26%3D%3F%23'],
    ['..', '..'],
    ['😀', '%F0%9F%98%80'],
    ['-_.~', '-_.~'],
  ])('encodes %s as %s', (value, encoded) => {
    expect(percentEncode(value)).toBe(encoded)
    expect(decodeURIComponent(encoded)).toBe(value)
  })

  test('refuses invalid Unicode', () => {
    expect(() => percentEncode('\ud800')).toThrow('not valid Unicode')
  })

  test('has a length equal to the sum of its parts', () => {
    const criteria: Criteria = { ...V2, startDate: '2026-01-31', query: [['x', 'ü']] }
    const parts = ['A', 'B Ü', '😀']
    const sum = parts.reduce((bytes, part) => bytes + partParameterBytes(part), emptyUrlBytes(BASE, criteria))
    expect(Buffer.byteLength(downloadUrl(BASE, criteria, parts))).toBe(sum)
  })
})

describe('the request', () => {
  test('v2 is a GET without a body', () => {
    expect(serviceRequest(BASE, V2, ['A'], 'matdecl/9')).toEqual({
      method: 'GET',
      url: 'https://api.example.com/v2/download?format=1752A&partNumbers[]=A',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/zip',
        'Accept-Encoding': 'identity',
        'User-Agent': 'matdecl/9',
      },
    })
  })

  test('v1 is a POST whose values are all strings', () => {
    const criteria: Criteria = {
      api: 'v1',
      format: 'XML',
      formatClass: 'checkDthenC',
      supplier: '1,2',
      startDate: '2026-01-31',
    }
    const request = serviceRequest('https://old.example.com', criteria, ['A', 'B,2'], 'matdecl/9', 'KEY')
    expect(request.method).toBe('POST')
    expect(request.url).toBe('https://old.example.com/api/download')
    expect(JSON.parse(request.body!)).toEqual({
      apikey: 'KEY',
      format: 'XML',
      formatClass: 'checkDthenC',
      supplier: '1,2',
      partNumbers: '"A","B,2"',
      startdate: '2026-01-31',
    })
  })

  test('v1 without criteria sends none', () => {
    expect(
      JSON.parse(serviceRequest('https://o.example.com', { api: 'v1', format: 'CSV' }, [], 'u', 'K').body!),
    ).toEqual({
      apikey: 'K',
      format: 'CSV',
    })
  })
})

describe('the base URL', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/v2', 'https://api.example.com'],
    ['https://api.example.com/v2/', 'https://api.example.com'],
    ['https://api.example.com/eu/v2', 'https://api.example.com/eu'],
    ['https://api.example.com:8443/x/', 'https://api.example.com:8443/x'],
    ['http://localhost:1', 'http://localhost:1'],
    ['http://127.0.0.1:8080/v2', 'http://127.0.0.1:8080'],
    ['http://127.9.9.9', 'http://127.9.9.9'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('%s becomes %s', (text, baseUrl) => {
    expect(parseBaseUrl(text)).toEqual({ baseUrl })
  })

  test.each([
    'api.example.com',
    '',
    'http://api.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://128.0.0.1',
    'ftp://api.example.com',
    'file:///etc/passwd',
    'https://user:pass@api.example.com',
    'https://user@api.example.com',
    'https://api.example.com?x=1',
    'https://api.example.com/?',
    'https://api.example.com#x',
    'https://api.example.com:0',
  ])('%s is refused', (text) => {
    expect(parseBaseUrl(text)).toHaveProperty('reason')
  })
})
