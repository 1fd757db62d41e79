import { describe, expect, it } from 'vitest'
import { parseExtraFields } from 'yauzl'
import {
  CollisionCheck,
  collisionKey,
  isMacMetadata,
  nameProblem,
  oldNameDecoder,
  readEntryName,
} from '../../src/archive/entry-name.ts'
import { unicodePathField } from '../support/zip.ts'

const UNIX = 0x031e
const DOS = 0x0014

interface Parts {
  readonly isUtf8?: boolean
  readonly host?: number
  /** The name in a Unicode path field. */
  readonly unicode?: string
  readonly mode?: number
}

function nameOf(raw: string | Buffer, { isUtf8 = false, host = UNIX, unicode, mode = 0 }: Parts = {}) {
  const fileNameRaw = Buffer.from(raw as string)
  return readEntryName({
    fileNameRaw,
    generalPurposeBitFlag: isUtf8 ? 0x800 : 0,
    versionMadeBy: host,
    externalFileAttributes: mode * 0x10000,
    extraFields: unicode === undefined ? [] : parseExtraFields(unicodePathField(fileNameRaw, unicode)),
  })
}

describe('readEntryName', () => {
  it.each<[string, string | Buffer, Parts, string]>([
    ['plain letters', 'a/b.xml', {}, 'a/b.xml'],
    ['a directory', 'a/b/', {}, 'a/b/'],
    ['standard input, by 7-Zip', '', { mode: 0o010600 }, '-'],
    ['UTF-8 with its flag', 'größe', { isUtf8: true }, 'größe'],
    ['UTF-8 without its flag', 'größe', {}, 'größe'],
    ['code page 437 where it is not UTF-8', Buffer.from([0x81, 0xe1, 0xff, 0x2f]), {}, 'üß\u00a0/'],
    ['ASCII with the flag of UTF-8', 'a', { isUtf8: true }, 'a'],
    ['a byte order mark as a letter', '\ufeffa', { isUtf8: true }, '\ufeffa'],
    ['./ in front, and takes it off', './a/b', {}, 'a/b'],
    ['./ in front more than once', '././a', {}, 'a'],
    ['the packed directory itself', './', {}, './'],
    ['backslashes of a DOS host as separators', 'a\\b\\c.xml', { host: DOS }, 'a/b/c.xml'],
    ['a directory of a DOS host', 'a\\', { host: DOS }, 'a/'],
    ['a Unicode path before code page 437', Buffer.from([0x81]), { unicode: '日本' }, '日本'],
    ['a Unicode path before underscores', 'gr__e.xml', { unicode: 'größe.xml' }, 'größe.xml'],
    ['a Unicode path before escapes', 'd/gr%U00F6%U00DFe', { unicode: 'd/größe' }, 'd/größe'],
    ['a Unicode path before question marks', '??/??.xml', { unicode: '日本/部品.xml' }, '日本/部品.xml'],
    ['a Unicode path of a DOS host', 'd\\gr__e', { host: DOS, unicode: 'd/größe' }, 'd/größe'],
  ])('takes %s', (_title, raw, parts, expected) => {
    expect(nameOf(raw, parts)).toEqual({ name: expected, isDirectory: expected.endsWith('/') })
  })

  it.each<[string, string | Buffer, Parts, RegExp]>([
    ['a Unicode path that gives a plain name another meaning', 'a', { unicode: 'b' }, /another name/],
    ['one that moves it', 'x_/a', { unicode: 'ä/b' }, /another name/],
    ['one in another directory', 'a_b', { unicode: 'a/ö/b' }, /another name/],
    ['one with other letters around', 'safe_.xml', { unicode: 'evilö.xml' }, /another name/],
    ['one with another extension', 'a_.xml', { unicode: 'aö.exe' }, /another name/],
    ['one that drops letters', 'ae.xml', { unicode: 'aöe.xml' }, /another name/],
    ['one of plain letters for others', 'ü', { unicode: 'evil' }, /another name/],
    ['one that leaves the directory', '__/_', { unicode: '../ö' }, /another name/],
    ['leaving the directory behind ./', './../a', {}, /leaves the directory/],
    ['what is absolute behind ./', './/a', {}, /absolute/],
    ['./ inside', 'a/./b', {}, /component "\."/],
    ['backslashes of a UNIX host', 'a\\b', {}, /backslash/],
    ['backslashes beside slashes', 'a/b\\c', { host: DOS }, /backslash/],
    ['what leaves a DOS host', '..\\a', { host: DOS }, /leaves the directory/],
    ['what is absolute on a DOS host', '\\a', { host: DOS }, /absolute/],
  ])('refuses %s', (_title, raw, parts, reason) => {
    expect(nameOf(raw, parts).reason).toMatch(reason)
  })
})

describe('isMacMetadata', () => {
  it.each(['._a.xml', 'd/._a.xml', '__MACOSX/', '__MACOSX/a.xml', '__MACOSX/d/._a.xml', 'd/__MACOSX/a.xml'])(
    'is true for %s',
    (name) => {
      expect(isMacMetadata(name)).toBe(true)
    },
  )

  it.each(['a.xml', '.a.xml', '_._a.xml', '__MACOSX', 'x__MACOSX/a.xml', '._d/a.xml'])(
    'is false for %s',
    (name) => {
      expect(isMacMetadata(name)).toBe(false)
    },
  )
})

