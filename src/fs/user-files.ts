import type { Stats } from 'node:fs'
import { dirname, isAbsolute, join, win32 } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import { shellQuote } from '../base/shell-words.ts'
import type { Disk, World } from '../base/world.ts'
import { probeDirectory } from './directory-probe.ts'
import { diskFailure } from './disk-failure.ts'

/** What the directories of a user depend on; the home directory is empty when it is unknown. */
interface HomeFacts {
  readonly env: World['env']
  readonly host: Pick<World['host'], 'platform' | 'homeDir'>
}

/** A directory by the conventions of each system: a variable with the absolute path, else a path in the home directory. */
interface Convention {
  readonly xdg: readonly [variable: string, inHome: string]
  readonly windows: readonly [variable: string, inHome: string]
  readonly mac: string
}

/** The directory of the config file; undefined when the home directory is unknown. */
export function configDirectory(facts: HomeFacts): string | undefined {
  return directoryOf(facts, {
    xdg: ['XDG_CONFIG_HOME', '.config'],
    windows: ['APPDATA', 'AppData\\Roaming'],
    mac: 'Library/Preferences',
  })
}

/** The directory of the state between runs; undefined when the home directory is unknown. */
export function stateDirectory(facts: HomeFacts): string | undefined {
  return directoryOf(facts, {
    xdg: ['XDG_STATE_HOME', '.local/state'],
    windows: ['LOCALAPPDATA', 'AppData\\Local'],
    mac: 'Library/Application Support',
  })
}

/** The directory of the user's data; undefined when the home directory is unknown. */
export function dataDirectory(facts: HomeFacts): string | undefined {
  return directoryOf(facts, {
    xdg: ['XDG_DATA_HOME', '.local/share'],
    windows: ['LOCALAPPDATA', 'AppData\\Local'],
    mac: 'Library/Application Support',
  })
}

// XDG Base Directory 0.8 ignores relative paths.
function directoryOf(
  { env, host: { platform, homeDir } }: HomeFacts,
  { xdg, windows, mac }: Convention,
): string | undefined {
  const chosen = env[xdg[0]]
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, 'matdecl')
  if (platform === 'win32') {
    const roaming = env[windows[0]]
    if (roaming !== undefined && win32.isAbsolute(roaming)) return win32.join(roaming, 'matdecl')
    return win32.isAbsolute(homeDir) ? win32.join(homeDir, windows[1], 'matdecl') : undefined
  }
  return isAbsolute(homeDir) ? join(homeDir, platform === 'darwin' ? mac : xdg[1], 'matdecl') : undefined
}

/** Why the directories of a user are not known. */
export function unknownHome(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'neither APPDATA nor USERPROFILE is set' : 'HOME is not set'
}

/** What a directory is, and what to do when it is not used. */
interface DirectoryNames {
  readonly what: string
  readonly alternative: string
}

export const STATE_DIRECTORY: DirectoryNames = {
  what: 'the state directory',
  alternative: 'choose another path with XDG_STATE_HOME',
}

/** Creates a directory for files of this user between runs (0700, absolute), with its missing parents, and checks it as `checkOwnDirectory`. */
export async function openOwnDirectory(
  world: Pick<World, 'disk' | 'host'>,
  directory: string,
  names: DirectoryNames,
): Promise<void> {
  await ensureDirectory(world.disk, directory).catch((error: unknown) => {
    throw diskFailure(error, 'use', directory, names.alternative)
  })
  await checkOwnDirectory(world, directory, names)
}

/**
 * Throws `io` when a directory for files between runs is a link (root's aside), or when another user (root aside) can change it or put
 * another one in its place. One that does not exist is fine.
 */
export async function checkOwnDirectory(
  { disk, host }: Pick<World, 'disk' | 'host'>,
  directory: string,
  { what, alternative }: DirectoryNames,
): Promise<void> {
  const problem = await problemOf(disk, directory, host.uid).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined
    throw diskFailure(error, 'use', directory, alternative)
  })
  if (problem === undefined) return
  throw new Failure('io', `${what} ${directory} is not used: ${problem}`, {
    hint: alternative,
    file: directory,
  })
}

async function problemOf(
  disk: Disk,
  directory: string,
  uid: number | undefined,
): Promise<string | undefined> {
  const there = await disk.lstat(directory)
  // systemd makes links for users that exist only while a service runs; they belong to root.
  const isOfSystem = there.uid === 0 && uid !== undefined && uid !== 0
  if (!there.isDirectory() && !isOfSystem) return there.isFile() ? 'it is a file' : 'it is a link'
  if (uid === undefined) return undefined
  const real = isOfSystem ? await disk.realpath(directory) : directory
  const [own, parent] = [await disk.stat(real), await disk.stat(dirname(real))]
  // In a sticky directory, only its owner and root can rename it.
  const parentMode = (parent.mode & 0o1000) === 0 ? parent.mode : 0
  const isForeign =
    own.uid !== uid ||
    (await whoCanChange(disk, own, uid)) !== undefined ||
    (await whoCanChange(disk, { uid: parent.uid, gid: parent.gid, mode: parentMode }, uid)) !== undefined
  if (!isForeign || (await isWithoutOwners(disk, real, own))) return undefined
  return 'another user can change it'
}

