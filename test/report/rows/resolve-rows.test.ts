import { describe, expect, it } from 'vitest'
import { type BatchHead, type BatchRows, batchOf, type ReadBatch } from '../../../src/report/report-batch.ts'
import { type Candidate, candidateOf } from '../../../src/report/rows/current-declarations.ts'
import { judgedRow } from '../../../src/report/rows/make-row.ts'
import type { PartDeclaration, ReadRow, SubstanceRow } from '../../../src/report/rows/part-declaration.ts'
import {
  createRequestedParts,
  createRowResolver,
  type ResolvedBatch,
  type ResolveOptions,
} from '../../../src/report/rows/resolve-rows.ts'
import { declarationOf, MATERIAL_XML, REACH_XML, ROHS_XML } from '../../support/part-declarations.ts'
import { joinBatches } from '../../support/read-text.ts'
import { pick, seeded } from '../../support/seeded.ts'
import { sweep } from '../../support/soak.ts'

/** A file: its rows; each has two substances. */
type File = readonly ReadRow[]

const CONTEXT = { nowMs: Date.parse('2026-03-04T05:06:07Z'), lookup: undefined }
const BROKEN: ReadRow = { kind: 'unreadable', source: 'x.xml', reason: 'broken', isDamaged: false }

const substanceOf = (row: ReadRow, n: number): SubstanceRow =>
  ({
    part: row.kind === 'declared' ? row.part : '',
    substance: `${row.source} ${n}`,
    source: row.source,
  }) as SubstanceRow

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
    add({ files: 1 })
    for (const row of file) {
      add({ rows: [row] })
      for (const n of [1, 2]) add({ substances: [substanceOf(row, n)], owners: [-1] })
    }
  }
  return batches
}

function headOf({ rows, ...batch }: ReadBatch): BatchHead {
  const declared = rows.filter((row) => row.kind === 'declared')
  return {
    ...batch,
    declarations: declared.map(candidateOf),
    unreadable: rows.flatMap((row) => (row.kind === 'unreadable' ? row.source : [])),
    damaged: [],
  }
}

/** The batch with declarations that are not asked for as a packed one has them. */
function without(batch: BatchRows, outside: readonly (Candidate | undefined)[]): BatchRows {
  const left = [...outside]
  const rows = batch.rows.map((row) => {
    const one = row.kind === 'declared' ? left.shift() : undefined
    return one === undefined ? row : ({ kind: 'outside', ...one } as const)
  })
  return { ...batch, rows }
}

function resolveAll(
  files: readonly File[],
  random: () => number,
  { askedParts, ...more }: Partial<ResolveOptions> & { askedParts?: readonly string[] } = {},
): ResolvedBatch {
  const asked = createRequestedParts(askedParts)
  const resolver = createRowResolver({ asked, allParts: false, history: false, ...CONTEXT, ...more })
  const batches = batchesOf(files, random)
  for (const { rows } of batches) {
    for (const row of rows) if (row.kind === 'declared') resolver.see(candidateOf(row))
  }
  // The rows can be resolved as often as they are needed, and without those that are not asked for.
  const resolved = batches.map(resolver.resolveAll().rows)
  const again = resolver.resolveAll()
  expect(batches.map((batch) => again.leaveOut(headOf(batch)) ?? again.rows(batch))).toEqual(resolved)
  const last = resolver.resolveAll()
  expect(batches.map((batch) => last.rows(without(batch, last.outside(headOf(batch)))))).toEqual(resolved)
  return {
    rows: resolved.flatMap(({ rows }) => rows),
    substances: resolved.flatMap(({ substances }) => substances),
    superseded: resolved.reduce((sum, batch) => sum + batch.superseded, 0),
    notListed: resolved.reduce((sum, batch) => sum + batch.notListed, 0),
  }
}

const KINDS = [ROHS_XML, REACH_XML, MATERIAL_XML, ROHS_XML + REACH_XML, ROHS_XML + MATERIAL_XML]
const STATES = ['R', 'E', 'D', 'RE', 'RD']

