import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { createWaivers } from '../../src/report/gate/waivers.ts'
import { newestList, questionsOf } from '../../src/report/letters.ts'
import { finishRow } from '../../src/report/rows/make-row.ts'
import { type JudgedRow, missingRow, unreadableRow } from '../../src/report/rows/report-row.ts'
import { cli, tree } from '../support/cli.ts'
import { TABLES } from '../support/reference-tables.ts'
import { finishedRows, NOW, partRowOf } from '../support/report-rows.ts'
import { withFolder } from '../support/world.ts'

// EUREACH-0624 is less than two years old at NOW.
const OLD = { reach_list: 'EUREACH-0119' }

test.each<[string, JudgedRow, readonly (readonly [missing: string, reason: string])[]]>([
  ['a part that is declared in full', partRowOf(), []],
  ['a part that is not compliant: it is declared', partRowOf({ rohs: 'not compliant' }), []],
  [
    'a missing part',
    missingRow('P', ['requested']),
    [['declaration', 'we have no declaration of this part']],
  ],
  ['a broken file, which may be of anybody', unreadableRow('/home/buyer/in/a.xml', 'no XML'), []],
  [
    'a part without a RoHS list',
    partRowOf({ rohs: 'not declared' }),
    [['RoHS list', 'your declaration of 2024-09-27 has no RoHS list']],
  ],
  [
    'a part without a REACH list',
    partRowOf({ svhc_count: null, reach_list: '' }),
    [['REACH list', 'your declaration of 2024-09-27 has no REACH Candidate List']],
  ],
  [
    'a statement that is not accepted, without a date',
    partRowOf({ unaccepted: true, date: '' }),
    [
      [
        'acceptance',
        'your declaration without a date is marked as not accepted (supplierAcceptance="false")',
      ],
    ],
  ],
  [
    'an old Candidate List',
    partRowOf(OLD),
    [
      [
        'current list',
        'your declaration of 2024-09-27 is based on EUREACH-0119 (January 2019); 56 entries have been added since',
      ],
    ],
  ],
  ['a superseded declaration', partRowOf({ ...OLD, status: 'superseded' }), []],
  [
    'a declaration without a part number',
    partRowOf({ part: '', requester_part: '' }),
    [['statements', 'your declaration of 2024-09-27 has no part number: which part is it about?']],
  ],
])('asks for %s', (_, row, expected) => {
  const found = questionsOf(finishedRows([row], 'stale:24m'), newestList(TABLES))
  expect(found.map(({ missing, reason }) => [missing, reason])).toEqual(expected)
})

const NO_TEXT = Object.assign(missingRow('', ['the list has no part number for this line']), {
  supplier: 'Acme',
})
const NAMED_FILE = Object.assign(missingRow('P1', ['requested, not declared']), {
  supplier: 'Acme',
  findings: [
    {
      rule: 'unreadable',
      subject: '',
      names: [],
      sentence: 'P1.xml cannot be read: not XML',
      place: { source: 'P1.xml' },
    },
  ],
})

test('asks once for a part with a file that cannot be read, and nobody for a line without number and text', () => {
  const rows = [NO_TEXT, NAMED_FILE].map((row) => finishRow(row, { nowMs: NOW, failOn: undefined }))
  expect(questionsOf(rows, undefined).map(({ part, reason }) => [part, reason])).toEqual([
    ['P1', 'your file P1.xml cannot be read: not XML'],
  ])
})

test('takes the age from the gate, and leaves out what is waived', () => {
  const waiver = { part: 'P1', rule: 'unaccepted', reason: 'asked for', owner: 'Jo', until: '2026-12-31' }
  const context = {
    nowMs: NOW,
    failOn: parseFailOn('older:12m'),
    waivers: createWaivers('w.csv', [waiver], NOW),
  }
  const rows = [partRowOf(OLD), partRowOf({ unaccepted: true, date: '2026-02-01' })]
  const finished = rows.map((row) => finishRow(row, context))
  expect(questionsOf(finished, newestList(TABLES)).map(({ missing }) => missing)).toEqual([
    'current declaration',
  ])
})

const DOWNLOAD = ['download', '--sandbox', '--supplier', '800900100', '-o', 'special.zip', '-q']
const LIST = `part number,manufacturer
HA-ANSWER,Hypothetical Assemblies
HA-NO-NUMBER,Hypothetical Assemblies
HA-PHTHALATES,Hypothetical Assemblies
HA-UNACCEPTED,Hypothetical Assemblies
HA-7A,Hypothetical Assemblies
=HYPERLINK(1),CON
X-1,Silent / Parts: <Ltd>.
X-2,SILENT PARTS
X-3,
`

