import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createExemptionLookup, exemptionNumbers } from '../../../src/compliance/exemptions.ts'
import {
  type ReferenceTables,
  readReferenceTables,
  type TableFiles,
} from '../../../src/report/regulations/reference-tables.ts'
import { testWorld, withFolder } from '../../support/world.ts'

const NONE: TableFiles = {
  svhcUpdates: undefined,
  rohsExemptions: undefined,
  svhcSubstances: undefined,
  rohsSubstances: undefined,
}

function readWith(option: keyof TableFiles, text: string): Promise<ReferenceTables> {
  return withFolder(async (cwd) => {
    await writeFile(join(cwd, 'own.csv'), text)
    return readReferenceTables(testWorld({ cwd }), { ...NONE, [option]: 'own.csv' })
  })
}

describe('the built-in tables', () => {
  test('never say that an exemption has ended', async () => {
    expect(JSON.stringify(await readReferenceTables(testWorld(), NONE))).not.toMatch(/expired/i)
  })

  test('name official acts as the sources of exemptions, and nobody who tells of them', async () => {
    const { rohsExemptions } = await readReferenceTables(testWorld(), NONE)
    const other =
      /contradict|public note|citing|\bsays\b|https?:\/\/(?!\S*(eur-lex\.europa\.eu|legislation\.gov\.uk))/i
    for (const { source, note } of rohsExemptions.rows) {
      expect(source).toMatch(/^(Delegated )?Directive /)
      expect(`${source} ${note}`).not.toMatch(other)
    }
  })

  test('have all updates of the Candidate List up to 253 entries, in order', async () => {
    const { svhcUpdates } = await readReferenceTables(testWorld(), NONE)
    expect(svhcUpdates).toMatchObject({
      file: 'svhc-updates.csv of matdecl 0.0.0-test',
      isShipped: true,
      newest: '2026-02-04',
      checked: '',
    })
    expect(svhcUpdates.rows).toHaveLength(37)
    expect(svhcUpdates.rows[0]).toMatchObject({ date: '2008-10-28', entries: 15 })
    expect(svhcUpdates.rows.at(-1)).toMatchObject({ date: '2026-02-04', entries: 253 })
    expect(svhcUpdates.rows.every(({ confidence, source }) => confidence !== '' && source !== '')).toBe(true)
  })

  test('have at most one update in a month, so that EUREACH-MMYY names one', async () => {
    const { svhcUpdates } = await readReferenceTables(testWorld(), NONE)
    const months = svhcUpdates.rows.map(({ date }) => date.slice(0, 7))
    expect(new Set(months).size).toBe(months.length)
  })

  test('have exemptions by their legal numbers, each with source and confidence', async () => {
    const { rohsExemptions } = await readReferenceTables(testWorld(), NONE)
    expect(rohsExemptions).toMatchObject({ isShipped: true, newest: '2027-12-31', checked: '2026-11-21' })
    expect(rohsExemptions.rows).toHaveLength(94)
    for (const { exemption, annex, confidence, source } of rohsExemptions.rows) {
      expect(exemptionNumbers(exemption, `Annex ${annex}`)[0]?.number).toBe(exemption)
      expect(confidence).not.toBe('')
      expect(source).not.toBe('')
    }
  })
})

test.each([
  ['3(a)', 'Mercury'],
  ['4', 'Mercury'],
  ['7(c)', 'Lead'],
  ['9(b)', 'Lead'],
  ['IV-42', 'Mercury'],
  ['9', 'Hexavalent chromium,Cadmium'],
])('the exemption %s of the built-in table is for %s', async (identity, substances) => {
  const { rohsExemptions } = await readReferenceTables(testWorld(), NONE)
  const lookup = createExemptionLookup(rohsExemptions.rows, '2026-11-22')
  expect(lookup({ identity, list: '' }).flatMap((one) => one.substances)).toEqual(substances.split(','))
})

