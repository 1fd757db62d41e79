import { resolve } from 'node:path'
import picomatch from 'picomatch'
import { Account } from '../base/account.ts'
import type { AccountEntry } from '../base/account-entry.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { formatCount } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { absolutePath, requireName } from '../fs/output-target.ts'
import { openArchiveFile } from './archive-file.ts'
import { stagingTree } from './directory-tree.ts'
import { A_DIRECTORY, type ArchiveEntry, hasData } from './entry.ts'
import { collisionKey, windowsEntryProblem } from './entry-name.ts'
import { type ArchiveLimits, archiveFailure } from './problem.ts'
import { readArchive } from './read-archive.ts'
import { extractFailure, openStaging } from './staging.ts'
import { type EntrySelection, unpackEntries, unpackedBytes } from './unpack-entries.ts'

export interface ExtractOptions {
  readonly limits: ArchiveLimits
  /** Extract into an existing directory too, and replace files of the same name. */
  readonly overwrite: boolean
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  /** All files into the target itself, without their directories. */
  readonly flat: boolean
  readonly reporter: Reporter
  readonly signal?: AbortSignal
}

export interface Extracted {
  readonly files: number
  readonly bytes: number
  /** What became of the entries. */
  readonly entries: AccountEntry
}

/**
 * Extracts an archive completely or not at all: everything is written and checked in a hidden directory beside `targetDir`, then renamed.
 * Files of a directory that exists are replaced one by one: each is the old or the new one, and a failure says which were not replaced.
 * Throws `archive` for an archive that breaks a rule, `io` for a target that exists or cannot be written, `usage` when the globs
 * match nothing.
 */
export async function extractArchive(
  world: World,
  path: string,
  targetDir: string,
  options: ExtractOptions,
): Promise<Extracted> {
  const target = resolve(absolutePath(world.cwd, targetDir))
  requireName(world.disk, target, 'directory')
  await using file = openArchiveFile(world, path)
  const { entries, problems } = await readArchive(file, options.limits)
  if (problems.count > 0) throw archiveFailure(path, problems)
  const { files, directories, wanted, account } = chooseEntries(path, entries, options, world.clock.nowMs())
  if (world.host.platform === 'win32') refuseForWindows(path, [...files, ...directories])
  checkPathLengths(target, files)
  const bytes = unpackedBytes(wanted)
  await using staging = await openStaging(world, target, {
    overwrite: options.overwrite,
    bytes,
    reporter: options.reporter,
  })
  const writeOptions = { restoreOwner: staging.restoreOwner, sync: files.length <= SYNCED_FILES }
  try {
    await unpackEntries(world, file, wanted, {
      phase: 'extracting',
      problems,
      target: { directory: staging.directory, options: writeOptions },
      reporter: options.reporter,
      signal: options.signal ?? world.interrupt,
    })
    const tree = stagingTree(world.syncDisk, staging.directory, writeOptions)
    for (const each of directories) tree.make(each)
  } catch (error) {
    throw extractFailure(error, target)
  }
  await staging.publish(files, directories)
  return { files: files.length, bytes, entries: account }
}

// A sync takes milliseconds, too long for many files; after a power cut they can be extracted again.
const SYNCED_FILES = 100

// Later modification times are not restored.
const DAY_MS = 86_400_000

interface Chosen {
  /** Paths in the target. */
  readonly files: readonly string[]
  readonly directories: readonly string[]
  readonly wanted: EntrySelection
  readonly account: AccountEntry
}

/** Selects the entries to extract. Throws `usage` when there are none. */
function chooseEntries(
  archive: string,
  entries: readonly ArchiveEntry[],
  options: ExtractOptions,
  nowMs: number,
): Chosen {
  const whyLeftOut = createSelector(options)
  const pathOf = options.flat ? lastComponent : (name: string) => name
  const checkPath = options.flat ? createFlatCheck(archive) : () => undefined
  const files: string[] = []
  const directories: string[] = []
  const indexes: number[] = []
  const account = new Account()
  for (const [index, entry] of entries.entries()) {
    const reason = whyLeftOut(entry)
    account.arrive()
    if (reason !== undefined) {
      account.name(reason, escapeUnsafe(entry.name))
      continue
    }
    if (entry.isDirectory) {
      account.name(A_DIRECTORY, escapeUnsafe(entry.name))
      directories.push(entry.name)
      if (hasData(entry)) indexes.push(index)
      continue
    }
    account.use()
    checkPath(entry.name)
    files.push(pathOf(entry.name))
    indexes.push(index)
  }
  if (entries.length > 0 && files.length + directories.length === 0) throw nothingSelected(archive)
  const useOf: EntrySelection['useOf'] = ({ name, isDirectory, modifiedMs = Number.NaN }) => {
    if (isDirectory) return {}
    const isPlausible = modifiedMs >= 0 && modifiedMs <= nowMs + DAY_MS
    return { path: pathOf(name), modifiedMs: isPlausible ? modifiedMs : undefined }
  }
  const wanted = { entries, indexes, useOf }
  return { files, directories: options.flat ? [] : directories, wanted, account: account.close('entries') }
}

