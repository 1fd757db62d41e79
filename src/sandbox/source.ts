import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Catalog } from './catalog.ts'
import type { Asked } from './query.ts'
import { type Selected, select } from './selection.ts'
import { type ArchiveEntry, csvEntry, xmlEntries, zipBuffer, zipStream } from './zip-answer.ts'

/** The archive that answers a request; it can be made as often as wanted and is the same each time. */
export interface ArchiveSource {
  /** A strong validator: a function of the catalogue and the criteria, as the bytes are. */
  readonly etag: string
  /** Nothing in the catalogue matches. */
  readonly empty: boolean
  readonly open: () => Readable
  /** The length in bytes where it is known without making the archive. */
  readonly knownLength: () => number | undefined
  /** The length, for which a large archive is made once and thrown away. */
  readonly length: () => Promise<number>
}

// Up to this many declarations an archive is made before it is sent (some 2 MB), so that its length stands in the answer.
const MADE_WHOLE = 500

/** Remembers the lengths of large archives by their validator, so that each is counted once. */
export type KnownLengths = Map<string, number>

/** The archive for these criteria, as XML files or, for v1, as one CSV. */
export async function archiveFor(
  catalog: Catalog,
  asked: Asked,
  format: 'XML' | 'CSV',
  lengths: KnownLengths,
): Promise<ArchiveSource> {
  const etag = etagOf(catalog, asked, format)
  const first = take(select(catalog, asked), MADE_WHOLE + 1)
  const entries = (selected: Iterable<Selected>): Iterable<ArchiveEntry> => {
    if (format === 'XML') return xmlEntries(selected, asked.standard)
    return first.length === 0 ? [] : [csvEntry(selected)]
  }
  if (first.length <= MADE_WHOLE) {
    const bytes = await zipBuffer(entries(first))
    return {
      etag,
      empty: first.length === 0,
      open: () => Readable.from([bytes], { objectMode: false }),
      knownLength: () => bytes.length,
      length: async () => bytes.length,
    }
  }
  const open = (): Readable => zipStream(entries(select(catalog, asked)))
  return {
    etag,
    empty: false,
    open,
    knownLength: () => lengths.get(etag),
    length: async () => {
      const known = lengths.get(etag) ?? (await countBytes(open()))
      lengths.set(etag, known)
      return known
    },
  }
}

function etagOf(catalog: Catalog, asked: Asked, format: string): string {
  const { standard, formatClass, startDate = '' } = asked
  const criteria = [
    catalog.fingerprint,
    format,
    standard,
    formatClass,
    startDate,
    [...new Set(asked.suppliers)].sort(),
    [...new Set(asked.parts)].sort(),
  ]
  return `"${createHash('sha256').update(JSON.stringify(criteria)).digest('hex').slice(0, 32)}"`
}

function take<T>(items: Iterable<T>, count: number): readonly T[] {
  const taken: T[] = []
  for (const item of items) {
    taken.push(item)
    if (taken.length === count) break
  }
  return taken
}

async function countBytes(stream: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.length
  return bytes
}
