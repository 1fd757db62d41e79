import { describe, expect, it } from 'vitest'
import { archiveDifferences, describeDifference, manifestText } from '../../src/download/manifest.ts'

describe('manifestText', () => {
  it('is the canonical form of RFC 8785', () => {
    // The example of RFC 8785, section 3.2.2, without what JavaScript cannot write, and the key order of section 3.2.3.
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\nA\'B"\\\\"/',
      literals: [null, true, false],
    }
    expect(manifestText(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\nA\'B\\"\\\\\\\\\\"/"}',
    )
    const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
    expect(manifestText(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
  })

  it('leaves undefined fields out, and does not depend on the order of fields', () => {
    expect(manifestText({ b: 1, a: undefined, c: { e: 1, d: 2 } })).toBe('{"b":1,"c":{"d":2,"e":1}}')
    expect(manifestText({ c: { d: 2, e: 1 }, b: 1 })).toBe('{"b":1,"c":{"d":2,"e":1}}')
  })
})

const RECORDED = {
  bytes: 100,
  sha256: 'AB'.repeat(32),
  entries: [
    { name: 'a.xml', bytes: 5, crc32: '0000000A' },
    { name: 'sub/', bytes: 0, crc32: '00000000' },
    { name: 'sub/b.xml', bytes: 7, crc32: '0000000b' },
  ],
}
const FOUND = {
  bytes: 100,
  sha256: 'ab'.repeat(32),
  entries: [
    { name: 'a.xml', bytes: 5, crc32: 10 },
    { name: 'sub/', bytes: 0, crc32: 0 },
    { name: 'sub/b.xml', bytes: 7, crc32: 11 },
  ],
}

describe('archiveDifferences', () => {
  it('is empty for the same archive, whatever the order of its entries and the case of its digits', () => {
    expect(archiveDifferences(RECORDED, FOUND)).toEqual([])
    expect(archiveDifferences(RECORDED, { ...FOUND, entries: FOUND.entries.toReversed() })).toEqual([])
  })

  it('has every difference: of the file, changed and added entries, missing ones', () => {
    const [a, , b] = FOUND.entries
    const entries = [{ name: 'A.xml', bytes: 5, crc32: 10 }, { ...b!, bytes: 8, crc32: 12 }, a!]
    const found = { bytes: 99, sha256: 'cd'.repeat(32), entries }
    const differences = archiveDifferences(RECORDED, found)
    expect(differences).toEqual([
      { kind: 'changed', field: 'bytes', expected: 100, found: 99 },
      { kind: 'changed', field: 'sha256', expected: 'ab'.repeat(32), found: 'cd'.repeat(32) },
      { kind: 'added', entry: 'A.xml' },
      { kind: 'changed', entry: 'sub/b.xml', field: 'bytes', expected: 7, found: 8 },
      { kind: 'changed', entry: 'sub/b.xml', field: 'crc32', expected: '0000000b', found: '0000000c' },
      { kind: 'missing', entry: 'sub/' },
    ])
    expect(differences.map(describeDifference)).toEqual([
      'the archive: changed, its size is 99 bytes and was 100',
      `the archive: changed, its SHA-256 is ${'cd'.repeat(32)} and was ${'ab'.repeat(32)}`,
      '"A.xml": added',
      '"sub/b.xml": changed, its size is 8 bytes and was 7',
      '"sub/b.xml": changed, its CRC-32 is 0000000c and was 0000000b',
      '"sub/": missing',
    ])
  })

  it('are described safely for a terminal', () => {
    expect(describeDifference({ kind: 'missing', entry: 'a\u001b[2J\u202e' })).not.toMatch(/[\u001b\u202e]/)
  })
})
