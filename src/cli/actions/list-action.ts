import type { ListResult } from '../../archive/archive-results.ts'
import { entryResult } from '../../archive/entry.ts'
import { type ListedArchive, listArchive } from '../../archive/read-archive.ts'
import { archiveListings, listingLook } from '../archive-listing.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'

/** Prints the entries of each archive. All archives are read before the first is printed: the result is complete or absent. */
export const run: CommandRun = async (context) => {
  const { world, terminal } = context
  const archives = await readListings(context)
  if (terminal.choice.json) {
    for (const piece of jsonPieces(listResult(archives))) await terminal.write(piece)
    return 0
  }
  const look = listingLook(terminal, context.settings.values.long)
  await terminal.page(async (write) => {
    for (const piece of archiveListings(archives, look)) await write(piece)
  })
  world.interrupt.throwIfAborted()
  return 0
}

/** Reads the entries of the archives in the operands. */
export async function readListings({ world, settings }: Context): Promise<readonly ListedArchive[]> {
  const limits = limitsOf(settings)
  const archives: ListedArchive[] = []
  for (const path of takeOperands(settings)) archives.push(await listArchive(world, path, { limits }))
  return archives
}

export function listResult(archives: readonly ListedArchive[]): ListResult {
  const objects = archives.map(({ path, bytes, unpackedBytes, entries }) => {
    return { path, bytes, unpackedBytes, entries: entries.map(entryResult) }
  })
  return { schema: 'matdecl.list/1', status: 'ok', archives: objects }
}
