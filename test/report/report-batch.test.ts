import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import {
  type BatchRows,
  batchOf,
  createBatchSpool,
  type PackedBatch,
  packBatch,
  type ReadBatch,
  unpackHead,
  unpackRows,
} from '../../src/report/report-batch.ts'
import { candidateOf } from '../../src/report/rows/current-declarations.ts'
import type { PartDeclaration, ReadRow } from '../../src/report/rows/part-declaration.ts'
import { declarationOf, manyDeclarations } from '../support/part-declarations.ts'
import { joinBatches } from '../support/read-text.ts'
import { testWorld, withFolder } from '../support/world.ts'

const ROWS = manyDeclarations(3_000)
const BATCHES = Array.from({ length: 100 }, (_, n) =>
  batchOf({ rows: ROWS.slice(n * 30, (n + 1) * 30), files: 2 }),
)
const ALL = joinBatches(BATCHES)

function declared(row: ReadRow): PartDeclaration {
  if (row.kind !== 'declared') throw new Error('not a declaration')
  return row
}

/** Without what is undefined. */
const stated = <T>(value: T): T => JSON.parse(JSON.stringify(value))

/** Everything of a packed batch but its candidates. */
const unpack = (batch: PackedBatch): ReadBatch => {
  const { declarations, unreadable: _, damaged: __, ...head } = unpackHead(batch)
  return { ...head, ...allRows(unpackRows(batch)) }
}

/** The rows of a batch of which none is left out. */
const allRows = ({ rows, ...batch }: BatchRows): Pick<ReadBatch, 'rows' | 'substances' | 'owners'> => ({
  ...batch,
  rows: rows.flatMap((row) => (row.kind === 'outside' ? [] : row)),
})

async function spooled(memoryBytes: number, tempDir: string, add = BATCHES): Promise<ReadBatch[]> {
  const world = testWorld()
  await using spool = createBatchSpool({ ...world, host: { ...world.host, tempDir } }, memoryBytes)
  for (const batch of add) await spool.add({ prefix: '', bytes: packBatch(batch) })
  const read: ReadBatch[] = []
  for (const batch of spool.batches()) {
    const { declarations, unreadable: _, damaged: __, ...head } = batch.head()
    const rows = allRows(await batch.rows())
    expect(declarations).toHaveLength(rows.rows.length)
    read.push({ ...head, ...rows })
  }
  return read
}

describe('a spool of batches', () => {
  it.each([
    ['in memory', Infinity],
    ['on disk', 0],
    ['in memory and on disk', 20_000],
  ])('%s has all rows in their order', async (_, memoryBytes) => {
    await withFolder(async (folder) => {
      const read = await spooled(memoryBytes, folder)
      expect(stated(joinBatches(read))).toEqual(stated(ALL))
      expect(await readdir(folder)).toEqual([])
    })
  })

  it('touches the disk only beyond its memory', async () => {
    await withFolder(async (folder) => {
      const absent = join(folder, 'absent')
      expect(stated(joinBatches(await spooled(10_000_000, absent)))).toEqual(stated(ALL))
      await expect(spooled(20_000, absent)).rejects.toMatchObject({ kind: 'io' })
    })
  })

  it('of nothing has no row', async () => {
    await withFolder(async (folder) => {
      expect(await spooled(0, join(folder, 'absent'), [])).toEqual([])
    })
  })
})

const SUBSTANCE = {
  part: 'P1',
  material: 'Body',
  material_mass_mg: 1,
  substance: 'Lead',
  cas: '7439-92-1',
  cas_valid: true,
  mass_mg: 0.5,
  percent_of_material: 50,
  ppm_of_part: null,
}

