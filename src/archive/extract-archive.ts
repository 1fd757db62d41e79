import { isAbsolute, join, resolve } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { unpackFault } from './archive-fault.ts'
import { openArchiveFile } from './archive-file.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import { openStaging } from './archive-staging.ts'
import { createFolderWriter } from './archive-writer.ts'
import { collisionKey } from './entry-collisions.ts'
import type { EntryTable } from './entry-table.ts'
import { hasDataAt, nameAt } from './entry-table.ts'
import { openInflateThreads } from './inflate-threads.ts'
import { archiveFailure } from './problem.ts'
import { readArchive } from './read-archive.ts'
import { createSelector } from './select-entries.ts'
import { unpackEntries } from './unpack-entries.ts'
import { anySignal, throwProblems } from './verify-archive.ts'
import { planWork } from './work-list.ts'

export interface ExtractOptions {
  readonly limits: ArchiveLimits
  /** The target may be an existing folder; files of the same name are replaced. */
  readonly overwrite: boolean
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** All files into the target itself, without their folders. */
  readonly flat: boolean
  readonly reporter: Reporter
  readonly signal?: AbortSignal
}

export interface Extracted {
  /** The folder that was filled, absolute. */
  readonly folder: string
  readonly files: number
  readonly bytes: number
}

/**
 * Unpacks an archive, all or nothing: everything is written and checked in a hidden folder beside `targetDir` before anything takes
 * its name. Throws `archive` for an archive that breaks a rule, `io` for a target that exists or can't be written, `usage`
 * when the globs leave nothing. Afterwards the target is either complete or as it was.
 */
export async function extractArchive(
  world: World,
  path: string,
  targetDir: string,
  options: ExtractOptions,
): Promise<Extracted> {
  const target = isAbsolute(targetDir) ? resolve(targetDir) : join(world.cwd(), targetDir)
  await using file = await openArchiveFile(world, path)
  await using threads = openInflateThreads(world, file.size)
  const { table, problems } = await readArchive(file, options.limits)
  if (problems.count > 0) throw archiveFailure(path, problems)
  const { files, folders } = select(table, options)
  if (table.count > 0 && files.rows.length + folders.rows.length === 0) throw nothingLeft(path)
  const paths = options.flat ? flatPaths(path, files.names) : files.names
  checkPathLengths(target, paths)
  const nowMs = world.clock.nowMs()
  const list = planWork(table, files.rows, { paths, newestMs: nowMs + DAY_MS })
  await using staging = await openStaging(world.disk, target, {
    overwrite: options.overwrite,
    bytes: list.bytes,
    random: world.random,
    nowMs,
    host: world.host,
  })
  const writeOptions = { restoreOwner: staging.restoreOwner, sync: list.count <= SYNCED_FILES }
  const signal = anySignal(world, options.signal)
  const madeFolders = options.flat ? [] : folders.names
  try {
    let bytes = 0
    const result = await unpackEntries(world, file, list, {
      target: { folder: staging.folder, pathByName: staging.pathByName, options: writeOptions },
      threads,
      signal,
      onBytes: (count) => {
        bytes += count
        options.reporter.progress({ phase: 'extracting', bytes, totalBytes: list.bytes })
      },
    })
    throwProblems(path, problems, table, list, result)
    const inFolders = planWork(
      table,
      folders.rows.filter((row) => hasDataAt(table, row)),
    )
    const unseen = await unpackEntries(world, file, inFolders, { signal, onBytes: () => undefined })
    throwProblems(path, problems, table, inFolders, unseen)
    const writer = createFolderWriter(world.disk, staging.folder, writeOptions)
    try {
      for (const folder of madeFolders) await writer.makeFolder(folder)
    } finally {
      await writer.close()
    }
  } catch (error) {
    throw unpackFault(error, target)
  }
  await staging.publish(paths, madeFolders)
  return { folder: target, files: list.count, bytes: list.bytes }
}

// A sync costs milliseconds on a disk: few files are made safe against a power cut, for many the archive itself is the safe copy.
const SYNCED_FILES = 100

// A clock may be a little wrong; a time further ahead is no time at all.
const DAY_MS = 86_400_000

interface Chosen {
  /** Rows of the table, and the names of their entries. */
  readonly rows: number[]
  readonly names: string[]
}

/** The files and folders that are wanted. */
function select(
  table: EntryTable,
  options: ExtractOptions,
): { readonly files: Chosen; readonly folders: Chosen } {
  const isWanted = createSelector(options)
  const files: Chosen = { rows: [], names: [] }
  const folders: Chosen = { rows: [], names: [] }
  for (let row = 0; row < table.count; row += 1) {
    const entry = nameAt(table, row)
    if (!isWanted(entry)) continue
    const chosen = entry.isFolder ? folders : files
    chosen.rows.push(row)
    chosen.names.push(entry.name)
  }
  return { files, folders }
}

function nothingLeft(path: string): Failure {
  return new Failure('usage', `${escapeUnsafe(path)}: no entry is left after --include and --exclude`, {
    hint: 'see the names with: matdecl list',
    file: path,
  })
}

/** The last component of each name; two that meet then are refused. */
function flatPaths(archive: string, names: readonly string[]): string[] {
  const taken = new Map<string, string>()
  return names.map((name) => {
    const base = name.slice(name.lastIndexOf('/') + 1)
    const key = collisionKey(base)
    const other = taken.get(key)
    if (other !== undefined) {
      throw new Failure(
        'archive',
        `${escapeUnsafe(archive)}: "${escapeUnsafe(other)}" and "${escapeUnsafe(name)}" would be the same file with --flat`,
        {
          hint: 'extract without --flat, or choose with --include',
          file: archive,
          entry: escapeUnsafe(name),
        },
      )
    }
    taken.set(key, name)
    return base
  })
}

// What the system takes as one path, the closing NUL included (PATH_MAX of Linux).
const MAX_PATH = 4096

function checkPathLengths(target: string, paths: readonly string[]): void {
  const before = Buffer.byteLength(target) + 1
  for (const path of paths) {
    if (before + path.length * 3 < MAX_PATH || before + Buffer.byteLength(path) < MAX_PATH) continue
    throw new Failure(
      'io',
      `${escapeUnsafe(target)}: the path of "${escapeUnsafe(path)}" in it would be too long`,
      {
        hint: 'choose a folder with a shorter path',
        file: target,
        entry: escapeUnsafe(path),
      },
    )
  }
}
