import { openArchiveFile } from '../archive/archive-file.ts'
import { NO_ARCHIVE_LIMITS } from '../archive/archive-limits.ts'
import { inflateChunks } from '../archive/entry-data.ts'
import { readArchive } from '../archive/read-archive.ts'
import { Failure } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { numberStyles, sheetDetails, sheetPlaces, type WorkbookDetails } from './workbook-details.ts'

/** Workbooks are unpacked into memory. */
const LARGEST_BYTES = 1024 ** 3

/**
 * Reads from a workbook what a reader of values leaves out: hidden sheets, errors in cells, formulas without a result, and how
 * numbers are shown. Undefined when it is no archive that can be read here. One that unpacks to more than 1 GiB is a mistake (`usage`).
 */
export async function readWorkbookDetails(world: World, path: string): Promise<WorkbookDetails | undefined> {
  await using file = await openArchiveFile(world, path)
  const { entries: found, unpackedBytes, isReadable } = await readArchive(file, NO_ARCHIVE_LIMITS)
  if (!isReadable) return undefined
  if (unpackedBytes > LARGEST_BYTES) {
    throw new Failure('usage', `${path} unpacks to ${formatBytes(unpackedBytes)}, too much for a workbook`, {
      file: path,
      hint: 'save the sheet as CSV, which is read as a stream',
    })
  }
  const entries = new Map(found.map((entry) => [entry.name, entry]))
  const text = async (name: string): Promise<string> => {
    const entry = entries.get(name)
    if (entry === undefined) return ''
    const read = (position: number, length: number): Promise<Buffer> =>
      file.read(entry.dataOffset + position, length)
    const chunks: Buffer[] = []
    for await (const chunk of inflateChunks(read, entry)) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks).toString('utf8')
  }
  try {
    const places = sheetPlaces(await text('xl/workbook.xml'), await text('xl/_rels/workbook.xml.rels'))
    const formats = numberStyles(await text('xl/styles.xml'))
    const details = []
    for (const { path: sheet, name, isHidden } of places) {
      details.push({ name, isHidden, cells: sheetDetails(await text(sheet), formats) })
    }
    return details
  } catch {
    // What is wrong with it is said by whoever reads its values.
    return undefined
  }
}
