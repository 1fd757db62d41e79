import { describe, expect, it } from 'vitest'
import { companyName } from '../../../src/compliance/company-names.ts'
import { partKey } from '../../../src/report/rows/part-key.ts'

type Company = readonly [id: string, name: string]

describe('a supplier', () => {
  it.each<[string, Company, Company, boolean]>([
    ['renamed', ['804735132', 'Acme'], ['804735132', 'Acme Holding'], true],
    ['with a DUNS number in groups', ['804735132', 'Acme'], ['80-473-5132', 'Acme'], true],
    ['with further identifiers', ['804735132', 'Acme'], ['804735132; 1ABC2', 'Acme'], true],
    ['with another identifier', ['804735132', 'Acme'], ['987654321', 'Acme'], false],
    ['known by its name alone', ['', 'Acme'], ['', 'ACME  Inc'], true],
    ['with another name alone', ['', 'Acme'], ['', 'Acme Europe'], false],
    ['whose name is spelled differently', ['', 'Acme, Inc.'], ['', 'ACME  Inc'], true],
    ['with an identifier and without', ['804735132', 'Acme'], ['', 'Acme'], false],
    ['with a placeholder', ['N/A', 'Acme'], ['', 'Acme'], true],
    ['and another with the same placeholder', ['unknown', 'Acme'], ['unknown', 'Other'], false],
    ['with zeros', ['000000000', 'Acme'], ['000000000', 'Other'], false],
    ['with one digit repeated', ['999999999', 'Acme'], ['999999999', 'Other'], false],
    ['with the digits in order', ['123456789', 'Acme'], ['123456789', 'Other'], false],
    ['with the name of the identifier', ['DUNS', 'Acme'], ['DUNS', 'Other'], false],
    ['whose identifier follows a placeholder', ['N/A; 1ABC2', 'Acme'], ['1abc2', 'Acme'], true],
    ['without a name', ['', ''], ['', ''], true],
    ['named like the identifier of another', ['804735132', ''], ['', '804735132'], false],
  ])('%s: %j and %j: the same is %j', (_, a, b, same) => {
    const key = ([company_id, supplier]: Company): string | undefined =>
      partKey({ part: 'A-1', requesterPart: '', companyIds: company_id.split('; '), supplier })
    expect(key(a) === key(b)).toBe(same)
  })
})

describe('a part', () => {
  const key = (part: string, requester_part = '', company_id = '804735132'): string | undefined =>
    partKey({ part, requesterPart: requester_part, companyIds: [company_id], supplier: 'Acme' })

  it('is identified by the exact number of its supplier', () => {
    expect(key('A-1')).toBe(key('A-1', 'OURS'))
    expect(new Set([key('A-1'), key('a-1'), key('A-1 '), key('A1'), key('A-1', '', '804735133')]).size).toBe(
      5,
    )
  })

  it('without one is identified by the number of the buyer', () => {
    expect(key('', 'OURS')).toBe(key('', 'OURS'))
    expect(key('', 'OURS')).not.toBe(key('OURS'))
  })

  it('without any number is not the same as another', () => {
    expect(key('', '')).toBeUndefined()
  })
})

describe('the name of a company', () => {
  it.each([
    ['Acme', 'ACME, Inc.'],
    ['Acme GmbH & Co. KG', 'acme'],
    ['Müller S.p.A.', 'Muller'],
    ['村田製作所株式会社', '村田製作所'],
  ])('%s is that of %s', (a, b) => expect(companyName(a)).toBe(companyName(b)))

  it('is not that of another', () => {
    expect(companyName('Acme Europe')).not.toBe(companyName('Acme'))
  })
})
