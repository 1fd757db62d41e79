import { expect, test } from 'vitest'
import { extraFieldProblem, FIELD, fieldOf, isPlainMode } from '../../src/archive/entry.ts'
import { extraField, u16 } from '../support/zip.ts'

type Field = readonly [id: number, data: Buffer]

function problem(fields: readonly Field[], rest: Buffer = Buffer.alloc(0)): string | undefined {
  const raw = Buffer.concat([...fields.map(([id, data]) => extraField(id, data)), rest])
  return extraFieldProblem(
    fields.map(([id, data]) => ({ id, data })),
    raw,
  )
}

const asi = (mode: number): Field => [
  FIELD.asiUnix,
  Buffer.concat([Buffer.alloc(4), u16(mode), Buffer.alloc(8)]),
]

test.each<[string, readonly Field[], Buffer?]>([
  ['no field', []],
  ['padding with zeros', [[0x5455, Buffer.from([1])]], Buffer.alloc(3)],
  ['one ZIP64 field', [[FIELD.zip64, Buffer.alloc(8)]]],
  [
    'two fields of another kind',
    [
      [0x5455, Buffer.alloc(1)],
      [0x5455, Buffer.alloc(1)],
    ],
  ],
  ['times and owners of PKWARE UNIX', [[FIELD.pkwareUnix, Buffer.alloc(12)]]],
  ['the mode of a file', [asi(0o100644)]],
  ['the mode of a directory', [asi(0o040755)]],
  ['an ASi UNIX field without a mode', [[FIELD.asiUnix, Buffer.alloc(5)]]],
])('%s is accepted', (_, fields, rest) => {
  expect(problem(fields, rest)).toBeUndefined()
})

test.each<[string, readonly Field[], Buffer?]>([
  ['has an extra field that is cut off', [[0x5455, Buffer.from([1])]], Buffer.from([0x55, 0x54, 9, 0])],
  [
    'has two ZIP64 fields',
    [
      [FIELD.zip64, Buffer.alloc(8)],
      [FIELD.zip64, Buffer.alloc(8)],
    ],
  ],
  [
    'has two Unicode path fields',
    [
      [FIELD.unicodePath, Buffer.alloc(5)],
      [FIELD.unicodePath, Buffer.alloc(5)],
    ],
  ],
  ['is a link or a device (PKWARE UNIX field)', [[FIELD.pkwareUnix, Buffer.alloc(13)]]],
  ['is a link or a special file (ASi UNIX field)', [asi(0o120777)]],
])('what %s is refused', (words, fields, rest) => {
  expect(problem(fields, rest)).toBe(words)
})

test.each([
  [0, true],
  [0o100755, true],
  [0o040755, true],
  [0o120777, false],
  [0o060644, false],
  [0o010644, false],
  [0o140644, false],
])('mode %o is plain: %s', (mode, isPlain) => {
  expect(isPlainMode(mode)).toBe(isPlain)
})

test('the first field with an id counts', () => {
  const fields = [1, 2, 3].map((byte) => ({ id: byte === 1 ? 7 : 9, data: Buffer.from([byte]) }))
  expect([fieldOf(fields, 9), fieldOf(fields, 8)]).toEqual([Buffer.from([2]), undefined])
})
