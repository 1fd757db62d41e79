import { dirname } from 'node:path'
import type { Disk, World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { openDraft } from './draft.ts'
import { draftBeside } from './draft-path.ts'
import { ensureFolder } from './ensure-folder.ts'
import { publishDraft } from './publish.ts'

type Files = Pick<World, 'disk' | 'host'>

/** A file that is written as a draft beside its path. Disposing removes it unless it was published. */
export interface ResultFile extends AsyncDisposable {
  /** Wait for the promise, if there is one, before the next piece. */
  readonly write: (piece: string | Uint8Array) => Promise<void> | undefined
  /** Renames the synced file to its path; resolves with its size in bytes. */
  readonly publish: () => Promise<number>
}

interface ResultFileOptions {
  readonly overwrite: boolean
  /** Permissions; by default what the umask leaves. */
  readonly mode?: number
}

/** Creates a file that appears at `path` only when it is complete. An existing path is an `io` failure unless `overwrite`. */
export async function createResultFile(
  world: Files,
  path: string,
  { overwrite, mode }: ResultFileOptions,
): Promise<ResultFile> {
  const { disk } = world
  const draft = await openDraft(disk, await draftBeside(world, path), { named: path, mode })
  return {
    write: (piece) => draft.write(typeof piece === 'string' ? Buffer.from(piece) : piece),
    publish: async () => {
      await draft.sync()
      await publishDraft(disk, draft.path, path, { overwrite, keepBeside: mode === undefined })
      await draft.keep()
      return draft.bytes()
    },
    [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose](),
  }
}

/** Writes a file completely or not at all. */
export async function writeResultFile(
  world: Files,
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  options: ResultFileOptions,
): Promise<void> {
  await using file = await createResultFile(world, path, options)
  for await (const piece of pieces) await file.write(piece)
  await file.publish()
}

/** Writes a file that only its owner can read (0600); missing directories are created (0700). */
export async function writePrivateFile(
  world: Files,
  path: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  await ensureFolder(world.disk, dirname(path)).catch((error: unknown) => {
    throw diskFailure(error, 'write', path)
  })
  await writeResultFile(world, path, [text], { overwrite, mode: 0o600 })
}

/** Appends text to a file of another program, such as the summary of a CI job. */
export async function appendToFile(disk: Disk, path: string, text: string): Promise<void> {
  try {
    await using file = await disk.open(path, 'a', 0o644)
    await file.writeFile(text)
  } catch (error) {
    throw diskFailure(error, 'write', path)
  }
}
