import type { FileHandle } from 'node:fs/promises'
import { sep } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { asArchiveFile, openArchiveFile } from '../../archive/archive-file.ts'
import { A_DIRECTORY } from '../../archive/entry.ts'
import { isMacMetadata } from '../../archive/entry-name.ts'
import { type ArchiveLimits, archiveFailure } from '../../archive/problem.ts'
import { readArchive } from '../../archive/read-archive.ts'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { SIGNATURE_BYTES, startsLikeZip } from '../../base/file-signatures.ts'
import { SILENT } from '../../base/notice.ts'
import { shellQuote } from '../../base/shell-words.ts'
import { formatBytes } from '../../base/units.ts'
import type { World } from '../../base/world.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { openPrivateFile, type PrivateFile } from '../../fs/private-file.ts'
import { batchOf, packBatch, type SkippedEntry } from '../report-batch.ts'
import { damageOf, type JobEntry, type JobFile, type Reading, sourcePrefix } from '../report-job.ts'
import type { PlannedJob } from '../report-pool.ts'
import type { RowCache } from '../row-cache.ts'
import { ADDED_BY_MACOS, type FilePath, filesUnder, lookAtSource } from './declaration-files.ts'
import { isInShard, type Shard } from './shard.ts'
import type { SourceAccount } from './source-account.ts'

/** A planned job; `bytes` are those it reads or unpacks, whichever are more. */
export interface SizedJob extends PlannedJob {
  readonly bytes: number
}

/** Why a file is not read, by its path below the directory and when it was last written; undefined for one that is. */
export type FileFilter = (name: string, modifiedMs: number) => string | undefined

export interface SourceOptions {
  /** Archives, directories and XML files; `-` is standard input, once. */
  readonly sources: readonly string[]
  readonly limits: ArchiveLimits
  /** What is read of each declaration. */
  readonly reading: Reading
  /** Read only the archives and XML files of this shard. */
  readonly shard?: Shard | undefined
  /** Which files in directories are read; all unless given. */
  readonly leaveOut?: FileFilter | undefined
  /** Files that cannot be read, as is known before: each is a row, whether it is there or not. By their path below the only source. */
  readonly lost?: ReadonlyMap<string, string> | undefined
  /** Counts what is planned, and what is left out. */
  readonly account?: SourceAccount | undefined
  /** Has the rows of archives that earlier reports read; those on standard input are never in it. */
  readonly cache?: RowCache | undefined
}

// Enough to be worth a message, and for files that state the same to share it in one batch; little enough to keep all threads busy.
const JOB_BYTES = 4 * 1024 ** 2
const JOB_FILES = 200
const STDIN = '-'
// Spreadsheets would take a cell that begins with - for a formula.
const STDIN_LABEL = 'stdin'

/**
 * Plans how to read archives, directories (every `.xml` and `.zip` under them, by name) and XML files. All sources are checked before
 * the first is read. The structure of an archive is verified before its first entry is read. Disposing removes what was read from
 * standard input.
 */
export async function planSources(world: World, options: SourceOptions) {
  const planned: Planned[] = []
  const seen = new Set<string>()
  let stdinAt = -1
  for (const label of options.sources) {
    const path = label === STDIN ? STDIN : absolutePath(world.cwd, label)
    // Given twice, it is read once.
    if (seen.has(path)) continue
    seen.add(path)
    if (label === STDIN) stdinAt = planned.length
    else planned.push(await plannedSource(world, path, label))
  }
  let input: PrivateFile | undefined
  if (stdinAt !== -1) {
    input = await spoolStdin(world, options.limits.maxBytes)
    planned.splice(stdinAt, 0, await stdinFile(input))
  }
  return {
    /** In order; iterate once. */
    jobs: planAll(world, planned, options),
    [Symbol.asyncDispose]: async (): Promise<void> => input?.[Symbol.asyncDispose](),
  }
}

/** A directory to search, or a file to read. */
type Planned = { readonly folder: string; readonly label: string } | FoundFile

interface FoundFile {
  readonly label: string
  /** Its path below the source that it was found in, or as given: it decides about its shard. */
  readonly name: string
  readonly bytes: number
  readonly isArchive: boolean
  /** One of a directory: if it is damaged, the others are read nevertheless. */
  readonly isTolerant: boolean
  readonly place: { readonly path: FilePath } | { readonly handle: FileHandle }
}

