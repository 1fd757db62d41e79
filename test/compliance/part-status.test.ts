import { describe, expect, test } from 'vitest'
import type { Article, SubstanceCategory } from '../../src/compliance/declaration.ts'
import { partClasses, partRohs, partSvhc } from '../../src/compliance/part-status.ts'

const ROHS = [
  'Lead',
  'Cadmium',
  'Mercury',
  'Hexavalent chromium',
  'PBB',
  'PBDE',
  'DEHP',
  'BBP',
  'DBP',
  'DIBP',
]

const NO_EXEMPTIONS = { exemptions: [], hasUnknownExemption: false }

function category(name: string, over: string | undefined): SubstanceCategory {
  return { name, code: name, over, amount: undefined, concentration: undefined, ...NO_EXEMPTIONS }
}

function rohsList(over: string | undefined): Article['lists'][number] {
  const categories = ROHS.map((name) => category(name, name === 'Lead' ? over : 'false'))
  return { identity: 'EUROHS-1907', authority: 'IPC', revision: '', categories, ...NO_EXEMPTIONS }
}

function reachList(...names: string[]): Article['lists'][number] {
  const categories = [category('Other', 'false'), ...names.map((name) => category(name, 'true'))]
  return { identity: 'EUREACH-0624', authority: 'IPC', revision: '', categories, ...NO_EXEMPTIONS }
}

function article(lists: Article['lists'], subProducts: readonly Article[] = [], name = ''): Article {
  const id = {
    itemNumber: name,
    itemName: '',
    requesterItemNumber: '',
    requesterItemName: '',
    mass: undefined,
  }
  return {
    ids: [id],
    instances: '',
    unitType: 'Each',
    lists,
    materials: [],
    queryLists: [],
    hasMaterialGroups: false,
    otherClaims: [],
    unread: [],
    subProducts,
  }
}

const GOOD = article([rohsList('false')], [], 'good')
const BAD = article([rohsList('true')], [], 'bad')
const SILENT = article([], [], 'silent')

describe('the RoHS status of a part with sub-products', () => {
  test.each<[string, Article, string]>([
    ['has no list anywhere', article([], [SILENT]), 'not declared'],
    ['has a list of its own only', article([rohsList('false')], [SILENT]), 'compliant'],
    ['has compliant sub-products only', article([], [GOOD, GOOD]), 'compliant'],
    ['has one that is not', article([], [GOOD, BAD]), 'not compliant'],
    [
      'is compliant itself, but not a nested one',
      article([rohsList('false')], [article([], [BAD])]),
      'not compliant',
    ],
    ['has a list for some sub-products only', article([], [GOOD, SILENT]), 'incomplete'],
    ['has one not compliant, and one without a list', article([], [BAD, SILENT]), 'not compliant'],
  ])('that %s', (_, part, status) => expect(partRohs(part).status).toBe(status))

  test('names the sub-product in the notes', () => {
    const { notes } = partRohs(article([], [GOOD, SILENT]))
    expect(notes).toContain('1 of 2 sub-products declare no RoHS list')
  })
})

describe('the SVHCs of a part with sub-products', () => {
  test('count once each', () => {
    const part = article([reachList('Lead')], [article([reachList('Lead', 'Cobalt')])])
    expect(partSvhc(part)).toMatchObject({ count: 2, names: ['Lead', 'Cobalt'], isIncomplete: false })
  })

  test('are incomplete if a sub-product has no list', () => {
    expect(partSvhc(article([], [article([reachList()]), SILENT]))).toMatchObject({ isIncomplete: true })
  })

  test('are unknown if nothing is declared', () => {
    expect(partSvhc(article([], [SILENT]))).toMatchObject({ count: undefined, list: '' })
  })
})

test('the classes of a part include those of its sub-products', () => {
  const material = { name: 'Tin', amount: undefined, substances: [] }
  expect(partClasses(article([]))).toBe('')
  expect(partClasses(article([rohsList('false')], [{ ...SILENT, materials: [material] }]))).toBe('CD')
  expect(
    partClasses({ ...SILENT, queryLists: [{ identity: '', statements: [] }], hasMaterialGroups: true }),
  ).toBe('AB')
})
