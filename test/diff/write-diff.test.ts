import { expect, test } from 'vitest'
import { countsLine } from '../../src/diff/diff-document.ts'
import type { DeclarationDiff } from '../../src/diff/diff-result.ts'
import { DIFF_FORMATS, writeDiff } from '../../src/diff/write-diff.ts'
import { extensionsOf, formatOf } from '../../src/report/formats/choose-format.ts'
import { RFC4180 } from '../../src/report/formats/csv-dialect.ts'
import { NOW } from '../support/report-rows.ts'

const NOTHING: DeclarationDiff = {
  added: [],
  removed: [],
  changed: [],
  listUpdates: [],
  redated: 0,
  unchanged: 0,
  unreadable: { old: [], new: [] },
  counts: {
    old: 0,
    new: 0,
    unreadable: { old: 0, new: 0 },
    superseded: { old: 0, new: 0 },
    added: 0,
    removed: 0,
    changed: 0,
    listUpdates: 0,
    redated: 0,
    unchanged: 0,
  },
  gate: undefined,
}
const lone = {
  part: 'P|1',
  supplier: 'Acme',
  verdict: 'clean',
  rohs: 'compliant',
  svhc_count: 2,
  date: '2026-01-01',
}
const DIFF: DeclarationDiff = {
  ...NOTHING,
  added: [lone],
  removed: [{ ...lone, part: 'P2', supplier: '', svhc_count: 0 }],
  changed: [
    {
      part: 'P3',
      supplier: '',
      direction: 'worse',
      changes: {
        verdict: { old: 'clean', new: 'failed' },
        rohs: { old: 'compliant', new: 'not compliant' },
        exemptions: { added: ['7(a)'], removed: [] },
        svhc: { gained: ['Lead'], lost: [], noLongerStated: [], grown: [] },
        svhc_count: { old: null, new: 1 },
      },
    },
  ],
  listUpdates: [
    {
      rohs_list: null,
      reach_list: { old: 'EUREACH-0119', new: 'EUREACH-0624' },
      parts: 1200,
      examples: ['A', 'B'],
    },
  ],
  redated: 3,
  unchanged: 4000,
  unreadable: { old: [], new: [{ source: 'b.xml', reason: 'not XML' }] },
  counts: {
    old: 1,
    new: 1,
    unreadable: { old: 0, new: 1 },
    superseded: { old: 2, new: 3 },
    added: 1,
    removed: 1,
    changed: 1,
    listUpdates: 1200,
    redated: 3,
    unchanged: 4000,
  },
}

async function textOf(format: keyof typeof DIFF_FORMATS, diff: DeclarationDiff): Promise<string> {
  const facts = { oldSource: 'old.zip', newSource: 'new.zip', nowMs: NOW, version: '1.2.3' }
  const pieces: Uint8Array[] = []
  for await (const piece of writeDiff(format, diff, { facts, json: ['{}\n'], csv: RFC4180 })) {
    pieces.push(Buffer.from(piece as string))
  }
  return Buffer.concat(pieces).toString()
}

test('no difference is the verdict and one line of counts', async () => {
  expect(await textOf('text', NOTHING)).toBe(
    '✓ no part became worse\n0 added, 0 removed, 0 changed, 0 unchanged\n',
  )
})

test('the counts name what there is', () => {
  expect(countsLine(DIFF)).toBe(
    '1 added, 1 removed, 1 changed, 1,200 with only a list update, 3 with no compared value changed, 4,000 unchanged, 2 superseded before, 3 superseded now, 1 unreadable now',
  )
})

test('the text has the verdict, then every difference on a separate line, what became worse first', async () => {
  const lines = (await textOf('text', DIFF)).split('\n')
  expect(lines[0]).toBe(
    '✗ 1 part became worse; 1 part new; 1 part not declared now; 1 file cannot be read now',
  )
  expect(lines.slice(2)).toEqual([
    '',
    'Worse',
    '  P3  verdict: clean → failed',
    '  P3  RoHS: compliant → not compliant',
    '  P3  exemption added: 7(a)',
    '  P3  SVHC gained: Lead',
    '  P3  SVHC: none → 1',
    '',
    'New parts',
    '  P|1  (Acme) verdict: clean',
    '  P|1  (Acme) RoHS: compliant',
    '  P|1  (Acme) SVHC: 2 SVHCs',
    '',
    'Parts that are not declared now',
    '  P2  verdict: clean',
    '  P2  RoHS: compliant',
    '',
    'Lists updated, nothing else changed',
    '  1,200 parts (A, B …)  REACH list: EUREACH-0119 → EUREACH-0624',
    '',
    'Unreadable',
    '    b.xml: not XML',
    '',
  ])
})

test('Markdown has the same, with cells that break no table', async () => {
  const text = await textOf('md', DIFF)
  expect(text).toContain('**✗ 1 part became worse')
  expect(text).toContain('| P\\|1 | Acme | RoHS |  | compliant |\n')
  expect(text).toContain('| P3 |  | RoHS | compliant | not compliant |\n')
  expect(await textOf('md', NOTHING)).not.toContain('##')
})

test('the page has a cell for each part, beside all that changed in it', async () => {
  const html = await textOf('html', DIFF)
  expect(html).toContain('<th scope="rowgroup" rowspan="5"><span class="short">P3')
  expect(html).toContain('before: <strong>')
})

test.each(extensionsOf(DIFF_FORMATS))('a file ending in %s is written', async (extension) => {
  expect((await textOf(formatOf(`a${extension}`, 'output', DIFF_FORMATS), DIFF)).length).toBeGreaterThan(2)
})

test('another ending is refused', () => {
  expect(() => formatOf('a.pdf', 'output', DIFF_FORMATS)).toThrow('unknown file extension')
})
