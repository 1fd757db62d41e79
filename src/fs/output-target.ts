import { type BigIntStats, constants, type Stats } from 'node:fs'
import { devNull } from 'node:os'
import { basename, dirname, isAbsolute, join, parse, resolve, sep, win32 } from 'node:path'
import { cleanText } from '../base/clean-text.ts'
import { Failure, isFailure, isOutOfFiles, scarceResource, systemCode } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { shellQuote } from '../base/shell-words.ts'
import { formatBytes } from '../base/units.ts'
import type { Disk, World } from '../base/world.ts'
import { probeDirectory } from './directory-probe.ts'
import { diskFailure, errnoReason, ifThere } from './disk-failure.ts'
import { type FileNumber, isSameNumber } from './platform-disk.ts'
import { windowsNameProblem } from './windows-names.ts'

const LONGEST_NAME = 255

/** An absolute path, from the working directory; on Windows `C:name` is in the working directory of that drive. */
export function absolutePath(cwd: () => string, path: string): string {
  if (isAbsolute(path)) return path
  return sep === '\\' && /^[a-z]:/i.test(path) ? resolve(path) : join(cwd(), path)
}

/** The directory that an archive is extracted to by default: its path without `.zip`; a name without it gets a suffix. */
export function extractTarget(archivePath: string): string {
  const name = basename(archivePath)
  const stem = name.replace(/(?<=.)\.zip$/i, '')
  return `${archivePath.slice(0, -name.length)}${stem === name ? `${name}.extracted` : stem}`
}

/** Throws `usage` when Windows would take a path to be created for something else: a device, a stream, a name without its last dot. */
export function requireName(disk: Disk, path: string, what: string): void {
  if (disk.isWindows !== true) return
  for (const name of path.slice(parse(path).root.length).split(/[\\/]/)) {
    const problem = windowsNameProblem(name)
    if (problem === undefined) continue
    throw new Failure('usage', `${what}: the name '${name}' ${problem}`, { hint: 'choose another name' })
  }
}

/** True when the path is an existing directory, or ends in a slash. */
export async function isDirectory(disk: Disk, path: string): Promise<boolean> {
  if (/[/\\]$/.test(path)) return true
  return disk.stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  )
}

/** True when the path exists, even as a broken link. */
export async function isTaken(disk: Disk, path: string): Promise<boolean> {
  return (await lstatIfThere(disk, path)) !== undefined
}

/**
 * Where a file is written that is named by a link to one: what the link leads to is replaced, the link stays. Any other path as it is.
 * A link of another user (root aside) is an `io` failure: in a directory for everybody it could lead to any file of this user.
 */
export async function followLink(disk: Disk, path: string): Promise<string> {
  const link = await disk.lstat(path).catch(() => undefined)
  if (link?.isSymbolicLink() !== true) return path
  const target = await disk.stat(path).catch(() => undefined)
  if (target?.isFile() !== true) return path
  const uid = process.geteuid?.()
  if (uid !== undefined && link.uid !== 0 && link.uid !== uid)
    throw new Failure('io', `${path} is a link of another user (uid ${link.uid})`, {
      file: path,
      hint: 'name the file that it leads to, or choose another path',
    })
  return await disk.realpath(path)
}

// Whoever opened the file goes on writing to it, and would not see the one that replaces it.
const OPEN_FILE = /^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$|^\/proc\/[^/]+(?:\/task\/\d+)?\/fd\/\d+$/

/**
 * Checks that a file can be written to a path, or to what it links to: a valid name, not in use unless `overwrite`, in a directory that is writable or can be
 * created. `what` names the file in messages.
 */
