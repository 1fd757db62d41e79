import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type NewEntry, storedZipStream, zipBuffer } from '../archive/write-zip.ts'
import { percentEncode } from '../request/request.ts'
import type { Catalog } from './catalog.ts'
import { declarationXml, type XmlStandard } from './declaration-xml.ts'
import type { MockSearch } from './query.ts'
import type { RevisionFacts } from './revisions.ts'
import { select } from './selection.ts'

/** The archive for a request. It can be generated repeatedly, with the same bytes. */
export interface ArchiveSource {
  /** A strong validator: like the bytes, a function of the catalog and the criteria. */
  readonly etag: string
  readonly open: () => Readable
  /** The length in bytes, if known without generating the archive. */
  readonly knownLength: () => number | undefined
  /** The length in bytes. A large archive is generated once for it and discarded. */
  readonly length: () => Promise<number>
}

/** Archives of up to this many declarations (some 2 MB) are generated before they are sent, so that Content-Length is known. */
const MADE_WHOLE = 500

/** The lengths of large archives by validator, so that each is generated only once for its length. */
export type KnownLengths = Map<string, number>

/** The archive for these criteria, as XML files or, for v1, as one CSV. */
export async function archiveFor(
  catalog: Catalog,
  search: MockSearch,
  format: 'XML' | 'CSV',
  lengths: KnownLengths,
): Promise<ArchiveSource> {
  const etag = etagOf(catalog, search, format)
  const first = take(select(catalog, search), MADE_WHOLE + 1)
  const entries = (selected: Iterable<RevisionFacts>): Iterable<NewEntry> => {
    if (format === 'XML') return xmlEntries(selected, search.standard)
    return first.length === 0 ? [] : [csvEntry(selected)]
  }
  if (first.length <= MADE_WHOLE) {
    const bytes = await zipBuffer(entries(first))
    return {
      etag,
      open: () => Readable.from([bytes], { objectMode: false }),
      knownLength: () => bytes.length,
      length: async () => bytes.length,
    }
  }
  const open = (): Readable => storedZipStream(entries(select(catalog, search)))
  return {
    etag,
    open,
    knownLength: () => lengths.get(etag),
    length: async () => {
      const known = lengths.get(etag) ?? (await countBytes(open()))
      lengths.set(etag, known)
      return known
    },
  }
}

function etagOf(catalog: Catalog, search: MockSearch, format: string): string {
  const { standard, formatClass, startDate = '' } = search
  const criteria = [
    catalog.fingerprint,
    format,
    standard,
    formatClass,
    startDate,
    [...new Set(search.suppliers)].sort(),
    [...new Set(search.parts)].sort(),
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

/** The XML files of these declarations. */
function* xmlEntries(selected: Iterable<RevisionFacts>, standard: XmlStandard): Generator<NewEntry> {
  for (const { part, declarationClass, approved } of selected) {
    const number = part.numbers[0].number
    yield {
      name: `${standard}_${declarationClass}_${part.supplier.id}_${fileWord(number)}.xml`,
      day: approved,
      content: () => [declarationXml(part, standard, declarationClass)!],
    }
  }
}

/** The CSV file of v1: a row for each number of each declaration. */
function csvEntry(selected: Iterable<RevisionFacts>): NewEntry {
  return { name: 'declarations.csv', day: '2020-01-01', content: () => csvRows(selected) }
}

/**
 * A part number as part of a file name: percent-encoded, and cut if it is too long. Where a file system could confuse it with
 * another one (small letters, anything encoded), a few digits of its hash are added.
 */
export function fileWord(number: string): string {
  const encoded = percentEncode(number.toWellFormed()).replaceAll('~', '%7E')
  if (/^[A-Z0-9._-]{1,100}$/.test(encoded)) return encoded
  const hash = createHash('sha256').update(number).digest('hex').slice(0, 10)
  return `${encoded.slice(0, 100).replace(/%[0-9A-F]?$/, '')}-${hash}`
}

function* csvRows(selected: Iterable<RevisionFacts>): Generator<string> {
  yield csvRow(['supplier', 'supplier_name', 'part', 'requester_part', 'name', 'class', 'date', 'mass_mg'])
  for (const { part, declarationClass, approved } of selected) {
    for (const { number, requesterNumber = '', name } of part.numbers) {
      const { id, name: supplierName } = part.supplier
      yield csvRow([
        id,
        supplierName,
        number,
        requesterNumber,
        name,
        declarationClass,
        approved,
        `${part.massMg}`,
      ])
    }
  }
}

function csvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}
