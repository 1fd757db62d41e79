import { describe, expect, it } from 'vitest'
import { batchOf, joinBatches, type ReadBatch } from '../../../src/report/report-batch.ts'
import { createRequestedParts } from '../../../src/report/requested-parts.ts'
import type { JudgedRow, SubstanceRow } from '../../../src/report/rows/report-row.ts'
import { unreadableRow } from '../../../src/report/rows/report-row.ts'
import {
  createRowResolver,
  type ResolvedBatch,
  type ResolveOptions,
} from '../../../src/report/rows/resolve-rows.ts'
import { partRowOf } from '../../support/report-rows.ts'
import { pick, seeded } from '../../support/seeded.ts'

/** A file: its rows; each has two substances. */
type File = readonly JudgedRow[]

const substanceOf = (row: JudgedRow, n: number): SubstanceRow =>
  ({ part: row.part, substance: `${row.name} ${n}`, source: row.source }) as SubstanceRow

/** The batches of files, each row and substance at random in the batch of its predecessor or in the next one. */
function batchesOf(files: readonly File[], random: () => number): ReadBatch[] {
  const batches = [batchOf({})]
  const add = (more: Partial<ReadBatch>): void => {
    const last = batches.at(-1)!
    const next = batchOf(more)
    if (random() < 0.4) batches.push(next)
    else batches[batches.length - 1] = joinBatches([last, next])
  }
  for (const file of files) {
    add({ starts: [0] })
    for (const row of file) {
      add({ rows: [row] })
      for (const n of [1, 2]) add({ substances: [substanceOf(row, n)], owners: [-1] })
    }
  }
  return batches
}

function resolveAll(
  files: readonly File[],
  random: () => number,
  { askedParts, ...more }: Partial<ResolveOptions> & { askedParts?: readonly string[] } = {},
): ResolvedBatch {
  const asked = createRequestedParts(askedParts)
  const resolver = createRowResolver({ asked, allParts: false, history: false, ...more })
  const batches = batchesOf(files, random)
  batches.forEach(resolver.see)
  // The rows can be resolved as often as they are needed.
  const first = batches.map(resolver.resolveAll())
  const resolved = batches.map(resolver.resolveAll())
  expect(resolved).toEqual(first)
  return {
    rows: resolved.flatMap(({ rows }) => rows),
    substances: resolved.flatMap(({ substances }) => substances),
    superseded: resolved.reduce((sum, batch) => sum + batch.superseded, 0),
    notListed: resolved.reduce((sum, batch) => sum + batch.notListed, 0),
  }
}

/** Random files of some parts; `name` is different for each row. */
function someFiles(random: () => number, count: number): File[] {
  return Array.from({ length: count }, (_, file) => {
    const date = pick(random, ['', '2024-01-01', '2024-06-30', '2025-02-28'])
    const company_id = pick(random, ['111111111', '222222222'])
    if (random() < 0.1) return [unreadableRow(`f${file}`, 'broken')]
    return Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) =>
      partRowOf({
        part: pick(random, ['A', 'B', '']),
        name: `${file}.${n}`,
        classes: pick(random, ['C', 'D', 'CD']),
        source: `f${file}`,
        date,
        company_id,
      }),
    )
  })
}

/** The rule of the contract, word for word. */
function isSuperseded(row: JudgedRow, fileOf: number, files: readonly File[]): boolean {
  if (row.status !== 'declared' || row.part === '') return false
  return files.some((file, number) =>
    file.some(
      (other) =>
        other.status === 'declared' &&
        other.part === row.part &&
        other.company_id === row.company_id &&
        (other.date > row.date || (other.date === row.date && number > fileOf)) &&
        [...row.classes].every((letter) => other.classes.includes(letter)),
    ),
  )
}

describe('random declarations', () => {
  it.each(Array.from({ length: 200 }, (_, seed) => seed))('follow the rule, seed %d', (seed) => {
    const random = seeded(seed)
    const files = someFiles(random, 1 + Math.floor(random() * 12))
    const all = files.flatMap((file, number) => file.map((row) => ({ row, number })))
    const stays = all.filter(({ row, number }) => !isSuperseded(row, number, files)).map(({ row }) => row)
    const resolved = resolveAll(files, random)
    expect(resolved.rows).toEqual(stays)
    expect(resolved.substances.map(({ substance }) => substance)).toEqual(
      stays.flatMap(({ name }) => [`${name} 1`, `${name} 2`]),
    )
    expect(resolved.superseded).toBe(all.length - stays.length)

    const history = resolveAll(files, random, { history: true })
    expect(history.rows.map(({ name }) => name)).toEqual(all.map(({ row }) => row.name))
    expect(history.rows.filter(({ status }) => status === 'superseded')).toHaveLength(resolved.superseded)
    expect(history.superseded).toBe(0)
  })
})

describe('a parts list', () => {
  const never = (): number => 1
  const [a, b, c] = ['A', 'B', 'C'].map((part, n) => partRowOf({ part, requester_part: `OUR-${n}` }))
  const names = ({ rows }: ResolvedBatch): string[] => rows.map(({ part }) => part)

  it('keeps the parts on it, by the number of the supplier or of the buyer', () => {
    const resolved = resolveAll([[a!], [b!, c!]], never, { askedParts: ['A', 'OUR-2', 'a', 'X'] })
    expect(names(resolved)).toEqual(['A', 'C'])
    expect(resolved).toMatchObject({ superseded: 0, notListed: 1 })
    expect(resolved.substances.map(({ part }) => part)).toEqual(['A', 'A', 'C', 'C'])
  })

  it('keeps all parts on request', () => {
    expect(names(resolveAll([[a!], [b!]], never, { askedParts: ['A'], allParts: true }))).toEqual(['A', 'B'])
  })

  it('keeps files that cannot be read', () => {
    const resolved = resolveAll([[unreadableRow('x.xml', 'broken')], [a!]], never, { askedParts: ['B'] })
    expect(resolved.rows.map(({ status }) => status)).toEqual(['unreadable'])
  })

  it('keeps the newest declaration of a part that only an older one gives the number of the buyer', () => {
    const older = partRowOf({ part: 'A', requester_part: 'OURS', date: '2020-01-01', rohs: 'compliant' })
    const newer = partRowOf({ part: 'A', date: '2025-01-01', rohs: 'not compliant' })
    for (const files of [
      [[older], [newer]],
      [[newer], [older]],
    ]) {
      const { rows, superseded, notListed } = resolveAll(files, never, { askedParts: ['OURS'] })
      expect(rows).toEqual([newer])
      expect([superseded, notListed]).toEqual([1, 0])
    }
  })

  it('leaves out the history of other parts', () => {
    const older = partRowOf({ part: 'B', date: '2020-01-01' })
    const resolved = resolveAll([[older], [b!], [a!]], never, { askedParts: ['A'], history: true })
    expect(names(resolved)).toEqual(['A'])
    expect(resolved).toMatchObject({ superseded: 1, notListed: 1 })
  })
})

it('a superseded row says what replaced it', () => {
  const rows = [partRowOf({ date: '2020-01-01', note: 'ten categories' }), partRowOf({ date: '2025-01-01' })]
  const files = rows.map((row) => [row])
  const [first, second] = resolveAll(files, () => 1, { history: true }).rows
  expect(first).toMatchObject({
    status: 'superseded',
    note: 'ten categories; replaced by the declaration of 2025-01-01',
  })
  expect(second).toEqual(rows[1])
})
