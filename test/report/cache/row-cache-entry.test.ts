import { describe, expect, test } from 'vitest'
import {
  entryPieces,
  readEntryPieces,
  withoutPrefix,
  withPrefix,
} from '../../../src/report/cache/row-cache-entry.ts'
import { batchOf } from '../../../src/report/report-batch.ts'
import { declarationOf } from '../../support/part-declarations.ts'

const SUBSTANCE = {
  part: 'P1',
  material: 'Body',
  material_mass_mg: 1,
  substance: 'Lead',
  cas: '7439-92-1',
  cas_valid: true,
  mass_mg: 0.5,
  percent_of_material: 50,
  ppm_of_part: null,
}

test('a batch without the name of its archive has that of another one', () => {
  const batch = (prefix: string) =>
    batchOf({
      rows: [declarationOf({ digest: 'd', source: `${prefix}x!y.xml` })],
      starts: [0],
      substances: [{ ...SUBSTANCE, source: `${prefix}x!y.xml` }],
      owners: [0],
      skipped: [`${prefix}readme.txt`],
      requests: [`${prefix}ask.xml`],
    })
  expect(withPrefix(withoutPrefix(batch('./old name.zip!'), './old name.zip!'), 'b/n.zip!')).toEqual(
    batch('b/n.zip!'),
  )
})

describe('an entry', () => {
  const PIECES = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(70_000, 7)]
  const BYTES = Buffer.concat(entryPieces('key', PIECES))

  test.each([
    ['pieces', PIECES],
    ['nothing', []],
  ])('has its %s', (_, pieces) => {
    expect(readEntryPieces('key', Buffer.concat(entryPieces('key', pieces)))).toEqual(pieces)
  })

  test('is not read under another key', () => {
    expect(readEntryPieces('other', BYTES)).toBeUndefined()
  })

  test('is not read when it is truncated anywhere, or has more bytes', () => {
    for (const length of [0, 1, 31, 32, 33, 36, 40, BYTES.length - 1]) {
      expect(readEntryPieces('key', BYTES.subarray(0, length)), String(length)).toBeUndefined()
    }
    expect(readEntryPieces('key', Buffer.concat([BYTES, Buffer.alloc(1)]))).toBeUndefined()
  })

  test('is not read when any byte is another', () => {
    for (const at of [0, 31, 32, 35, 36, 50, BYTES.length - 1]) {
      const damaged = Buffer.from(BYTES)
      damaged[at]! ^= 1
      expect(readEntryPieces('key', damaged), String(at)).toBeUndefined()
    }
  })
})
