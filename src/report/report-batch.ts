import { hash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { memoized } from '../base/memoized.ts'
import type { World } from '../base/world.ts'
import type { ListEntry } from '../compliance/entry-keys.ts'
import type { PartRecord } from '../compliance/part-record.ts'
import { digestOfEntries, entriesOf, remembered } from '../compliance/shared-entries.ts'
import { openPrivateFile, type PrivateFile } from '../fs/private-file.ts'
import { type Candidate, candidateOf } from './rows/current-declarations.ts'
import type { ReadRow, SubstanceRow } from './rows/part-declaration.ts'

/** Declarations as they are read, of some files or of a part of one. */
export interface ReadBatch {
  readonly rows: ReadRow[]
  readonly substances: SubstanceRow[]
  /** For each substance the index in `rows` of its part; -1 is the last row of the batch before. */
  readonly owners: number[]
  /** How many files begin in this batch. */
  files: number
  /** Entries left out, and why. */
  readonly skipped: SkippedEntry[]
  /** Files that ask for a declaration and declare nothing. */
  readonly requests: string[]
}

/** An entry that is not read as a declaration. */
export interface SkippedEntry {
  readonly source: string
  readonly reason: string
}

/** What is needed of a batch before the first row can be made. */
export interface BatchHead extends Pick<ReadBatch, 'files' | 'skipped' | 'requests'> {
  readonly declarations: readonly Candidate[]
  /** Files that cannot be read. */
  readonly unreadable: readonly string[]
  /** Those of them that are damaged, or whose archive is. */
  readonly damaged: readonly string[]
}

/** The rows of a batch. */
export type BatchRows = Pick<ReadBatch, 'rows' | 'substances' | 'owners'>

/** A batch as bytes, its head apart: so it is sent to another thread, waits and is kept, for objects that wait outlive their use. */
export interface PackedBatch {
  /** How its sources begin: the name of their archive, which the bytes do not have. */
  readonly prefix: string
  readonly bytes: Uint8Array
}

const FULL = 500

export function batchOf(some: Partial<ReadBatch>): ReadBatch {
  return { rows: [], substances: [], owners: [], files: 0, skipped: [], requests: [], ...some }
}

/** True for a batch that has enough rows of both tables. */
export function isFull({ rows, substances }: Pick<ReadBatch, 'rows' | 'substances'>): boolean {
  return rows.length + substances.length >= FULL
}

/** Adds what follows a batch to it. */
export function append(batch: ReadBatch, more: ReadBatch): void {
  const before = batch.rows.length
  for (const row of more.rows) batch.rows.push(row)
  batch.files += more.files
  for (const row of more.substances) batch.substances.push(row)
  for (const owner of more.owners) batch.owners.push(before + owner)
  for (const one of more.skipped) batch.skipped.push(one)
  for (const one of more.requests) batch.requests.push(one)
}

const LENGTH_BYTES = 4

/** The entries of a list, as their numbers among those of the batch. */
interface PackedSet {
  readonly digest: string
  readonly members: readonly number[]
}

/** The head, the entries of lists and the rows, each compressed: an object that several have, such as a record, is written once. */
export function packBatch({ rows, substances, owners, ...rest }: ReadBatch): Buffer {
  const declared = rows.filter((row) => row.kind === 'declared')
  const unreadable = rows.filter((row) => row.kind === 'unreadable')
  const head = packed({
    ...rest,
    declarations: declared.map(candidateOf),
    unreadable: unreadable.map(({ source }) => source),
    damaged: unreadable.flatMap(({ source, isDamaged }) => (isDamaged ? source : [])),
  })
  // The largest first, which most batches have: then the entries are in the same order in each.
  const plains = [...new Set(declared.flatMap(({ record }) => record.lists.map(({ plain }) => plain)))]
    .map((plain) => ({ plain, digest: digestOfEntries(plain) }))
    .sort((a, b) => b.plain.length - a.plain.length || (a.digest < b.digest ? -1 : 1))
  const entries = [...new Set(plains.flatMap(({ plain }) => plain))]
  const numbers = new Map(entries.map((entry, number) => [entry, number]))
  const sets = new Map(
    plains.map(({ plain, digest }): [typeof plain, PackedSet] => [
      plain,
      { digest, members: plain.map((entry) => numbers.get(entry)!) },
    ]),
  )
  const recordOf = remembered(({ lists, ...record }: PartRecord) => ({
    ...record,
    lists: lists.map((list) => ({ ...list, plain: sets.get(list.plain)! })),
  }))
  const packedRows = rows.map((row) =>
    row.kind === 'declared' ? { ...row, record: recordOf(row.record) } : row,
  )
  const body = packed({ rows: packedRows, substances, owners })
  return Buffer.concat([...withLength(head), ...withLength(packed(entries)), body])
}

function withLength(bytes: Buffer): readonly Buffer[] {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(bytes.length)
  return [length, bytes]
}

function packed(value: object): Buffer {
  return deflateRawSync(serialize(value), { level: 1 })
}

function unpacked(bytes: Uint8Array): unknown {
  return deserialize(inflateRawSync(bytes))
}

/** Where the first of several pieces ends. */
function pieceEnd(bytes: Uint8Array): number {
  return LENGTH_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
}

export function unpackHead({ prefix, bytes }: PackedBatch): BatchHead {
  const head = unpacked(bytes.subarray(LENGTH_BYTES, pieceEnd(bytes))) as BatchHead
  const named = (source: string): string => prefix + source
  const skipped = head.skipped.map((entry) => ({ ...entry, source: named(entry.source) }))
  return {
    ...head,
    skipped,
    requests: head.requests.map(named),
    unreadable: head.unreadable.map(named),
    damaged: head.damaged.map(named),
  }
}

export function unpackRows({ prefix, bytes }: PackedBatch): BatchRows {
  return rowsOf(prefix, bytes.subarray(pieceEnd(bytes)))
}

/** Most batches that follow each other have the same entries: these are unpacked once, and are one object for a thread. */
const entriesIn = memoized(unpackEntries, 4, (bytes) => hash('sha1', bytes))

function unpackEntries(bytes: Uint8Array): readonly ListEntry[] {
  return unpacked(bytes) as readonly ListEntry[]
}

function rowsOf(prefix: string, bytes: Uint8Array): BatchRows {
  const end = pieceEnd(bytes)
  const entries = entriesIn(bytes.subarray(LENGTH_BYTES, end))
  const batch = unpacked(bytes.subarray(end)) as BatchRows
  const unpackSet = remembered(({ digest, members }: PackedSet) =>
    entriesOf(digest, () => members.map((number) => entries[number]!)),
  )
  const rows = batch.rows as { source: string; record?: PackedRecord }[]
  for (const row of rows) row.source = prefix + row.source
  for (const { lists } of new Set(rows.flatMap(({ record }) => record ?? []))) {
    for (const list of lists) list.plain = unpackSet(list.plain as PackedSet)
  }
  for (const row of batch.substances as { source: string }[]) row.source = prefix + row.source
  return batch
}

/** A record whose lists are completed in place. */
interface PackedRecord {
  readonly lists: readonly { plain: PackedSet | readonly ListEntry[] }[]
}

/** A batch that waits. */
interface SpooledBatch {
  readonly head: () => BatchHead
  readonly rows: () => Promise<BatchRows>
}

/** Keeps batches until all files are read: heads and the first rows in memory, rows beyond a limit in a private temporary file. */
export interface BatchSpool extends AsyncDisposable {
  readonly add: (batch: PackedBatch) => Promise<void>
  /** All that was added, in order. */
  readonly batches: () => Generator<SpooledBatch, void, void>
}

/** The rows of about twenty-five thousand declarations with lists of 400 entries. */
const MEMORY_BYTES = 24 * 1024 ** 2

export function createBatchSpool(
  world: Pick<World, 'disk' | 'host'>,
  memoryBytes = MEMORY_BYTES,
): BatchSpool {
  const inMemory: PackedBatch[] = []
  const onDisk: { readonly head: PackedBatch; readonly length: number }[] = []
  let bytes = 0
  let file: PrivateFile | undefined
  return {
    async add(packed) {
      bytes += packed.bytes.length
      if (bytes <= memoryBytes) {
        inMemory.push(packed)
        return
      }
      file ??= await openPrivateFile(world)
      const end = pieceEnd(packed.bytes)
      await file.append(packed.bytes.subarray(end))
      onDisk.push({
        head: { ...packed, bytes: packed.bytes.slice(0, end) },
        length: packed.bytes.length - end,
      })
    },
    *batches() {
      for (const packed of inMemory) {
        yield { head: () => unpackHead(packed), rows: async () => unpackRows(packed) }
      }
      let position = 0
      for (const { head, length } of onDisk) {
        const from = position
        position += length
        const rows = async () => rowsOf(head.prefix, await file!.read(from, length))
        yield { head: () => unpackHead(head), rows }
      }
    },
    [Symbol.asyncDispose]: async () => {
      await file?.[Symbol.asyncDispose]()
    },
  }
}