/** Random files of some parts; `source` is different for each declaration, and has what it states. */
function someFiles(random: () => number, count: number): File[] {
  return Array.from({ length: count }, (_, file) => {
    if (random() < 0.1) return [BROKEN]
    return Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) => {
      const kind = Math.floor(random() * KINDS.length)
      return declarationOf(
        {
          part: pick(random, ['A', 'B', '']),
          source: `${file}.${n} ${STATES[kind]}`,
          dateText: pick(random, ['', 'soon', '2024-01-01', '2024-06-30', '2025-02-28', '2031-01-01']),
          acceptance: random() < 0.2 ? 'no' : 'yes',
        },
        KINDS[kind],
      )
    })
  })
}

/** The rule of the contract: everything that it states is stated by declarations that are newer, and accepted if it is. */
function isSuperseded(row: PartDeclaration, all: readonly PartDeclaration[]): boolean {
  const isDated = ({ dateText }: PartDeclaration): boolean => /^202[45]/.test(dateText)
  const newer = all.filter(
    (other) =>
      row.part !== '' &&
      other.part === row.part &&
      isDated(other) &&
      isDated(row) &&
      other.dateText > row.dateText &&
      (other.acceptance === 'yes' || row.acceptance === 'no'),
  )
  const states = ({ source }: PartDeclaration): string => source.split(' ')[1]!
  return [...states(row)].every((letter) => newer.some((other) => states(other).includes(letter)))
}

describe('random declarations', () => {
  it.each(Array.from({ length: sweep(40, 400) }, (_, seed) => seed))(
    'count as the contract has it, seed %d',
    (seed) => {
      const random = seeded(seed)
      const files = someFiles(random, 1 + Math.floor(random() * 12))
      const all = files.flat().filter((row) => row.kind === 'declared')
      const stays = all.filter((row) => !isSuperseded(row, all))
      const resolved = resolveAll(files, random)
      const sources = resolved.rows
        .filter(({ status }) => status === 'declared')
        .flatMap(({ sources }) => sources)
      expect(sources.sort()).toEqual(stays.map(({ source }) => source).sort())
      expect(resolved.superseded).toBe(all.length - stays.length)
      const parts = new Set(stays.map(({ part, source }) => part || source))
      expect(resolved.rows.filter(({ status }) => status === 'declared')).toHaveLength(parts.size)

      const history = resolveAll(files, random, { history: true })
      expect(history.rows.filter(({ status }) => status === 'superseded')).toHaveLength(resolved.superseded)
      expect(history.superseded).toBe(0)
    },
  )
})

describe('the same declaration in a later download', () => {
  it('counts once, where it was read last', () => {
    const files = ['old', 'new'].map((name) => [declarationOf({ source: name, digest: 'same' })])
    const { rows, superseded } = resolveAll(files, () => 1)
    expect(rows.map(({ sources }) => sources)).toEqual([['new']])
    expect(superseded).toBe(1)
    const [first] = resolveAll(files, () => 1, { history: true }).rows
    expect(first).toMatchObject({ status: 'superseded', sources: ['old'] })
    expect(first!.notes.join('; ')).toMatch(/^superseded: replaced by an equal declaration; /)
  })
})

