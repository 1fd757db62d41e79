import { dirname, join, parse } from 'node:path'
import { Failure, isFailure, systemCode } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure, errnoReason, ignoreUnsupported, isWithoutLinks } from './disk-failure.ts'
import { draftBeside, openDraft } from './draft.ts'
import { followLink, lstatIfThere } from './output-target.ts'
import { isHeld } from './platform-disk.ts'
import { ensureDirectory } from './user-files.ts'

interface PublishOptions {
  readonly overwrite: boolean
  /** Where another program has the old file open (Windows), the new one gets a name beside it. */
  readonly keepBeside?: boolean
}

/**
 * Renames a finished file to its final path, with a sync of the file before and of the directory after. Only a regular file is
 * replaced: `followLink` says what a link stands for. On failure both paths are unchanged.
 */
export async function publishDraft(
  disk: Disk,
  draftPath: string,
  finalPath: string,
  { overwrite, keepBeside = false }: PublishOptions,
): Promise<void> {
  try {
    await syncFile(disk, draftPath)
    if (overwrite) {
      await replace(disk, draftPath, finalPath).catch(async (error: unknown) => {
        throw (await isHeldFile(disk, finalPath, error))
          ? heldOpen(finalPath, error, keepBeside ? await keepUnused(disk, draftPath, finalPath) : undefined)
          : error
      })
    } else await claim(disk, draftPath, finalPath)
    await syncDirectory(disk, dirname(finalPath))
  } catch (error) {
    throw diskFailure(error, 'publish', finalPath)
  }
}

/** Syncs the entries of a directory, where the system can. */
export async function syncDirectory(disk: Disk, directory: string): Promise<void> {
  if (disk.isWindows !== true) await sync(disk, directory, 'r')
}

/** Syncs the content of a file. */
export async function syncFile(disk: Disk, path: string): Promise<void> {
  await sync(disk, path, 'r+')
}

async function sync(disk: Disk, path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await disk.open(path, flags)
  try {
    await handle.sync().catch(ignoreUnsupported)
  } finally {
    await handle.close()
  }
}

async function replace(disk: Disk, draftPath: string, finalPath: string): Promise<void> {
  const there = await disk.lstat(finalPath).catch(() => undefined)
  if (there && !there.isFile()) throw inTheWay(finalPath, there.isDirectory())
  await disk.rename(draftPath, finalPath)
}

async function claim(disk: Disk, draftPath: string, finalPath: string): Promise<void> {
  if (!(await moveUnlessTaken(disk, draftPath, finalPath))) throw taken(finalPath)
}

/**
 * Renames a file, unless the new name is taken: then false. link() is the only call that never replaces a file. On a file system without
 * it the name is only looked at first: an empty file that reserves it would stay after a kill, and runs of matdecl have a lock.
 */
export async function moveUnlessTaken(disk: Disk, path: string, newPath: string): Promise<boolean> {
  try {
    await disk.link(path, newPath)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    if (!isWithoutLinks(error)) throw error
    if ((await lstatIfThere(disk, newPath)) !== undefined) return false
    await disk.rename(path, newPath)
    return true
  }
  // It has its new name: an old one that cannot be removed is left to the next run.
  await disk.unlink(path).catch(() => undefined)
  return true
}

/** True when a file could not be replaced because another program has it open. */
async function isHeldFile(disk: Disk, path: string, error: unknown): Promise<boolean> {
  if (disk.isWindows !== true || !isHeld(error)) return false
  return disk.open(path, 'r+').then(
    async (file) => {
      await file.close()
      return false
    },
    (again: unknown) => systemCode(again) === 'EBUSY',
  )
}

/** Gives the draft the first unused name of `report (new).xlsx`, `report (new 2).xlsx` …; resolves with it. */
async function keepUnused(disk: Disk, draftPath: string, finalPath: string): Promise<string> {
  const { dir, name, ext } = parse(finalPath)
  for (let count = 1; ; count += 1) {
    const path = join(dir, `${name} (new${count === 1 ? '' : ` ${count}`})${ext}`)
    if ((await disk.lstat(path).catch(() => undefined)) !== undefined) continue
    await claim(disk, draftPath, path)
    return path
  }
}

function heldOpen(path: string, cause: unknown, kept: string | undefined): Failure {
  return new Failure('io', `cannot publish ${path}: ${errnoReason('EBUSY')}`, {
    cause,
    file: path,
    hint:
      kept === undefined
        ? 'close that program, then run the command again'
        : `the new file is ${kept}; close the old one, then rename it`,
  })
}

function taken(path: string): Failure {
  return new Failure('io', `${path} exists`, {
    file: path,
    hint: 'choose another path, or overwrite it',
    options: ['output', 'overwrite'],
  })
}

function inTheWay(path: string, isDirectory: boolean): Failure {
  return new Failure('io', `${path} is ${isDirectory ? 'a directory' : 'not a regular file'}`, {
    file: path,
    hint: 'choose another path',
    options: ['output'],
  })
}

type Files = Pick<World, 'disk' | 'host'>

interface ResultFileOptions {
  readonly overwrite: boolean
  /** Permissions; by default what the umask leaves. */
  readonly mode?: number
  /** The option that chose the path, for hints; by default that of the output. */
  readonly option?: string
}

/** A file that is written under a hidden name until `publish`. */
export interface ResultFile extends AsyncDisposable {
  readonly write: (piece: string | Uint8Array) => Promise<void> | undefined
  /** Syncs the file, renames it and returns its size in bytes. An existing path is an `io` failure unless `overwrite`. */
  readonly publish: () => Promise<number>
}

/** Opens a file that will be at `given`, or at what it links to, or not at all. */
export async function openResultFile(
  world: Files,
  given: string,
  { overwrite, mode, option = 'output' }: ResultFileOptions,
): Promise<ResultFile> {
  const { disk } = world
  const naming = async <T>(result: Promise<T>): Promise<T> => {
    try {
      return await result
    } catch (error) {
      throw forOption(error, option)
    }
  }
  const path = await naming(followLink(disk, given))
  const draft = await naming(openDraft(disk, await draftBeside(world, path), { named: path, mode }))
  return {
    write: (piece) => {
      const written = draft.write(typeof piece === 'string' ? Buffer.from(piece) : piece)
      return written === undefined ? undefined : naming(written)
    },
    async publish() {
      await naming(draft.sync())
      await naming(publishDraft(disk, draft.path, path, { overwrite, keepBeside: mode === undefined }))
      // The file is synced and has its name.
      await draft.keep().catch(() => undefined)
      return draft.bytes()
    },
    [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose](),
  }
}

/** The error with the option of this path in its hint instead of that of the output. */
function forOption(error: unknown, option: string): unknown {
  const { options } = isFailure(error) ? error.details : {}
  if (!isFailure(error) || options?.includes('output') !== true) return error
  return error.with({ options: options.map((name) => (name === 'output' ? option : name)) })
}

/** Writes a file completely or not at all, as `openResultFile` does. */
export async function writeResultFile(
  world: Files,
  path: string,
  pieces: Iterable<string | Uint8Array>,
  options: ResultFileOptions,
): Promise<void> {
  await using file = await openResultFile(world, path, options)
  for (const piece of pieces) await file.write(piece)
  await file.publish()
}

/** Writes or replaces a file that only its owner can read (0600); missing directories are created (0700). */
export async function writePrivateFile(world: Files, path: string, text: string): Promise<void> {
  await ensureDirectory(world.disk, dirname(path)).catch((error: unknown) => {
    throw diskFailure(error, 'write', path)
  })
  await writeResultFile(world, path, [text], { overwrite: true, mode: 0o600 })
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