async function plannedSource(world: World, path: string, given: string): Promise<Planned> {
  const source = await lookAtSource(world, path, given)
  const label = withSlashes(given)
  if (source === 'folder') return { folder: path, label }
  const isWorkbook = source.beginning === 'archive' && /\.xls[xm]$/i.test(path)
  const isText = source.beginning === 'other' && !/\.(?:xml|zip)$/i.test(path)
  if ((isText || isWorkbook) && (await isPartsList(world, path))) {
    throw new Failure('usage', `${escapeUnsafe(label)} is a parts list`, {
      file: label,
      hint: 'name it as one',
      options: [`parts-file ${shellQuote(escapeUnsafe(label))}`],
    })
  }
  return {
    label,
    name: label,
    bytes: source.bytes,
    isArchive: source.beginning === 'archive' || /\.zip$/i.test(path),
    isTolerant: false,
    place: { path },
  }
}

async function isPartsList(world: World, path: string): Promise<boolean> {
  const { readParts } = await import('../../parts/read-parts.ts')
  const read = await readParts(world, { parts: [], files: [path], strict: false }, SILENT).catch(
    (error: unknown) => {
      if (isFailure(error)) return undefined
      throw error
    },
  )
  return read !== undefined && read.parts.length > 0
}

async function stdinFile(input: PrivateFile): Promise<FoundFile> {
  const bytes = input.bytes()
  const isArchive = startsLikeZip(await input.read(0, Math.min(SIGNATURE_BYTES, bytes)))
  return {
    label: STDIN_LABEL,
    name: STDIN,
    bytes,
    isArchive,
    isTolerant: false,
    place: { handle: input.handle },
  }
}

/** The same on every system, as reports and shards are. */
function withSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}

async function* planAll(
  world: World,
  sources: readonly Planned[],
  options: SourceOptions,
): AsyncGenerator<SizedJob, void, void> {
  const { shard, account, lost = new Map() } = options
  const plain = collectFiles(options.reading)
  for (const [name, reason] of lost) {
    if (!shard || isInShard(name, shard))
      yield unreadableFile({ label: `${sources[0]!.label}/${name}`, reason })
  }
  for (const source of sources) {
    for await (const found of 'folder' in source ? filesIn(world, source, options) : [source]) {
      if ('reason' in found) {
        yield* plain.rest()
        yield unreadableFile(found, true)
        continue
      }
      if (shard && !isInShard(found.name.replace(/^(?:\.\/+)+/, ''), shard)) {
        account?.leftOut(found.label, 'in another shard')
        continue
      }
      if (!found.isArchive) {
        yield* plain.add(found)
        continue
      }
      yield* plain.rest()
      try {
        yield* planArchive(world, found, options)
      } catch (error) {
        const reason = found.isTolerant ? damageOf(error, found.label) : undefined
        if (reason === undefined) throw error
        yield unreadableFile({ label: found.label, reason }, true)
      }
    }
  }
  yield* plain.rest()
}

/** A file that is known to be unreadable before it is read, as a row. */
interface UnreadableSource {
  readonly label: string
  readonly reason: string
}

function unreadableFile({ label, reason }: UnreadableSource, isDamaged = false): SizedJob {
  const rows = [{ kind: 'unreadable', source: escapeUnsafe(label), reason, isDamaged } as const]
  const batch = packBatch(batchOf({ files: 1, rows }))
  return { job: { kind: 'kept', batches: [batch] }, prefix: '', bytes: batch.length }
}

async function* filesIn(
  world: World,
  { folder, label: given }: { readonly folder: string; readonly label: string },
  { leaveOut, lost, account }: Pick<SourceOptions, 'leaveOut' | 'lost' | 'account'>,
): AsyncGenerator<FoundFile | UnreadableSource> {
  const prefix = given.replace(/[/\\]+$/, '')
  for await (const file of filesUnder(world.disk, folder, ['.xml', '.zip'])) {
    const below = withSlashes(file.name.slice(folder.replace(/[/\\]+$/, '').length))
    const label = `${prefix}${below}`
    if ('reason' in file) {
      if (file.isLoss) yield { label, reason: file.reason }
      else account?.leftOut(label, file.reason)
      continue
    }
    if (lost?.has(below.slice(1))) continue
    const { path, bytes, modifiedMs } = file
    const reason = leaveOut?.(below.slice(1), modifiedMs)
    if (reason !== undefined) {
      account?.leftOut(label, reason)
      continue
    }
    yield {
      label,
      name: below.slice(1),
      bytes,
      isArchive: /\.zip$/i.test(file.name),
      isTolerant: true,
      place: { path },
    }
  }
}