describe('oldNameDecoder', () => {
  it.each<[string, readonly string[], string]>([
    ['code page 437 without a backslash', ['95949569'], 'òöòi'],
    ['code page 437 where a backslash follows ASCII', ['94615c94'], 'öa\\ö'],
    ['Shift_JIS', ['955c'], '表'],
    ['Shift_JIS with half-width katakana', ['b1835c'], 'ｱソ'],
    ['GBK by its common characters', ['b2c4c1cf815c'], '材料乗'],
    ['Big5 by its common characters', ['a55cafe0aaed'], '功能表'],
    ['GBK where its characters are common, those of Big5 are not', ['a9a6d1c8e25c'], '│讶鈂'],
    ['Shift_JIS where characters are common in none', ['f7f8f4e8f05c'], '\ue5db\ue397\ue01c'],
    ['Big5 where most bytes are half-width katakana', ['d9f7a875875c'], '渳罕\uf282'],
    ['Shift_JIS where a half of its characters is common', ['bd62ea67955c'], 'ｽb麋表'],
    ['code page 437 where one name is valid in none', ['955c', 'fd'], 'ò\\'],
    ['code page 437 where a character is cut off', ['955c', '95'], 'ò\\'],
  ])('is %s', (_title, names, expected) => {
    const raw = names.map((name) => Buffer.from(name, 'hex'))
    expect(oldNameDecoder(raw)(raw[0]!)).toBe(expected)
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
  ['..', /leaves the directory/],
  ['a/../b', /leaves the directory/],
  ['a/..\\b', /leaves the directory/],
  ['../', /leaves the directory/],
  ['a\\b', /backslash/],
  ['.', /component "\."/],
  ['a/.', /component "\."/],
  ['./', /component "\."/],
  ['a//', /empty component/],
  ['a//b', /empty component/],
  ['ab:c', /^name contains ":"/],
  ['a.', /^name has a component that ends with a dot or a space$/],
  ['a /b', /dot or a space/],
  ['...', /dot or a space/],
  ['con', /^name is reserved/],
  ['CON.', /dot or a space/],
  ['a/Prn.xml', /reserved/],
  ['AUX .a.b/c', /reserved/],
  ['lpt0', /reserved/],
  ['COM³.x', /reserved/],
  ['conout$', /reserved/],
  ['x'.repeat(256), /256 bytes/],
  ['ß'.repeat(128), /256 bytes/],
  [`${'a/'.repeat(128)}a`, /129 directories deep/],
  [`${`${'x'.repeat(250)}/`.repeat(8)}${'x'.repeat(41)}`, /2049 bytes long, more than 2048/],
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
  `${`${'x'.repeat(250)}/`.repeat(8)}${'x'.repeat(40)}`,
]

describe('nameProblem', () => {
  it.each(REFUSED)('refuses %j', (name, reason) => {
    expect(nameProblem(name)).toMatch(reason)
  })

  it.each(TAKEN.map((name) => [name]))('takes %j', (name) => {
    expect(nameProblem(name)).toBeUndefined()
  })
})

function check(...names: string[]): (string | undefined)[] {
  const collisions = new CollisionCheck()
  return names.map((name) => collisions.add(name))
}

describe('CollisionCheck', () => {
  it.each([
    [['a', 'b', 'c']],
    [['c', 'a', 'b']],
    [['a/', 'a/b/', 'a/b/c', 'a/d']],
    [['a/b/c', 'a/b/', 'a/']],
    [['a/b', 'b/a']],
    [['a', 'a.b', 'a-b/c', 'ab/c']],
    [['größe', 'grosse']],
  ])('accepts %j next to each other', (names) => {
    expect(check(...names)).toEqual(names.map(() => undefined))
  })

  it.each([
    [['a', 'a'], /twice/],
    [['b', 'a', 'b'], /twice/],
    [['a/', 'a/'], /twice/],
    [['a/b', 'a/', 'c', 'a/'], /twice/],
    [['A', 'a'], /"A" only by case/],
    [['a/B', 'a/b'], /only by case/],
    [['A/b', 'a/c'], /"A\/" only by case/],
    [['A/', 'a/c'], /only by case/],
    [['a/c', 'A/'], /only by case/],
    [['a/b/c', 'a/x', 'a/B/d'], /only by case/],
    [['\u00e9', 'e\u0301'], /Unicode form/],
    [['\u00e9/a', 'e\u0301/b'], /Unicode form/],
    [['\u1e9e', 'SS'], /only by case/],
    [['\ufb01', 'FI'], /only by case/],
    [['a', 'a/b'], /directory here and a file elsewhere/],
    [['a/b', 'a'], /file here and a directory elsewhere/],
    [['a', 'a/'], /directory here and a file elsewhere/],
    [['a/', 'a'], /file here and a directory elsewhere/],
    [['a/b', 'a/b/c/d'], /directory here and a file elsewhere/],
    [['a/b/c/d', 'a/b'], /file here and a directory elsewhere/],
    [['É', 'é/x'], /directory here and a file elsewhere/],
  ])('finds the last of %j in the way', (names, reason) => {
    const found = check(...names)
    expect(found.at(-1)).toMatch(reason)
    expect(found.slice(0, -1)).toEqual(names.slice(1).map(() => undefined))
  })
})

describe('collisionKey', () => {
  it('is the same for a directory and a file of the same name', () => {
    expect(collisionKey('A/b/')).toBe(collisionKey('a/B'))
  })

  it('keeps apart what every file system keeps apart', () => {
    const names = ['a', 'b', 'ab', 'a b', 'a/b', 'ä', 'ae', 'o', 'ö', '0', 'ı']
    expect(new Set(names.map(collisionKey)).size).toBe(names.length)
  })
})
