import { type ArchiveFile, openArchiveFile } from '../archive/archive-file.ts'
import type { ArchiveLimits } from '../archive/archive-limits.ts'
import { archiveFailure } from '../archive/problem.ts'
import { readArchive } from '../archive/read-archive.ts'
import type { World } from '../base/world.ts'
import { absolutePath } from '../fs/output-target.ts'
import { filesUnder, lookAtSource, type Source } from './declaration-files.ts'
import type { JobEntry, JobFile } from './report-job.ts'
import type { PlannedJob } from './report-pool.ts'

/** A planned job; `bytes` are those it reads or unpacks, whichever are more. */
export interface SizedJob extends PlannedJob {
  readonly bytes: number
}

export interface SourceOptions {
  readonly sources: readonly string[]
  readonly limits: ArchiveLimits
  readonly substances: boolean
}

const JOB_BYTES = 1024 ** 2
const JOB_FILES = 200
const NOTHING = async (): Promise<void> => undefined

/** The jobs of all sources, in order; iterate once. Disposing closes every archive that is still open. */
export interface PlannedSources extends AsyncDisposable {
  readonly jobs: AsyncGenerator<SizedJob, void, void>
}

/**
 * Plans how to read archives, directories (every `.xml` and `.zip` under them, by name) and XML files. All sources are checked before
 * the first is read. The structure of an archive is verified before its first entry is read.
 */
export async function planSources(world: World, options: SourceOptions): Promise<PlannedSources> {
  const looked: { readonly label: string; readonly source: Source }[] = []
  for (const label of options.sources) {
    looked.push({ label, source: await lookAtSource(world.disk, absolutePath(world.cwd, label), label) })
  }
  const open = new Set<ArchiveFile>()
  return {
    jobs: planAll(world, looked, options, open),
    [Symbol.asyncDispose]: async () => {
      for (const file of open) await file[Symbol.asyncDispose]()
    },
  }
}

async function* planAll(
  world: World,
  looked: readonly { readonly label: string; readonly source: Source }[],
  options: SourceOptions,
  open: Set<ArchiveFile>,
): AsyncGenerator<SizedJob, void, void> {
  const plain = collectFiles(options.substances)
  for (const { label, source } of looked) {
    for await (const found of expand(world, label, source)) {
      if (!found.isArchive) {
        yield* plain.add(found, found.bytes)
        continue
      }
      yield* plain.rest()
      yield* planArchive(world, found, options, open)
    }
  }
  yield* plain.rest()
}

interface Found extends JobFile {
  readonly bytes: number
  readonly isArchive: boolean
}

async function* expand(world: World, label: string, source: Source): AsyncGenerator<Found> {
  if (source.kind === 'file') {
    const isArchive = source.head.toString('latin1').startsWith('PK') || /\.zip$/i.test(source.path)
    yield { path: source.path, label, bytes: source.bytes, isArchive }
    return
  }
  const prefix = label.replace(/[/\\]+$/, '')
  for await (const { path, bytes } of filesUnder(world.disk, source.path, ['.xml', '.zip'])) {
    const name = path.slice(source.path.replace(/[/\\]+$/, '').length)
    yield { path, label: `${prefix}${name}`, bytes, isArchive: /\.zip$/i.test(path) }
  }
}

/** Collects small files into jobs that are worth sending to another thread. */
function collectFiles(substances: boolean): {
  readonly add: (file: JobFile, bytes: number) => Generator<SizedJob>
  readonly rest: () => Generator<SizedJob>
} {
  let files: JobFile[] = []
  let total = 0
  function* rest(): Generator<SizedJob> {
    if (files.length > 0) yield { job: { kind: 'files', files, substances }, bytes: total, finished: NOTHING }
    files = []
    total = 0
  }
  return {
    *add({ path, label }, bytes) {
      files.push({ path, label })
      total += bytes
      if (total >= JOB_BYTES || files.length >= JOB_FILES) yield* rest()
    },
    rest,
  }
}

async function* planArchive(
  world: World,
  { path, label }: JobFile,
  { limits, substances }: SourceOptions,
  open: Set<ArchiveFile>,
): AsyncGenerator<SizedJob, void, void> {
  const file = await openArchiveFile(world, path)
  open.add(file)
  const { entries, problems } = await readArchive(file, limits)
  if (problems.count > 0) throw archiveFailure(label, problems)
  let pending = 1
  const finished = async (): Promise<void> => {
    pending -= 1
    if (pending > 0) return
    open.delete(file)
    try {
      await file.assertUnchanged()
    } finally {
      await file[Symbol.asyncDispose]()
    }
  }
  const planned = (batch: JobEntry[], bytes: number): SizedJob => {
    pending += 1
    return {
      job: { kind: 'entries', archive: label, fd: file.fd, entries: batch, substances },
      bytes,
      finished,
    }
  }
  let batch: JobEntry[] = []
  let total = 0
  for (const { name, isFolder, bytes, packedBytes, crc32, method, dataOffset } of entries) {
    if (isFolder) continue
    batch.push({ name, bytes, packedBytes, crc32, method, dataOffset })
    total += Math.max(bytes, packedBytes)
    if (total < JOB_BYTES && batch.length < JOB_FILES) continue
    yield planned(batch, total)
    batch = []
    total = 0
  }
  if (batch.length > 0) yield planned(batch, total)
  await finished()
}