/** Throws for the first of these names that Windows cannot have. */
function refuseForWindows(archive: string, names: readonly string[]): void {
  for (const name of names) {
    const problem = windowsEntryProblem(name)
    if (problem === undefined) continue
    throw new Failure('archive', `${escapeUnsafe(archive)}: "${escapeUnsafe(name)}": ${problem}`, {
      hint: 'nothing was extracted; extract it on another system, or leave such entries out',
      options: ['exclude'],
      file: archive,
      entry: escapeUnsafe(name),
      rule: 'name',
    })
  }
}

function nothingSelected(path: string): Failure {
  return new Failure('usage', `${escapeUnsafe(path)}: no entry matches the globs`, {
    hint: 'check the names with `matdecl list`, and change the globs',
    options: ['include', 'exclude'],
    file: path,
  })
}

function lastComponent(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/** Call it with the name of each file; throws when the last components of two are equal. */
function createFlatCheck(archive: string): (name: string) => void {
  const taken = new Map<string, string>()
  return (name) => {
    const key = collisionKey(lastComponent(name))
    const other = taken.get(key)
    if (other !== undefined) {
      const text = `"${escapeUnsafe(other)}" and "${escapeUnsafe(name)}" would be the same file without their directories`
      throw new Failure('archive', `${escapeUnsafe(archive)}: ${text}`, {
        hint: 'extract with directories, or choose fewer entries',
        options: ['include'],
        file: archive,
        entry: escapeUnsafe(name),
      })
    }
    taken.set(key, name)
  }
}

// PATH_MAX of Linux, including the closing NUL.
const MAX_PATH = 4096

function checkPathLengths(target: string, paths: readonly string[]): void {
  const before = Buffer.byteLength(target) + 1
  for (const path of paths) {
    if (before + Buffer.byteLength(path) < MAX_PATH) continue
    throw new Failure(
      'io',
      `${escapeUnsafe(target)}: the path of "${escapeUnsafe(path)}" in it would be too long`,
      {
        hint: 'choose a directory with a shorter path',
        file: target,
        entry: escapeUnsafe(path),
      },
    )
  }
}

const LONGEST_GLOB = 10_000

type LeftOut = 'not included' | 'excluded'

interface Selection {
  /** Globs of which one must match; empty for everything. */
  readonly include: readonly string[]
  /** Globs of which none may match. */
  readonly exclude: readonly string[]
}

/**
 * Returns why an entry is left out; undefined for one that is selected. A glob without `/` matches the last component (`*.xml`), one with `/` the whole name
 * (`decl/**`), one that ends with `/` everything in that directory. `*` matches a leading dot too. A blank or too long glob is `usage`.
 */
export function createSelector({
  include,
  exclude,
}: Selection): (entry: Pick<ArchiveEntry, 'name' | 'isDirectory'>) => LeftOut | undefined {
  const isIncluded = include.length === 0 ? () => true : matcher('include', include)
  const isExcluded = exclude.length === 0 ? () => false : matcher('exclude', exclude)
  return ({ name, isDirectory }) => {
    const path = isDirectory ? name.slice(0, -1) : name
    return isIncluded(path) ? (isExcluded(path) ? 'excluded' : undefined) : 'not included'
  }
}

function matcher(option: string, globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => {
    if (glob.trim() === '') {
      throw new Failure('usage', `an ${option} glob is blank`, {
        hint: "give a glob such as '*.xml', or leave it out",
        options: [option],
      })
    }
    if (glob.length > LONGEST_GLOB) {
      throw new Failure('usage', `an ${option} glob is longer than ${formatCount(LONGEST_GLOB)} characters`, {
        hint: 'give several shorter globs',
        options: [option],
      })
    }
    const pattern = glob.endsWith('/') ? `${glob}**` : glob
    const composed = pattern.replace(/^\.?\//, '').normalize()
    return picomatch(composed, { dot: true, basename: !pattern.includes('/') })
  })
  // macOS writes names decomposed, and a keyboard types them composed.
  return (path) => matchers.some((matches) => matches(path.normalize()))
}
