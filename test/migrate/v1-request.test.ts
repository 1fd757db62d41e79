import { describe, expect, it } from 'vitest'
import { parseV1Request, type V1Request } from '../../src/migrate/v1-request.ts'

const KEY = 'k3y-that-must-not-show'

function read(value: unknown): V1Request {
  const result = parseV1Request(typeof value === 'string' ? value : JSON.stringify(value), 'old.json')
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  expect(JSON.stringify(result)).not.toContain(KEY)
  return result.request
}

function problemsOf(value: unknown): readonly string[] {
  const result = parseV1Request(typeof value === 'string' ? value : JSON.stringify(value), 'old.json')
  if ('request' in result) throw new Error('it was accepted')
  expect(JSON.stringify(result)).not.toContain(KEY)
  for (const { hint } of result.problems) expect(hint).toMatch(/\S/)
  return result.problems.map(({ message }) => message)
}

describe('a v1 request', () => {
  it('is read completely, except for its key', () => {
    const request = read({
      apikey: KEY,
      format: 'XML',
      formatClass: 'checkDthenC',
      supplier: '123456789',
      partNumbers: '"A-1","B,2"," C "',
      startdate: '2024-02-29',
    })
    expect(request).toEqual({
      hasKey: true,
      format: 'XML',
      formatClass: 'checkDthenC',
      suppliers: ['123456789'],
      parts: ['A-1', 'B,2', ' C '],
      startDate: '2024-02-29',
      unknownFields: [],
      remarks: [],
    })
  })

  it('may omit every field or leave it blank', () => {
    const nothing = { hasKey: false, suppliers: [], parts: [], unknownFields: [], remarks: [] }
    expect(read({})).toEqual(nothing)
    expect(read({ apikey: ' ', format: '', supplier: ' ', partNumbers: '""', startdate: null })).toEqual(
      nothing,
    )
  })

  it('may have several suppliers', () => {
    expect(read({ supplier: ' 123456789, 987654321,,123456789' }).suppliers).toEqual([
      '123456789',
      '987654321',
    ])
  })

  it('accepts small mistakes, with remarks', () => {
    const request = read({
      APIKEY: KEY,
      StartDate: '2024-01-01',
      supplier: 12345678,
      partNumbers: 'A-1, B-2 ,,A-1',
      Verbose: KEY,
    })
    expect(request).toMatchObject({
      hasKey: true,
      suppliers: ['12345678'],
      parts: ['A-1', 'B-2'],
      startDate: '2024-01-01',
      unknownFields: ['Verbose'],
    })
    expect(request.remarks).toEqual([
      "the field 'APIKEY' is read as apikey",
      "the field 'StartDate' is read as startdate",
      expect.stringContaining('leading zero'),
      expect.stringContaining('split at commas'),
      '1 duplicate part number dropped',
    ])
  })

  it.each<[unknown, RegExp]>([
    ['', /is empty/],
    [' \n', /is empty/],
    [`{"apikey": "${KEY}",\n"format": XML}`, /not valid JSON: invalid symbol in line 2, column 11/],
    [`{'apikey': '${KEY}'}`, /not valid JSON: invalid symbol in line 1, column 2/],
    [`"${KEY}"`, /is not a JSON object/],
    [`[{"apikey": "${KEY}"}]`, /is not a JSON object/],
    [`curl -d '{"apikey": "${KEY}"}' https://x.example`, /old.json is not valid JSON/],
    [`{"apikey": "${KEY}", "supplier": "1", "supplier": "2"}`, /has the field 'supplier' twice/],
    [`{"apikey": "${KEY}", "APIKEY": "x"}`, /has the field 'APIKEY' twice/],
    ['{"": 1, "": 2}', /has the field '' twice/],
    [{ apikey: KEY, format: 5 }, /format is not text/],
    [{ apikey: KEY, partNumbers: ['A'] }, /partNumbers is not text/],
    [{ apikey: KEY, partNumbers: '"A' }, /unmatched double quote/],
    [{ apikey: KEY, partNumbers: '"A"B"' }, /unmatched double quote/],
    [{ apikey: KEY, supplier: KEY }, /supplier contains the API key/],
    [{ apikey: KEY, partNumbers: `"A","x${KEY}"` }, /partNumbers contains the API key/],
  ])('is refused without quoting its key: %j', (value, reason) => {
    expect(problemsOf(value)).toEqual([expect.stringMatching(reason)])
  })

  it('is refused where it is nested too deeply to see a field twice', () => {
    const deep = `{"x": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`
    expect(problemsOf(deep)).toEqual(['old.json is nested too deeply'])
  })

  it('refuses a key of eight characters inside a text, and a shorter one only as the text', () => {
    const problems = ['supplier contains the API key']
    expect(problemsOf({ apikey: '12345678', supplier: 'x12345678' })).toEqual(problems)
    expect(problemsOf({ apikey: '1234567', supplier: '1234567' })).toEqual(problems)
    expect(read({ apikey: '1234567', supplier: 'x1234567' })).toMatchObject({ suppliers: ['x1234567'] })
  })

  it('reports all problems at once', () => {
    expect(
      problemsOf({ format: 1, formatClass: {}, supplier: -1, partNumbers: '"', startdate: true }),
    ).toHaveLength(5)
  })
})
