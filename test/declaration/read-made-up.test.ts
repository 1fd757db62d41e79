import { describe, expect, it } from 'vitest'
import { type DeclarationClass, declarationXml, type XmlStandard } from '../../src/sandbox/declaration-xml.ts'
import { describePart, type MadeUpPart } from '../../src/sandbox/made-up.ts'
import { expectedOf } from '../support/expected-reports.ts'
import { readText } from '../support/read-text.ts'
import { sweep } from '../support/soak.ts'

const STANDARDS: readonly XmlStandard[] = ['1752A', '1752B']
const CLASSES: readonly DeclarationClass[] = ['C', 'D']

/** Every file that 192 parts of the made-up catalog are declared in: each of its situations, by each supplier. */
const FILES = Array.from({ length: sweep(24, 192) }, (_, n) => describePart(n)).flatMap((part) =>
  STANDARDS.flatMap((standard) =>
    CLASSES.flatMap((letter) => {
      const xml = declarationXml(part, standard, letter)
      return xml === undefined ? [] : [{ part, standard, letter, xml }]
    }),
  ),
)

const hasLists = (part: MadeUpPart, letter: DeclarationClass): boolean =>
  letter === 'C' || part.material?.withRegulatory === true

describe('rows read from made-up declarations', () => {
  it('cover all situations', () => {
    expect(new Set(FILES.map(({ part }) => part.situation)).size).toBe(24)
  })

  it('are one for each number of the family, unchanged, with the head of its file', () => {
    for (const { part, standard, letter, xml } of FILES) {
      const { rows } = readText(xml)
      expect(rows.map((row) => [row.part, row.requester_part, row.name])).toEqual(
        part.numbers.map(({ number, name, requesterNumber = '' }) => [number, requesterNumber, name]),
      )
      const approved = letter === 'C' ? part.regulatory?.approved : part.material?.approved
      for (const row of rows) {
        expect(row).toMatchObject({
          standard,
          supplier: part.supplier.name,
          company_id: part.style.taxNumber ? 'XX 00 000 000' : part.supplier.id,
          date: approved,
          mass_mg: part.massMg,
          status: 'declared',
          classes: letter === 'D' && part.material?.withRegulatory ? 'CD' : letter,
        })
      }
    }
  })

  it('have the RoHS status, its exemptions and its list, but not for class D alone', () => {
    for (const { part, letter, xml } of FILES) {
      const [row] = readText(xml).rows
      const { situation } = part
      const expected = expectedOf(part)
      const isTold = hasLists(part, letter)
      expect([situation, row?.rohs, row?.rohs_list]).toEqual([
        situation,
        isTold ? expected.rohs : 'not declared',
        isTold ? expected.rohsList : '',
      ])
      const exemptions = isTold ? expected.exemptions : []
      expect([situation, row?.exemptions === '']).toEqual([situation, exemptions.length === 0])
      for (const exemption of exemptions) expect(row?.exemptions).toContain(exemption)
    }
  })

  it('have the substances of very high concern, and no count without a list', () => {
    for (const { part, letter, xml } of FILES) {
      const [row] = readText(xml).rows
      const { situation } = part
      const expected = expectedOf(part)
      const svhc = hasLists(part, letter) ? expected.svhc : undefined
      expect([situation, row?.svhc_count, row?.reach_list]).toEqual([
        situation,
        svhc?.length ?? null,
        svhc === undefined ? '' : expected.reachList,
      ])
      expect([situation, [...(row?.svhc_names ?? [])].sort()]).toEqual([situation, [...(svhc ?? [])].sort()])
    }
  })

  it('have the share of the mass that class D declares, in any units', () => {
    for (const { part, letter, xml } of FILES) {
      const [row] = readText(xml).rows
      const { declaredPercent } = expectedOf(part)
      if (letter === 'C' || declaredPercent === undefined) expect(row?.declared_percent).toBeNull()
      else
        expect([part.situation, row?.declared_percent]).toEqual([
          part.situation,
          expect.closeTo(declaredPercent, 1),
        ])
    }
  })
})
