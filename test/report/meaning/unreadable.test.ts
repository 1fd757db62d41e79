import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'
import { type Case, itReports } from './cases.ts'
import { type Declaration, exempt, other, reach, rohs, xmlOf } from './declarations.ts'

const GOOD: Declaration = { part: 'GOOD', lists: [rohs(), reach()] }
const BAD_XML = xmlOf({ part: 'BAD', lists: [rohs({ Pb: true }), reach()] })
const GOOD_XML = xmlOf(GOOD)
const UNREADABLE = {
  part: '',
  status: 'unreadable',
  not: { rohs: /^compliant/, reach: /^no SVHC$/ },
} as const

describe('a broken or foreign XML file is a row with status unreadable and the reason, never a lost file', () => {
  const broken: Readonly<Record<string, [text: string, note: RegExp]>> = {
    'cut short after everything that was stated': [BAD_XML.slice(0, -20), /./],
    'cut short before anything was stated': [BAD_XML.slice(0, 200), /./],
    'an end tag too many': [`${BAD_XML}</MainDeclaration>`, /./],
    'an ampersand that is none': [BAD_XML.replace('a part', 'R&D'), /./],
    'an attribute given twice': [BAD_XML.replace('itemName=', 'itemNumber="X" itemName='), /./],
    'no file at all': ['', /./],
    'not XML': ['%PDF-1.4 a certificate', /./],
    HTML: ['<html><body>sign in</body></html>', /./],
    'IEC 62474': ['<Main xmlns="http://std.iec.ch/iec62474" version="1"><Product/></Main>', /62474/],
    'an entity that is defined in the file': [
      BAD_XML.replace('?>', '?><!DOCTYPE MainDeclaration [<!ENTITY over "false">]>').replace(
        'overThreshold="true"',
        'overThreshold="&over;"',
      ),
      /DTD|document type|DOCTYPE|entit/i,
    ],
    'an external entity': [
      GOOD_XML.replace(
        '?>',
        '?><!DOCTYPE MainDeclaration [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
      ).replace('itemName="a part"', 'itemName="&x;"'),
      /DTD|document type|DOCTYPE|entit/i,
    ],
  }
  itReports([
    ...Object.entries(broken).map(
      ([words, [text, note]]): Case => ({
        name: words,
        files: { broken: text, good: GOOD },
        options: ['--fail-on', 'unreadable'],
        rows: [
          { ...UNREADABLE, note, sources: ['broken'], gate: ['unreadable'] },
          { part: 'GOOD', status: 'declared', rohs: 'compliant', gate: [] },
        ],
        exit: 13,
        report: [/"unreadable":1/],
      }),
    ),
    {
      name: 'without a gate it is told and the run goes on',
      files: { broken: BAD_XML.slice(0, -20), good: GOOD },
      rows: [UNREADABLE, { part: 'GOOD', rohs: 'compliant' }],
      exit: 0,
      report: ['unreadable'],
    },
    {
      name: 'it is never a part of the list: the part is missing, and the file is unreadable',
      files: { broken: BAD_XML.slice(0, -20), good: GOOD },
      beside: { 'parts.csv': 'part number\nGOOD\nBAD\n' },
      options: ['--parts-file', 'parts.csv', '--fail-on', 'missing,unreadable'],
      rows: [
        { ...UNREADABLE, gate: ['unreadable'] },
        { part: 'GOOD', gate: [] },
        { part: 'BAD', status: 'missing', gate: ['missing'] },
      ],
    },
  ])

  it('also inside an archive, beside what can be read', async () => {
    await withFolder(async (cwd) => {
      const entries = [
        { name: 'broken.xml', data: BAD_XML.slice(0, 300) },
        { name: 'good.xml', data: GOOD_XML },
      ]
      await writeFile(join(cwd, 'a.zip'), zip(entries))
      const result = await cli(['report', 'a.zip', '--json'], { cwd })
      expect(result.code).toBe(0)
      expect(result.json().rows).toMatchObject([
        { status: 'unreadable', source: 'a.zip!broken.xml' },
        { part: 'GOOD', rohs: 'compliant', source: 'a.zip!good.xml' },
      ])
    })
  })
})

