import type { Disk, World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { openDraft } from './draft.ts'
import { draftBeside } from './draft-path.ts'
import { publishDraft } from './publish.ts'

/** Writes a whole file, or none: the pieces go into a draft beside it, which takes the name when it is complete and synced. */
export async function writeResultFile(
  world: Pick<World, 'disk' | 'host'>,
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  const { disk } = world
  await using draft = await openDraft(disk, await draftBeside(world, path), { named: path })
  for await (const piece of pieces) {
    await draft.write(typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece)
  }
  await draft.sync()
  await publishDraft(disk, draft.path, path, { overwrite })
  await draft.keep()
}

/** Appends text to a file that another program owns, such as a CI system's summary. */
export async function appendToFile(disk: Disk, path: string, text: string): Promise<void> {
  try {
    const handle = await disk.open(path, 'a', 0o644)
    try {
      await handle.writeFile(text)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw diskFailure(error, 'write', path)
  }
}
