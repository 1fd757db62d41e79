import { describe, expect, test } from 'vitest'
import { Account } from '../../src/base/account.ts'

describe('Account', () => {
  test('adds up what was used and what was named', () => {
    const account = new Account()
    account.arrive(4)
    account.use(2)
    account.name('placeholder', 'row 7')
    account.name('placeholder', 'row 9')
    expect(account.close('rows')).toEqual({
      in: 4,
      used: 2,
      named: [{ reason: 'placeholder', count: 2, places: ['row 7', 'row 9'] }],
    })
  })

  test('fails where something was neither used nor named', () => {
    const account = new Account()
    account.arrive(2)
    account.use()
    expect(() => account.close('rows')).toThrow('2 rows came in, but what became of 1 is known')
  })

  test('includes the entry of another source', () => {
    const account = new Account()
    account.arrive()
    account.name('remark', 'row 2')
    account.include({ in: 2, used: 1, named: [{ reason: 'remark', count: 1, places: ['row 3'] }] }, 'b.csv: ')
    expect(account.close('rows')).toEqual({
      in: 3,
      used: 1,
      named: [{ reason: 'remark', count: 2, places: ['row 2', 'b.csv: row 3'] }],
    })
  })

  test('shows the first places and counts all', () => {
    const account = new Account()
    for (let row = 1; row <= 30; row += 1) {
      account.arrive()
      account.name('remark', `row ${row}`)
    }
    const [named] = account.close('rows').named
    expect(named).toMatchObject({ count: 30 })
    expect(named!.places).toHaveLength(20)
  })
})
