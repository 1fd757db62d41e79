import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const DOWNLOAD = ['download', '--sandbox', '--supplier', '800900100', '-o', 'special.zip']
const GATE = 'not-compliant,svhc,incomplete,not-declared,unaccepted,exemption-expires:2026-12-31'

test('a report on the special supplier of the sandbox has every situation', async () => {
  await withFolder(async (cwd) => {
    const got = await cli([...DOWNLOAD, '--format-class', 'checkDthenC', '-q'], { cwd })
    expect(got.stderr).toBe('')
    const argv = ['report', 'special.zip', '--json', '--fail-on', GATE]
    const { code, json } = await cli(argv, { cwd, nowMs: NOW })
    const result = json() as {
      readonly rows: readonly Readonly<Record<string, unknown>>[]
      readonly counts: unknown
    }
    expect(code).toBe(13)
    expect(
      result.rows.map((row) => [row.part, row.rohs, row.exemption_expires, row.svhc_list_behind, row.gate]),
    ).toEqual([
      ['HA-CLASS-A', 'not declared', '', null, 'not-declared'],
      ['HA-METER', 'compliant', '', 12, ''],
      ['HA-UNACCEPTED', 'compliant', '', 12, 'unaccepted'],
      ['HA-6A', 'compliant with exemptions', '2026-12-11', 12, 'exemption-expires:2026-12-31'],
      ['HA-7A', 'compliant with exemptions', '2027-06-30', 12, ''],
      ['HA-8B-I', 'compliant with exemptions', '2021-07-21', 12, 'exemption-expires:2026-12-31'],
      ['HA-42', 'compliant with exemptions', '', 12, ''],
      ['HA-FORM', 'incomplete', '', 12, 'incomplete'],
      ['HA-LEAD', 'not compliant', '', 12, 'not-compliant'],
      ['HA-SVHC', 'compliant', '', 12, 'svhc'],
      ['HA-OLD-LIST', 'compliant', '', 56, ''],
      ['HA-NEW-LIST', 'compliant', '', 0, ''],
      ['HA-FEW', 'compliant', '', 12, ''],
      ['HA-UNSTATED', 'compliant', '', 12, ''],
      ['HA-NESTED', 'compliant', '', 12, ''],
      ['HA-SHARES', 'compliant', '', 12, ''],
      ['HA-SUBSTANCE', 'compliant with exemptions', '2027-06-30', 12, ''],
      ['HA-BETTER', 'compliant', '', 12, ''],
      ['HA-WORSE', 'compliant', '', 12, 'svhc'],
      ['HA-ANSWERED', 'compliant', '', 12, ''],
      ['HA-LATE', 'compliant', '', 12, ''],
    ])
    expect(result.counts).toMatchObject({ requests: 1, files: 22 })
    const note = (part: string): unknown => result.rows.find((row) => row.part === part)?.note
    expect(note('HA-8B-I')).toContain('nominal date passed, renewal status unknown')
    expect(note('HA-42')).toContain('not judged')
    expect(result.rows.find(({ part }) => part === 'HA-METER')).toMatchObject({ unit_type: 'Meter' })
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
        svhcs: [{ substance: 'Lead', parts: ['HA-SVHC'] }],
        mass: { mg: null },
      },
    })
    const [gated] = (json().rows as { part: string; gate: string }[]).filter(({ part }) => part === 'HA-LEAD')
    expect(gated?.gate).toBe('not-compliant (waived until 2027-01-31: last time buy)')
    expect((await cli([...argv, ...gate.slice(0, 2)], { cwd, nowMs: NOW })).code).toBe(13)
  })
})
