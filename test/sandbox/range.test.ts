import { describe, expect, it } from 'vitest'
import { parseRange } from '../../src/sandbox/range.ts'

describe('parseRange', () => {
  it.each([
    ['bytes=0-', { start: 0, end: 100 }],
    ['bytes=40-', { start: 40, end: 100 }],
    ['bytes=40-49', { start: 40, end: 50 }],
    ['bytes=40-4000', { start: 40, end: 100 }],
    ['bytes=99-99', { start: 99, end: 100 }],
    ['bytes=-10', { start: 90, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    [undefined, undefined],
    ['bytes=', undefined],
    ['bytes=-', undefined],
    ['bytes=50-40', undefined],
    ['bytes=0-1,3-4', undefined],
    ['items=0-1', undefined],
    ['bytes=a-b', undefined],
    ['bytes=0x10-', undefined],
  ])('reads %j of 100 bytes as %j', (range, slice) => {
    expect(parseRange(range, undefined, '"v"', 100)).toEqual(slice)
    expect(parseRange(range, '"v"', '"v"', 100)).toEqual(slice)
  })

  it.each(['"w"', 'W/"v"', 'v', 'Sat, 21 Nov 2026 01:51:33 GMT'])(
    'ignores a range of the version %s',
    (ifRange) => {
      expect(parseRange('bytes=40-', ifRange, '"v"', 100)).toBeUndefined()
    },
  )
})
