import { once } from 'node:events'
import type { Readable } from 'node:stream'
import ZipStream from 'zip-stream'
import type { NewEntry } from './write-zip.ts'

/**
 * A ZIP archive of any number of small entries, not compressed, at the speed of its reader; one entry is in memory at a time. The
 * same entries give the same bytes.
 */
export function storedZipStream(entries: Iterable<NewEntry>): Readable {
  const zip = new ZipStream({ store: true })
  const closed = new AbortController()
  zip.once('close', () => closed.abort())
  addEntries(zip, entries, closed.signal).catch((error: Error) => {
    // A reader that is gone is no error.
    if (!closed.signal.aborted) zip.destroy(error)
  })
  return zip
}

async function addEntries(zip: ZipStream, entries: Iterable<NewEntry>, closed: AbortSignal): Promise<void> {
  for (const { name, day, content } of entries) {
    if (closed.aborted) return
    const date = new Date(`${day}T00:00:00Z`)
    const bytes = Buffer.from([...content()].join(''))
    await new Promise<void>((resolve, reject) => {
      zip.entry(bytes, { name, date, mode: 0o100644 }, (error) => (error ? reject(error) : resolve()))
    })
    if (zip.writableNeedDrain) await once(zip, 'drain', { signal: closed })
  }
  zip.finalize()
}