/**
 * True for a file system without owners and permissions (network shares, FAT, the drives of Windows in WSL): a new private file in a
 * directory seems to have the owner of all the others, and to be open to everybody.
 */
async function isWithoutOwners(disk: Disk, directory: string, facts: Stats): Promise<boolean> {
  const probed = await probeDirectory(disk, directory).catch(() => undefined)
  return probed?.uid === facts.uid && (probed.mode & 0o077) !== 0
}

/**
 * Creates a private directory and its missing parents; nothing where it exists. Not `recursive` of Node 20: that never ends where a file
 * system answers ENOENT although the parent exists, as /proc does.
 */
export async function ensureDirectory(disk: World['disk'], directory: string): Promise<void> {
  try {
    await disk.mkdir(directory, { mode: 0o700 })
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && (await disk.stat(directory)).isDirectory()) return
    if (systemCode(error) !== 'ENOENT' || dirname(directory) === directory) throw error
    await ensureDirectory(disk, dirname(directory))
    await disk.mkdir(directory, { mode: 0o700 }).catch((again: unknown) => {
      if (systemCode(again) !== 'EEXIST') throw again
    })
  }
}

/**
 * Throws `config`, with the command that repairs it, when another user (root aside) owns the settings or the secret at `path`, or can
 * change or replace them. Windows has no such bits. `facts` are those of the open file.
 */
export async function refuseForeign(disk: Disk, path: string, what: string, facts: Stats): Promise<void> {
  const uid = process.geteuid?.()
  if (uid === undefined) return
  const refuse = (problem: string, hint: string): Failure =>
    new Failure('config', `${what} ${path} is not used: ${problem}`, { hint, file: path })
  const can = await whoCanChange(disk, facts, uid)
  if (can === 'owner') {
    throw refuse(
      `it belongs to another user (uid ${facts.uid})`,
      `use a copy of your own; or check its content, then run as root: chown ${uid} ${shellQuote(path)}`,
    )
  }
  if (can === 'others') {
    throw refuse('others can change it', `check its content, then run: chmod go-w ${shellQuote(path)}`)
  }
  if (!facts.isFile()) return
  const directory = await replaceableIn(disk, path)
  if (directory !== undefined) {
    throw refuse(
      `others can replace it, because everyone can write to ${directory}`,
      `check its content, then run: chmod o-w ${shellQuote(directory)}`,
    )
  }
}

/** Who can change a file, beside this user and root: its owner, or others by its permissions. */
export async function whoCanChange(
  disk: Disk,
  { uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>,
  own: number,
): Promise<'owner' | 'others' | undefined> {
  if (uid !== own && uid !== 0) return 'owner'
  if ((mode & 0o002) !== 0) return 'others'
  return (mode & 0o020) !== 0 && !(await isPrivateGroup(disk, own, gid)) ? 'others' : undefined
}

/** The directory of the file, or of what it links to, in which everyone may rename files. */
async function replaceableIn(disk: Disk, path: string): Promise<string | undefined> {
  const real = await disk.realpath(path).catch(() => path)
  for (const directory of new Set([dirname(path), dirname(real)])) {
    const facts = await disk.stat(directory).catch(() => undefined)
    if (facts !== undefined && (facts.mode & 0o1002) === 0o002) return directory
  }
  return undefined
}

/**
 * True for the group that many systems give each user, with a umask that lets it write: it has the number of the user, and by
 * `/etc/group` and `/etc/passwd` nobody else is in it. Never for root.
 */
async function isPrivateGroup(disk: Disk, uid: number, gid: number): Promise<boolean> {
  if (gid !== uid || uid === 0) return false
  const read = (path: string): Promise<string> => disk.readFile(path, 'utf8').catch(() => '')
  return isOnlyMember(await read('/etc/passwd'), await read('/etc/group'), uid, gid)
}

/** True when, by the text of passwd(5) and group(5), the user is known and no other user is in the group. */
export function isOnlyMember(passwd: string, group: string, uid: number, gid: number): boolean {
  const users = passwd.split('\n').map((line) => line.split(':'))
  const own = users.find(([, , id]) => id === String(uid))
  const found = group.split('\n').find((line) => line.split(':')[2] === String(gid))
  if (own === undefined || found === undefined) return false
  const members = (found.split(':')[3] ?? '').split(',').filter((name) => name !== '')
  const isShared = users.some(([, , id, primary]) => primary === String(gid) && id !== String(uid))
  return !isShared && members.every((name) => name === own[0])
}
