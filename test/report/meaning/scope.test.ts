import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'
import { itReports, type Row, writeFolder } from './cases.ts'
import { type Declaration, exempt, material, reach, rohs } from './declarations.ts'

const LISTS = { lists: [rohs(), reach()] }
const BAD = { lists: [rohs({ Pb: true }), reach({ lead: true })] }

const COLUMNS =
  'part, requester_part, name, supplier, company_id, date, standard, classes, rohs, exemptions, rohs_list, svhc_count, svhc, reach_list, mass_mg, declared_percent, status, note, source, unit_type, exemption_expires, svhc_list_behind, gate, reach, other_lists, indications, verdict, findings'

describe('one row per part number of a supplier', () => {
  itReports([
    {
      name: 'a product with several numbers: a row each with the same data',
      files: { a: { parts: ['P1', 'P2', { number: 'P3', buyer: 'B3' }], ...BAD } },
      rows: ['P1', 'P2', 'P3'].map((part) => ({
        part,
        rohs: 'not compliant',
        reach: 'SVHC',
        sources: ['a'],
      })),
    },
    {
      name: 'several products in one file',
      files: {
        a: {
          products: [
            { parts: ['P1'], ...LISTS },
            { parts: ['P2', 'P3'], ...BAD },
          ],
        },
      },
      rows: [
        { part: 'P1', rohs: 'compliant' },
        { part: 'P2', rohs: 'not compliant' },
        { part: 'P3', rohs: 'not compliant' },
      ],
    },
    {
      name: "a part with the buyer's number alone has a row under it",
      files: {
        old: { parts: [{ buyer: 'B1' }], date: '2026-01-10', lists: [reach({ lead: true })] },
        new: { parts: [{ buyer: 'B1' }], date: '2026-02-10', lists: [rohs()] },
      },
      rows: [
        {
          part: '',
          requester_part: 'B1',
          rohs: 'compliant',
          reach: 'SVHC',
          sources: ['old', 'new'],
          not: { note: 'no part number' },
        },
      ],
    },
    {
      name: 'a product without any number is clean of nothing: nobody knows which part it is about',
      files: { own: { parts: [{}], lists: [rohs(), reach()] } },
      options: ['--fail-on', 'failed,doubtful'],
      rows: [{ part: '', rohs: 'compliant', verdict: 'doubtful', findings: ['incomplete'] }],
      exit: 13,
    },
    {
      name: 'so is one whose number is blank',
      files: { own: { parts: ['  '], lists: [rohs(), reach()] } },
      options: ['--fail-on', 'failed,doubtful'],
      rows: [{ part: '  ', verdict: 'doubtful', findings: ['incomplete'] }],
      exit: 13,
    },
  ])

  it('has these columns in this order, in JSON and in CSV', async () => {
    await withFolder(async (cwd) => {
      await writeFolder(join(cwd, 'xml'), { a: LISTS })
      const json = await cli(['report', 'xml', '--json'], { cwd })
      expect((json.json().columns as string[]).join(', ')).toBe(COLUMNS)
      const csv = await cli(['report', 'xml'], { cwd })
      expect(csv.stdout.split('\r\n')[0]?.split(',').join(', ')).toBe(COLUMNS)
    })
  })
})

describe('several values in a cell are joined by "; "', () => {
  it('in JSON they are lists beside the text', async () => {
    await withFolder(async (cwd) => {
      await writeFolder(join(cwd, 'xml'), {
        a: { lists: [rohs({ Pb: exempt('6(c)', '7(a)') }), reach({ lead: true, dehp: true })] },
      })
      const result = await cli(['report', 'xml', '--json'], { cwd })
      const [row] = result.json().rows as Row[]
      for (const column of ['exemptions', 'svhc']) {
        const text = String(row?.[column])
        expect(text.split('; '), column).toHaveLength(2)
        // Under which key the list stands is the tool's own choice.
        expect(listsIn(row), column).toContain(text)
      }
    })
  })
})

