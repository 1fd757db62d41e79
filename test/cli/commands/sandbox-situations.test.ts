import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const DOWNLOAD = ['download', '--sandbox', '--supplier', '800900100', '-o', 'special.zip']
const GATE =
  'not-compliant,svhc,incomplete,not-declared,reach-not-declared,unaccepted,contradictory,indicated,over:IEC_62474,exemption-expires:2026-12-31'

/** What the report says of each part: RoHS, REACH, the rules that it matches, and what the rest of the row must have. */
const EXPECTED: readonly (readonly [
  part: string,
  rohs: string,
  reach: string,
  gate: string,
  more?: object,
])[] = [
  ['HA-CLASS-A', 'not declared', 'not declared', 'not-declared; reach-not-declared'],
  ['HA-METER', 'compliant', 'no SVHC', '', { unit_type: 'Meter', svhc_list_behind: 12 }],
  ['HA-UNACCEPTED', 'compliant', 'no SVHC', 'unaccepted'],
  ['HA-6A', 'compliant with exemptions', 'no SVHC', 'exemption-expires:2026-12-31'],
  ['HA-7A', 'compliant with exemptions', 'no SVHC', '', { exemption_expires: '2027-06-30' }],
  ['HA-8B-I', 'compliant with exemptions', 'no SVHC', 'exemption-expires:2026-12-31'],
  ['HA-42', 'compliant with exemptions', 'no SVHC', '', { exemption_expires: '' }],
  ['HA-FORM', 'incomplete', 'no SVHC', 'incomplete'],
  ['HA-LEAD', 'not compliant', 'no SVHC', 'not-compliant'],
  ['HA-SVHC', 'compliant', 'SVHC', 'svhc', { svhc: 'Lead (00026, 1.5 %)' }],
  ['HA-OLD-LIST', 'compliant', 'no SVHC', '', { svhc_list_behind: 56 }],
  ['HA-NEW-LIST', 'compliant', 'no SVHC', '', { svhc_list_behind: 0 }],
  ['HA-FEW', 'compliant', 'no SVHC', ''],
  ['HA-UNSTATED', 'compliant', 'no SVHC', '', { other_lists: 'IEC_62474 D19.00: incomplete' }],
  ['HA-NESTED', 'compliant', 'no SVHC', ''],
  ['HA-SHARES', 'compliant', 'no SVHC', ''],
  ['HA-SUBSTANCE', 'compliant with exemptions', 'no SVHC', 'indicated'],
  ['HA-PHTHALATES', 'incomplete', 'no SVHC', 'incomplete'],
  ['HA-NO-NUMBER', 'incomplete', 'no SVHC', 'incomplete'],
  ['HA-OTHER-METAL', 'not compliant', 'no SVHC', 'not-compliant'],
  ['HA-UNKNOWN-NUMBER', 'compliant with exemptions', 'no SVHC', ''],
  ['HA-VALUE', 'compliant', 'no SVHC', 'contradictory'],
  ['HA-ANSWER', 'not compliant', 'no SVHC', 'not-compliant; contradictory'],
  [
    'HA-INDICATED',
    'compliant',
    'no SVHC',
    'indicated',
    {
      indications: 'Lead (7439-92-1): RoHS Lead 3 % of Terminals; Lead (7439-92-1): SVHC 0.9 % of the part',
    },
  ],
  ['HA-SECRET', 'compliant', 'no SVHC', '', { indications: '' }],
  ['HA-NAMED-LIST', 'compliant', 'incomplete', 'incomplete', { other_lists: 'REACH SVHC 2024: over: Lead' }],
  [
    'HA-OTHER-LIST',
    'compliant',
    'no SVHC',
    'over:IEC_62474',
    { other_lists: 'IEC_62474 D19.00: over: Asbestos' },
  ],
  ['HA-DATE', 'compliant', 'no SVHC', '', { date: '' }],
  ['HA-ROHS-LATER', 'compliant', 'not declared', 'reach-not-declared'],
  ['HA-WITHDRAWN', 'compliant', 'no SVHC', 'unaccepted'],
  ['HA-BETTER', 'compliant', 'no SVHC', ''],
  ['HA-WORSE', 'compliant', 'SVHC', 'svhc'],
  ['HA-ANSWERED', 'compliant', 'no SVHC', ''],
  ['HA-LATE', 'compliant', 'no SVHC', ''],
]

