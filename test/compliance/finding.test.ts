import { expect, test } from 'vitest'
import { declaredFindings } from '../../src/compliance/finding.ts'
import { NOTHING_DECLARED, type PlacedNotScreened } from '../../src/compliance/judge.ts'

test('what cannot be screened is said once, and its supplier is asked for the share', () => {
  const lead: PlacedNotScreened = {
    substance: 'Lead',
    cas: ['7439-92-1'],
    groups: ['Lead'],
    entries: [],
    lists: [],
    where: 'Solder',
    article: '',
    line: 3,
    at: { origin: 0, line: 3, list: '' },
  }
  const judged = { ...NOTHING_DECLARED, notScreened: [lead] }
  const found = declaredFindings(judged, [], ({ line }) => ({ source: 'a.xml', line }))
  expect(found.find(({ rule }) => rule === 'not-screened')).toEqual({
    rule: 'not-screened',
    subject: 'Lead',
    names: ['7439-92-1', 'Lead'],
    sentence: 'Lead (7439-92-1) in Solder: its share is not known, not screened for RoHS Lead',
    ask: '{declaration} has Lead in Solder without a share that we can read: how much of the material is it?',
    place: { source: 'a.xml', line: 3 },
  })
})
