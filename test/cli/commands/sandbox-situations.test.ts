import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { EXPECTED } from '../../support/special-parts.ts'
import { withFolder } from '../../support/world.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const DOWNLOAD = ['download', '--sandbox', '--supplier', '800900100', '-o', 'special.zip']

/** Parts whose newest declaration says something else than all of them together. */
const NEWEST: Readonly<Record<string, readonly [rohs: string, reach: string]>> = {
  'HA-ROHS-LATER': ['compliant', 'not declared'],
  'HA-WITHDRAWN': ['compliant', 'no SVHC'],
  'HA-OTHER-COMPANY': ['compliant', 'no SVHC'],
  'HA-PARTLY': ['not declared', 'not declared'],
  'HA-WHOLLY': ['not declared', 'not declared'],
}

/** What else their rows have. */
const MORE: Readonly<Record<string, object>> = {
  'HA-METER': { unit_type: 'Meter', svhc_list_behind: 12 },
  'HA-7A': { exemption_expires: '2027-06-30' },
  'HA-42': { exemption_expires: '' },
  'HA-SVHC': { svhc: 'Boric acid (00035, 1.5 %)', svhc_count: 1 },
  'HA-OLD-LIST': { svhc_list_behind: 56 },
  'HA-NEW-LIST': { svhc_list_behind: 0 },
  'HA-UNSTATED': { other_lists: 'IEC_62474 D19.00: incomplete' },
  'HA-INDICATED': {
    indications: 'Lead (7439-92-1): RoHS Lead 3 % of Terminals; Lead (7439-92-1): SVHC 0.9 % of the part',
  },
  'HA-SECRET': { indications: '' },
  'HA-NAMED-LIST': { other_lists: 'REACH SVHC 2024: over: Lead' },
  'HA-OTHER-LIST': { other_lists: 'IEC_62474 D19.00: over: Asbestos' },
  'HA-DATE': { date: '' },
  'HA-OTHER-METAL': { exemptions: '' },
}

/** What their notes say. */
const NOTES: Readonly<Record<string, string>> = {
  'HA-8B-I': 'nominal date passed 2021-07-21, no renewal decision found',
  'HA-42': 'not judged',
  'HA-PHTHALATES': 'RoHS: Cadmium, Hexavalent chromium, Lead, Mercury, PBB, PBDE not stated',
  'HA-NO-NUMBER': 'exemption "see comment" of Lead/lead compounds has no number',
  'HA-OTHER-METAL': 'exemption 8(b) is for Cadmium',
  'HA-VALUE': 'contradictory: Lead/lead compounds: concentration 0.5 % beside "not over" in EUROHS-1907',
  'HA-ANSWER':
    'contradictory: class A A-1 "No RoHS substance is above its limit" against Lead/lead compounds',
  'HA-SECRET': '4 substances without a CAS number: not screened; confidential ("system"): 1 substance',
  'HA-NAMED-LIST':
    'list REACH SVHC 2024 is not identified as a Candidate List (EUREACH-MMYY): states over Lead',
  'HA-FEW': '3 of 241 entries of EUREACH-0624',
  'HA-GROUP': 'overThreshold="true"',
  'HA-BESIDE': 'aboveThreshold="true" of a SubstanceSummary is not understood',
  'HA-TWO-WAYS': '"1,500 ppm" of Lead/lead compounds can be read in two ways: not read',
  'HA-DIBUTYLTIN': 'RoHS: DBP not stated',
  'HA-REJECTED': 'exemption "6(c): rejected" of Lead/lead compounds',
  'HA-DEHP': '5.25 % of the article in EUREACH-0624, DEHP "not over" in EUROHS-1907',
  'HA-OTHER-ROHS': 'over in China RoHS 2, not over in EUROHS-1907',
  'HA-PENDING': 'has not accepted this declaration yet',
  'HA-COMMENT': 'comment: WITHDRAWN, see notice 12',
  'HA-DATE': 'response date "02/10/2025" is not a date',
}

type Row = Readonly<Record<string, unknown>>

test('a report on the special supplier of the sandbox has every situation', async () => {
  await withFolder(async (cwd) => {
    const got = await cli([...DOWNLOAD, '--format-class', 'checkDthenC', '-q'], { cwd })
    expect(got.stderr).toBe('')
    const { json } = await cli(['report', 'special.zip', '--json'], { cwd, nowMs: NOW })
    const { rows, counts } = json() as { readonly rows: readonly Row[]; readonly counts: unknown }
    expect(Object.fromEntries(rows.map((row) => [row.part, [row.rohs, row.reach]]))).toEqual({
      ...Object.fromEntries(Object.entries(EXPECTED).map(([part, [rohs, reach]]) => [part, [rohs, reach]])),
      ...NEWEST,
    })
    for (const row of rows) {
      const part = String(row.part)
      expect(row).toMatchObject(MORE[part] ?? {})
      expect(row.note, part).toContain(NOTES[part] ?? '')
    }
    expect(counts).toMatchObject({ requests: 1, files: rows.length + 1 })
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
        svhcs: [{ substance: 'Boric acid', parts: ['HA-SVHC'] }],
        mass: { mg: null },
      },
    })
    const [gated] = (json().rows as { part: string; gate: string }[]).filter(({ part }) => part === 'HA-LEAD')
    expect(gated?.gate).toBe('not-compliant (waived until 2027-01-31: last time buy)')
    expect((await cli([...argv, ...gate.slice(0, 2)], { cwd, nowMs: NOW })).code).toBe(13)
  })
})