export async function checkFileTarget(
  disk: Disk,
  given: string,
  what: string,
  overwrite: boolean,
): Promise<void> {
  if (OPEN_FILE.test(given))
    throw new Failure('io', `${what}: ${given} is an open file of this process, and no path to replace`, {
      file: given,
      hint: 'name a file; standard output is - where a result may go there',
    })
  const path = await followLink(disk, given)
  const name = basename(path)
  if (path.includes('\0') || name === '' || name === '.' || name === '..') {
    throw new Failure('usage', `${what}: '${name}' is not a file name`, { hint: 'name a file' })
  }
  // Windows counts UTF-16 units.
  const [length, unit] =
    disk.isWindows === true ? [name.length, 'characters'] : [Buffer.byteLength(name), 'bytes']
  if (length > LONGEST_NAME) {
    const message = `${what}: the name is too long (${length} ${unit}, at most ${LONGEST_NAME})`
    throw new Failure('usage', message, { hint: 'choose a shorter name' })
  }
  requireName(disk, path, what)
  const facts = await lstatIfThere(disk, path)
  if (facts?.isDirectory() === true) throw wrongKind(path, what, 'is a directory')
  if (facts?.isSymbolicLink() === true) {
    // A link to a pipe or a device, such as /dev/stdout, would become a file.
    const target = await disk.stat(path).catch(() => undefined)
    const kind =
      target === undefined ? 'nothing' : target.isDirectory() ? 'a directory' : 'what is no regular file'
    throw wrongKind(path, what, `is a link to ${kind}`)
  }
  if (facts?.isFile() === false) throw wrongKind(path, what, 'is not a regular file')
  if (facts !== undefined && !overwrite) throw exists(path, what, 'overwrite it')
  if (facts?.isFile() === true) await requireUnheld(disk, path, what)
  if (facts !== undefined) await requireReplaceable(disk, path, what, facts.uid)
  await requireWritableParent(disk, dirname(resolve(path)), what)
}

/** A file and its name in messages: an option, or `source`. */
export interface NamedPath {
  readonly what: string
  readonly path: string
}

/** Refuses results that are one file with another result or with an input, also through a link. */
export async function refuseSameFiles(
  disk: Disk,
  inputs: readonly NamedPath[],
  results: readonly NamedPath[],
): Promise<void> {
  const known = new Map<string, NamedPath>()
  for (const one of [...inputs, ...results]) {
    const facts = await disk.stat(one.path, { bigint: true }).catch(() => undefined)
    if (facts === undefined && !results.includes(one)) continue
    const file = facts === undefined ? one.path : await fileKey(disk, one.path, facts)
    const other = known.get(file)
    if (other === undefined) known.set(file, one)
    else if (results.includes(one)) throw clash(other.what, one.what, `are the same file: ${one.path}`)
  }
}

// Freshly formatted drives of Windows can have one number, and number their files alike: these differ in their drive, and nearly always in
// their times.
async function fileKey(disk: Disk, path: string, facts: BigIntStats): Promise<string> {
  const { dev, ino, size, birthtimeNs, mtimeNs } = facts
  if (disk.isWindows !== true) return `${dev}:${ino}`
  const drive = win32.parse(await disk.realpath(path).catch(() => path)).root.toLowerCase()
  return [drive, dev, ino, size, birthtimeNs, mtimeNs].join(':')
}

/** The failure for two paths of a command that exclude each other, named as their options. */
export function clash(one: string, other: string, why: string): Failure {
  return new Failure('usage', `${one} and ${other} ${why}`, {
    hint: 'name another path for one of them',
    options: [one, other].filter((name) => name !== 'source'),
  })
}

/** Checks that a directory can be created at a path, or exists and `overwrite` is set. */
export async function checkDirectoryTarget(
  disk: Disk,
  path: string,
  what: string,
  overwrite: boolean,
  alternative = 'extract into it',
): Promise<void> {
  requireName(disk, path, what)
  const facts = await lstatIfThere(disk, path)
  if (facts !== undefined && !facts.isDirectory())
    throw wrongKind(path, what, 'exists and is not a directory')
  if (facts !== undefined && !overwrite) throw exists(path, what, alternative)
  const parent = await requireWritableParent(disk, facts === undefined ? dirname(resolve(path)) : path, what)
  if (parent.hasModes) refuseShared(parent.path, (await disk.stat(parent.path)).mode, `${what}: `)
}

// The hint names the option of this file instead of that of the output.
async function requireWritableParent(
  disk: Disk,
  directory: string,
  what: string,
): Promise<WritableDirectory> {
  try {
    return await requireWritableDirectory(disk, directory)
  } catch (error) {
    if (!isFailure(error) || !error.details.options?.includes('output')) throw error
    throw error.with({ options: [what.replace(/^--/, '')] })
  }
}

/** An existing directory in which files can be created. */
interface WritableDirectory {
  readonly path: string
  /** False on a file system without permissions, where everything seems to be everybody's. */
  readonly hasModes: boolean
}