/** Every list of texts in a value, joined as in a cell. */
function listsIn(value: unknown): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return [value.join('; ')]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listsIn) : []
}

describe('with --parts-file the report is about those parts', () => {
  const files: Readonly<Record<string, Declaration>> = {
    listed: { part: 'P1', ...LISTS },
    byBuyer: { parts: [{ number: 'S2', buyer: 'B2' }], ...LISTS },
    unlisted: { part: 'P3', ...BAD },
  }
  const beside = { 'parts.csv': 'part number\nP1\nB2\nP9\n' }
  itReports([
    {
      name: 'declared parts that are not on the list are counted, neither shown nor gated',
      files,
      beside,
      options: ['--parts-file', 'parts.csv', '--fail-on', 'not-compliant,svhc'],
      rows: [
        { part: 'P1', gate: [] },
        { part: 'S2', requester_part: 'B2', gate: [] },
        { part: 'P9', status: 'missing', gate: [] },
      ],
      exit: 0,
      report: [/"notListed":1/],
    },
    {
      name: 'unless --all-parts',
      files,
      beside,
      options: ['--parts-file', 'parts.csv', '--all-parts', '--fail-on', 'not-compliant,svhc'],
      rows: [
        { part: 'P1', gate: [] },
        { part: 'S2', gate: [] },
        { part: 'P3', gate: ['not-compliant', 'svhc'] },
        { part: 'P9', status: 'missing', gate: [] },
      ],
      exit: 13,
    },
    {
      name: 'a number that differs in case or zeros is another part',
      files: { a: { part: '00012', ...LISTS }, b: { part: 'ab', ...LISTS } },
      beside: { 'parts.txt': '12\nAB\n' },
      options: ['--parts-file', 'parts.txt', '--fail-on', 'missing'],
      rows: [
        { part: '12', status: 'missing', gate: ['missing'] },
        { part: 'AB', status: 'missing', gate: ['missing'] },
      ],
    },
  ])
})

describe("by supplier's or requester's number", () => {
  const options = ['--parts-file', 'parts.csv']
  const asked = (part: string): Record<string, string> => ({ 'parts.csv': `part number\n${part}\n` })
  const older = { date: '2026-01-10', lists: [reach({ lead: true })] }
  const newer = { date: '2026-02-10', lists: [rohs()] }
  const both = [{ number: 'P1', buyer: 'B1' }]
  itReports([
    {
      name: "asked by the buyer's number that only the newer file has: the older statement is there",
      files: { old: { parts: ['P1'], ...older }, new: { parts: both, ...newer } },
      beside: asked('B1'),
      options,
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'SVHC', sources: ['old', 'new'] }],
    },
    {
      name: "asked by the buyer's number that only the older file has: the newer statement is there",
      files: { old: { parts: both, ...older }, new: { parts: ['P1'], ...newer } },
      beside: asked('B1'),
      options,
      rows: [{ part: 'P1', rohs: 'compliant', reach: 'SVHC', sources: ['old', 'new'] }],
    },
    {
      name: "asked by the buyer's number that only a superseded file has: the part is not missing",
      files: {
        old: { parts: both, date: '2026-01-10', lists: [rohs()] },
        new: { parts: ['P1'], date: '2026-02-10', lists: [rohs({ Pb: true })] },
      },
      beside: asked('B1'),
      options,
      rows: [{ part: 'P1', status: 'declared', rohs: 'not compliant' }],
    },
    {
      name: "files under the buyer's number alone are shown beside those under both",
      files: { old: { parts: [{ buyer: 'B1' }], ...older }, new: { parts: both, ...newer } },
      beside: asked('B1'),
      options: [...options, '--fail-on', 'svhc'],
      rows: [
        { part: '', requester_part: 'B1', reach: 'SVHC', gate: ['svhc'] },
        { part: 'P1', requester_part: 'B1', rohs: 'compliant', gate: [] },
      ],
    },
  ])
})