/** Collects small files into jobs that are worth sending to another thread. */
function collectFiles(reading: Reading) {
  let files: JobFile[] = []
  let total = 0
  let isTolerant = false
  function* rest(): Generator<SizedJob> {
    if (files.length > 0)
      yield { job: { kind: 'files', files, isTolerant, ...reading }, prefix: '', bytes: total }
    files = []
    total = 0
  }
  return {
    *add({ label, bytes, place, isTolerant: isTolerated }: FoundFile): Generator<SizedJob> {
      if (isTolerated !== isTolerant) yield* rest()
      isTolerant = isTolerated
      files.push('path' in place ? { label, path: place.path } : { label, bytes, fd: place.handle.fd })
      total += bytes
      if (total >= JOB_BYTES || files.length >= JOB_FILES) yield* rest()
    },
    rest,
  }
}

async function* planArchive(
  world: World,
  { place, label, isTolerant }: FoundFile,
  { limits, reading, cache, account }: SourceOptions,
): AsyncGenerator<SizedJob, void, void> {
  const prefix = sourcePrefix(label)
  const isFile = 'path' in place
  // Open while its jobs are planned; whoever does one opens it again, and checks that it is still the same.
  await using file = isFile ? openArchiveFile(world, label, place.path) : undefined
  const archive = file ?? (await asArchiveFile(world, (place as { handle: FileHandle }).handle, label))
  const entry = isFile ? await cache?.entryOf(archive) : undefined
  if (entry?.batches !== undefined) {
    const { batches } = entry
    const bytes = batches.reduce((sum, { length }) => sum + length, 0)
    account?.archive()
    yield { job: { kind: 'kept', batches }, prefix, bytes }
    return
  }
  const { entries, problems } = await readArchive(archive, limits)
  if (problems.count > 0) throw archiveFailure(label, problems)
  archive.assertUnchanged()
  account?.archive()
  let pending = 1
  const finished = async (): Promise<void> => {
    pending -= 1
    if (pending === 0) await entry?.save()
  }
  const { size, ino, mtimeNs, ctimeNs } = archive.facts
  const known = isFile ? { path: place.path, facts: { size, ino, mtimeNs, ctimeNs } } : { fd: archive.fd }
  let skipped: SkippedEntry[] = []
  const planned = (batch: JobEntry[], bytes: number): SizedJob => {
    pending += 1
    return {
      job: { kind: 'entries', archive: label, place: known, entries: batch, skipped, isTolerant, ...reading },
      prefix,
      bytes,
      seen: entry?.add,
      finished,
    }
  }
  let batch: JobEntry[] = []
  let total = 0
  for (const { name, isDirectory, bytes, packedBytes, crc32, method, dataOffset } of entries) {
    if (isDirectory || isMacMetadata(name)) {
      skipped.push({ source: escapeUnsafe(name), reason: isDirectory ? A_DIRECTORY : ADDED_BY_MACOS })
      continue
    }
    batch.push({ name, bytes, packedBytes, crc32, method, dataOffset })
    total += Math.max(bytes, packedBytes)
    if (total < JOB_BYTES && batch.length < JOB_FILES) continue
    yield planned(batch, total)
    batch = []
    skipped = []
    total = 0
  }
  if (batch.length + skipped.length > 0) yield planned(batch, total)
  await finished()
}

/**
 * Keeps standard input in a private file, so that it can be read like any other source. More than `maxBytes` is a Failure of kind
 * `archive`, nothing at all one of kind `usage`.
 */
export async function spoolStdin(world: World, maxBytes: number): Promise<PrivateFile> {
  const file = await openPrivateFile(world)
  try {
    for await (const piece of addAbortSignal(world.interrupt, world.stdin)) {
      const chunk = Buffer.from(piece as Uint8Array | string)
      if (file.bytes() + chunk.length > maxBytes) {
        throw new Failure(
          'archive',
          `standard input is larger than the maximum of ${formatBytes(maxBytes)}`,
          {
            hint: 'if it is what you expect, raise the maximum size',
            options: ['max-size'],
            rule: 'limit',
          },
        )
      }
      await file.append(chunk)
    }
    if (file.bytes() > 0) return file
    throw new Failure('usage', 'standard input is empty', {
      hint: 'check the command before the pipe: it wrote nothing',
    })
  } catch (error) {
    await file[Symbol.asyncDispose]()
    world.interrupt.throwIfAborted()
    throw error
  }
}
