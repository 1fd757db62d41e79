import { dirname, join } from 'node:path'
import type { ArchiveEntry } from '../archive/entry.ts'
import type { ArchiveLimits } from '../domain/archive-limits.ts'
import type { RequestResult } from '../domain/download-result.ts'
import type { Reporter } from '../domain/notice.ts'
import { createPace } from '../domain/pace.ts'
import type { Plan } from '../domain/plan.ts'
import type { ProductId } from '../domain/product-ids.ts'
import { serviceRequest } from '../domain/request.ts'
import type { Service } from '../service/service.ts'
import type { World } from '../world.ts'
import type { Place } from './download-place.ts'
import { fetchArchive } from './fetch-archive.ts'
import { verifyArchive } from './verify-archive.ts'

/** How the requests of a run are to be made. */
export interface GatherWish {
  readonly plan: Plan
  readonly service: Service
  readonly place: Place
  readonly limits: ArchiveLimits
  readonly reconcile: boolean
  readonly userAgent: string
  readonly apiKey: string | undefined
  readonly retries: number
  readonly maxWaitMs: number
  readonly ratePerMinute: number
  readonly signal: AbortSignal
}

/** All answers of a run as one verified archive that has no name yet. */
export interface Gathered extends AsyncDisposable {
  readonly requests: readonly RequestResult[]
  readonly archive:
    | {
        readonly path: string
        readonly bytes: number
        readonly sha256: string
        readonly entries: readonly ArchiveEntry[]
        readonly products: ReadonlyMap<string, readonly ProductId[]>
      }
    | undefined
  readonly rateLimit: Readonly<Record<string, unknown>> | undefined
  readonly serverDateMs: number | undefined
  /** The run is over: what was kept for going on is removed. */
  readonly finish: () => Promise<void>
}

/** Asks for everything in the plan and brings it together. */
export async function gatherArchive(world: World, wish: GatherWish, reporter: Reporter): Promise<Gathered> {
  const { plan, service, place, limits } = wish
  const [range] = [...plan.ranges]
  const planned = plan.request(range!)
  const request = serviceRequest(plan.baseUrl, planned.criteria, planned.parts, wish.userAgent, wish.apiKey)
  const folder = place.archivePath === undefined ? world.cwd() : dirname(place.archivePath)
  const draftPath = join(folder, `.matdecl-${world.host.pid}-${Math.floor(world.random() * 1e9)}.draft`)
  reporter.progress({ phase: 'asking', requestsDone: 0, requestsTotal: plan.requestCount })
  const fetched = await fetchArchive(world, {
    service,
    request,
    draftPath,
    verify: (path) =>
      verifyArchive(world, path, {
        limits,
        reporter,
        signal: wish.signal,
        ...(wish.reconcile ? { scan: 'product-ids' as const } : {}),
      }),
    retries: wish.retries,
    maxWaitMs: wish.maxWaitMs,
    pace: createPace({ ratePerMinute: wish.ratePerMinute, maxWaitMs: wish.maxWaitMs }),
    reporter,
    signal: wish.signal,
    maxBytes: limits.maxBytes,
    label: 'request 1',
  })
  const { status, attempts, seconds, serverDateMs, rateLimit } = fetched
  const isArchive = fetched.kind === 'archive'
  const dispose = async (): Promise<void> => {
    if (isArchive) await world.disk.unlink(draftPath).catch(() => undefined)
  }
  return {
    requests: [
      {
        parts: planned.parts,
        status,
        attempts,
        seconds,
        bytes: isArchive ? fetched.bytes : 0,
        sha256: isArchive ? fetched.sha256 : undefined,
      },
    ],
    archive: isArchive
      ? {
          path: draftPath,
          bytes: fetched.bytes,
          sha256: fetched.sha256,
          entries: fetched.verified.entries,
          products: fetched.verified.products,
        }
      : undefined,
    rateLimit: rateLimit as Readonly<Record<string, unknown>> | undefined,
    serverDateMs,
    finish: async () => undefined,
    [Symbol.asyncDispose]: dispose,
  }
}
