import { describe, expect, it } from 'vitest'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readRow } from '../support/read-text.ts'

const rowOf = (info: string): ReturnType<typeof readRow> => readRow(fileA(productXml(['P1'], info)))
const list = (inside: string): string =>
  `<QueryList><QueryListID identity="EUROHS-0508" authority="IPC"/>${inside}</QueryList>`
const TWO = '<Query statement="Product meets EU RoHS" response="false"/>'

describe('a class A declaration', () => {
  it.each([
    [
      'a statement as attributes',
      `${TWO}<Query code="A3" statement="Selected exemptions are claimed" response="true"/>`,
      'states A3 "Selected exemptions are claimed"',
    ],
    [
      'a code and an answer as elements',
      '<Query statement="Obsolete, no information"><QueryID identity="A5" authority="IPC"/><Response value="true"/></Query>',
      'states A5 "Obsolete, no information"',
    ],
    ['only codes', '<Query identity="A1" answer="yes"/><Query identity="A2" answer="no"/>', 'states A1'],
    [
      'two statements that are true',
      '<Query code="A1" response="1"/><Query code="A2" response="1"/>',
      'states A1, A2',
    ],
    ['nothing true', TWO, 'none of 1 statements is true'],
    ['no answer', '<Query code="A1"/>', 'no answer understood for A1'],
    ['an unknown answer', '<Query code="A1" response="maybe"/>', 'no answer understood for A1'],
    ['no statements', '', 'without a statement'],
  ])('with %s is noted, and RoHS stays not declared', (_, inside, note) => {
    const row = rowOf(list(inside))
    expect(row).toMatchObject({ classes: 'A', rohs: 'not declared', rohs_list: '', svhc_count: null })
    expect(row.note.split('; ')).toContain(`class A, EUROHS-0508: ${note}`)
  })

  it('does not change what class C states', () => {
    const row = rowOf(
      list('<Query code="A1" response="true"/>') +
        listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } })),
    )
    expect(row).toMatchObject({ classes: 'AC', rohs: 'not compliant' })
    expect(row.note).toContain('class A, EUROHS-0508: states A1')
  })

  it.each(['maybe', 'ja', '是', 'TRUE?'])(
    'with the answer %s beside class C makes it incomplete',
    (answer) => {
      const row = rowOf(
        list(`<Query code="A2" statement="Contains RoHS substances above limits" response="${answer}"/>`) +
          listXml('EUROHS-1907', rohsCategories()),
      )
      expect(row).toMatchObject({ rohs: 'incomplete' })
      expect(row.note).toContain(`class A, EUROHS-0508: answer not understood ("${answer}")`)
    },
  )

  it.each([
    ['<Query code="A2" response="true"/>', 'statement not understood (A2)'],
    [
      '<Query statement="Enthält RoHS-Stoffe" response="true"/>',
      'statement not understood ("Enthält RoHS-Stoffe")',
    ],
    [`${TWO}<Query statement="Contains RoHS substances" response="false"/>`, 'none of 2 statements is true'],
  ])('of %s beside class C makes it incomplete', (inside, gap) => {
    const row = rowOf(list(inside) + listXml('EUROHS-1907', rohsCategories()))
    expect(row).toMatchObject({ rohs: 'incomplete' })
    expect(row.note.split('; ').filter((note) => note.includes(gap))).toEqual([
      `incomplete: class A, EUROHS-0508: ${gap}`,
    ])
  })

  it.each(['N', 'n/a', 'false', 'unchecked'])('with the answer %s is not made', (answer) => {
    const row = rowOf(
      list(`<Query code="A2" statement="Obsolete" response="${answer}"/>`) +
        listXml('EUROHS-1907', rohsCategories()),
    )
    expect(row).toMatchObject({ rohs: 'compliant' })
  })

  it('with Y against class C is contradictory', () => {
    const row = rowOf(
      list('<Query code="A2" statement="Does not meet RoHS" response="Y"/>') +
        listXml('EUROHS-1907', rohsCategories()),
    )
    expect(row.note).toContain('contradictory: class A')
  })
})
