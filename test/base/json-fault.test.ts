import { describe, expect, it } from 'vitest'
import { jsonFaultOffset, lineOfOffset } from '../../src/base/json-fault.ts'

describe('jsonFaultOffset', () => {
  it.each([
    '{}',
    '[]',
    ' { "a" : [ 1 , -2.5e+3 , true , null , "x\\u00e9\\n" ] } \n',
    '"text"',
    '0',
    '[[[]],{"a":{}}]',
    '{"": ""}',
  ])('finds nothing wrong with %j', (text) => {
    expect(jsonFaultOffset(text)).toBeUndefined()
  })

  it.each([
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['{"a"}', 4],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{"a":1}}', 7],
    ['{} {}', 3],
    ["{'a':1}", 1],
    ['{a:1}', 1],
    ['{"a":"\n"}', 5],
    ['{"a":"\\x"}', 5],
    ['{"a":"open', 5],
    ['[01]', 1],
    ['[1.]', 1],
    ['[+1]', 1],
    ['[truer]', 1],
    ['[NaN]', 1],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['// no\n{}', 0],
  ])('finds where %j goes wrong', (text, offset) => {
    expect(jsonFaultOffset(text)).toBe(offset)
  })

  it('agrees with the engine on whatever is made of JSON’s characters', () => {
    const alphabet = ['{', '}', '[', ']', ',', ':', '"a"', '"', '1', '-', '.', 'e', 'true', 'null', ' ', '\\']
    let seed = 7
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return (seed >>> 8) % below
    }
    let accepted = 0
    for (let round = 0; round < 20_000; round += 1) {
      const text = Array.from({ length: 1 + next(9) }, () => alphabet[next(alphabet.length)]).join('')
      const isJson = parses(text)
      if (isJson) accepted += 1
      expect([text, jsonFaultOffset(text) === undefined]).toEqual([text, isJson])
    }
    expect(accepted).toBeGreaterThan(100)
  })

  it('takes a text that is nested deep or long as it comes', () => {
    expect(jsonFaultOffset('['.repeat(100_000))).toBe(100_000)
    expect(jsonFaultOffset(JSON.stringify({ a: 'x'.repeat(3_000_000) }))).toBeUndefined()
  })
})

describe('lineOfOffset', () => {
  it.each([
    ['', 0, 1],
    ['a\nb\nc', 0, 1],
    ['a\nb\nc', 1, 1],
    ['a\nb\nc', 2, 2],
    ['a\nb\nc', 4, 3],
    ['a\nb\nc', 99, 3],
  ])('counts lines of %j up to %d', (text, offset, line) => {
    expect(lineOfOffset(text, offset)).toBe(line)
  })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
