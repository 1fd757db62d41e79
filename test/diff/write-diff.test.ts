import { expect, test } from 'vitest'
import { countsLine } from '../../src/diff/diff-document.ts'
import type { DeclarationDiff } from '../../src/diff/diff-result.ts'
import { DIFF_FORMATS, writeDiff } from '../../src/diff/write-diff.ts'
import { extensionsOf, formatOf } from '../../src/report/formats/choose-format.ts'
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

async function textOf(format: Parameters<typeof writeDiff>[0], diff: DeclarationDiff): Promise<string> {
  const facts = { oldSource: 'old.zip', newSource: 'new.zip', nowMs: NOW, version: '1.2.3' }
  const pieces: Uint8Array[] = []
  for await (const piece of writeDiff(format, diff, { facts, json: ['{}\n'] })) {
    pieces.push(Buffer.from(piece as string))
  }
  return Buffer.concat(pieces).toString()
}

test('no difference is the verdict and one line of counts', async () => {
  const same = { ...NOTHING, counts: { ...NOTHING.counts, old: 1, new: 1, unchanged: 1 } }
  expect(await textOf('text', same)).toBe(
    '✓ no part became worse\n0 added, 0 removed, 0 changed, 1 unchanged\n',
  )
})

test('the counts name what there is', () => {
  expect(countsLine(DIFF)).toBe(
    '1 added, 1 removed, 1 changed, 1,200 with only a list update, 3 with no compared value changed, 4,000 unchanged, 2 superseded before, 3 superseded now, 1 unreadable now',
  )
})

test('the text has the verdict, then a line for each part with all that changed, what became worse first', async () => {
  const lines = (await textOf('text', DIFF)).split('\n')
  expect(lines[0]).toBe(
    '✗ 1 part became worse; 1 part new; 1 part not declared now; 1 file cannot be read now',
  )
  expect(lines.slice(2)).toEqual([
    '',
    'Worse',
    '  P3  verdict: clean → failed; RoHS: compliant → not compliant; exemption added: 7(a); SVHC gained: Lead',
    '',
    'New parts',
    '  P|1  (Acme) verdict: clean; RoHS: compliant; SVHC: 2 SVHCs',
    '',
    'Parts that are not declared now',
    '  P2  verdict: clean; RoHS: compliant',
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
  expect(text).toContain('| P\\|1 | Acme | verdict: clean; RoHS: compliant; SVHC: 2 SVHCs |\n')
  expect(text).toContain('| P3 |  | verdict: clean → failed; RoHS: compliant → not compliant; ')
  expect(await textOf('md', NOTHING)).not.toContain('##')
})

test('the page has a line for each part to search and sort, and links to each kind of change', async () => {
  const html = await textOf('html', DIFF)
  expect(html).toContain(
    '{"cells":["worse","P3","","verdict: clean → failed; RoHS: compliant → not compliant;',
  )
  expect(html).toContain('<a href="#q=worse">1 worse</a> · <a href="#q=new+part">1 new</a>')
  expect(html).toContain('<td>lost part</td><td>P2</td>')
  expect(html).toContain('Lists updated, nothing else changed')
  expect(html).toContain('before: <strong>')
  expect(await textOf('html', NOTHING)).not.toContain('rows-section"')
})

test('a product has its verdict before and now at the top', async () => {
  const old = { verdict: 'clean', rohs: 'compliant', reach: 'SVHC' }
  const now = { verdict: 'failed', rohs: 'not compliant', reach: 'SVHC' }
  const lines = (await textOf('text', { ...DIFF, products: [{ list: 'board.csv', old, new: now }] })).split(
    '\n',
  )
  expect(lines[1]).toBe('✗ board.csv: clean → failed; RoHS compliant → not compliant; REACH SVHC, as before')
})

test('what only says that something is known or not is told by findings, and by the status', async () => {
  const changes = {
    findings: { added: ['incomplete: RoHS'], removed: [] },
    has_gaps: { old: false, new: true },
    unaccepted: { old: false, new: true },
    svhc_count: { old: null, new: 0 },
  }
  const part = { part: 'P4', supplier: '', direction: 'worse', changes } as const
  expect(await textOf('text', { ...NOTHING, changed: [part] })).toContain(
    '  P4  finding added: incomplete: RoHS\n',
  )
})

test.each(extensionsOf(DIFF_FORMATS))('a file ending in %s is written', async (extension) => {
  expect((await textOf(formatOf(`a${extension}`, 'output', DIFF_FORMATS), DIFF)).length).toBeGreaterThan(2)
})

test('another ending is refused', () => {
  expect(() => formatOf('a.pdf', 'output', DIFF_FORMATS)).toThrow('unknown file extension')
})
