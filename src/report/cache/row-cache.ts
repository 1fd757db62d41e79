import { join } from 'node:path'
import type { ArchiveFile } from '../../archive/archive-file.ts'
import { isFailure } from '../../base/failure.ts'
import type { Reporter } from '../../base/notice.ts'
import { plural } from '../../base/units.ts'
import type { World } from '../../base/world.ts'
import { type CacheBounds, type CacheFiles, openCacheFiles } from '../../fs/cache-files.ts'
import { cacheFolder } from '../../fs/user-files.ts'
import { createBatchPacker, unpackBatches } from '../batch-packer.ts'
import type { ReadBatch } from '../report-batch.ts'
import { entryPieces, readEntryPieces, withoutPrefix, withPrefix } from './row-cache-entry.ts'
import { type ReadingOptions, rowCacheKey } from './row-cache-key.ts'

/** Keeps the rows of archives for later reports. What cannot be read or written is as if it were not there. */
export interface RowCache {
  /** The entry of an archive; undefined where there is no cache, or the archive has no valid directory. */
  readonly entryOf: (file: ArchiveFile, options: ReadingOptions) => Promise<CacheEntry | undefined>
  /** Call it once, when all sources are read: reports what came from the cache, and removes what is old or too much. */
  readonly finish: () => Promise<void>
}

/** The rows of one archive, read before or to be kept. `prefix` is how the sources of its rows begin in this report. */
export interface CacheEntry {
  /** The batches as they were read before; undefined when they are not in the cache. */
  readonly read: (prefix: string) => KeptRows | undefined
  /** Collects what is read now. */
  readonly collect: (prefix: string) => RowCollector
}

/** The rows of an archive from the cache: the same batches as when they were read. */
export interface KeptRows {
  readonly kind: 'kept'
  /** Of the entry, packed. */
  readonly bytes: number
  readonly batches: () => Generator<ReadBatch, void, void>
}

/** Collects the batches of an archive in order. */
export interface RowCollector {
  readonly add: (batch: ReadBatch) => void
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
    const folder = cacheFolder({ env: world.env, ...world.host })
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

  function collector(files: CacheFiles, key: string, prefix: string): RowCollector {
    const pieces: Buffer[] = []
    const packer = createBatchPacker()
    let bytes = 0
    const keep = (piece: Buffer | undefined): void => {
      if (piece === undefined) return
      bytes += piece.length
      if (bytes > bounds.fileBytes) pieces.length = 0
      else pieces.push(piece)
    }
    return {
      add(batch) {
        if (bytes <= bounds.fileBytes) keep(packer.add(withoutPrefix(batch, prefix)))
      },
      async save() {
        keep(packer.rest())
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
        read(prefix) {
          const bytes = files.read(key + bounds.ending)
          const pieces = bytes && readEntryPieces(key, bytes)
          if (pieces === undefined) return undefined
          counts.kept += 1
          return {
            kind: 'kept',
            bytes: bytes!.length,
            *batches() {
              for (const piece of pieces) yield withPrefix(unpackBatches(piece), prefix)
            },
          }
        },
        collect: (prefix) => collector(files, key, prefix),
      }
    },
    async finish() {
      if (counts.seen === 0) return
      detail(`the rows of ${counts.kept} of ${plural(counts.seen, 'archive')} came from the cache`)
      if (counts.written > 0) await (await opened)?.removeOld()
    },
  }
}
