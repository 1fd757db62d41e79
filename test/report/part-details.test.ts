import { expect, test } from 'vitest'
import { partDetails } from '../../src/report/part-details.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readJudged } from '../support/read-text.ts'

test.each([
  ['0.05', 'not over', 'none'],
  ['3', 'not over, beside more than the limit, 3 % of the material', 'warn'],
])('a share of %s %% beside "not over": %s', (value, answer, tone) => {
  const lead = { over: 'false', inside: `<Concentration value="${value}"/>` }
  const list = listXml('EUROHS-1907', rohsCategories({ Lead: lead }))
  const { statements } = partDetails(readJudged(fileA(productXml(['P1'], list))))
  expect(statements.find(({ what }) => what === 'RoHS Lead')).toMatchObject({ answer, tone })
})
