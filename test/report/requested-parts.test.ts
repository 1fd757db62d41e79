import { expect, it } from 'vitest'
import { createRequestedParts } from '../../src/report/requested-parts.ts'

it('names the requested parts that are not declared, each with a similar number', () => {
  const asked = createRequestedParts(['A-1', 'OUR 7', 'b_2', 'X'])
  asked.see({ part: 'A-1', requesterPart: 'OUR 7', key: 'key' })
  asked.see({ part: 'B-2', requesterPart: '', key: 'other' })
  expect([...asked.missing()].map(({ part, notes }) => [part, notes.join('; ')])).toEqual([
    ['b_2', 'requested, not declared; near: B-2'],
    ['X', 'requested, not declared'],
  ])
})

it('names each missing part once', () => {
  const asked = createRequestedParts(Array.from({ length: 2_500 }, (_, n) => `P${n}`))
  expect(new Set([...asked.missing()].map(({ part }) => part)).size).toBe(2_500)
})

it('without a list all parts are listed, and none is missing', () => {
  const asked = createRequestedParts(undefined)
  asked.see({ part: 'P1', requesterPart: '', key: 'key' })
  expect(asked.isListed({ part: 'Z', requesterPart: '', key: undefined })).toBe(true)
  expect([...asked.missing()]).toEqual([])
})
