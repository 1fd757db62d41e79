import { describe, expect, it } from 'vitest'
import { findSignature } from '../../src/base/file-signatures.ts'

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
