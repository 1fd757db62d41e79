import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { World } from '../base/world.ts'
import type { PartRecord } from '../compliance/part-record.ts'
import { openPrivateFile, type PrivateFile } from '../fs/private-file.ts'
import { type ReadRow, recordOf, type SubstanceRow } from './rows/part-declaration.ts'

/** Declarations as they are read, of some files or of a part of one. */
export interface ReadBatch {
  readonly rows: ReadRow[]
  /** The index in `rows` at which each file begins. Rows before the first are of the last file of the batch before. */
  readonly starts: number[]
  readonly substances: SubstanceRow[]
  /** For each substance the index in `rows` of its part; -1 is the last row of the batch before. */
  readonly owners: number[]
  /** Entries left out because they are not XML. */
  readonly skipped: string[]
  /** Files that ask for a declaration and declare nothing. */
  readonly requests: string[]
}

/** A batch as bytes: so it is sent to another thread, waits and is kept, for objects that wait outlive their use. */
export interface PackedBatch {
  /** How its sources begin: the name of their archive, which the bytes do not have. */
  readonly prefix: string
  readonly bytes: Uint8Array
}

const FULL = 500

export function batchOf(some: Partial<ReadBatch>): ReadBatch {
  return { rows: [], starts: [], substances: [], owners: [], skipped: [], requests: [], ...some }
}

/** True for a batch that has enough rows of both tables. */
export function isFull({ rows, substances }: Pick<ReadBatch, 'rows' | 'substances'>): boolean {
  return rows.length + substances.length >= FULL
}

/** Adds what follows a batch to it. */
export function append(batch: ReadBatch, more: ReadBatch): void {
  const before = batch.rows.length
  for (const row of more.rows) batch.rows.push(row)
  for (const start of more.starts) batch.starts.push(before + start)
  for (const row of more.substances) batch.substances.push(row)
  for (const owner of more.owners) batch.owners.push(before + owner)
  batch.skipped.push(...more.skipped)
  batch.requests.push(...more.requests)
}

/** A batch as compressed JSON, in which each record is written once, as text. */
export function packBatch(batch: ReadBatch): Buffer {
  const records = new Map<PartRecord, number>()
  const rows = batch.rows.map((row) => {
    if (row.kind === 'unreadable') return row
    const record = records.get(row.record) ?? records.size
    records.set(row.record, record)
    return { ...row, record }
  })
  const texts = [...records.keys()].map((record) => JSON.stringify(record))
  return deflateRawSync(JSON.stringify({ ...batch, rows, records: texts }), { level: 1 })
}

export function unpackBatch({ prefix, bytes }: PackedBatch): ReadBatch {
  const { records, ...batch } = JSON.parse(inflateRawSync(bytes).toString('utf8')) as ReadBatch & {
    readonly records: readonly string[]
  }
  for (const row of batch.rows as { source: string; record?: unknown }[]) {
    row.source = prefix + row.source
    if (row.record !== undefined) row.record = recordOf(records[row.record as number]!)
  }
  for (const row of batch.substances as { source: string }[]) row.source = prefix + row.source
  const named = (source: string): string => prefix + source
  return { ...batch, skipped: batch.skipped.map(named), requests: batch.requests.map(named) }
}

/** Keeps batches until all files are read: the first as they are, those beyond a limit packed in a private temporary file. */
export interface BatchSpool extends AsyncDisposable {
  /** Keeps a batch, and gives its content. */
  readonly add: (batch: PackedBatch) => Promise<ReadBatch>
  /** All that was added, in order. */
  readonly batches: () => AsyncGenerator<ReadBatch, void, void>
}

/** About five thousand rows. */
const MEMORY_BYTES = 512 * 1024

export function createBatchSpool(
  world: Pick<World, 'disk' | 'host'>,
  memoryBytes = MEMORY_BYTES,
): BatchSpool {
  const inMemory: ReadBatch[] = []
  const onDisk: { readonly prefix: string; readonly length: number }[] = []
  let bytes = 0
  let file: PrivateFile | undefined
  return {
    async add(packed) {
      const batch = unpackBatch(packed)
      const { length } = packed.bytes
      bytes += length
      if (bytes <= memoryBytes) inMemory.push(batch)
      else {
        file ??= await openPrivateFile(world)
        await file.append(packed.bytes)
        onDisk.push({ prefix: packed.prefix, length })
      }
      return batch
    },
    async *batches() {
      yield* inMemory
      let position = 0
      for (const { prefix, length } of onDisk) {
        yield unpackBatch({ prefix, bytes: await file!.read(position, length) })
        position += length
      }
    },
    [Symbol.asyncDispose]: async () => {
      await file?.[Symbol.asyncDispose]()
    },
  }
}
