import { type ListedArchive, listArchive } from '../../archive/list-archive.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { listedJson, listingLines } from '../archive-listing.ts'
import type { CommandRun } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf, takeOperands } from '../operands.ts'

/** Lists the entries of each archive. All are read before the first is printed: the result is complete or absent. */
export const run: CommandRun = async ({ world, settings, terminal }) => {
  const limits = limitsOf(settings)
  const archives: ListedArchive[] = []
  for (const path of takeOperands(settings)) archives.push(await listArchive(world, path, { limits }))

  if (terminal.choice.json) {
    const objects = archives.map((archive) => ({
      path: archive.path,
      bytes: archive.bytes,
      unpackedBytes: archive.unpackedBytes,
      entries: archive.entries.map(listedJson),
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
    for (const piece of listingLines(archive.entries, terminal.out)) await terminal.write(piece)
  }
  return 0
}
