import { createHash, hash } from 'node:crypto'
import type { ArchiveFile } from '../archive/archive-file.ts'
import type { ArchiveLimits } from '../archive/problem.ts'
import { readEnd } from '../archive/read-archive.ts'
import { isFailure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import { COMMIT, VERSION } from '../base/version.ts'
import type { World } from '../base/world.ts'
import { type CacheBounds, type CacheFiles, openCacheFiles } from '../fs/cache-files.ts'
import type { Reading } from './report-job.ts'

/** A quarter of a million parts are about 16 MiB; the rows of larger archives are not kept. */
const ROW_CACHE_BOUNDS: CacheBounds = {
  ending: '.rows',
  fileBytes: 32 * 1024 ** 2,
  totalBytes: 1024 ** 3,
  unusedMs: 60 * 24 * 3_600_000,
}

/** How an archive is read: what its rows depend on, beside its content. */
export interface ReadingOptions extends Reading {
  readonly limits: ArchiveLimits
}

interface RowCacheOptions extends ReadingOptions {
  /** Where the library keeps rows. */
  readonly directory: string
}

/**
 * Keeps the rows of the archives of a library for later reports. The directory is opened, and made, for the first archive. What cannot
 * be read or written is as if it were not there.
 */
export class RowCache {
  readonly #world: World
  readonly #reporter: Reporter
  readonly #limits: ArchiveLimits
  readonly #reading: string
  readonly #directory: string
  readonly #bounds: CacheBounds
  #opened: Promise<CacheFiles | undefined> | undefined
  #seen = 0
  #kept = 0
  #written = 0

  constructor(world: World, reporter: Reporter, options: RowCacheOptions, bounds = ROW_CACHE_BOUNDS) {
    this.#world = world
    this.#reporter = reporter
    this.#limits = options.limits
    this.#reading = readingKey(options)
    this.#directory = options.directory
    this.#bounds = bounds
  }

  /** The entry of an archive; undefined where there is no cache, or the archive has no valid directory. */
  async entryOf(file: ArchiveFile): Promise<CacheEntry | undefined> {
    this.#opened ??= this.#open()
    const files = await this.#opened
    const key = files && rowCacheKey(file, this.#limits, this.#reading)
    if (files === undefined || key === undefined) return undefined
    this.#seen += 1
    const bytes = files.read(key + this.#bounds.ending)
    const batches = bytes && readEntryPieces(key, bytes)
    if (batches !== undefined) this.#kept += 1
    const pieces: Uint8Array[] = []
    let length = 0
    return {
      batches,
      add: (piece) => {
        length += piece.length
        if (length > this.#bounds.fileBytes) pieces.length = 0
        else pieces.push(piece)
      },
      save: async () => {
        if (length > this.#bounds.fileBytes) return
        try {
          await files.write(key + this.#bounds.ending, entryPieces(key, pieces))
          this.#written += 1
        } catch (error) {
          this.#noteUnusable(error)
        }
      },
    }
  }

  /** Call it once, when all sources are read: reports what came from the cache, and removes what is old or too much. */
  async finish(): Promise<void> {
    if (this.#seen === 0) return
    this.#note(`the rows of ${this.#kept} of ${plural(this.#seen, 'archive')} were kept by an earlier report`)
    if (this.#written > 0) await (await this.#opened)?.removeOld()
  }

  async #open(): Promise<CacheFiles | undefined> {
    try {
      return await openCacheFiles(this.#world, this.#directory, this.#bounds)
    } catch (error) {
      this.#noteUnusable(error)
      return undefined
    }
  }

  #noteUnusable(error: unknown): void {
    if (!isFailure(error)) throw error
    this.#note(error.message)
  }

  #note(message: string): void {
    this.#reporter.notice({ level: 'detail', event: 'report.kept-rows', message })
  }
}

/** The rows of one archive, read before or to be kept. */
interface CacheEntry {
  /** The packed batches, as they were read before; undefined when they are not in the cache. */
  readonly batches: readonly Buffer[] | undefined
  /** Takes the next of the batches that are read now. */
  readonly add: (bytes: Uint8Array) => void
  /** Writes the entry; call it when the archive was read to its end, unchanged. */
  readonly save: () => Promise<void>
}

// Keys and entries

/** Change it with the content of an entry, or with what rows mean, between two releases. */
const ENTRY_FORMAT = 16
const PIECE_BYTES = 1024 ** 2

/** Identifies how which version reads archives. */
export function readingKey(
  { limits, substances, screening }: ReadingOptions,
  version = `${VERSION} ${COMMIT}`,
): string {
  const { maxEntries, maxBytes, maxRatio } = limits
  const facts = [ENTRY_FORMAT, version, maxEntries, maxBytes, maxRatio, substances, screening]
  return hash('sha256', JSON.stringify(facts))
}

/**
 * Identifies the rows of an archive: by its size, its number and times (written and changed, in nanoseconds), the SHA-256 of its
 * directory, which has the CRC-32 of every entry, and how it is read. Undefined when it has no valid end record.
 */
export function rowCacheKey(file: ArchiveFile, limits: ArchiveLimits, reading: string): string | undefined {
  const end = readEnd(file, limits)
  if ('text' in end) return undefined
  const { size, ino, mtimeNs, ctimeNs } = file.facts
  const key = createHash('sha256').update([reading, size, ino, mtimeNs, ctimeNs, ''].join(' '))
  for (let at = end.directoryOffset; at < file.size; at += PIECE_BYTES) {
    key.update(file.read(at, Math.min(PIECE_BYTES, file.size - at)))
  }
  return key.digest('hex')
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
