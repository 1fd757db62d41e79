import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** A file, directory or link. */
export interface Standing {
  /** Relative to the root; a directory's ends with `/`. */
  readonly path: string
  readonly mode: number
  /** A file's bytes, a link's target. */
  readonly content: string
  readonly mtimeMs: number
}

/** Everything in a directory tree, sorted by path, for comparison with a later snapshot. */
export async function snapshot(folder: string): Promise<Standing[]> {
  const found: Standing[] = []
  const walk = async (relative: string): Promise<void> => {
    for (const name of await readdir(join(folder, relative))) {
      const path = join(folder, relative, name)
      const facts = await lstat(path)
      const isDirectory = facts.isDirectory()
      const shown = `${relative}${name}${isDirectory ? '/' : ''}`
      const content = isDirectory
        ? ''
        : facts.isSymbolicLink()
          ? await readlink(path)
          : await readFile(path, 'latin1')
      found.push({ path: shown, mode: facts.mode, content, mtimeMs: isDirectory ? 0 : facts.mtimeMs })
      if (isDirectory) await walk(shown)
    }
  }
  await walk('')
  return found.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}
