import { describe, expect, it } from 'vitest'
import { findSignature, startsLikeZip } from '../../src/base/file-signatures.ts'

describe('findSignature', () => {
  it.each([
    ['zip', 'PK\x03\x04\x14\x00'],
    ['empty-zip', 'PK\x05\x06\x00\x00'],
    ['split-zip', 'PK\x07\x08PK\x03\x04'],
    ['gzip', '\x1f\x8b\x08'],
    ['xz', '\xfd7zXZ\x00'],
    ['pdf', '%PDF-1.7\n'],
    ['program', 'MZ\x90\x00'],
  ])('recognises %s', (format, start) => {
    expect(findSignature(Buffer.from(start, 'latin1'))?.format).toBe(format)
  })

  it.each([
    ['text', 'PN-1\n'],
    ['a cut signature', 'PK'],
    ['nothing', ''],
  ])('finds none in %s', (_, start) => {
    expect(findSignature(Buffer.from(start, 'latin1'))).toBeUndefined()
  })
})

describe('startsLikeZip', () => {
  it.each([
    ['PK\x03\x04 and so on', true],
    ['PK\x05\x06', true],
    ['PK\x07\x08', true],
    ['PK00', true],
    ['P', true],
    ['PK', true],
    ['PK\x01\x02', false],
    ['Parts', false],
    ['', false],
    ['<html', false],
  ])('"%s" look like a ZIP: %s', (text, expected) => {
    expect(startsLikeZip(Buffer.from(text, 'latin1'))).toBe(expected)
  })
})
