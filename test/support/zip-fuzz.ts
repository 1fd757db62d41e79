import { zip } from './zip.ts'
import { GOOD_SPECIMENS } from './zip-good.ts'
import { createDice, mutate } from './zip-mutations.ts'

const ODD_SIZES = new Set(['accepted-ratio-of-small.zip', 'accepted-extra-long-local.zip'])

/** Good archives to be mutated: the small ones of the corpus, and a few like those of a service. */
export function fuzzSeeds(): Buffer[] {
  const xml = (part: number): string =>
    `<?xml version="1.0"?><r><ProductID itemNumber="P-${part}"/>${'<s/>'.repeat(part * 10)}</r>`
  const parts = Array.from({ length: 8 }, (_, part) => ({ name: `decl/part-${part}.xml`, data: xml(part) }))
  return [
    ...GOOD_SPECIMENS.filter(({ file }) => !ODD_SIZES.has(file)).map(({ bytes }) => bytes()),
    zip(parts),
    zip(parts.map((entry) => ({ ...entry, descriptor: 'signed' as const }))),
    zip(
      parts.map((entry) => ({ ...entry, method: 0 })),
      { zip64: {} },
    ),
    zip(parts, { comment: Buffer.from('a comment') }),
  ]
}

/** Mutation `index` of the seeds: the same bytes in every run. */
export function fuzzCase(seeds: readonly Buffer[], index: number): Buffer {
  const dice = createDice(index * 7919 + 17)
  return mutate(dice.pick(seeds), dice, seeds)
}
