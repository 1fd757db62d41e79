import { join } from 'node:path'
import type { ArchiveEntry } from '../archive/entry.ts'
import { mergeArchives } from '../archive/merge-archives.ts'
import type { MergeSources } from '../archive/merge-plan.ts'
import type { ArchiveLimits } from '../archive/problem.ts'
import { verifyArchive } from '../archive/verify-archive.ts'
import { Failure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { type FileIdentity, identityAt, isSameFile } from '../fs/draft.ts'
import { hashFile } from '../fs/file-hash.ts'
import type { RateLimit } from '../http/rate-headers.ts'
import { createRateLimiter } from '../http/rate-limiter.ts'
import type { Service } from '../http/service.ts'
import { createSharedRateStore } from '../http/shared-rate.ts'
import { addDeclared } from './accounting.ts'
import { type Job, MERGED } from './job-store.ts'
import type { LearnedLength } from './journal.ts'
import type { Plan } from './plan.ts'
import type { RequestResult } from './request-result.ts'
import { type Responses, sendRequests } from './send-requests.ts'

/** How the requests of a run are made. */
export interface CollectOptions {
  readonly plan: Plan
  readonly service: Service
  readonly limits: ArchiveLimits
  /** Find the ProductIDs in the archive. */
  readonly reconcile: boolean
  readonly allowPartial: boolean
  readonly userAgent: string
  /** v1 only. */
  readonly apiKey: string | undefined
  readonly concurrency: number
  readonly retries: number
  readonly maxWaitMs: number
  /** How long responses that have begun may take when the run has to end. */
  readonly finishMs: number
  readonly ratePerMinute: number
  /** The file of the rate that runs with the same token share; undefined for a rate of this run's own. */
  readonly rateKey?: string | undefined
  readonly signal: AbortSignal
}

/** A verified archive: in the job directory, or under its final name. */
export interface CollectedArchive {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly entries: readonly ArchiveEntry[]
  /** The part numbers that it declares, when they were looked for. */
  readonly declared: ReadonlySet<string>
  /** The file that was verified. */
  readonly identity: FileIdentity
}

/** All archives of a run merged into one. */
export interface Collected {
  readonly requests: readonly RequestResult[]
  /** Undefined when no response has an entry. */
  readonly archive: CollectedArchive | undefined
  readonly rateLimit: RateLimit | undefined
  readonly serverDateMs: number | undefined
  /** What rejected requests have shown about the maximum length. */
  readonly learned: LearnedLength | undefined
  /** Archives with parts that are no longer requested, by their names in the job directory. */
  readonly unusedFiles: readonly string[]
}

/** Sends every request of the job without a response, and merges the archives into one, verified. */
export async function collectArchive(
  world: World,
  job: Job,
  options: CollectOptions,
  reporter: Reporter,
): Promise<Collected> {
  const { maxWaitMs, ratePerMinute, rateKey, reconcile } = options
  const store = rateKey === undefined ? undefined : createSharedRateStore(world, rateKey)
  const rateLimiter = createRateLimiter(world, { ratePerMinute, maxWaitMs, store })
  const result = await sendRequests(world, { ...options, job, rateLimiter, scan: reconcile }, reporter)
  const { requests, unwanted } = result
  const pieces = requests.filter(({ file }) => file !== undefined) as readonly PieceFile[]
  const archive =
    pieces.length === 0
      ? undefined
      : pieces.length === 1 && unwanted.get(pieces[0]!.file) === undefined
        ? await single(world, job, pieces[0]!, result, options, reporter)
        : await merged(world, job, pieces, result, options, reporter)
  const { rateLimit, serverDateMs, learned, unusedFiles } = result
  const found = archive?.entries.length === 0 ? undefined : archive
  return { requests, archive: found, rateLimit, serverDateMs, learned, unusedFiles }
}

/** Verifies an archive that an earlier run published before it was stopped. */
export async function rereadArchive(
  world: World,
  path: string,
  options: CollectOptions,
  reporter: Reporter,
): Promise<CollectedArchive> {
  const { limits, signal, reconcile } = options
  const scan = reconcile ? { scan: 'product-ids' as const } : {}
  const identity = await identityAt(world.disk, path)
  const { bytes, entries, products } = await verifyArchive(world, path, { limits, reporter, signal, ...scan })
  const sha256 = await hashFile(world, path, bytes)
  const declared = new Set<string>()
  for (const ids of products.values()) addDeclared(declared, ids)
  return { path, bytes, entries, declared, sha256, identity }
}

interface PieceFile {
  readonly file: string
  readonly sha256: string
}

async function single(
  world: World,
  job: Job,
  { file, sha256 }: PieceFile,
  { verified, declared }: Responses,
  options: CollectOptions,
  reporter: Reporter,
): Promise<CollectedArchive> {
  const path = job.piecePath(file)
  if (verified !== undefined) {
    const { bytes, entries, identity } = verified
    return { path, bytes, entries, declared, sha256, identity }
  }
  // An earlier run received it.
  const checked = await check(world, path, options, reporter)
  if (checked.sha256 !== sha256) throw changed(path)
  return { declared, ...checked }
}

async function merged(
  world: World,
  job: Job,
  pieces: readonly PieceFile[],
  { declared, unwanted }: Responses,
  options: CollectOptions,
  reporter: Reporter,
): Promise<CollectedArchive> {
  const path = join(job.folder, MERGED)
  const sources: MergeSources = {
    length: pieces.length,
    at(index) {
      const { file } = pieces.at(index)!
      return { path: job.piecePath(file), without: unwanted.get(file) }
    },
  }
  await mergeArchives(world, sources, path, { reporter, signal: options.signal })
  return { declared, ...(await check(world, path, options, reporter)) }
}

// Verifies and hashes one file: what is at the path must not have changed in between. The ProductIDs were found before.
async function check(
  world: World,
  path: string,
  { limits, signal }: CollectOptions,
  reporter: Reporter,
): Promise<Omit<CollectedArchive, 'declared'>> {
  const identity = await identityAt(world.disk, path)
  const hash = hashFile(world, path, Number(identity.bytes))
  hash.catch(() => undefined)
  const { entries, bytes } = await verifyArchive(world, path, { limits, reporter, signal })
  const sha256 = await hash
  if (!isSameFile(identity, await identityAt(world.disk, path))) throw changed(path)
  return { path, bytes, entries, sha256, identity }
}

/** The failure for an archive that is not the one that was verified. */
export function changed(path: string): Failure {
  return new Failure('io', `${path} was replaced after it was verified`, {
    file: path,
    hint: 'another program changes files there; run the command again, or choose another output path',
    options: ['output'],
  })
}
