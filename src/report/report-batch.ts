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

export interface BatchRows extends Pick<ReadBatch, 'substances' | 'owners'> {
  readonly rows: readonly (ReadRow | OutsideRow)[]
}

/** A declaration that a parts list does not ask for, which is not unpacked. */
type OutsideRow = Candidate & { readonly kind: 'outside' }

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

/** The rows of a product, apart so that those of others need not be unpacked; `declared` are those in the head. */
interface PackedProduct {
  readonly declared: number
  readonly bytes: Uint8Array
}

interface PackedRows extends Pick<ReadBatch, 'substances' | 'owners'> {
  readonly sets: readonly PackedSet[]
  readonly products: readonly PackedProduct[]
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
  const sets = plains.map(({ plain, digest }) => ({
    digest,
    members: plain.map((entry) => numbers.get(entry)!),
  }))
  const setNumbers = new Map(plains.map(({ plain }, number) => [plain, number]))
  const recordOf = remembered(({ lists, ...record }: PartRecord) => ({
    ...record,
    lists: lists.map((list) => ({ ...list, plain: setNumbers.get(list.plain)! })),
  }))
  const products = byProduct(rows).map((own): PackedProduct => {
    const packedRows = own.map((row) =>
      row.kind === 'declared' ? { ...row, record: recordOf(row.record) } : row,
    )
    return { declared: own[0]!.kind === 'declared' ? own.length : 0, bytes: serialize(packedRows) }
  })
  const body = packed({ sets, products, substances, owners })
  return Buffer.concat([...withLength(head), ...withLength(packed(entries)), body])
}

/** The rows of a product follow each other, and share what it states. */
function byProduct(rows: readonly ReadRow[]): readonly (readonly ReadRow[])[] {
  const products: ReadRow[][] = []
  for (const row of rows) {
    const last = products.at(-1)
    const first = last?.[0]
    if (row.kind === 'declared' && first?.kind === 'declared' && first.record === row.record) last!.push(row)
    else products.push([row])
  }
  return products
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

/** The rows of a batch; those of a product all of whose declarations are `outside`, by their places in the head, are not unpacked. */
export function unpackRows({ prefix, bytes }: PackedBatch, outside: OutsideRows = []): BatchRows {
  return rowsOf(prefix, bytes.subarray(pieceEnd(bytes)), outside)
}

type OutsideRows = readonly (Candidate | undefined)[]

/** Most batches that follow each other have the same entries: these are unpacked once, and are one object for a thread. */
const entriesIn = memoized(unpackEntries, 4, (bytes) => hash('sha1', bytes))

function unpackEntries(bytes: Uint8Array): readonly ListEntry[] {
  return unpacked(bytes) as readonly ListEntry[]
}

function rowsOf(prefix: string, bytes: Uint8Array, outside: OutsideRows): BatchRows {
  const end = pieceEnd(bytes)
  const entries = entriesIn(bytes.subarray(LENGTH_BYTES, end))
  const { sets, products, substances, owners } = unpacked(bytes.subarray(end)) as PackedRows
  const unpackSet = ({ digest, members }: PackedSet): readonly ListEntry[] =>
    entriesOf(digest, () => members.map((number) => entries[number]!))
  let at = 0
  const rows = products.flatMap(({ declared, bytes: product }): BatchRows['rows'] => {
    const left = outside.slice(at, at + declared).flatMap((one) => one ?? [])
    at += declared
    if (declared > 0 && left.length === declared) return left.map((one) => ({ kind: 'outside', ...one }))
    const own = deserialize(product) as { source: string; record?: PackedRecord }[]
    for (const row of own) row.source = prefix + row.source
    for (const list of own[0]!.record?.lists ?? []) list.plain = unpackSet(sets[list.plain as number]!)
    return own as object as ReadRow[]
  })
  for (const row of substances as { source: string }[]) row.source = prefix + row.source
  return { rows, substances, owners }
}

/** A record whose lists are completed in place. */
interface PackedRecord {
  readonly lists: readonly { plain: number | readonly ListEntry[] }[]
}

/** A batch that waits. */
interface SpooledBatch {
  readonly head: () => BatchHead
  readonly rows: (outside?: OutsideRows) => Promise<BatchRows>
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
        yield { head: () => unpackHead(packed), rows: async (outside) => unpackRows(packed, outside) }
      }
      let position = 0
      for (const { head, length } of onDisk) {
        const from = position
        position += length
        const rows = async (outside: OutsideRows = []) =>
          rowsOf(head.prefix, await file!.read(from, length), outside)
        yield { head: () => unpackHead(head), rows }
      }
    },
    [Symbol.asyncDispose]: async () => {
      await file?.[Symbol.asyncDispose]()
    },
  }
}
