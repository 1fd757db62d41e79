import { expect, test } from 'vitest'
import { createDeclarationReader } from '../../../src/declaration/read-declaration.ts'
import { verdictOf } from '../../../src/report/row-findings.ts'
import { judgedRow } from '../../../src/report/rows/make-row.ts'
import { partDeclaration, partFacts, type ReadPart } from '../../../src/report/rows/part-declaration.ts'
import { judgingContext } from '../../support/reference-tables.ts'
import { seeded } from '../../support/seeded.ts'
import { sweep } from '../../support/soak.ts'
import { WRITERS, xmlOf } from './declarations.ts'
import { CLEAN, changedOnce, declarationOf, type Meant, meaningOf, randomPart, type Told } from './oracle.ts'

const NOW = Date.parse('2026-03-04T12:00:00Z')
const context = await judgingContext(NOW)

/** What the program says of a part, by its files. */
function reported(part: readonly Told[], seed: number): Meant & { readonly findings: readonly string[] } {
  const declarations = part.flatMap((told, index) => {
    const found: ReadPart[] = []
    const reader = createDeclarationReader((product) => found.push(...partFacts(product, context.substances)))
    reader.write(xmlOf(declarationOf(told, index), WRITERS[(seed + index) % WRITERS.length]))
    reader.end()
    return found.flatMap((one) => partDeclaration(one, reader.header(), `${index}.xml`) ?? [])
  })
  const { judged, findings } = judgedRow(declarations, context)
  return {
    rohs: judged.rohs.status,
    reach: judged.reach.status,
    verdict: verdictOf(findings),
    findings: findings.map(({ rule, sentence }) => `${rule}: ${sentence}`),
  }
}

/** A part in few words: what differs from a clean declaration. */
function inShort(part: readonly Told[]): string {
  const plain = new Set([...CLEAN.rohs!, ...CLEAN.reach!].map((one) => JSON.stringify(one)))
  return part
    .map(({ rohs, reach, ...told }) => {
      const odd = (all: Told['rohs']): unknown =>
        all && [all.length, ...all.filter((one) => !plain.has(JSON.stringify(one)))]
      return JSON.stringify({ ...told, rohs: odd(rohs), reach: odd(reach) })
    })
    .join('\n  ')
}

test('random declarations of a part mean what the contract says', () => {
  const random = seeded(20_261_126)
  const problems: string[] = []
  for (let seed = 0; seed < sweep(40, 10_000); seed += 1) {
    const part = randomPart(random)
    const [{ findings, ...own }, meant] = [reported(part, seed), meaningOf(part)]
    if (JSON.stringify(own) === JSON.stringify(meant)) continue
    problems.push(
      `${seed}: ${JSON.stringify(own)}, expected ${JSON.stringify(meant)}\n  ${inShort(part)}\n  ${findings.join('\n  ')}`,
    )
  }
  if (problems.length > 0) expect.fail(`${problems.length} problems\n${problems.slice(0, 5).join('\n')}`)
})

test('nothing reassures: a clean part with one change is clean only where the change is no worse', () => {
  const random = seeded(20_261_127)
  const older: Told = {
    ...CLEAN,
    day: 1,
    reach: CLEAN.reach!.map((one) => ({ ...one, answer: isLead(one) ? 'over' : one.answer })),
  }
  const problems: string[] = []
  let clean = 0
  for (let seed = 0; seed < sweep(30, 5_000); seed += 1) {
    // A newer file that takes back what an older one has over, or a file alone.
    const before: readonly Told[] = seed % 2 === 0 ? [CLEAN] : [{ ...CLEAN, day: 3 }, older]
    expect(meaningOf(before).verdict).toBe('clean')
    const after = [changedOnce(random, before[0]!), ...before.slice(1)]
    const { findings: _, ...own } = reported(after, seed)
    if (own.verdict === 'clean') clean += 1
    if (own.verdict === 'clean' && meaningOf(after).verdict !== 'clean') {
      problems.push(`${seed}: ${JSON.stringify(own)}\n  ${inShort(after)}`)
    }
  }
  if (problems.length > 0) expect.fail(`${problems.length} problems\n${problems.slice(0, 5).join('\n')}`)
  expect(clean).toBeGreaterThan(0)
})

function isLead({ subject }: NonNullable<Told['reach']>[number]): boolean {
  return 'entry' in subject && subject.entry.name === 'Lead'
}