describe('a table of the user', () => {
  test('replaces the built-in one, and says which file it is', async () => {
    const text = 'date,entries,confidence\n2025-01-21,247,seen\n2026-06-30,260,seen\n'
    const { svhcUpdates, rohsExemptions } = await readWith('svhcUpdates', text)
    expect(svhcUpdates).toMatchObject({ file: 'own.csv', isShipped: false, newest: '2026-06-30' })
    expect(svhcUpdates.rows.map(({ entries }) => entries)).toEqual([247, 260])
    expect(rohsExemptions.isShipped).toBe(true)
  })

  test('may have any spelling of an exemption, further columns and no date', async () => {
    const text = 'exemption;annex;expires;confidence;checked;mine\n6c;III;;no date seen;2026-11-01;x\n'
    const { rohsExemptions } = await readWith('rohsExemptions', text)
    expect(rohsExemptions).toMatchObject({ newest: '', checked: '2026-11-01' })
    expect(rohsExemptions.rows[0]).toMatchObject({ exemption: '6c', expires: '', source: '', status: '' })
  })

  test('cannot write control characters to a terminal', async () => {
    const text = 'exemption,annex,expires,confidence,status\n6(c),III,2027-06-30,sure\u001b[31m,ok\u202e\n'
    const { rows } = (await readWith('rohsExemptions', text)).rohsExemptions
    expect(`${rows[0]!.confidence}${rows[0]!.status}`).not.toMatch(/[\u001b\u202e]/)
  })

  test.each<[keyof TableFiles, string, string]>([
    ['svhcUpdates', 'date,entries\n', 'own.csv:1: no column "confidence"'],
    ['svhcUpdates', 'date,entries,confidence\n', 'own.csv: the table has no rows'],
    [
      'svhcUpdates',
      'date,entries,confidence\n2025-02-30,1,x\n',
      "own.csv:2: date: invalid value '2025-02-30': expected a calendar date as YYYY-MM-DD",
    ],
    [
      'svhcUpdates',
      'date,entries,confidence\n2025-01-21,1,x\n2025-06-25,-5,x\n',
      "own.csv:3: entries: invalid value '-5': expected a positive whole number",
    ],
    [
      'svhcUpdates',
      'date,entries,confidence\n2025-06-25,1,x\n2025-01-21,2,x\n',
      'own.csv:3: date: 2025-01-21 is not after 2025-06-25',
    ],
    [
      'svhcUpdates',
      'date,entries,confidence\n2025-01-21,250,x\n2025-06-25,25,x\n',
      'own.csv:3: entries: 25 is less than 250 before',
    ],
    [
      'rohsExemptions',
      'exemption,annex,expires,confidence\n6(c),V,2027-06-30,x\n',
      "own.csv:2: annex: invalid value 'V': expected III or IV",
    ],
    [
      'rohsExemptions',
      'exemption,annex,expires,confidence\n6(c),III,June,x\n',
      "own.csv:2: expires: invalid value 'June': expected a calendar date as YYYY-MM-DD, or nothing",
    ],
    [
      'rohsExemptions',
      'exemption,annex,expires,confidence\n6(c),III,2027-06-30,\n',
      'own.csv:2: confidence: expected how sure the date is',
    ],
    [
      'rohsExemptions',
      'exemption,annex,expires,confidence\nlead,III,2027-06-30,x\n',
      "own.csv:2: exemption: invalid value 'lead': expected an exemption number such as 6(c), 7(c)-I or 31a",
    ],
  ])('%s that is wrong is refused: %j', async (option, text, message) => {
    await expect(readWith(option, text)).rejects.toMatchObject({
      kind: 'usage',
      message,
      details: { file: 'own.csv' },
    })
  })

  test('that does not exist is a usage failure', async () => {
    const reading = readReferenceTables(testWorld(), { ...NONE, svhcUpdates: '/no/such.csv' })
    await expect(reading).rejects.toMatchObject({ kind: 'usage', message: '/no/such.csv does not exist' })
  })
})
