import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { declarationXml, type Standard } from './declaration-xml.ts'
import type { Selected } from './selection.ts'

/** One file of an archive; its text is made when its turn comes. */
export interface ArchiveEntry {
  readonly name: string
  /** `YYYY-MM-DD`: the entry's own date. */
  readonly day: string
  readonly text: () => Iterable<string>
}

/** A ZIP archive of these files, in their order: one file in memory at a time, the same bytes in every time zone. */
export function zipStream(entries: Iterable<ArchiveEntry>): Readable {
  const zip = new ZipFile()
  const iterator = entries[Symbol.iterator]()
  const addNext = (): void => {
    const next = iterator.next()
    if (next.done) {
      zip.end()
      return
    }
    const { name, day } = next.value
    // The writer keeps this function for as long as the archive: it must let go of what it wrote.
    let text: ArchiveEntry['text'] | undefined = next.value.text
    zip.addReadStreamLazy(name, entryOptions(day), (give) => {
      const chunks = inChunks(text!())
      text = undefined
      addNext()
      give(null, Readable.from(chunks, { objectMode: false }))
    })
  }
  addNext()
  return zip.outputStream as Readable
}

/** The same archive, made at once: several times faster than one file after the other, for as many as memory may hold. */
export async function zipBuffer(entries: Iterable<ArchiveEntry>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const { name, day, text } of entries) {
    zip.addBuffer(Buffer.concat([...inChunks(text())]), name, entryOptions(day))
  }
  zip.end()
  return buffer(zip.outputStream)
}

/** The XML files of these declarations. */
export function* xmlEntries(selected: Iterable<Selected>, standard: Standard): Generator<ArchiveEntry> {
  for (const { part, declarationClass, approved } of selected) {
    const number = part.numbers[0].number
    yield {
      name: `${standard}_${declarationClass}_${part.supplier.id}_${fileWord(number)}.xml`,
      day: approved,
      text: () => [declarationXml(part, standard, declarationClass)!],
    }
  }
}

/** The one CSV file of the v1 interface: a row for every number of every declaration. */
export function csvEntry(selected: Iterable<Selected>): ArchiveEntry {
  return { name: 'declarations.csv', day: '2020-01-01', text: () => csvRows(selected) }
}

/**
 * A part number as part of a file name: percent-encoded, cut where it is too long. What another file system could confuse
 * with a neighbour (small letters, anything encoded) carries a few digits of its hash.
 */
export function fileWord(number: string): string {
  const encoded = encodeURIComponent(number.toWellFormed()).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  if (/^[A-Z0-9._-]{1,100}$/.test(encoded)) return encoded
  const hash = createHash('sha256').update(number).digest('hex').slice(0, 10)
  return `${encoded.slice(0, 100).replace(/%[0-9A-F]?$/, '')}-${hash}`
}

function* csvRows(selected: Iterable<Selected>): Generator<string> {
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

function* inChunks(texts: Iterable<string>): Generator<Buffer> {
  let pending = ''
  for (const text of texts) {
    pending += text
    if (pending.length < 65_536) continue
    yield bytesOf(pending)
    pending = ''
  }
  if (pending !== '') yield bytesOf(pending)
}

// Not from Buffer's pool: the writer keeps every entry's name, and a name from the same pool would keep 8 KiB with it.
function bytesOf(text: string): Buffer {
  const bytes = new TextEncoder().encode(text)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

// ZIP dates are local times without a zone: midnight here is written as the same bytes everywhere.
function entryOptions(day: string): { mtime: Date; forceDosTimestamp: true; mode: number } {
  const [year, month, date] = day.split('-').map(Number)
  return { mtime: new Date(year!, month! - 1, date!), forceDosTimestamp: true, mode: 0o100644 }
}
