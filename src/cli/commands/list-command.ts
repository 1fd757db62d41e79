import { entryResult } from '../../archive/entry-result.ts'
import { type ListedArchive, listArchive } from '../../archive/list-archive.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { listingTable } from '../archive-listing.ts'
import type { CommandRun } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'

/** Shows what is inside each archive. All are read before the first is shown, so that the result is whole or not there. */
export const run: CommandRun = async ({ world, settings, terminal }) => {
  const paths = takeOperands(settings)
  const limits = limitsOf(settings)
  const archives: ListedArchive[] = []
  for (const path of paths) archives.push(await listArchive(world, path, { limits }))

  if (terminal.choice.json) {
    const objects = archives.map((archive) => ({
      path: archive.path,
      bytes: archive.bytes,
      unpackedBytes: archive.unpackedBytes,
      entries: archive.entries.map(entryResult),
    }))
    for (const piece of jsonPieces({ schema: 'matdecl.list/1', status: 'ok', archives: objects })) {
      await terminal.write(piece)
    }
    return 0
  }
  for (const [index, archive] of archives.entries()) {
    if (archives.length > 1) {
      await terminal.write(`${index > 0 ? '\n' : ''}${terminal.out.strong(escapeUnsafe(archive.path))}\n`)
    }
    for (const piece of listingTable(archive.listing, terminal.out)) await terminal.write(piece)
  }
  return 0
}