describe('where the list has a manufacturer column', () => {
  const files: Readonly<Record<string, Declaration>> = {
    north: { part: 'P1', supplier: 'Northern Resistors GmbH', ids: [], ...LISTS },
    south: { part: 'P1', supplier: 'Southern Resistors', ids: [], ...LISTS },
  }
  const options = ['--parts-file', 'parts.csv', '--fail-on', 'other-manufacturer']
  itReports([
    {
      name: 'a declaration of a company with another name is shown and is other-manufacturer',
      files: { south: files.south! },
      beside: { 'parts.csv': 'Manufacturer,Manufacturer Part Number\nNorthern Resistors,P1\n' },
      options,
      rows: [
        { part: 'P1', supplier: 'Southern Resistors', status: 'declared', gate: ['other-manufacturer'] },
      ],
      exit: 13,
    },
    {
      name: 'where the manufacturer has a declaration too, the other one is told and not judged',
      files: { ...files, south: { ...files.south!, lists: [rohs({ Pb: true }), reach()] } },
      beside: { 'parts.csv': 'Manufacturer,Manufacturer Part Number\nNorthern Resistors,P1\n' },
      options: [...options.slice(0, 3), 'failed,doubtful'],
      rows: [
        {
          part: 'P1',
          supplier: 'Northern Resistors GmbH',
          gate: [],
          note: [/also declared by Southern Resistors \(.*south\.xml\).*not judged/],
        },
      ],
      exit: 0,
    },
    {
      name: 'names are compared without case, punctuation and legal form',
      files: {
        a: { part: 'P1', supplier: 'NORTHERN RESISTORS, INC.', ...LISTS },
        b: { part: 'P2', supplier: 'Northern-Resistors Co., Ltd.', ids: [], ...LISTS },
        c: { part: 'P3', supplier: 'northern resistors S.p.A.', ids: [], ...LISTS },
        d: { part: 'P4', supplier: 'Northern Lights Semiconductor', ids: [], ...LISTS },
      },
      beside: {
        'parts.csv':
          'Manufacturer,Manufacturer Part Number\nNorthern Resistors GmbH & Co. KG,P1\nNorthern Resistors,P2\nNorthern Resistors AG,P3\nNorthern Resistors,P4\n',
      },
      options,
      rows: [
        { part: 'P1', gate: [] },
        { part: 'P2', gate: [] },
        { part: 'P3', gate: [] },
        { part: 'P4', gate: ['other-manufacturer'] },
      ],
      exit: 13,
    },
    {
      name: 'a part listed with two manufacturers has on each line its own',
      files,
      beside: {
        'parts.csv': 'Manufacturer,Manufacturer Part Number\nNorthern Resistors,P1\nSouthern Resistors,P1\n',
      },
      options,
      rows: [
        { part: 'P1', line: 2, supplier: 'Northern Resistors GmbH', gate: [] },
        { part: 'P1', line: 3, supplier: 'Southern Resistors', gate: [] },
      ],
      exit: 0,
    },
    {
      name: '--manufacturer-column names another column',
      files: { south: files.south! },
      beside: { 'parts.csv': 'Made for us by,Manufacturer Part Number\nNorthern Resistors,P1\n' },
      options: [...options, '--manufacturer-column', 'Made for us by'],
      rows: [{ part: 'P1', supplier: 'Southern Resistors', gate: ['other-manufacturer'] }],
      exit: 13,
    },
    {
      name: 'without such a column nobody is another manufacturer',
      files,
      beside: { 'parts.csv': 'part number,quantity\nP1,1\n' },
      options: ['--parts-file', 'parts.csv', '--fail-on', 'not-compliant'],
      rows: [
        { part: 'P1', gate: [] },
        { part: 'P1', gate: [] },
      ],
      exit: 0,
    },
  ])
})

