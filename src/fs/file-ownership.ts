import type { Stats } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../base/failure.ts'
import { shellQuote } from '../base/shell-quote.ts'
import type { Disk } from '../base/world.ts'

/** Who owns a file, and its permissions. */
export type OwnerFacts = Pick<Stats, 'uid' | 'gid' | 'mode'>

/** This user. */
export interface OwnIds {
  readonly uid: number
  /** True for a group that has no member but this user. */
  readonly isPrivateGroup: (gid: number) => Promise<boolean>
}

/**
 * Throws `config`, with the command that repairs it, when another user (root aside) owns the settings or the secret at `path`, or can
 * change or replace them. Windows has no such bits. `facts` are those of the open file.
 */
export async function refuseForeign(
  disk: Disk,
  path: string,
  what: string,
  facts: Stats,
  ids: OwnIds | undefined = thisUser(disk),
): Promise<void> {
  if (ids === undefined) return
  const refuse = (problem: string, hint: string): Failure =>
    new Failure('config', `${what} ${path} is not used: ${problem}`, { hint, file: path })
  const can = await whoCanChange(facts, ids)
  if (can === 'owner') {
    throw refuse(
      `it belongs to another user (uid ${facts.uid})`,
      `use a copy of your own; or check its content, then run as root: chown ${ids.uid} ${shellQuote(path)}`,
    )
  }
  if (can === 'others') {
    throw refuse('others can change it', `check its content, then run: chmod go-w ${shellQuote(path)}`)
  }
  if (!facts.isFile()) return
  const folder = await replaceableIn(disk, path)
  if (folder !== undefined) {
    throw refuse(
      `others can replace it, because everyone can write to ${folder}`,
      `check its content, then run: chmod o-w ${shellQuote(folder)}`,
    )
  }
}

/** Who can change a file, beside this user and root: its owner, or others by its permissions. */
export async function whoCanChange(
  { uid, gid, mode }: OwnerFacts,
  { uid: own, isPrivateGroup }: OwnIds,
): Promise<'owner' | 'others' | undefined> {
  if (uid !== own && uid !== 0) return 'owner'
  if ((mode & 0o002) !== 0) return 'others'
  return (mode & 0o020) !== 0 && !(await isPrivateGroup(gid)) ? 'others' : undefined
}

/** The directory of the file, or of what it links to, in which everyone may rename files. */
async function replaceableIn(disk: Disk, path: string): Promise<string | undefined> {
  const real = await disk.realpath(path).catch(() => path)
  for (const folder of new Set([dirname(path), dirname(real)])) {
    const facts = await disk.stat(folder).catch(() => undefined)
    if (facts !== undefined && (facts.mode & 0o1002) === 0o002) return folder
  }
  return undefined
}

/** The user with this number, and what the system knows of the user's groups. */
export function ownIds(disk: Disk, uid: number): OwnIds {
  return { uid, isPrivateGroup: (gid) => isPrivateGroup(disk, uid, gid) }
}

function thisUser(disk: Disk): OwnIds | undefined {
  const uid = process.geteuid?.()
  return uid === undefined ? undefined : ownIds(disk, uid)
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
