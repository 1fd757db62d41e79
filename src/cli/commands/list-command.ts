import type { ListedArchive } from '../../archive/list-archive.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { listedJson, listingTable } from '../archive-listing.ts'
import type { CommandDefinition } from '../command-definition.ts'
import type { Context } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf } from '../limits-of.ts'

export const listCommand: CommandDefinition = {
  name: 'list',
  summary: 'list the entries of archives with size, packed size, date and CRC-32',
  operands: [{ name: 'ARCHIVE', required: true, many: true, offers: { kind: 'files', endings: ['.zip'] } }],
  description:
    'Lists what an archive contains without extracting it. Control characters in names are escaped.',
  examples: [
    { line: 'matdecl list bom.zip', does: 'print a table' },
    {
      line: "matdecl list bom.zip --json | jq -r '.archives[].entries[].name'",
      does: 'print only the names',
    },
  ],
  action: { run },
}

/** Lists the entries of each archive. All are read before the first is printed: the result is complete or absent. */
async function run({ world, settings, terminal }: Context): Promise<number> {
  const { listArchive } = await import('../../archive/list-archive.ts')
  const limits = limitsOf(settings)
  const archives: ListedArchive[] = []
  for (const path of settings.operands) archives.push(await listArchive(world, path, { limits }))

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
    for (const piece of listingTable(archive.listing, terminal.out)) await terminal.write(piece)
  }
  return 0
}