describe('a parts list', () => {
  const never = (): number => 1
  const [a, b, c] = ['A', 'B', 'C'].map((part, n) => declarationOf({ part, requesterPart: `OUR-${n}` }))
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
    const resolved = resolveAll([[BROKEN], [a!]], never, { askedParts: ['B'] })
    expect(resolved.rows.map(({ status }) => status)).toEqual(['unreadable'])
  })

  it('has the substances of the parts on it, also after a file that cannot be read', () => {
    const { substances } = resolveAll([[BROKEN], [a!], [BROKEN], [b!]], never, { askedParts: ['A'] })
    expect(substances.map(({ part }) => part)).toEqual(['A', 'A'])
  })

  it('has the substances of what was replaced with the history, and without it none', () => {
    const of = (source: string, dateText: string): PartDeclaration =>
      declarationOf({ part: 'A', source, dateText })
    const files = [[of('old.xml', '2020-01-01')], [of('new.xml', '2025-01-01')]]
    const sources = (history: boolean): readonly string[] =>
      resolveAll(files, never, { history }).substances.map(({ source }) => source)
    expect(sources(true)).toEqual(['old.xml', 'old.xml', 'new.xml', 'new.xml'])
    expect(sources(false)).toEqual(['new.xml', 'new.xml'])
  })

  it('keeps the newest declaration of a part that only an older one gives the number of the buyer', () => {
    const older = declarationOf({ part: 'A', requesterPart: 'OURS', dateText: '2020-01-01' })
    const newer = declarationOf({ part: 'A', dateText: '2025-01-01' })
    for (const files of [
      [[older], [newer]],
      [[newer], [older]],
    ]) {
      const { rows, superseded, notListed } = resolveAll(files, never, { askedParts: ['OURS'] })
      expect(rows).toEqual([judgedRow([newer], CONTEXT)])
      expect([superseded, notListed]).toEqual([1, 0])
    }
  })

  it('keeps a part whose number is in a declaration of another identifier and the same name', () => {
    const older = declarationOf({
      part: 'A',
      requesterPart: 'OURS',
      dateText: '2020-01-01',
      companyIds: ['804735132'],
    })
    const newer = declarationOf({ part: 'A', dateText: '2025-01-01', companyIds: ['561930274'] })
    const { rows } = resolveAll([[older], [newer]], never, { askedParts: ['OURS'] })
    expect(rows).toHaveLength(1)
    expect(new Set(rows[0]!.declarations.map(({ key }) => key)).size).toBe(2)
    expect(rows[0]!.notes.join('; ')).toContain('companies with another identifier')
  })

  it('counts a part that several declarations are about once', () => {
    const files = [[declarationOf({ part: 'B', dateText: '2020-01-01' }, REACH_XML)], [b!], [a!]]
    const resolved = resolveAll(files, never, { askedParts: ['A'] })
    expect(names(resolved)).toEqual(['A'])
    expect(resolved).toMatchObject({ superseded: 0, notListed: 1 })
  })

  it('leaves out the history of other parts', () => {
    const older = declarationOf({ part: 'B', dateText: '2020-01-01' })
    const resolved = resolveAll([[older], [b!], [a!]], never, { askedParts: ['A'], history: true })
    expect(names(resolved)).toEqual(['A'])
    expect(resolved).toMatchObject({ superseded: 1, notListed: 1 })
  })
})

describe('the history', () => {
  it('says what replaced a declaration as a whole', () => {
    const files = ['2020-01-01', '2025-01-01'].map((dateText) => [declarationOf({ dateText })])
    const [first, second] = resolveAll(files, () => 1, { history: true }).rows
    expect(first).toMatchObject({ status: 'superseded', date: '2020-01-01' })
    expect(first!.notes.join('; ')).toMatch(/^superseded: replaced by the declaration of 2025-01-01; /)
    expect(second).toEqual(judgedRow([files[1]![0]!], CONTEXT))
  })

  it('says what of a declaration is replaced, where the rest counts', () => {
    const older = declarationOf({ source: 'old', dateText: '2020-01-01' }, ROHS_XML + REACH_XML)
    const newer = declarationOf({ source: 'new', dateText: '2025-01-01' })
    const { rows } = resolveAll([[older], [newer]], () => 1, { history: true })
    expect(rows).toHaveLength(1)
    expect(rows[0]!.notes.join('; ')).toContain(
      'superseded in old: EUROHS-1907 by the declaration of 2025-01-01',
    )
    const [now] = resolveAll([[older], [newer]], () => 1).rows
    expect(now!.notes.join('; ')).not.toContain('superseded')
    expect(now!.notes.join('; ')).toContain('RoHS from new (2025-01-01); REACH from old (2020-01-01)')
  })
})

it('names the requested parts that are not declared, each with a similar number', () => {
  const asked = createRequestedParts(['A-1', 'OUR 7', 'b_2', 'X'])
  asked.see({ part: 'A-1', requesterPart: 'OUR 7', key: 'key' })
  asked.see({ part: 'B-2', requesterPart: '', key: 'other' })
  expect([...asked.missing()].map(({ part, notes }) => [part, notes.join('; ')])).toEqual([
    ['b_2', 'requested, not declared; near: B-2'],
    ['X', 'requested, not declared'],
  ])
})

it('names each missing part once', () => {
  const asked = createRequestedParts(Array.from({ length: 2_500 }, (_, n) => `P${n}`))
  expect(new Set([...asked.missing()].map(({ part }) => part)).size).toBe(2_500)
})

it('without a list all parts are listed, and none is missing', () => {
  const asked = createRequestedParts(undefined)
  asked.see({ part: 'P1', requesterPart: '', key: 'key' })
  expect(asked.isListed({ part: 'Z', requesterPart: '', key: undefined })).toBe(true)
  expect([...asked.missing()]).toEqual([])
})