/** What their notes say. */
const NOTES: Readonly<Record<string, string>> = {
  'HA-8B-I': 'nominal date passed (renewal decision not found)',
  'HA-42': 'not judged',
  'HA-PHTHALATES': 'RoHS: not stated: Cadmium, Hexavalent chromium, Lead, Mercury, PBB, PBDE',
  'HA-NO-NUMBER': 'exemption "see comment" of Lead/lead compounds is not an exemption number',
  'HA-OTHER-METAL': 'exemption 8(b) is for Cadmium',
  'HA-VALUE': 'contradictory: Lead/lead compounds: concentration 0.5 % beside "not over" in EUROHS-1907',
  'HA-ANSWER':
    'contradictory: class A A-1 "No RoHS substance is above its limit" against Lead/lead compounds',
  'HA-SECRET':
    '4 substances without a CAS number or share: not screened; confidential ("system"): 1 substance',
  'HA-NAMED-LIST':
    'list REACH SVHC 2024 is not identified as a Candidate List (EUREACH-MMYY): states over Lead',
  'HA-DATE': 'response date "02/10/2025" is not a date',
}

type Row = Readonly<Record<string, unknown>>

test('a report on the special supplier of the sandbox has every situation', async () => {
  await withFolder(async (cwd) => {
    const got = await cli([...DOWNLOAD, '--format-class', 'checkDthenC', '-q'], { cwd })
    expect(got.stderr).toBe('')
    const argv = ['report', 'special.zip', '--json', '--fail-on', GATE]
    const { code, json } = await cli(argv, { cwd, nowMs: NOW })
    const { rows, counts } = json() as { readonly rows: readonly Row[]; readonly counts: unknown }
    expect(code).toBe(13)
    expect(rows.map((row) => [row.part, row.rohs, row.reach, row.gate])).toEqual(
      EXPECTED.map(([part, rohs, reach, gate]) => [part, rohs, reach, gate]),
    )
    for (const [index, [part, , , , more = {}]] of EXPECTED.entries()) {
      expect({ part, ...rows[index] }).toMatchObject(more)
      expect(rows[index]!.note).toContain(NOTES[part] ?? '')
    }
    expect(counts).toMatchObject({ requests: 1, files: 35, contradictory: 2, indicated: 2 })
  })
})

test('its findings can be waived, its request leaves a part missing, and its goods per meter have no total mass', async () => {
  await withFolder(async (cwd) => {
    await cli([...DOWNLOAD, '-q'], { cwd })
    await writeFile(
      join(cwd, 'waivers.csv'),
      'part,rule,reason,owner,until\nHA-LEAD,not-compliant,last time buy,J. Doe,2027-01-31\nHA-SVHC,svhc,replaced in June,J. Doe,2027-01-31\n',
    )
    await writeFile(
      join(cwd, 'product.csv'),
      'level,part number,quantity\n0,DEVICE,1\n1,HA-LEAD,2\n1,HA-SVHC,1\n1,HA-REQUEST,1\n1,HA-METER,3\n',
    )
    const argv = ['report', 'special.zip', '--parts-file', 'product.csv', '--json']
    const gate = ['--fail-on', 'not-compliant,svhc', '--waivers', 'waivers.csv']
    const { code, json } = await cli([...argv, ...gate], { cwd, nowMs: NOW })
    expect(code).toBe(0)
    expect(json()).toMatchObject({
      waivers: { findings: 2 },
      counts: { missing: 1, assembly: 1 },
      rollup: {
        rohs: 'not compliant',
        withoutData: { parts: [{ part: 'HA-REQUEST', reason: 'missing' }] },
        reach: { status: 'SVHC' },
        svhcs: [{ substance: 'Lead', parts: ['HA-SVHC'] }],
        mass: { mg: null },
      },
    })
    const [gated] = (json().rows as { part: string; gate: string }[]).filter(({ part }) => part === 'HA-LEAD')
    expect(gated?.gate).toBe('not-compliant (waived until 2027-01-31: last time buy)')
    expect((await cli([...argv, ...gate.slice(0, 2)], { cwd, nowMs: NOW })).code).toBe(13)
  })
})
