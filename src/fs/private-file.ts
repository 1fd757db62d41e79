import { dirname } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { publishDraft } from './publish.ts'

interface PrivateFileOptions {
  readonly overwrite: boolean
  /** Makes the draft's name unique in its folder. */
  readonly unique: string
}

/**
 * Writes a file that only its owner may read (0600), whole or not at all; missing folders are made, 0700. A name that is taken
 * is refused (`io`) unless it may be overwritten.
 */
export async function writePrivateFile(
  disk: Disk,
  path: string,
  text: string,
  { overwrite, unique }: PrivateFileOptions,
): Promise<void> {
  const draft = `${path}.${unique}.draft`
  try {
    await disk.mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await disk.rm(draft, { force: true })
    const handle = await disk.open(draft, 'wx', 0o600)
    try {
      // A umask may have taken even the owner's bits.
      await handle.chmod(0o600)
      await handle.writeFile(text)
    } finally {
      await handle.close()
    }
    await publishDraft(disk, draft, path, { overwrite })
  } catch (error) {
    await disk.rm(draft, { force: true }).catch(() => undefined)
    throw diskFailure(error, 'write', path)
  }
}

/** True when something stands at the path, be it a link to nowhere. */
export async function isTaken(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.lstat(path)
    return true
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return false
    throw diskFailure(error, 'look at', path)
  }
}
