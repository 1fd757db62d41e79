import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'

/** A folder held open, so that what is made in it lands there even when its name is given to something else meanwhile. */
export interface HeldFolder {
  readonly fd: number
  readonly dev: number
  readonly ino: number
  /** A path for what is in the folder: through the descriptor where the system has `/proc`, by name elsewhere. */
  readonly pathOf: (name: string) => string
  readonly close: () => Promise<void>
}

/** Folders below a held one, by relative path (`''` the root, others ending with `/`); none is reached through a link. */
export interface FolderTree {
  /** The folder at `path`, made with its parents when it is not there. Held until other folders need the room. */
  readonly make: (path: string) => Promise<HeldFolder>
  /** The folder at `path` when it is there. Throws ENOTDIR or ELOOP when a file or a link is in its place. */
  readonly find: (path: string) => Promise<HeldFolder | undefined>
  readonly close: () => Promise<void>
}

/** Only a folder, and no link to one. */
export const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** A new file, in the place of nothing, through no link. */
export const NEW_FILE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** How many folders of one tree are held open at once. */
export const MAX_HELD_FOLDERS = 24

/** The path of a descriptor's file under `/proc`, which leads to it whatever its name is now. */
export function descriptorPath(fd: number): string {
  return `/proc/self/fd/${fd}`
}

/** Opens the folder at `path`, which must be no link, and finds out whether paths through its descriptor work here. */
export async function holdFolder(disk: Disk, path: string): Promise<HeldFolder> {
  const handle = await disk.open(path, FOLDER_FLAGS)
  try {
    const { dev, ino } = await handle.stat()
    const seen = await disk.stat(descriptorPath(handle.fd)).catch(() => undefined)
    const base = seen?.ino === ino && seen.dev === dev ? descriptorPath(handle.fd) : path
    return { fd: handle.fd, dev, ino, pathOf: (name) => `${base}/${name}`, close: () => closeQuietly(handle) }
  } catch (error) {
    await closeQuietly(handle)
    throw error
  }
}

/** What was only looked at or made in can be closed without news. */
async function closeQuietly(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => undefined)
}

/** The tree below `root`. `onMade` hears of each folder as soon as it is made, parents first, with a path that leads to it now. */
export function createFolderTree(
  disk: Disk,
  root: HeldFolder,
  onMade: (path: string, at: string) => void | Promise<void>,
): FolderTree {
  const held = new Map<string, HeldFolder>()
  const find = async (path: string): Promise<HeldFolder | undefined> => {
    if (path === '') return root
    const known = held.get(path)
    if (known !== undefined) return known
    const [parentPath, name] = splitPath(path)
    const parent = await find(parentPath)
    if (parent === undefined) return undefined
    return await hold(path, parent.pathOf(name)).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    })
  }
  const make = async (path: string): Promise<HeldFolder> => {
    const there = await find(path)
    if (there !== undefined) return there
    const [parentPath, name] = splitPath(path)
    const inParent = (await make(parentPath)).pathOf(name)
    const isMade = await disk.mkdir(inParent).then(
      () => true,
      (error: unknown) => {
        if (systemCode(error) === 'EEXIST') return false
        throw error
      },
    )
    if (isMade) await onMade(path, inParent)
    return await hold(path, inParent)
  }
  const hold = async (path: string, at: string): Promise<HeldFolder> => {
    const folder = await holdFolder(disk, at)
    if (held.size >= MAX_HELD_FOLDERS) {
      const [oldest, other] = held.entries().next().value!
      held.delete(oldest)
      await other.close()
    }
    held.set(path, folder)
    return folder
  }
  const close = async (): Promise<void> => {
    for (const folder of held.values()) await folder.close()
    held.clear()
  }
  return { make, find, close }
}

/** `['a/b/', 'c']` for `a/b/c` and for `a/b/c/`. */
export function splitPath(path: string): readonly [string, string] {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const slash = path.lastIndexOf('/', end - 1)
  return [path.slice(0, slash + 1), path.slice(slash + 1, end)]
}