describe('a packed batch', () => {
  test('does not have the name of its archive: another report may name it otherwise', () => {
    const batch = (prefix: string) =>
      batchOf({
        rows: [
          declarationOf({ digest: 'd', source: `${prefix}x!y.xml` }),
          { kind: 'unreadable', source: `${prefix}bad.xml`, reason: 'broken', isDamaged: true },
        ],
        files: 2,
        substances: [{ ...SUBSTANCE, source: `${prefix}x!y.xml` }],
        owners: [0],
        skipped: [{ source: `${prefix}readme.txt`, reason: 'not XML' }],
        requests: [`${prefix}ask.xml`],
      })
    expect(unpack({ prefix: 'b/n.zip!', bytes: packBatch(batch('')) })).toEqual(batch('b/n.zip!'))
  })

  test('has each record once, and gives equal ones as one object', () => {
    const { rows } = unpackRows({ prefix: '', bytes: packBatch(batchOf({ rows: ROWS.slice(0, 400) })) })
    const records = rows.flatMap((row) => (row.kind === 'declared' ? [row.record] : []))
    expect(records).toHaveLength(400)
    expect(new Set(records).size).toBe(1)
    expect(records[0]).toEqual(ROWS[0]!.record)
    const [again] = unpackRows({ prefix: '', bytes: packBatch(batchOf({ rows: ROWS.slice(400, 410) })) }).rows
    expect(again?.kind === 'declared' && again.record.lists.map(({ plain }) => plain)).toEqual(
      records[0]!.lists.map(({ plain }) => expect.toSatisfy((other) => other === plain)),
    )
  })

  test('has entries of which those of the next are the same objects, also where some files state fewer', () => {
    // Entries that no other test of the process has unpacked.
    const renamed = ROWS[0]!.record.lists.map((list) => ({
      ...list,
      plain: list.plain.map((entry) => ({ ...entry, name: `${entry.name} of this test` })),
    }))
    const whole = { ...ROWS[0]!, record: { ...ROWS[0]!.record, lists: renamed } }
    const shorter = whole.record.lists.map((list) => ({ ...list, plain: list.plain.slice(1) }))
    const fewer = { ...whole, record: { ...whole.record, lists: shorter } }
    const entriesOf = (...rows: readonly PartDeclaration[]) =>
      allRows(unpackRows({ prefix: '', bytes: packBatch(batchOf({ rows: [...rows] })) })).rows.map((row) =>
        declared(row).record.lists.flatMap(({ plain }) => plain),
      )
    const [first] = entriesOf(whole)
    const known = new Set(first)
    const [second, third] = entriesOf(fewer, whole)
    expect(second).toHaveLength(known.size - whole.record.lists.length)
    expect([...second!, ...third!].filter((entry) => !known.has(entry))).toEqual([])
  })

  test('has the declarations that are not asked for as their candidates, unless another of their product is', () => {
    const product = (...parts: readonly string[]) => {
      const record = { ...ROWS[0]!.record }
      return parts.map((part) => declarationOf({ part, record }))
    }
    const bad = { kind: 'unreadable', source: 'bad.xml', reason: 'broken', isDamaged: true } as const
    const [family, alone, last] = [product('P1', 'P2'), product('P3'), product('P4')]
    const packed = {
      prefix: 'n.zip!',
      bytes: packBatch(batchOf({ rows: [bad, ...alone, ...family, bad, ...last] })),
    }
    const asked = new Set(['P2', 'P4'])
    const outside = unpackHead(packed).declarations.map((one) => (asked.has(one.part) ? undefined : one))
    const all = unpackRows(packed).rows
    const some = unpackRows(packed, outside).rows
    expect(some.map((row) => (row.kind === 'unreadable' ? row.source : [row.kind, row.part]))).toEqual([
      'n.zip!bad.xml',
      ['outside', 'P3'],
      ['declared', 'P1'],
      ['declared', 'P2'],
      'n.zip!bad.xml',
      ['declared', 'P4'],
    ])
    expect(some[1]).toEqual({ kind: 'outside', ...candidateOf(alone[0]!) })
    expect(some.toSpliced(1, 1)).toEqual(all.toSpliced(1, 1))
  })

  test('has a head, with what decides which declarations count', () => {
    const { declarations } = unpackHead({ prefix: '', bytes: packBatch(batchOf({ rows: ROWS })) })
    expect(declarations).toEqual(ROWS.map((row) => row.kind === 'declared' && candidateOf(row)))
    expect(declarations[0]!.stated).not.toBe('')
  })
})