const MESSAGE = `Subject: Material declarations of 4 parts

To Hypothetical Assemblies (sandbox) (Compliance desk, compliance@supplier.example, +00 00 000000)

We need material declarations of 4 parts, as IPC-1752A or IPC-1752B XML, class C or D.
A declaration that replaces another one needs a later date, and the same company name and identifier.

Please send a corrected declaration:
- HA-ANSWER: your declaration of 2025-02-10 contradicts itself: class A A-1 "No RoHS substance is above its limit" against Lead/lead compounds over in EUROHS-1907

Please send a declaration with a statement on each group and entry, and the number of each exemption:
- HA-NO-NUMBER: your declaration of 2025-02-10 states Lead/lead compounds over the threshold with the exemption "see comment"; please give its number in Annex III or IV, such as 6(c)
- HA-PHTHALATES: your declaration of 2025-02-10 is not whole: RoHS: Cadmium, Hexavalent chromium, Lead, Mercury, PBB, PBDE not stated

Please send a declaration that is accepted:
- HA-UNACCEPTED: your declaration of 2025-02-10 is marked as not accepted (supplierAcceptance="false")
`

async function withSpecials(
  body: (folder: string, report: (...more: string[]) => ReturnType<typeof cli>) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await cli(DOWNLOAD, { cwd: folder })
    await writeFile(join(folder, 'list.csv'), LIST)
    await body(folder, (...more) =>
      cli(
        [
          'report',
          'special.zip',
          '--parts-file',
          'list.csv',
          '--fail-on',
          'stale:99m',
          '--requests',
          'ask',
          ...more,
        ],
        {
          cwd: folder,
        },
      ),
    )
  })
}

test('writes a text for each supplier and a CSV of all, with names that Windows has too', async () => {
  await withSpecials(async (folder, report) => {
    const { stderr, code } = await report('-o', 'report.csv')
    expect({ stderr, code }).toMatchObject({ code: 0 })
    expect(stderr).toContain(
      'requests about 7 parts to 3 suppliers, and a list of 1 part without a known supplier, in',
    )
    expect(await readdir(join(folder, 'ask'))).toEqual([
      'Hypothetical-Assemblies-sandbox.txt',
      'Silent-Parts-Ltd.txt',
      'no-supplier-known.txt',
      'requests.csv',
      'supplier-CON.txt',
    ])
    expect(await readFile(join(folder, 'ask', 'Hypothetical-Assemblies-sandbox.txt'), 'utf8')).toBe(MESSAGE)
    expect(await readFile(join(folder, 'ask', 'Silent-Parts-Ltd.txt'), 'utf8')).toContain(
      '- X-2: we have no declaration of this part',
    )
    expect(await readFile(join(folder, 'ask', 'no-supplier-known.txt'), 'utf8')).toBe(
      'No supplier is known for 1 part.\n\nPlease send a declaration with RoHS (all ten groups) and the REACH Candidate List EUREACH-0226 (February 2026):\n- X-3: we have no declaration of this part\n',
    )
    expect(await readFile(join(folder, 'ask', 'supplier-CON.txt'), 'utf8')).toContain(
      '- =HYPERLINK(1): we have',
    )
    const text = await readFile(join(folder, 'ask', 'requests.csv'), 'utf8')
    const rows = parse(text, { columns: true }) as Record<string, string>[]
    expect(Object.keys(rows[0]!)).toEqual([
      'supplier',
      'contact',
      'part',
      'requester_part',
      'name',
      'missing',
      'reason',
      'send',
      'source',
    ])
    // A formula is a remark of the list, not a part number: its line is asked for by its text.
    expect(rows.map(({ name, missing }) => `${name} ${missing}`)).toContain("'=HYPERLINK(1) declaration")
  })
})

test('refuses a directory that exists, and with --overwrite names the texts that it leaves', async () => {
  await withSpecials(async (folder, report) => {
    await report()
    await writeFile(join(folder, 'ask', 'Gone-Parts.txt'), 'old')
    const before = await tree(folder)
    const refused = await report('-o', 'other.csv')
    expect(refused.code).toBe(9)
    expect(refused.stderr).toContain('--requests: ')
    expect(refused.stderr).toContain('--overwrite')
    expect(await tree(folder)).toEqual(before)
    const { stderr } = await report('--overwrite')
    expect(stderr).toContain('1 text of an earlier report left: Gone-Parts.txt')
    expect(await readFile(join(folder, 'ask', 'Gone-Parts.txt'), 'utf8')).toBe('old')
  })
})
