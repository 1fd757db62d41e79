import { constants } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../base/world.ts'
import type { BodyFacts, TransferKeeper } from './fetch-archive.ts'
import { type JobState, type PartList, requestKey } from './journal.ts'
import { openPartialFile, type PartialBody, type PartialFile, readPartial } from './partial-file.ts'

/** The partial response that an earlier run received: bytes safe on disk, and what their rest must match. */
export interface PartialResponse extends PartialBody {
  readonly bytes: number
  /** The name of the archive in the job directory. */
  readonly file: string
}

/** How much of a partial response is kept. */
export interface KeptBytes {
  readonly bytes: number
  readonly total?: number | undefined
}

/** The name of the record of a partial archive. */
export function recordName(file: string): string {
  return file.replace(/\.zip$/, '.partial')
}

/** Finds the partial archives in a job directory that a transfer can continue; of the same request only the longest. */
export async function findPartialResponses(
  disk: Disk,
  folder: string,
  names: readonly string[],
  { pieces, empty }: JobState,
): Promise<readonly PartialResponse[]> {
  const done = new Set([...pieces, ...empty].map(requestKey))
  const best = new Map<string, PartialResponse>()
  for (const name of names) {
    const file = name.replace(/\.partial$/, '.zip')
    if (file === name) continue
    const record = await readWhole(disk, join(folder, name))
    const kept = record === undefined ? undefined : readPartial(record)
    if (kept === undefined || kept.bytes === 0) continue
    const key = requestKey(kept)
    if (done.has(key) || (best.get(key)?.bytes ?? 0) >= kept.bytes) continue
    const facts = await disk.lstat(join(folder, file)).catch(() => undefined)
    if (facts?.isFile() && facts.nlink === 1 && facts.size >= kept.bytes) best.set(key, { ...kept, file })
  }
  return [...best.values()]
}

/** Keeps the response of one request in the job directory while it is received. `onKept` gets how much, undefined for nothing. */
export function createKeeper(
  disk: Disk,
  path: string,
  list: PartList,
  kept: PartialResponse | undefined,
  onKept: (kept: KeptBytes | undefined) => void,
): TransferKeeper {
  const recordPath = recordName(path)
  const bodies = new WeakMap<BodyFacts, PartialBody>()
  let record: PartialFile | undefined
  if (kept !== undefined) onKept({ bytes: kept.bytes, total: kept.total })

  function bodyOf(facts: BodyFacts): PartialBody {
    const known = bodies.get(facts)
    if (known !== undefined) return known
    const body = { parts: [...list.parts], startDate: list.startDate, ...facts }
    bodies.set(facts, body)
    return body
  }

  async function close(): Promise<void> {
    const open = record
    record = undefined
    await open?.close().catch(() => undefined)
  }

  return {
    kept,
    async mark(facts, bytes) {
      record ??= await openPartialFile(disk, recordPath)
      await record.mark(bodyOf(facts), bytes)
      onKept({ bytes, total: facts.total })
    },
    close,
    async forget() {
      onKept(undefined)
      await close()
      await disk.rm(recordPath, { force: true }).catch(() => undefined)
    },
  }
}

async function readWhole(disk: Disk, path: string): Promise<Buffer | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    const handle = await disk.open(path, flags)
    try {
      return (await handle.stat()).isFile() ? await handle.readFile() : undefined
    } finally {
      await handle.close()
    }
  } catch {
    return undefined
  }
}
