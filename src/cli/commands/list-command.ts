import type { ListedArchive } from '../../archive/read-archive.ts'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { printResult } from '../json.ts'

export const listCommand: CommandDefinition = {
  name: 'list',
  summary: 'list the entries of archives: size, date, name',
  operands: [{ name: 'ARCHIVE', required: true, many: true, offers: { kind: 'files', endings: ['.zip'] } }],
  description:
    'Lists what an archive contains without extracting it. Control characters in names are escaped. On a narrow terminal, columns are dropped so that names fit; JSON output always has all of them.',
  examples: [
    { line: 'matdecl list bom.zip', does: 'print a table' },
    { line: 'matdecl list --long bom.zip', does: 'add packed size, time and CRC-32' },
    {
      line: "matdecl list bom.zip --json | jq -r '.archives[].entries[].name'",
      does: 'print only the names',
    },
  ],
  common: ['long'],
  run,
}

// All archives are read before the first is printed: the result is complete or absent.
async function run(context: Context): Promise<number> {
  const { world, terminal } = context
  const archives = await readListings(context)
  const { archiveListings, listingLook, listingResult } = await import('../archive-listing.ts')
  if (terminal.choice.json) {
    await printResult(terminal, listingResult(archives))
    return 0
  }
  const look = listingLook(terminal, context.settings.values.long)
  for (const piece of archiveListings(archives, look)) await terminal.write(piece)
  world.interrupt.throwIfAborted()
  return 0
}

/** Reads the entries of the archives in the operands. */
async function readListings({ world, settings }: Context): Promise<readonly ListedArchive[]> {
  const { listArchive } = await import('../../archive/read-archive.ts')
  const { limits } = settings
  const archives: ListedArchive[] = []
  for (const path of settings.operands) archives.push(await listArchive(world, path, { limits }))
  return archives
}
