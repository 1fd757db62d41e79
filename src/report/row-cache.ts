import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ArchiveFile } from '../archive/archive-file.ts'
import type { ArchiveLimits } from '../archive/problem.ts'
import { readEnd } from '../archive/read-archive.ts'
import { isFailure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import { VERSION } from '../base/version.ts'
import type { World } from '../base/world.ts'
import { type CacheBounds, type CacheFiles, openCacheFiles } from '../fs/cache-files.ts'
import { cacheDirectory } from '../fs/user-files.ts'
import type { Reading } from './report-job.ts'

/** Keeps the rows of archives for later reports. What cannot be read or written is as if it were not there. */
export interface RowCache {
  /** The entry of an archive; undefined where there is no cache, or the archive has no valid directory. */
  readonly entryOf: (file: ArchiveFile, options: ReadingOptions) => Promise<CacheEntry | undefined>
  /** Call it once, when all sources are read: reports what came from the cache, and removes what is old or too much. */
  readonly finish: () => Promise<void>
}

/** The rows of one archive, read before or to be kept. */
export interface CacheEntry {
  /** The batches as they were read before, packed; undefined when they are not in the cache. */
  readonly read: () => readonly Buffer[] | undefined
  /** Collects what is read now. */
  readonly collect: () => RowCollector
}

/** Collects the packed batches of an archive in order. */
export interface RowCollector {
  readonly add: (bytes: Uint8Array) => void
  /** Writes the entry; call it when the archive was read to its end, unchanged. */
  readonly save: () => Promise<void>
}

/** A quarter of a million parts are about 16 MiB; the rows of larger archives are not kept. */
export const ROW_CACHE_BOUNDS: CacheBounds = {
  ending: '.rows',
  fileBytes: 32 * 1024 ** 2,
  totalBytes: 1024 ** 3,
  unusedMs: 60 * 24 * 3_600_000,
}

/** The rows of archives in the cache directory of this user. Its directory is opened, and made, for the first archive. */
export function createRowCache(world: World, reporter: Reporter, bounds = ROW_CACHE_BOUNDS): RowCache {
  let opened: Promise<CacheFiles | undefined> | undefined
  const counts = { seen: 0, kept: 0, written: 0 }
  const detail = (message: string): void =>
    reporter.notice({ level: 'detail', event: 'report.cache', message })

  async function open(): Promise<CacheFiles | undefined> {
    const folder = cacheDirectory(world)
    if (folder === undefined) {
      detail('nothing is cached: HOME is not set')
      return undefined
    }
    try {
      return await openCacheFiles(world, join(folder, 'rows'), bounds)
    } catch (error) {
      unusable(error)
      return undefined
    }
  }

  function unusable(error: unknown): void {
    if (!isFailure(error)) throw error
    detail(error.message)
  }

  function collector(files: CacheFiles, key: string): RowCollector {
    const pieces: Uint8Array[] = []
    let bytes = 0
    return {
      add(piece) {
        bytes += piece.length
        if (bytes > bounds.fileBytes) pieces.length = 0
        else pieces.push(piece)
      },
      async save() {
        if (bytes > bounds.fileBytes) return
        try {
          await files.write(key + bounds.ending, entryPieces(key, pieces))
          counts.written += 1
        } catch (error) {
          unusable(error)
        }
      },
    }
  }

  return {
    async entryOf(file, options) {
      opened ??= open()
      const files = await opened
      const key = files && rowCacheKey(file, options)
      if (files === undefined || key === undefined) return undefined
      counts.seen += 1
      return {
        read() {
          const bytes = files.read(key + bounds.ending)
          const pieces = bytes && readEntryPieces(key, bytes)
          if (pieces !== undefined) counts.kept += 1
          return pieces
        },
        collect: () => collector(files, key),
      }
    },
    async finish() {
      if (counts.seen === 0) return
      detail(`the rows of ${counts.kept} of ${plural(counts.seen, 'archive')} came from the cache`)
      if (counts.written > 0) await (await opened)?.removeOld()
    },
  }
}

// Keys and entries

/** How an archive is read: what its rows depend on, beside its content. */
export interface ReadingOptions extends Reading {
  readonly limits: ArchiveLimits
}

/** Change it with the content of an entry, or with what rows mean, between two releases. */
const ENTRY_FORMAT = 5
const PIECE_BYTES = 1024 ** 2

/**
 * Identifies the rows of an archive: by its size, its number and times (written and changed, in nanoseconds), the SHA-256 of its
 * directory, which has the CRC-32 of every entry, and how which version reads it. Undefined when it has no valid end record.
 */
export function rowCacheKey(
  file: ArchiveFile,
  options: ReadingOptions,
  version = VERSION,
): string | undefined {
  const end = readEnd(file, options.limits)
  if ('text' in end) return undefined
  const directory = createHash('sha256')
  for (let at = end.directoryOffset; at < file.size; at += PIECE_BYTES) {
    directory.update(file.read(at, Math.min(PIECE_BYTES, file.size - at)))
  }
  const { size, ino, mtimeNs, ctimeNs } = file.facts
  const { limits, substances, screening } = options
  const facts = [
    ENTRY_FORMAT,
    version,
    ...[size, ino, mtimeNs, ctimeNs].map(String),
    directory.digest('hex'),
    limits.maxEntries,
    limits.maxBytes,
    limits.maxRatio,
    substances,
    createHash('sha256').update(screening).digest('hex'),
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

const CHECKSUM_BYTES = 32
const LENGTH_BYTES = 4

/** The content of a cache entry: a checksum over its key and the rest, then each piece after its length. */
export function entryPieces(key: string, pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const body = pieces.flatMap((piece) => [lengthOf(piece), piece])
  return [checksum(key, body), ...body]
}

/** The pieces in the bytes of an entry; undefined when it is truncated, damaged, or was written under another key. */
export function readEntryPieces(key: string, bytes: Buffer): readonly Buffer[] | undefined {
  const body = bytes.subarray(CHECKSUM_BYTES)
  if (!checksum(key, [body]).equals(bytes.subarray(0, CHECKSUM_BYTES))) return undefined
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const from = at + LENGTH_BYTES
    at = from + body.readUInt32LE(at)
    pieces.push(body.subarray(from, at))
  }
  return pieces
}

function lengthOf({ length }: Uint8Array): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES)
  bytes.writeUInt32LE(length)
  return bytes
}

function checksum(key: string, body: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256').update(key)
  for (const bytes of body) hash.update(bytes)
  return hash.digest()
}