describe('a request for a declaration declares nothing', () => {
  const form: Declaration = { part: 'P1', lists: [rohs(), reach()] }
  const parts = { 'parts.csv': 'part number\nP1\nGOOD\n' }
  const MISSING = [
    { part: 'P1', status: 'missing', gate: ['missing'] },
    { part: 'GOOD', status: 'declared', gate: [] },
  ]
  itReports([
    {
      name: 'by its mode',
      files: { request: { ...form, mode: 'Request' }, good: GOOD },
      beside: parts,
      options: ['--parts-file', 'parts.csv', '--fail-on', 'missing'],
      rows: MISSING,
    },
    {
      name: 'by another mode than that of a distribution, and nobody responded',
      files: { request: { ...form, mode: 'Request/Reply', without: ['Response'] }, good: GOOD },
      beside: parts,
      options: ['--parts-file', 'parts.csv', '--fail-on', 'missing'],
      rows: MISSING,
    },
    {
      name: 'a newer request takes back nothing',
      files: {
        declared: { part: 'P1', date: '2026-01-10', lists: [rohs({ Pb: true }), reach()] },
        request: { ...form, date: '2026-03-10', mode: 'Request' },
      },
      rows: [{ part: 'P1', rohs: 'not compliant', sources: ['declared'], gate: ['not-compliant'] }],
    },
    {
      name: 'a reply to one declares',
      files: { reply: { part: 'P1', mode: 'Reply', lists: [rohs({ Pb: true }), reach()] } },
      rows: [{ part: 'P1', rohs: 'not compliant', gate: ['not-compliant'] }],
    },
  ])
})

