import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { partDetails } from '../../src/report/part-details.ts'
import { cli } from '../support/cli.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readJudged } from '../support/read-text.ts'
import { withFolder } from '../support/world.ts'

test.each([
  ['0.05', 'not over', 'none'],
  ['3', 'not over, beside more than the limit, 3 % of the material', 'warn'],
])('a share of %s %% beside "not over": %s', (value, answer, tone) => {
  const lead = { over: 'false', inside: `<Concentration value="${value}"/>` }
  const list = listXml('EUROHS-1907', rohsCategories({ Lead: lead }))
  const { statements } = partDetails(readJudged(fileA(productXml(['P1'], list))))
  expect(statements.find(({ what }) => what === 'RoHS Lead')).toMatchObject({ answer, tone })
})

test('of an assembly, what its lines are is the reason', async () => {
  await withFolder(async (cwd) => {
    const xml = (part: string): string =>
      fileA(productXml([part], listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))))
    await writeFile(join(cwd, 'a.xml'), xml('A-1'))
    await writeFile(join(cwd, 'l.csv'), 'Level,MPN,Qty\n0,TOP-1,1\n1,A-1,1\n')
    const { stdout } = await cli(['report', 'a.xml', '--parts-file', 'l.csv', '--explain', 'TOP-1'], { cwd })
    expect(stdout).toContain('failed: in its lines: not compliant')
    expect(stdout).not.toContain('no RoHS list declared')
    await cli(['report', 'a.xml', '--parts-file', 'l.csv', '--annotate', '-o', 'own.csv'], { cwd })
    expect(await readFile(join(cwd, 'own.csv'), 'utf8')).toMatch(
      /^0,TOP-1,.*,"in its lines: not compliant, without a Candidate List",/m,
    )
  })
})
