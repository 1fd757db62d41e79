import { expect, test } from 'vitest'
import { entryKey, nameKey, packKeys, unpackKeys } from '../../src/compliance/entry-keys.ts'
import { pick, seeded } from '../support/seeded.ts'

test('an entry is known by its code, else by its name without case, spaces and punctuation', () => {
  expect(entryKey(' 00188 ', 'Lead')).toBe('00188')
  expect(entryKey(' 00a1 ', 'Lead')).toBe('00A1~lead')
  expect(entryKey('', 'Bis (2-ethylhexyl) phthalate')).toBe(nameKey('bis(2-EthylHexyl)phthalate'))
  expect(entryKey('', 'Lead')).not.toBe(entryKey('', 'Lead oxide'))
  expect(nameKey('—')).toBe('~—')
})

test('codes in a row are packed as a range, in any order', () => {
  const codes = Array.from({ length: 241 }, (_, index) => String(index + 1).padStart(5, '0'))
  expect(packKeys(codes)).toBe('00001\t00241')
  expect(packKeys([...codes].reverse())).toBe('00001\t00241')
  expect(packKeys(['00007', '00001', '00002', '00002', '~lead'])).toBe('00001\t00002\n00007\n~lead')
})

test('what is packed is unpacked', () => {
  const random = seeded(7)
  const some = [
    '1',
    '2',
    '3',
    '01',
    '02',
    '03',
    '009',
    '010',
    '011',
    '1e3',
    '1000',
    '999',
    'A1',
    '00001',
    '00002',
    '00004',
    '1a~lead',
    '~lead',
    '0x1',
    '',
  ]
  for (let round = 0; round < 500; round += 1) {
    const keys = Array.from({ length: Math.floor(random() * 12) }, () => pick(random, some)).filter(
      (key) => key !== '',
    )
    expect([...unpackKeys(packKeys(keys))].sort()).toEqual([...new Set(keys)].sort())
  }
})