/**
 * Throws `io` unless files can be created in a directory, or in the nearest existing one above it, which it returns, as `probeDirectory`
 * finds out. `alternative` is as in `diskFailure`.
 */
export async function requireWritableDirectory(
  disk: Disk,
  directory: string,
  alternative?: string,
  /** What is to be created in it. */
  wanted = directory,
): Promise<WritableDirectory> {
  try {
    const { mode } = await probeDirectory(disk, directory)
    return { path: directory, hasModes: (mode & 0o077) === 0 }
  } catch (error) {
    const parent = dirname(directory)
    if (systemCode(error) !== 'ENOENT' || parent === directory) {
      throw diskFailure(error, wanted === directory ? 'write to' : 'create', wanted, alternative)
    }
    return await requireWritableDirectory(disk, parent, alternative, wanted)
  }
}

/**
 * Throws `io` for a directory in which every user may put another directory in the place of one: by its mode, everybody can write to it
 * and it is not sticky. `what` names it in messages.
 */
export function refuseShared(path: string, mode: number, what = ''): void {
  if ((mode & 0o1002) !== 0o002) return
  throw new Failure('io', `${what}every user can change ${path}`, {
    file: path,
    hint: `choose a directory that only you can change, or run: chmod o-w ${shellQuote(path)}`,
  })
}

/** Throws `io` when only another user can replace what is at a path, as in a sticky directory. */
async function requireReplaceable(disk: Disk, path: string, what: string, owner: number): Promise<void> {
  const uid = process.geteuid?.()
  if (uid === undefined || uid === 0 || uid === owner) return
  const directory = await disk.stat(dirname(resolve(path)))
  if ((directory.mode & 0o1000) === 0 || directory.uid === uid) return
  throw new Failure(
    'io',
    `${what}: ${path} belongs to another user (uid ${owner}), who alone can replace it`,
    {
      file: path,
      hint: 'choose another path',
    },
  )
}

/** Throws `io` for a file that cannot be replaced on Windows: read-only, or open in another program, as a workbook in Excel. */
async function requireUnheld(disk: Disk, path: string, what: string): Promise<void> {
  if (disk.isWindows !== true) return
  try {
    await disk.access(path, constants.W_OK)
    await (await disk.open(path, 'r+')).close()
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'EBUSY' && code !== 'EPERM' && code !== 'EACCES') return
    const isOpen = code === 'EBUSY'
    const problem = isOpen ? `cannot be replaced: ${errnoReason('EBUSY')}` : 'is read-only'
    const remedy = isOpen ? 'close that program' : 'allow changes in its properties (attrib -r)'
    throw new Failure('io', `${what}: ${path} ${problem}`, {
      cause: error,
      file: path,
      hint: `${remedy}, or choose another path`,
    })
  }
}

/** The facts of what is at a path, links not followed; undefined when nothing is there. */
export async function lstatIfThere(disk: Disk, path: string): Promise<Stats | undefined> {
  return ifThere(disk.lstat(path), 'check', path)
}

function exists(path: string, what: string, alternative: string): Failure {
  return new Failure('io', `${what}: ${path} exists`, {
    file: path,
    hint: `choose another path, or ${alternative}`,
    options: ['overwrite'],
  })
}

function wrongKind(path: string, what: string, problem: string): Failure {
  return new Failure('io', `${what}: ${path} ${problem}`, { file: path, hint: 'choose another path' })
}

/** A directory that this run created. */
export interface MadeDirectory extends FileNumber {
  readonly path: string
}

type Disks = Pick<World, 'disk' | 'syncDisk'>

/** Creates the missing directories of a path, all or none, and returns them, outermost first. */
export async function makeDirectories(disks: Disks, directory: string): Promise<readonly MadeDirectory[]> {
  const { disk } = disks
  const missing: string[] = []
  for (let one = resolve(directory); !(await isTaken(disk, one)); one = dirname(one)) {
    if (one === dirname(one)) throw noRoot(one)
    missing.unshift(one)
  }
  const made: MadeDirectory[] = []
  for (const path of missing) {
    try {
      // Not for everybody, whatever the umask: such a directory is refused for what is extracted.
      await disk.mkdir(path, 0o775)
      const { dev, ino } = await disk.lstat(path, { bigint: true })
      made.push({ path, dev, ino })
    } catch (error) {
      if (systemCode(error) === 'EEXIST') continue
      removeEmptyDirectories(disks, made)
      throw diskFailure(error, 'create', path)
    }
  }
  return made
}