describe('where the list has a quantity column the summary is that of the whole product', () => {
  const parts = { 'parts.csv': 'part number,quantity\nP1,2\nP2,1\n' }
  const options = ['--parts-file', 'parts.csv']
  const ROLLUP = (words: RegExp): RegExp => new RegExp(`"rollup":\\{.*${words.source}`)
  itReports([
    {
      name: 'worst RoHS and REACH status',
      files: { a: { part: 'P1', ...LISTS }, b: { part: 'P2', ...BAD } },
      beside: parts,
      options,
      rows: [{ part: 'P1' }, { part: 'P2' }],
      report: [ROLLUP(/"rohs":"not compliant"/), ROLLUP(/"SVHC"/)],
    },
    {
      name: 'a declaration of another company does not make a part compliant',
      files: {
        a: { part: 'P1', supplier: 'Southern Resistors', ...LISTS },
        b: { part: 'P2', ...LISTS },
      },
      beside: {
        'parts.csv': 'part number,quantity,manufacturer\nP1,2,Northern Resistors\nP2,1,Northern Resistors\n',
      },
      options,
      rows: [{ part: 'P1' }, { part: 'P2' }],
      report: [ROLLUP(/"rohs":"incomplete"/), ROLLUP(/"byOthers":\{"parts":\["P1"\]/)],
    },
    {
      name: 'the status of a part that rests on several files',
      files: {
        a: { part: 'P1', ...LISTS },
        old: { part: 'P2', date: '2026-01-10', ...BAD },
        new: {
          part: 'P2',
          date: '2026-02-10',
          lists: [rohs({}, { groups: ['DEHP', 'BBP', 'DBP', 'DIBP'] })],
        },
      },
      beside: parts,
      options,
      rows: [{ part: 'P1' }, { part: 'P2', rohs: 'not compliant', reach: 'SVHC' }],
      report: [ROLLUP(/"rohs":"not compliant"/)],
    },
    {
      name: 'exemptions in use with their parts and earliest date',
      files: {
        a: { part: 'P1', lists: [rohs({ Pb: exempt('6(c)') }), reach()] },
        b: { part: 'P2', ...LISTS },
      },
      beside: parts,
      options,
      rows: [{ part: 'P1' }, { part: 'P2' }],
      report: [
        ROLLUP(/"rohs":"compliant with exemptions"/),
        ROLLUP(/"6\(c\)","expires":"2027-06-30"/),
        ROLLUP(/"parts":\["P1"\]/),
      ],
    },
    {
      name: 'parts without data keep it from being compliant',
      files: { a: { part: 'P1', ...LISTS } },
      beside: parts,
      options,
      rows: [{ part: 'P1' }, { part: 'P2', status: 'missing' }],
      report: [ROLLUP(/"rohs":"incomplete"/), ROLLUP(/"withoutData":\{"parts":\[\{"part":"P2"/)],
    },
    {
      name: 'total mass where every unit is a piece',
      files: {
        a: { part: 'P1', mass: [2, 'g'], ...LISTS },
        b: { part: 'P2', mass: [500, 'mg'], ...LISTS },
      },
      beside: parts,
      options,
      rows: [
        { part: 'P1', mass_mg: 2000 },
        { part: 'P2', mass_mg: 500 },
      ],
      report: [ROLLUP(/"mass":\{"mg":4500/)],
    },
    {
      name: 'no total where a unit is a metre',
      files: {
        a: { part: 'P1', mass: [2, 'g'], unitType: 'Meter', ...LISTS },
        b: { part: 'P2', mass: [500, 'mg'], ...LISTS },
      },
      beside: parts,
      options,
      rows: [{ part: 'P1' }, { part: 'P2' }],
      report: [ROLLUP(/"mass":\{"mg":null/)],
    },
    {
      name: 'outline numbers are levels',
      files: { a: { part: 'P1', ...LISTS }, b: { part: 'P2', ...LISTS } },
      beside: { 'parts.csv': 'level,part number,quantity\n1,TOP,1\n1.1,BOARD,2\n1.1.1,P1,3\n1.2,P2,1\n' },
      options,
      rows: [{ part: 'P1' }, { part: 'P2' }, { part: 'TOP' }, { part: 'BOARD' }],
      report: [ROLLUP(/"rohs":"compliant"/), ROLLUP(/"pieces":7/)],
    },
    {
      name: 'a level that is skipped is read as such or warned of',
      files: { a: { part: 'P1', ...LISTS }, b: { part: 'P2', ...LISTS } },
      beside: { 'parts.csv': 'level,part number,quantity\n0,TOP,1\n2,P1,3\n1,P2,1\n' },
      options,
      rows: [{ part: 'P1' }, { part: 'P2' }, { part: 'TOP' }],
      report: [/level/i],
    },
  ])
})

describe('--substances gives the flat class D table', () => {
  it('with these columns, and confidential substances in it', async () => {
    await withFolder(async (cwd) => {
      const body = { ...material('body', 100, '7439-92-1', 10, 'Lead') }
      const secret = { name: 'Secret', cas: 'system', concentration: ['5'] as const }
      await writeFolder(join(cwd, 'xml'), {
        a: { mass: [100, 'mg'], materials: [{ ...body, substances: [...body.substances, secret] }] },
      })
      const result = await cli(['report', 'xml', '--substances', '--json'], { cwd })
      const { columns, rows } = result.json() as { columns: string[]; rows: Row[] }
      expect(columns.join(', ')).toBe(
        'part, material, material_mass_mg, substance, cas, cas_valid, mass_mg, percent_of_material, ppm_of_part, source',
      )
      expect(rows).toHaveLength(3)
      expect(rows[0]).toMatchObject({
        part: 'P1',
        material: 'body',
        substance: 'Lead',
        cas: '7439-92-1',
        mass_mg: 10,
        ppm_of_part: 100_000,
      })
      expect(rows[2]).toMatchObject({ substance: 'Secret', cas: 'system' })
    })
  })

  it('of the composition that counts', async () => {
    await withFolder(async (cwd) => {
      await writeFolder(join(cwd, 'xml'), {
        january: {
          date: '2026-01-10',
          mass: [100, 'mg'],
          materials: [material('old body', 100, '7439-92-1', 10)],
        },
        february: {
          date: '2026-02-10',
          mass: [100, 'mg'],
          materials: [material('body', 100, '7440-21-3', 10)],
        },
        march: { date: '2026-03-10', lists: [rohs()] },
      })
      const result = await cli(['report', 'xml', '--substances', '--json'], { cwd })
      const { rows } = result.json() as { rows: Row[] }
      expect([...new Set(rows.map(({ material: name }) => name))]).toEqual(['body'])
    })
  })
})

describe('--shard I/N takes the I-th of N parts of the sources', () => {
  it('and the N outputs together are the whole, row for row', async () => {
    await withFolder(async (cwd) => {
      const names = Array.from({ length: 12 }, (_, index) => `file${index}`)
      await writeFolder(
        join(cwd, 'xml'),
        Object.fromEntries(
          names.map((name, index) => [name, { part: `P${index}`, ...(index % 2 === 0 ? BAD : LISTS) }]),
        ),
      )
      const rowsOf = async (...options: string[]): Promise<string[]> => {
        const result = await cli(['report', 'xml', '--json', ...options], { cwd })
        return (result.json().rows as Row[]).map((row) => JSON.stringify(row))
      }
      const shards = [
        await rowsOf('--shard', '1/3'),
        await rowsOf('--shard', '2/3'),
        await rowsOf('--shard', '3/3'),
      ]
      expect(shards.flat().sort()).toEqual((await rowsOf()).sort())
      expect(shards.filter((rows) => rows.length > 0).length).toBeGreaterThan(1)
    })
  })
})
