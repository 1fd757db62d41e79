import { join } from 'node:path'
import type { ArchiveLimits } from '../archive/archive-limits.ts'
import type { ArchiveEntry } from '../archive/entry.ts'
import { mergeArchives } from '../archive/merge-archives.ts'
import { verifyArchive } from '../archive/verify-archive.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import { hashFile } from '../fs/hash-file.ts'
import { createPace } from '../http/pace.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { Service } from '../http/service.ts'
import { type Job, MERGED } from './job-folder.ts'
import type { Plan } from './plan.ts'
import { type JobRequest, type JobResult, runJob } from './run-job.ts'

/** How the requests of a run are to be made. */
export interface GatherWish {
  readonly plan: Plan
  readonly service: Service
  readonly limits: ArchiveLimits
  /** Look for the ProductIDs in the archive. */
  readonly reconcile: boolean
  readonly allowPartial: boolean
  readonly userAgent: string
  /** v1 only. */
  readonly apiKey: string | undefined
  readonly concurrency: number
  readonly retries: number
  readonly maxWaitMs: number
  readonly ratePerMinute: number
  readonly signal: AbortSignal
}

/** A verified archive that stands in the job folder and has no name of its own yet. */
export interface GatheredArchive {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly entries: readonly ArchiveEntry[]
  readonly products: readonly ProductId[]
}

/** All answers of a run, brought together. */
export interface Gathered {
  readonly requests: readonly JobRequest[]
  /** Undefined when every answer was empty. */
  readonly archive: GatheredArchive | undefined
  readonly rateLimit: RateLimit | undefined
  readonly serverDateMs: number | undefined
}

/** Asks for everything in the plan that the job does not have yet, and makes one verified archive of all answers. */
export async function gatherArchive(
  world: World,
  job: Job,
  wish: GatherWish,
  reporter: Reporter,
): Promise<Gathered> {
  const { maxWaitMs, ratePerMinute, reconcile } = wish
  const result = await runJob(
    world,
    { ...wish, job, pace: createPace({ ratePerMinute, maxWaitMs }), scan: reconcile },
    reporter,
  )
  const { requests, rateLimit, serverDateMs } = result
  const pieces = requests.filter(({ path }) => path !== undefined)
  const archive =
    pieces.length === 0
      ? undefined
      : pieces.length === 1
        ? await single(world, pieces[0]!, result, wish, reporter)
        : await merged(world, job, pieces, result, wish, reporter)
  return { requests, archive, rateLimit, serverDateMs }
}

/** Reads an archive again that already has its final name, for a run that was stopped right after it was published. */
export async function rereadArchive(
  world: World,
  path: string,
  wish: GatherWish,
  reporter: Reporter,
): Promise<GatheredArchive> {
  const { limits, signal, reconcile } = wish
  const scan = reconcile ? { scan: 'product-ids' as const } : {}
  const { bytes, entries, products } = await verifyArchive(world, path, { limits, reporter, signal, ...scan })
  const sha256 = await hashFile(world, path, bytes)
  return { path, bytes, entries, products: [...products.values()].flat(), sha256 }
}

async function single(
  world: World,
  piece: JobRequest,
  { verified, products }: JobResult,
  wish: GatherWish,
  reporter: Reporter,
): Promise<GatheredArchive> {
  const path = piece.path!
  const { bytes, entries } = verified ?? (await verify(world, path, wish, reporter))
  return { path, bytes, entries, products, sha256: piece.sha256! }
}

async function merged(
  world: World,
  job: Job,
  pieces: readonly JobRequest[],
  { products }: JobResult,
  wish: GatherWish,
  reporter: Reporter,
): Promise<GatheredArchive> {
  const path = join(job.folder, MERGED)
  const inputs = pieces.map((piece) => piece.path!)
  const { bytes } = await mergeArchives(world, inputs, path, { reporter, signal: wish.signal })
  const hash = hashFile(world, path, bytes)
  hash.catch(() => undefined)
  const { entries } = await verify(world, path, wish, reporter)
  return { path, bytes, entries, products, sha256: await hash }
}

// The ProductIDs were found when the pieces were verified.
function verify(
  world: World,
  path: string,
  { limits, signal }: GatherWish,
  reporter: Reporter,
): ReturnType<typeof verifyArchive> {
  return verifyArchive(world, path, { limits, reporter, signal })
}
