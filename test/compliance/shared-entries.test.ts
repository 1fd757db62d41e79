import { expect, test } from 'vitest'
import { sharedEntries, sharedEntry } from '../../src/compliance/shared-entries.ts'

const CATEGORY = {
  code: '00188',
  authority: 'IPC',
  name: 'Lead',
  substances: ['7439-92-1'],
  threshold: '0.1%',
  application: '',
}

test('an entry is one object; one that was forgotten is equal, whatever came before it', () => {
  const first = sharedEntry(CATEGORY)
  const set = sharedEntries([first]).entries
  expect(sharedEntry({ ...CATEGORY, substances: ['7439-92-1'] })).toBe(first)
  expect(sharedEntries([first]).entries).toBe(set)
  expect(sharedEntry({ ...CATEGORY, application: 'Batteries' })).not.toBe(first)
  for (let at = 0; at <= 10_000; at += 1) sharedEntry({ ...CATEGORY, name: `entry ${at}` })
  const again = sharedEntry(CATEGORY)
  expect(again).not.toBe(first)
  expect(again).toEqual(first)
  expect(sharedEntries([again]).entries).toEqual(set)
})
