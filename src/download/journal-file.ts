import { constants } from 'node:fs'
import type { Disk } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { ignoreUnsupported } from '../fs/unsupported.ts'

/** An append-only file of lines. */
export interface JournalFile {
  /** Resolves when the line is synced; concurrent lines share one sync. */
  readonly append: (line: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens the journal (mode 0600) for appending, and ends a torn last line; `isNew` empties it first. */
export async function openJournalFile(disk: Disk, path: string, isNew: boolean): Promise<JournalFile> {
  const { O_RDWR, O_APPEND, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
  const flags = O_RDWR | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (isNew ? O_TRUNC : 0)
  const file = await disk.open(path, flags, 0o600).catch((error: unknown) => {
    throw diskFailure(error, 'open', path)
  })
  let waiting = await lineEndIfTorn(file).catch(async (error: unknown) => {
    await file.close().catch(() => undefined)
    throw diskFailure(error, 'read', path)
  })
  let writing: Promise<void> | undefined
  let isClosed = false

  async function append(line: string): Promise<void> {
    waiting += line
    // The next write includes this line; one in progress does not.
    await writing?.catch(() => undefined)
    if (waiting.trim() !== '') writing = write()
    await writing
  }

  async function write(): Promise<void> {
    const text = waiting
    waiting = ''
    try {
      await file.appendFile(text)
      await file.datasync().catch(ignoreUnsupported)
    } catch (error) {
      // Separates the next line from a torn one.
      waiting = `\n${waiting}`
      throw diskFailure(error, 'write', path)
    }
  }

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    await writing?.catch(() => undefined)
    await file.close().catch(() => undefined)
  }

  return { append, close }
}

async function lineEndIfTorn(file: Awaited<ReturnType<Disk['open']>>): Promise<'' | '\n'> {
  const { size } = await file.stat()
  if (size === 0) return ''
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 0x0a ? '' : '\n'
}
