import { describe, expect, it } from 'vitest'
import { isPlainName, nameProblem, readEntryName } from '../../src/archive/entry-name.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')

describe('readEntryName', () => {
  it.each([
    ['plain letters', bytes('a/b.xml'), false, { name: 'a/b.xml', isFolder: false }],
    ['a folder', bytes('a/b/'), false, { name: 'a/b/', isFolder: true }],
    ['UTF-8 with its flag', bytes('größe'), true, { name: 'größe', isFolder: false }],
    [
      'code page 437 without it',
      Buffer.from([0x81, 0xe1, 0xff, 0x2f]),
      false,
      { name: 'üß\u00a0/', isFolder: true },
    ],
    ['ASCII with the flag of UTF-8', bytes('a'), true, { name: 'a', isFolder: false }],
    ['a byte order mark as a letter', bytes('\ufeffa'), true, { name: '\ufeffa', isFolder: false }],
  ])('takes %s', (_title, raw, isUtf8, expected) => {
    expect(readEntryName({ bytes: raw, isUtf8 })).toEqual(expected)
  })

  it('takes the Unicode path field before a name in code page 437', () => {
    const raw = { bytes: Buffer.from('?.xml'.replace('?', '\x81'), 'latin1'), isUtf8: false }
    expect(readEntryName({ ...raw, unicodePath: bytes('日本.xml') })).toEqual({
      name: '日本.xml',
      isFolder: false,
    })
  })

  it('refuses a Unicode path field that gives a plain name another meaning', () => {
    expect(readEntryName({ bytes: bytes('a'), isUtf8: false, unicodePath: bytes('b') })).toMatchObject({
      name: 'a',
      reason: expect.stringContaining('another name'),
    })
  })
})

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['', /empty/],
  ['/', /empty/],
  ['a\0', /NUL/],
  ['a\tb', /control/],
  ['a\u0085', /control/],
  ['/a', /absolute/],
  ['\\a', /absolute/],
  ['//a', /UNC/],
  ['\\\\a', /UNC/],
  ['c:', /drive/],
  ['C:/a', /drive/],
  ['..', /climbs/],
  ['a/../b', /climbs/],
  ['a/..\\b', /climbs/],
  ['../', /climbs/],
  ['a\\b', /backslash/],
  ['.', /component "\."/],
  ['a/.', /component "\."/],
  ['./', /component "\."/],
  ['a//', /empty component/],
  ['a//b', /empty component/],
  ['ab:c', /":"/],
  ['a.', /dot or a space/],
  ['a /b', /dot or a space/],
  ['...', /dot or a space/],
  ['con', /reserved/],
  ['CON.', /dot or a space/],
  ['a/Prn.xml', /reserved/],
  ['AUX .a.b/c', /reserved/],
  ['lpt0', /reserved/],
  ['COM³.x', /reserved/],
  ['conout$', /reserved/],
  ['x'.repeat(256), /256 bytes/],
  ['ß'.repeat(128), /256 bytes/],
  [`${'a/'.repeat(128)}a`, /129 folders deep/],
  [`${`${'x'.repeat(250)}/`.repeat(9)}`, /2259 bytes/],
]

const TAKEN = [
  'a',
  '.a',
  '..a',
  'a..b',
  'a b',
  ' a',
  'a.b/c.d',
  'config',
  'con1',
  'com',
  'com10',
  'com1a.xml',
  'xcon',
  'conx/nulx',
  'aux_',
  'lpt',
  'con-in$',
  'a*b?"<>|',
  '%2e%2e/a',
  '~',
  '-',
  '\u202ea',
  'x'.repeat(255),
  `${'a/'.repeat(127)}a`,
]

describe('nameProblem', () => {
  it.each(REFUSED)('refuses %j', (name, reason) => {
    expect(nameProblem(name)).toMatch(reason)
  })

  it.each(TAKEN.map((name) => [name]))('takes %j', (name) => {
    expect(nameProblem(name)).toBeUndefined()
  })
})

describe('isPlainName', () => {
  it('never takes what the full rules refuse', () => {
    for (const [name] of REFUSED) {
      const raw = bytes(name)
      expect(isPlainName(raw, 0, raw.length), name).toBe(false)
    }
  })

  it('agrees with the full rules wherever it says yes, on names put together at random', () => {
    let state = 12345
    const next = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return (state >>> 8) % below
    }
    const pieces = [
      'a',
      'B',
      '.',
      ' ',
      '/',
      '..',
      'con',
      'nul',
      'com1',
      'aux',
      '$',
      ':',
      '\\',
      'é',
      'lpt9',
      'conin$',
      '-',
      '(2)',
      '\0',
    ]
    let plain = 0
    for (let round = 0; round < 50_000; round += 1) {
      let name = ''
      for (let count = next(6); count >= 0; count -= 1) name += pieces[next(pieces.length)]
      const raw = bytes(`__${name}`)
      if (!isPlainName(raw, 2, raw.length)) continue
      plain += 1
      expect(nameProblem(name), name).toBeUndefined()
      expect(readEntryName({ bytes: raw.subarray(2), isUtf8: false })).toEqual({
        name,
        isFolder: name.endsWith('/'),
      })
    }
    expect(plain).toBeGreaterThan(5_000)
  })
})