describe('a list without categories, with values that cannot be read or without statements is said to be so', () => {
  const STATED = [rohs(), reach()]
  itReports([
    {
      name: 'a RoHS list without categories is never compliant',
      files: { a: { lists: [{ identity: 'EUROHS-1907', categories: [] }, reach()] } },
      rows: [
        {
          part: 'P1',
          rohs: /^(?:incomplete|not declared)$/,
          note: /without|no categor|empty/i,
          not: { note: 'none over' },
        },
      ],
    },
    {
      name: 'a RoHS list without a single statement is incomplete',
      files: {
        a: {
          lists: [
            rohs(
              Object.fromEntries(
                ['Cd', 'PBB', 'PBDE', 'CrVI', 'Pb', 'Hg', 'DEHP', 'BBP', 'DBP', 'DIBP'].map((group) => [
                  group,
                  undefined,
                ]),
              ),
            ),
            reach(),
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'incomplete', not: { note: /RoHS[^;]*none over/ } }],
    },
    {
      name: 'a Candidate List without a single statement is incomplete',
      files: {
        a: {
          lists: [rohs(), reach({ arsenate: undefined, dehp: undefined, lead: undefined, bpa: undefined })],
        },
      },
      rows: [{ part: 'P1', reach: 'incomplete', svhc_count: null }],
    },
    {
      name: 'another list without categories is told with these words or as incomplete, never "none over"',
      files: { a: { lists: [...STATED, { identity: 'TSCA_6h', categories: [] }] } },
      rows: [{ part: 'P1', rohs: 'compliant', other_lists: ['TSCA_6h'], not: { other_lists: 'none over' } }],
    },
    {
      name: 'a value that cannot be read beside "not over" is incomplete, never "none over"',
      files: {
        a: {
          lists: [
            rohs({ Pb: { over: false, concentration: ['ca. 0.3 %'] } }),
            reach({ lead: { over: false, amount: ['> 0.1', 'massPercent'] } }),
            other('TSCA_6h', { A: { over: false, amount: ['some', 'mg'] } }),
          ],
        },
      },
      rows: [
        {
          part: 'P1',
          rohs: 'incomplete',
          reach: 'incomplete',
          other_lists: ['TSCA_6h', 'incomplete'],
          note: ['ca. 0.3 %', '> 0.1', 'some mg'],
          not: { note: 'none over', other_lists: 'none over' },
          gate: ['incomplete'],
        },
      ],
    },
    {
      name: 'no value, none, and an upper bound beside "not over" say nothing against it',
      files: {
        a: {
          lists: [
            rohs({ Pb: { over: false, concentration: ['< 0.1'] }, Hg: { over: false, concentration: [''] } }),
            reach({ lead: { over: false, amount: ['0'] }, dehp: { over: false, amount: ['n/a', 'mg'] } }),
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'no SVHC', gate: [] }],
    },
    {
      name: 'values that cannot be read are no share: declared_percent is empty',
      files: {
        a: {
          lists: STATED,
          mass: [100, 'mg'],
          materials: [
            {
              name: 'body',
              amount: [100, 'furlongs'],
              substances: [{ name: 'Silicon', cas: '7440-21-3', amount: ['100', 'furlongs'] }],
            },
          ],
        },
      },
      rows: [{ part: 'P1', rohs: 'compliant', declared_percent: null }],
    },
  ])
})

describe('statements the tool does not understand make the status incomplete with the reason, never better and never worse', () => {
  const inUnknownPlace = (list: string): string =>
    list
      .replace('<MaterialInfo>', '<MaterialInfo><Compliance>')
      .replace('</MaterialInfo>', '</Compliance></MaterialInfo>')
  const unknownExemption = xmlOf({ lists: [rohs({ Pb: exempt('6(c)') }), reach()] }).replace(
    /<ExemptionList>.*?<\/ExemptionList>/,
    '<ExemptionClaim><Number>6(c)</Number></ExemptionClaim>',
  )
  itReports([
    {
      name: 'an exemption in an unknown form',
      files: { a: unknownExemption },
      isOneWriter: true,
      rows: [{ part: 'P1', rohs: 'incomplete', note: ['exemption'], gate: ['incomplete'] }],
    },
    {
      name: 'lists in an unknown place',
      files: { a: inUnknownPlace(xmlOf({ lists: [rohs({ Pb: true }), reach({ lead: true })] })) },
      isOneWriter: true,
      rows: [{ part: 'P1', not: { rohs: /^compliant/, reach: /^no SVHC$/, note: /^$/ } }],
    },
    {
      name: 'an unknown word for over in both lists',
      files: { a: { lists: [rohs({ Pb: 'exceeded' }), reach({ lead: 'exceeded' })] } },
      rows: [
        { part: 'P1', rohs: 'incomplete', reach: 'incomplete', note: ['exceeded'], gate: ['incomplete'] },
      ],
    },
    {
      name: 'a newer statement that is not understood hides no older one and is not passed over',
      files: {
        old: { date: '2026-01-10', lists: [rohs({ Pb: true }), reach({ lead: true })] },
        new: { date: '2026-03-10', lists: [rohs({ Pb: 'exceeded' }), reach({ lead: 'exceeded' })] },
      },
      rows: [{ part: 'P1', rohs: 'not compliant', reach: 'SVHC' }],
    },
    {
      // Lead was stated not over, and the newer word is not understood: the older statement alone would be better than declared.
      name: 'a newer statement that is not understood after a good one',
      files: {
        old: { date: '2026-01-10', lists: [rohs(), reach()] },
        new: { date: '2026-03-10', lists: [rohs({ Pb: 'exceeded' }), reach({ lead: 'exceeded' })] },
      },
      rows: [{ part: 'P1', not: { rohs: /^compliant/, reach: /^no SVHC$/ } }],
    },
    {
      name: 'two statements of the acceptance: the one that is not accepted decides',
      files: {
        a: GOOD_XML.replace(/<Declaration ([^>]*)true([^>]*)>/, '$&<Declaration $1false$2>'),
      },
      isOneWriter: true,
      rows: [{ part: 'GOOD', rohs: 'compliant', gate: ['unaccepted'] }],
    },
    {
      name: 'an unknown word for the acceptance is told, never taken for acceptance in silence',
      files: { a: { lists: [rohs(), reach()], accepted: 'perhaps' } },
      rows: [{ part: 'P1', rohs: 'compliant', note: /accept/i }],
    },
  ])
})

describe('the comment of a response or product is shown in the note', () => {
  itReports([
    {
      name: 'of the response',
      files: { a: { lists: [rohs(), reach()], comment: 'Valid for lots after week 12' } },
      rows: [{ part: 'P1', note: ['Valid for lots after week 12'] }],
    },
    {
      name: 'of the product',
      files: {
        a: {
          products: [
            { parts: ['P1'], lists: [rohs(), reach()], comment: 'Contains lead until 2025' },
            { parts: ['P2'], lists: [rohs(), reach()] },
          ],
        },
      },
      rows: [
        { part: 'P1', note: ['Contains lead until 2025'] },
        { part: 'P2', not: { note: 'Contains lead' } },
      ],
    },
    {
      name: 'of both, and in one line without control characters',
      files: {
        a: { lists: [rohs(), reach()], comment: 'line one&#xA;line two', productComment: 'of the product' },
      },
      rows: [{ part: 'P1', note: ['line one', 'line two', 'of the product'], not: { note: /\n/ } }],
    },
    {
      name: 'of every file that counts',
      files: {
        old: { date: '2026-01-10', lists: [reach()], comment: 'about REACH' },
        new: { date: '2026-02-10', lists: [rohs()], comment: 'about RoHS' },
      },
      rows: [{ part: 'P1', note: ['about REACH', 'about RoHS'] }],
    },
  ])
})

describe('what is missing in a file is named in the note', () => {
  const lists = [rohs(), reach(), other('TSCA_6h', { A: false })]
  itReports([
    {
      name: 'Response',
      files: { a: { lists, without: ['Response'] } },
      rows: [{ part: 'P1', note: /response/i }],
    },
    {
      name: 'date',
      files: { a: { lists, date: undefined } },
      rows: [{ part: 'P1', date: '', note: /\b(?:un)?date/i }],
    },
    {
      name: 'supplier',
      files: { a: { lists, without: ['SupplyCompany'] } },
      rows: [{ part: 'P1', supplier: '', note: /supplier|company/i }],
    },
    {
      name: 'Declaration',
      files: { a: { lists, without: ['Declaration'] } },
      rows: [{ part: 'P1', note: /declaration|accept/i }],
    },
  ])
})

describe('memory and order', () => {
  it('reads a folder of a hundred files in any order to the same rows', async () => {
    await withFolder(async (cwd) => {
      const days = Array.from({ length: 100 }, (_, index) => index)
      for (const [folder, order] of [
        ['up', days],
        ['down', days.toReversed()],
      ] as const) {
        await mkdir(join(cwd, folder))
        for (const [place, day] of order.entries()) {
          const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)
          const lists =
            day % 3 === 0
              ? [rohs({ Pb: day % 2 === 0 })]
              : [reach({ lead: day % 2 === 0 }, { entries: ['lead'] })]
          const text = xmlOf({ part: `P${day % 7}`, date, lists })
          await writeFile(join(cwd, folder, `${String(place).padStart(3, '0')}.xml`), text)
        }
      }
      const rowsOf = async (folder: string): Promise<string[]> => {
        const result = await cli(['report', folder, '--json'], {
          cwd,
          nowMs: Date.parse('2026-11-22T12:00:00Z'),
        })
        return (result.json().rows as Record<string, unknown>[])
          .map(({ part, rohs: status, reach: svhc, svhc_count, date }) =>
            JSON.stringify([part, status, svhc, svhc_count, date]),
          )
          .sort()
      }
      expect(await rowsOf('down')).toEqual(await rowsOf('up'))
    })
  })
})
