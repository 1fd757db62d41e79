import { expect, test } from 'vitest'
import { groupLimit } from '../../src/compliance/legal-limits.ts'
import { recognize } from '../../src/compliance/recognize.ts'
import { groupNamed, ROHS_GROUPS, type RohsGroup } from '../../src/compliance/rohs-groups.ts'

const category = (name: string, code: string, authority = 'IPC', cas: readonly string[] = []) => ({
  name,
  code,
  authority,
  cas,
  threshold: '',
})

const groupsOf = (one: ReturnType<typeof category>): readonly RohsGroup[] =>
  recognize('rohs', one, undefined).groups

test.each([
  ['1', 'Cadmium'],
  ['00002', 'PBB'],
  ['03', 'PBDE'],
  ['4', 'Hexavalent chromium'],
  [' 5 ', 'Lead'],
  ['6', 'Mercury'],
  ['7', 'DEHP'],
  ['8', 'BBP'],
  ['9', 'DBP'],
  ['00010', 'DIBP'],
])('a category without a name and with the code %j is %s', (code, group) => {
  expect(groupsOf(category('', code))).toEqual([group])
  expect(groupsOf(category('something', code))).toEqual([])
})

test.each(['0', '11', '100', 'x', '', '1-1'])('the code %j is none of the ten', (code) => {
  expect(groupsOf(category('', code))).toEqual([])
})

test.each([
  ['Cadmium and its compounds', ['Cadmium']],
  ['Cr(VI)', ['Hexavalent chromium']],
  ['Chromium VI', ['Hexavalent chromium']],
  ['Blei', ['Lead']],
  ['Quecksilber', ['Mercury']],
  ['Polybrominated biphenyls (PBB)', ['PBB']],
  ['Polybrominated biphenyl ethers', []],
  ['Polybrominated diphenyl ethers', ['PBDE']],
  ['Bis(2-ethylhexyl) phthalate', ['DEHP']],
  ['Benzyl butyl phthalate', ['BBP']],
  ['Dibutyl phthalate', ['DBP']],
  ['Diisobutyl phthalate', ['DIBP']],
  ['Lead, Cadmium', ['Cadmium', 'Lead']],
])('%j is %j, whatever its code', (name, groups) => {
  expect(groupsOf(category(name, ''))).toEqual(groups)
  if (groups.length > 0) expect(groupsOf(category(name, '6'))).toEqual(groups)
})

test('a table names groups as the directive does, or in another usual way', () => {
  for (const group of ROHS_GROUPS) expect(groupNamed(group.toUpperCase())).toBe(group)
  expect(['Cr VI', 'pbde', 'other'].map(groupNamed)).toEqual(['Hexavalent chromium', 'PBDE', undefined])
})

test('only cadmium has the lower limit', () => {
  expect(ROHS_GROUPS.filter((group) => groupLimit(group).percent === 0.01)).toEqual(['Cadmium'])
  expect(groupLimit('Lead').percent).toBe(0.1)
})

test.each([
  ['Lead/lead compounds', ['Lead']],
  ['Lead (Pb)', ['Lead']],
  ['Cadmium and cadmium compounds', ['Cadmium']],
  ['Mercury and its compounds', ['Mercury']],
  ['鉛及びその化合物', ['Lead']],
  ['鉛およびその化合物', ['Lead']],
  ['铅及其化合物', ['Lead']],
  ['镉及其化合物', ['Cadmium']],
  ['六价铬及其化合物', ['Hexavalent chromium']],
  ['六価クロム化合物', ['Hexavalent chromium']],
  ['铅及汞化合物', []],
  ['납 및 그 화합물', ['Lead']],
  ['카드뮴 화합물', ['Cadmium']],
  ['свинец и его соединения', ['Lead']],
  ['ołów i jego związki', ['Lead']],
  ['有機鉛化合物', []],
  ['Chromium VI compounds', ['Hexavalent chromium']],
  ['Hexavalent chromium (Cr6+)', ['Hexavalent chromium']],
  ['Sechswertiges Chrom', ['Hexavalent chromium']],
  ['Blei und Bleiverbindungen', ['Lead']],
  ['鉛', ['Lead']],
  ['Olovo', ['Lead']],
  ['шестивалентный хром', ['Hexavalent chromium']],
  ['フタル酸ビス (DEHP)', ['DEHP']],
  ['Bis (2-ethylhexyl)phthalate (DEHP)', ['DEHP']],
  ['Butyl benzyl phthalate (BBP)', ['BBP']],
  ['PBB/PBDE', ['PBB', 'PBDE']],
])('%j is the group %j by the table of names', (name, groups) => {
  expect(groupsOf(category(name, ''))).toEqual(groups)
})

test.each([
  'Dibutyltin',
  'Dibutyltin (DBT)',
  'Lead-free solder',
  'Leading edge coating',
  'Lead in solder',
  'Cobalt dichloride',
  'Chromium trioxide',
  'Diisobutyl adipate',
  'Mercurous waste',
])('%j is no group: never by a piece of a name', (name) => {
  expect(groupsOf(category(name, ''))).toEqual([])
})

test('a group is known by its CAS number, and by the code of IPC alone', () => {
  expect(groupsOf(category('Pb', '', 'IPC', []))).toEqual(['Lead'])
  expect(groupsOf(category('Substance 12', '', 'IPC', ['7439-92-1']))).toEqual(['Lead'])
  expect(groupsOf(category('', '00005'))).toEqual(['Lead'])
  expect(groupsOf(category('', '00005', 'Example'))).toEqual([])
  expect(groupsOf(category('Substance 12', '00005'))).toEqual([])
  expect(groupsOf(category('Dibutyltin', '00009'))).toEqual([])
})
