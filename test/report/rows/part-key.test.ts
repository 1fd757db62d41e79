import { describe, expect, it } from 'vitest'
import { partKey, supplierKey } from '../../../src/report/rows/part-key.ts'
import { partRowOf } from '../../support/report-rows.ts'

type Company = readonly [id: string, name: string]

describe('a supplier', () => {
  it.each<[string, Company, Company, boolean]>([
    ['renamed', ['123456789', 'Acme'], ['123456789', 'Acme Holding'], true],
    ['with a DUNS number in groups', ['123456789', 'Acme'], ['12-345-6789', 'Acme'], true],
    ['with further identifiers', ['123456789', 'Acme'], ['123456789; 1ABC2', 'Acme'], true],
    ['with another identifier', ['123456789', 'Acme'], ['987654321', 'Acme'], false],
    ['known by its name alone', ['', 'Acme'], ['', 'ACME  Inc'], false],
    ['whose name is spelled differently', ['', 'Acme, Inc.'], ['', 'ACME  Inc'], true],
    ['with an identifier and without', ['123456789', 'Acme'], ['', 'Acme'], false],
    ['with a placeholder', ['N/A', 'Acme'], ['', 'Acme'], true],
    ['and another with the same placeholder', ['unknown', 'Acme'], ['unknown', 'Other'], false],
    ['with zeros', ['000000000', 'Acme'], ['000000000', 'Other'], false],
    ['whose identifier follows a placeholder', ['N/A; 1ABC2', 'Acme'], ['1abc2', 'Acme'], true],
    ['without a name', ['', ''], ['', ''], true],
    ['named like the identifier of another', ['123456789', ''], ['', '123456789'], false],
  ])('%s: %j and %j: the same is %j', (_, a, b, same) => {
    const key = ([company_id, supplier]: Company): string => supplierKey({ company_id, supplier })
    expect(key(a) === key(b)).toBe(same)
  })
})

describe('a part', () => {
  const key = (part: string, requester_part = '', company_id = '1'): string | undefined =>
    partKey(partRowOf({ part, requester_part, company_id }))

  it('is identified by the exact number of its supplier', () => {
    expect(key('A-1')).toBe(key('A-1', 'OURS'))
    expect(new Set([key('A-1'), key('a-1'), key('A-1 '), key('A1'), key('A-1', '', '2')]).size).toBe(5)
  })

  it('without one is identified by the number of the buyer', () => {
    expect(key('', 'OURS')).toBe(key('', 'OURS'))
    expect(key('', 'OURS')).not.toBe(key('OURS'))
  })

  it('without any number is not the same as another', () => {
    expect(key('', '')).toBeUndefined()
  })
})