function noRoot(root: string): Failure {
  return new Failure('io', `there is no drive or share ${root}`, {
    hint: 'check the path, and that the drive or share is connected',
    file: root,
  })
}

/** Reports each directory that contains no other one of these. */
export function reportMadeDirectories(
  made: readonly MadeDirectory[],
  { notice }: Pick<Reporter, 'notice'>,
): void {
  const parents = new Set(made.map(({ path }) => dirname(path)))
  for (const { path } of made) {
    if (parents.has(path)) continue
    notice({
      level: 'info',
      event: 'output.directory',
      message: `created directory ${cleanText(path, 300)}`,
    })
  }
}

/** Removes these directories where they are empty, innermost first, and nothing that has taken the place of one. */
export function removeEmptyDirectories({ syncDisk }: Disks, made: readonly MadeDirectory[]): void {
  for (const { path, ...number } of [...made].reverse()) {
    try {
      if (isSameNumber(syncDisk.lstatSync(path, { bigint: true }), number)) syncDisk.rmdirSync(path)
    } catch {}
  }
}

/** Bytes that this user can still write to a directory; undefined when unknown. */
export async function freeBytes(disk: Disk, directory: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await disk.statfs(directory)
    return bavail * bsize
  } catch {
    return undefined
  }
}

interface Advice {
  readonly hint: string
  readonly options: readonly string[]
}

/** Throws `io` when a directory has less free space than `neededBytes`. */
export async function requireRoom(
  disk: Disk,
  directory: string,
  neededBytes: number,
  advice?: Advice,
): Promise<void> {
  const free = await freeBytes(disk, directory)
  if (free === undefined || neededBytes <= free) return
  throw new Failure(
    'io',
    `not enough space in ${directory}: needs ${formatBytes(neededBytes)}, ${formatBytes(free)} free`,
    {
      file: directory,
      hint: `free ${formatBytes(neededBytes - free)} on ${directory}, or choose another path`,
      options: ['output'],
      ...advice,
    },
  )
}

// Each worker thread has its own event loop, of four descriptors.
const OF_THREAD = 4
// The socket, the note of a response and its body; a note, a body, and that body again while it is verified.
const OF_CONNECTION = 6
// The records of the library, and what is open for a moment: a directory that is synced, the race of two addresses, the quota.
const OF_RUN = 6
const RESERVE = 4
const MAX_THREADS = 4

const MOST_TRIES = 100
const WAIT_MS = 50

/** A disk that opens a file later when too many are open: other requests close theirs. */
function patientDisk({ disk, clock, interrupt }: World): Disk {
  const open: Disk['open'] = async (...args) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await disk.open(...args)
      } catch (error) {
        if (tries === MOST_TRIES || !isOutOfFiles(error)) throw error
        await clock.sleep(WAIT_MS, interrupt)
      }
    }
  }
  return new Proxy(disk, { get: (target, key) => (key === 'open' ? open : Reflect.get(target, key)) })
}

/**
 * How many of `connections` a run can have open with its files and threads, found by opening as many for a moment; where that is not all
 * of them, the returned World has no threads to spare. Throws `io` with the limit to raise when there is not even one.
 */
export async function fitDescriptors(
  world: World,
  connections: number,
): Promise<{ readonly world: World; readonly connections: number }> {
  const { disk, host } = world
  // One thread for each connection hashes its body.
  const threads = connections + Math.min(MAX_THREADS, host.cores)
  const count = RESERVE + OF_RUN + OF_CONNECTION * connections + OF_THREAD * threads
  const opened = await Promise.allSettled(Array.from({ length: count }, () => disk.open(devNull, 'r')))
  let failure: unknown
  for (const each of opened) {
    if (each.status === 'fulfilled') await each.value.close()
    else failure ??= scarceResource(each.reason)
  }
  const patient = { ...world, disk: patientDisk(world) }
  if (failure === undefined) return { world: patient, connections }
  const files = opened.filter(({ status }) => status === 'fulfilled').length
  if (files < OF_RUN + OF_CONNECTION) throw failure
  const fitting = Math.max(1, Math.floor((files - RESERVE - OF_RUN) / OF_CONNECTION))
  return { world: { ...patient, host: { ...host, cores: 1 } }, connections: Math.min(connections, fitting) }
}
