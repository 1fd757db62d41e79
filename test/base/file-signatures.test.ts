import { describe, expect, it } from 'vitest'
import { findSignature, looksLike, startsLikeZip } from '../../src/base/file-signatures.ts'

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

describe('what a file looks like', () => {
  const tar = `${'a'.repeat(257)}ustar`
  it.each([
    ['', 'it is empty (0 bytes)'],
    ['PK\x03\x04abc', undefined],
    ['PK\x05\x06', undefined],
    ['PK\x07\x08', 'it looks like one part of an archive split over several files'],
    ['%PDF-1.7', 'it looks like a PDF document'],
    [tar, 'it looks like a tar archive'],
    [`b${tar}`, 'it looks like plain text'],
    ['\0\0\0', 'it starts with zeros only'],
    ['\0\x01\0', 'it does not start with an entry'],
    ['\x01\x01\x01', 'it does not start with an entry'],
    [' \n<!DOCTYPE  html>', 'it is a web page (HTML), probably a login page'],
    ['<BODY>', 'it is a web page (HTML), probably a login page'],
    ['<htmlx>', 'it looks like XML'],
    ['<?xml version="1.0"?>', 'it looks like XML'],
    ['\xef\xbb\xbf<a/>', 'it looks like XML'],
    ['\xff\xfe<\0a\0/\0>\0', 'it looks like XML'],
    ['<1>ab', 'it looks like plain text'],
    [' { "a": 1 }', 'it looks like JSON'],
    ['[1]', 'it looks like JSON'],
    ['[x]..', 'it looks like plain text'],
    ['abcd', 'it looks like plain text'],
    ['abc', 'it does not start with an entry'],
    [`${'a'.repeat(64)}\0`, 'it looks like plain text'],
    [`${'a'.repeat(63)}\0`, 'it does not start with an entry'],
    ['\x01abcdef', 'it does not start with an entry'],
    ['abcde\xe4', 'it does not start with an entry'],
  ])('%j: %s', (text, expected) => {
    expect(looksLike(Buffer.from(text, 'latin1'))).toBe(expected)
  })
})
