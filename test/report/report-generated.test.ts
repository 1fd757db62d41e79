import { describe, expect, it } from 'vitest'
import { isValidCas } from '../../src/compliance/substance-identity.ts'
import { declarationXml } from '../../src/sandbox/declaration-xml.ts'
import type { MaterialFacts } from '../../src/sandbox/facts.ts'
import { describePart, type MadeUpPart } from '../../src/sandbox/made-up.ts'
import { expectedOf } from '../support/expected-reports.ts'
import { type ReadText, readText } from '../support/read-text.ts'

/** One generated file: its part, standard and class, and the rows read from it. */
interface Generated {
  readonly part: MadeUpPart
  readonly standard: '1752A' | '1752B'
  readonly letter: 'C' | 'D'
  readonly read: ReadText
}

function* generate(parts: number): Generator<Generated> {
  for (let n = 0; n < parts; n += 1) {
    const part = describePart(n)
    for (const standard of ['1752A', '1752B'] as const) {
      for (const letter of ['C', 'D'] as const) {
        const text = declarationXml(part, standard, letter)
        if (text !== undefined) yield { part, standard, letter, read: readText(text) }
      }
    }
  }
}

const ALL = [...generate(400)]

/** True when the file has the class C lists. */
const isRegulatory = ({ part, letter }: Generated): boolean =>
  letter === 'C' || part.material?.withRegulatory === true

function materialsOf({ part, standard, letter }: Generated): readonly MaterialFacts[] {
  if (letter === 'C') return []
  const subProducts = standard === '1752B' ? (part.material?.subProducts ?? []) : []
  return subProducts.length > 0
    ? subProducts.flatMap(({ materials }) => materials)
    : (part.material?.materials ?? [])
}

/** The differences, with the case that the file represents. */
function mistakes(check: (file: Generated) => void): string[] {
  const found: string[] = []
  for (const file of ALL) {
    try {
      check(file)
    } catch (error) {
      found.push(
        `${file.part.situation}, ${file.standard} ${file.letter}: ${String((error as Error).message)}`,
      )
    }
  }
  return found.slice(0, 5)
}

describe('a report of generated files', () => {
  it('covers a thousand files of both standards and classes', () => {
    expect(ALL.length).toBeGreaterThan(1_000)
    expect(new Set(ALL.map(({ standard, letter }) => standard + letter)).size).toBe(4)
    expect(new Set(ALL.map(({ part }) => part.situation)).size).toBeGreaterThan(20)
  })

  it('has a row for every number of the family, with the name and the buyer’s number', () => {
    expect(
      mistakes(({ part, read }) => {
        const rows = read.rows.map((row) => [row.part, row.name, row.requester_part])
        expect(rows).toEqual(
          part.numbers.map(({ number, name, requesterNumber }) => [number, name, requesterNumber ?? '']),
        )
      }),
    ).toEqual([])
  })

  it('has the RoHS status, the exemptions, and their list', () => {
    expect(
      mistakes((file) => {
        const expected = expectedOf(file.part)
        for (const row of file.read.rows) {
          expect(row.rohs).toBe(isRegulatory(file) ? expected.rohs : 'not declared')
          expect(row.rohs_list).toBe(isRegulatory(file) ? expected.rohsList : '')
          const identities =
            row.exemptions === '' ? [] : row.exemptions.split('; ').map((one) => one.split(' ')[0])
          expect(identities).toEqual(isRegulatory(file) ? expected.exemptions : [])
        }
      }),
    ).toEqual([])
  })

  it('has the SVHCs above 0.1 %, and no count without a REACH list', () => {
    expect(
      mistakes((file) => {
        const svhc = isRegulatory(file) ? expectedOf(file.part).svhc : undefined
        for (const row of file.read.rows) {
          expect(row.svhc_count).toBe(svhc?.length ?? null)
          expect([...row.svhc_names].sort()).toEqual([...(svhc ?? [])].sort())
          expect(row.reach_list).toBe(isRegulatory(file) ? expectedOf(file.part).reachList : '')
        }
      }),
    ).toEqual([])
  })

  it('has the sender, the date, the standard and the classes', () => {
    expect(
      mistakes((file) => {
        const { part, standard, letter, read } = file
        const both = letter === 'D' && part.material?.withRegulatory === true
        for (const row of read.rows) {
          expect(row.supplier).toBe(part.supplier.name)
          expect(row.company_id).toBe(part.style.taxNumber ? 'XX 00 000 000' : part.supplier.id)
          expect(row.date).toBe((letter === 'C' ? part.regulatory : part.material)!.approved)
          expect(row.standard).toBe(standard)
          expect(row.classes).toBe(both ? 'CD' : letter)
          expect(row.status).toBe('declared')
          expect(row.note).not.toContain('announces')
        }
      }),
    ).toEqual([])
  })

  it('has the mass and the declared share', () => {
    expect(
      mistakes((file) => {
        const { part, letter, read } = file
        for (const row of read.rows) {
          expect(row.mass_mg).toBeCloseTo(part.massMg, 6)
          const expected = letter === 'D' ? expectedOf(part).declaredPercent : undefined
          // Without a mass, the share is relative to the materials, which the generator does not report.
          if (letter === 'C') expect(row.declared_percent).toBeNull()
          else if (expected !== undefined) expect(row.declared_percent).toBeCloseTo(expected, 1)
        }
      }),
    ).toEqual([])
  })

  it('has every substance with its identity and mass', () => {
    expect(
      mistakes((file) => {
        const { numbers, massMg } = file.part
        const facts = materialsOf(file).flatMap((material) =>
          material.substances.map((substance) => ({ material, substance })),
        )
        const { substances } = file.read
        expect(substances).toHaveLength(facts.length * numbers.length)
        facts.forEach(({ material, substance }, index) => {
          const row = substances[index]!
          expect(row.part).toBe(numbers[0].number)
          expect(row.material.endsWith(material.name)).toBe(true)
          expect(row.substance).toBe(substance.name)
          expect(row.cas).toBe(substance.cas)
          expect(row.cas_valid).toBe(isValidCas(substance.cas))
        })
        if (massMg > 0 && facts.length > 0)
          expect(sum(substances.map((row) => row.mass_mg)) / numbers.length).toBeCloseTo(
            declaredMass(file.part),
            1,
          )
      }),
    ).toEqual([])
  })
})

function declaredMass(part: MadeUpPart): number {
  return (part.massMg * expectedOf(part).declaredPercent!) / 100
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}
