import { describe, expect, test } from 'vitest'
import { answerClaims } from '../../src/compliance/judge.ts'
import type { AnswersRecord } from '../../src/compliance/part-record.ts'

const claims = (record: AnswersRecord) => answerClaims([{ record, origin: 0 }])
const claimOf = (text: string, answer = true, list = 'EUROHS-1907'): string | undefined =>
  claims({ list, count: 1, line: 7, statements: [{ code: '', text, answer, quoted: '' }] })[0]?.says

describe('a class A answer', () => {
  test.each([
    ['Product(s) meets EU RoHS requirements without any exemptions', 'none'],
    ['Product(s) meets EU RoHS requirements by application of the selected exemption(s)', 'exempt'],
    ['Product(s) meets EU RoHS requirements except lead in solders', 'exempt'],
    ['Product(s) does not meet EU RoHS requirements and is not under exemptions', 'over'],
    ['Item(s) does not contain RoHS restricted substances per the definition above', 'none'],
    ['Item(s) does contain RoHS restricted substances above the limits and no exemption applies', 'over'],
    ['No RoHS substance is above its limit', 'none'],
    ['RoHS substances are above their limits, all by exemption', 'exempt'],
    ['RoHS substances are above their limits, without exemption', 'over'],
    ['Product(s) obsolete, no information is available', undefined],
    ['Unknown, no information', undefined],
    ['Signed by the quality department', undefined],
  ])('%s: %s', (text, says) => expect(claimOf(text)).toBe(says))

  test('no is an answer too, to a question that is asked alone', () => {
    expect(claimOf('Does the product contain SVHC above 0.1 %?', false, 'EUREACH-0624')).toBe('none')
    expect(claimOf('Product is free of SVHC', false, 'EUREACH-0624')).toBe('over')
    const statements = [
      { code: '1', text: 'Contains SVHC above 0.1 %', answer: false, quoted: '' },
      { code: '2', text: 'Does not contain SVHC', answer: true, quoted: '' },
    ]
    expect(claims({ list: 'EUREACH-0624', count: 2, line: 7, statements })).toEqual([
      {
        about: 'reach',
        says: 'none',
        words: '2 "Does not contain SVHC"',
        where: { origin: 0, line: 7, list: 'EUREACH-0624' },
      },
    ])
  })

  test('about another subject claims nothing', () => {
    expect(claimOf('Contains conflict minerals', true, 'CMRT')).toBeUndefined()
  })
})
