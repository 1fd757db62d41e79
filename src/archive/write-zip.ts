import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import ZipStream from 'zip-stream'
import { joinTexts } from '../base/clean-text.ts'
import { Blocks } from './blocks.ts'

/** An entry to write; `content` is called when the entry is written. */
export interface NewEntry<Content = Iterable<string>> {
  readonly name: string
  /** The date of the entry, `YYYY-MM-DD`. */
  readonly day: string
  readonly content: () => Content
}

/** A ZIP archive of these entries in their order, one in memory at a time. The same entries give the same bytes. */
export function zipStream(entries: Iterable<NewEntry<Iterable<string> | AsyncIterable<string>>>): Readable {
  const zip = new ZipFile()
  const iterator = entries[Symbol.iterator]()
  const addNext = (): void => {
    const next = iterator.next()
    if (next.done) {
      zip.end()
      return
    }
    const { name, day } = next.value
    // yazl keeps this function for the whole archive: do not keep the content in it.
    let content: typeof next.value.content | undefined = next.value.content
    zip.addReadStreamLazy(name, optionsOf(day), (give) => {
      const texts = content!()
      content = undefined
      addNext()
      const chunks = Symbol.iterator in texts ? inChunks(texts) : bytesOfEach(texts)
      give(null, Readable.from(chunks, { objectMode: false }))
    })
  }
  addNext()
  return zip.outputStream as Readable
}

/** The same archive in memory; several times faster for many small entries. */
export async function zipBuffer(entries: Iterable<NewEntry>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const { name, day, content } of entries) {
    zip.addBuffer(Buffer.concat([...inChunks(content())]), name, optionsOf(day))
  }
  zip.end()
  return buffer(zip.outputStream)
}

function* inChunks(texts: Iterable<string>): Generator<Buffer> {
  for (const text of joinTexts(texts)) yield bytesOf(text)
}

async function* bytesOfEach(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of texts) yield bytesOf(text)
}

/** Not from Buffer's pool: yazl keeps all names, and each would keep its pool of 8 KiB. */
function bytesOf(text: string): Buffer {
  const bytes = new TextEncoder().encode(text)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** ZIP dates are local times: local midnight gives the same bytes in every time zone. */
function optionsOf(day: string): { mtime: Date; forceDosTimestamp: true; mode: number } {
  const [year, month, date] = day.split('-').map(Number)
  return { mtime: new Date(year!, month! - 1, date!), forceDosTimestamp: true, mode: 0o100644 }
}

/**
 * A ZIP archive of any number of small entries, not compressed, at the speed of its reader; one entry is in memory at a time, and a
 * few hundred bytes for the directory. The same entries give the same bytes.
 */
export function storedZipStream(entries: Iterable<NewEntry>): Readable {
  return Readable.from(storedBlocks(entries), { objectMode: false })
}

async function* storedBlocks(entries: Iterable<NewEntry>): AsyncGenerator<Buffer> {
  const zip = new ZipStream({ store: true })
  const blocks = new Blocks()
  // zip-stream writes the directory in pieces of a few bytes, all at once: as they are they would take 600 MB for 100,000 entries.
  zip.on('data', (piece: Buffer) => blocks.add(piece))
  for (const { name, day, content } of entries) {
    const bytes = Buffer.from([...content()].join(''))
    const date = new Date(`${day}T00:00:00Z`)
    await new Promise<void>((resolve, reject) => {
      zip.entry(bytes, { name, date, mode: 0o100644 }, (error) => (error ? reject(error) : resolve()))
    })
    yield* blocks.take()
  }
  const ended = once(zip, 'end')
  zip.finalize()
  await ended
  yield* blocks.take()
  yield blocks.rest()
}
