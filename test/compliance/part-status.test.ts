import { describe, expect, test } from 'vitest'
import type { Article, SubstanceCategory } from '../../src/compliance/declaration.ts'
import { judge, type PartJudgement } from '../../src/compliance/judge.ts'
import { partRecord } from '../../src/compliance/part-record.ts'

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

const EMPTY_CATEGORY = {
  authority: 'IPC',
  substances: [],
  threshold: '',
  application: '',
  amounts: [],
  concentrations: [],
  line: 3,
}
const EMPTY_LIST = { authority: 'IPC', revision: '', unread: [], line: 2 }
const NO_EXEMPTIONS = { exemptions: [], hasUnknownExemption: false }

function category(name: string, over: string | undefined): SubstanceCategory {
  return { name, code: name, over, ...EMPTY_CATEGORY, ...NO_EXEMPTIONS }
}

function rohsList(over: string | undefined): Article['lists'][number] {
  const categories = ROHS.map((name) => category(name, name === 'Lead' ? over : 'false'))
  return { identity: 'EUROHS-1907', categories, ...EMPTY_LIST, ...NO_EXEMPTIONS }
}

function reachList(...names: string[]): Article['lists'][number] {
  const categories = [category('Other', 'false'), ...names.map((name) => category(name, 'true'))]
  return { identity: 'EUREACH-0624', categories, ...EMPTY_LIST, ...NO_EXEMPTIONS }
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
    comment: '',
    lists,
    materials: [],
    queryLists: [],
    hasMaterialGroups: false,
    otherClaims: [],
    unread: [],
    line: 1,
    subProducts,
  }
}

function classesOf(part: Article): string {
  return partRecord(part).classes
}

function judged(part: Article, nowMs = 0): PartJudgement {
  const standing = { moment: undefined, isAccepted: true, company: { id: '', name: '' } }
  const evidence = { record: partRecord(part), composition: undefined, massMg: undefined, fileUnread: [] }
  return judge([{ ...evidence, ...standing }], { nowMs })
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
  ])('that %s', (_, part, status) => expect(judged(part).rohs.status).toBe(status))

  test('names the sub-product in the notes', () => {
    const { notes } = judged(article([], [GOOD, SILENT])).rohs
    expect(notes).toContainEqual(
      expect.stringMatching(/^incomplete: .* has no RoHS list; .* states \d+ entries$/),
    )
  })
})

describe('the SVHCs of a part with sub-products', () => {
  test('count once each', () => {
    const part = article([reachList('Lead')], [article([reachList('Lead', 'Cobalt')])])
    const { over, status } = judged(part).reach
    expect(over.map(({ name }) => name)).toEqual(['Lead', 'Cobalt'])
    expect(status).toBe('SVHC')
  })

  test('are incomplete if a sub-product has no list', () => {
    expect(judged(article([], [article([reachList()]), SILENT])).reach.status).toBe('incomplete')
  })

  test('are unknown if nothing is declared', () => {
    expect(judged(article([], [SILENT])).reach).toMatchObject({ status: 'not declared', lists: [] })
  })
})

describe('what is not understood in a list', () => {
  const odd = [{ text: 'odd', line: 9 }]
  const older = (...names: string[]) => ({ ...reachList(...names), identity: 'EUREACH-0623', unread: odd })
  const olderWith = (over: string | undefined) => {
    return { ...older(), categories: [category('Cobalt', over)] }
  }
  const openIn = (...lists: Article['lists']) =>
    judged(article(lists), Date.UTC(2025, 0)).reach.notes.some((note) => note.includes('odd'))

  test.each<[string, Article['lists'], boolean]>([
    ['is open', [older('Lead')], true],
    ['is taken back when a newer list states every entry', [older('Lead'), reachList('Lead')], false],
    ['is taken back with a list that has nothing else', [{ ...older(), categories: [] }, reachList()], false],
    ['stays while an entry stays', [older('Lead', 'Cobalt'), reachList('Lead')], true],
    ['stays while one without a statement stays', [olderWith(undefined), reachList()], true],
    ['stays while one with an unknown statement stays', [olderWith('maybe'), reachList()], true],
    ['stays where no entry is stated anew', [older('Cobalt'), { ...reachList(), categories: [] }], true],
    [
      'stays when there is more in the newer list',
      [older('Lead'), { ...reachList('Lead'), unread: odd }],
      true,
    ],
  ])('%s', (_, lists, isOpen) => expect(openIn(...lists)).toBe(isOpen))
})

test('the classes of a part include those of its sub-products', () => {
  const material = { name: 'Tin', line: 2, amount: undefined, substances: [] }
  expect(classesOf(article([]))).toBe('')
  expect(classesOf(article([rohsList('false')], [{ ...SILENT, materials: [material] }]))).toBe('CD')
  expect(
    classesOf({
      ...SILENT,
      queryLists: [{ identity: '', statements: [], line: 2 }],
      hasMaterialGroups: true,
    }),
  ).toBe('AB')
})
