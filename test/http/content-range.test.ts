import { describe, expect, test } from 'vitest'
import {
  isOtherContent,
  parseContentRange,
  parseUnsatisfiedTotal,
  rangeHeaders,
  rangeMismatch,
  resumableTag,
} from '../../src/http/content-range.ts'

describe('Content-Range', () => {
  test.each([
    ['bytes 500-999/1000', { start: 500, end: 999, total: 1000 }],
    ['Bytes 0-0/*', { start: 0, end: 0, total: undefined }],
    ['bytes 500-400/1000', undefined],
    ['bytes 500-1000/1000', undefined],
    ['bytes */1000', undefined],
    ['items 0-1/2', undefined],
    ['bytes 0-99999999999999999999/1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('"%s" is %o', (value, expected) => {
    expect(parseContentRange(value)).toEqual(expected)
  })

  test('of a 416 has the total', () => {
    expect(parseUnsatisfiedTotal('bytes */1000')).toBe(1000)
    expect(parseUnsatisfiedTotal('bytes 0-1/1000')).toBeUndefined()
    expect(parseUnsatisfiedTotal(undefined)).toBeUndefined()
  })
})

describe('a tag to resume with', () => {
  test.each([
    [{ etag: '"v1"', 'accept-ranges': 'bytes' }, '"v1"'],
    [{ etag: '"v1"', 'accept-ranges': 'none, bytes' }, '"v1"'],
    [{ etag: '""', 'accept-ranges': 'bytes' }, '""'],
    [{ etag: 'W/"v1"', 'accept-ranges': 'bytes' }, undefined],
    [{ etag: '"v1"', 'accept-ranges': 'none' }, undefined],
    [{ etag: '"v1"' }, undefined],
    [{ etag: 'v1', 'accept-ranges': 'bytes' }, undefined],
    [{ etag: '"v1", "v2"', 'accept-ranges': 'bytes' }, undefined],
    [{ etag: '"a\\u0007"é', 'accept-ranges': 'bytes' }, undefined],
    [{ 'accept-ranges': 'bytes' }, undefined],
  ])('in %o is %s', (headers, expected) => {
    expect(resumableTag(headers)).toBe(expected)
  })
})

describe('a partial response', () => {
  const point = { start: 500, etag: '"v1"', total: 1000 }

  test.each([
    ['"v2"', true],
    ['W/"v2"', true],
    ['"v1"', false],
    [' W/"v1" ', false],
    [undefined, false],
  ])('in whose place the whole body comes with the tag %s: it has changed is %s', (etag, expected) => {
    expect(isOtherContent(point, etag === undefined ? {} : { etag })).toBe(expected)
  })

  test('is requested from the point, with the tag', () => {
    expect(rangeHeaders(point)).toEqual({ Range: 'bytes=500-', 'If-Range': '"v1"' })
  })

  test.each([
    [{ 'content-range': 'bytes 500-999/1000', etag: '"v1"' }, undefined],
    [{ 'content-range': 'bytes 500-999/*' }, undefined],
    [{ 'content-range': 'bytes 500-799/1000' }, undefined],
    [{ 'content-range': 'bytes 499-999/1000' }, /starts at byte 499/],
    [{ 'content-range': 'bytes 500-1999/2000' }, /now 2000 bytes, it was 1000/],
    [{ 'content-range': 'bytes 500-999/1000', etag: '"v2"' }, /changed/],
    [{ 'content-range': 'bytes 500-999/1000', etag: 'W/"v1"' }, /changed/],
    [{ 'content-range': 'bytes 500-999/1000', 'content-length': '500' }, undefined],
    [{ 'content-range': 'bytes 500-999/1000', 'content-length': '490' }, /490 bytes are not those/],
    [{ 'content-range': 'bytes 500-999/1000', 'content-length': '600' }, /600 bytes are not those/],
    [{}, /no valid Content-Range/],
    [
      { 'content-type': 'Multipart/byteranges; boundary=x', 'content-range': 'bytes 500-999/1000' },
      /several parts/,
    ],
  ])('%o continues, or the reason is %s', (headers, expected) => {
    const reason = rangeMismatch(point, headers as Record<string, string>)
    if (expected === undefined) expect(reason).toBeUndefined()
    else expect(reason).toMatch(expected)
  })
})
