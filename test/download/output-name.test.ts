import { describe, expect, test } from 'vitest'
import { DEFAULT_NAME, fillName, holdsTime } from '../../src/download/output-name.ts'

const FACTS = {
  supplier: '123456789',
  format: '1752A',
  formatClass: undefined,
  startDate: undefined,
  nowMs: Date.parse('2026-03-04T05:06:07.890Z'),
}

describe('the name of the output', () => {
  test('is supplier, format and moment unless given', () => {
    expect(fillName(DEFAULT_NAME, FACTS)).toEqual({ name: '123456789_1752A_2026-03-04T050607Z.zip' })
    expect(fillName(DEFAULT_NAME, { ...FACTS, supplier: undefined })).toEqual({
      name: 'parts_1752A_2026-03-04T050607Z.zip',
    })
  })

  test('has a placeholder for each criterion', () => {
    expect(
      fillName('{class}-{start}-{time}', { ...FACTS, formatClass: 'D', startDate: '2026-01-31' }),
    ).toEqual({
      name: 'D-2026-01-31-050607',
    })
    expect(fillName('x{class}{start}.zip', FACTS)).toEqual({ name: 'x.zip' })
  })

  test('never gets a directory or a hidden name from a value', () => {
    expect(fillName('{supplier}.zip', { ...FACTS, supplier: '../../etc/x' })).toEqual({
      name: '--..-etc-x.zip',
    })
    expect(fillName('{supplier}.zip', { ...FACTS, supplier: 'a\\b:c' })).toEqual({ name: 'a-b-c.zip' })
    expect(fillName('{supplier}', { ...FACTS, supplier: 'ü'.repeat(500) })).toHaveProperty(
      'name',
      'ü'.repeat(60),
    )
  })

  test('an unknown placeholder is refused with the known ones', () => {
    expect(fillName('{suplier}.zip', FACTS)).toHaveProperty('reason', expect.stringContaining('{supplier}'))
    expect(fillName('{constructor}.zip', FACTS)).toHaveProperty('reason')
  })

  test('knows whether it depends on the clock', () => {
    expect([holdsTime(DEFAULT_NAME), holdsTime('{date}.zip'), holdsTime('bom.zip')]).toEqual([
      true,
      true,
      false,
    ])
  })
})
