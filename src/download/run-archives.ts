import { type VerifiedArchive, verifyArchive } from '../archive/verify-archive.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { addDeclared } from './accounting.ts'
import { indexParts } from './request-queue.ts'
import { type ReusedResponse, unwantedEntries } from './reuse-responses.ts'
import type { Responses, SendOptions } from './send-options.ts'

/** What the archives of a run contain. */
export interface RunArchives {
  readonly verify: (path: string, listener: Reporter) => Promise<VerifiedArchive>
  /** Keeps the part numbers that a verified archive declares. */
  readonly keepProducts: (archive: VerifiedArchive) => void
  /** Finds the ProductIDs in the archives of earlier runs. */
  readonly scanReused: () => Promise<void>
  readonly facts: () => Pick<Responses, 'declared' | 'unwanted'>
}

export function createRunArchives(
  world: World,
  { plan, job, limits, scan }: Pick<SendOptions, 'plan' | 'job' | 'limits' | 'scan'>,
  reused: readonly ReusedResponse[],
  signal: AbortSignal,
): RunArchives {
  const declared = new Set<string>()
  const unwanted = new Map<string, ReadonlySet<string>>()

  function verify(path: string, listener: Reporter, isScanned = scan): Promise<VerifiedArchive> {
    const scanned = isScanned ? { scan: 'product-ids' as const } : {}
    return verifyArchive(world, path, { limits, reporter: listener, signal, ...scanned })
  }

  function keepProducts({ products: found }: VerifiedArchive, without?: ReadonlySet<string>): void {
    for (const [name, ids] of found) if (!without?.has(name)) addDeclared(declared, ids)
  }

  async function scanReused(): Promise<void> {
    const requested = new Set(
      reused.some(({ unwanted: others }) => others.length > 0) ? indexParts(plan).parts() : [],
    )
    for (const { response, unwanted: others } of reused) {
      if (!('sha256' in response) || (!scan && others.length === 0)) continue
      const { file } = response
      const archive = await verify(job.piecePath(file), SILENT, true)
      const names = unwantedEntries(archive.products, others, (part) => requested.has(part))
      if (others.length > 0) unwanted.set(file, names)
      if (scan) keepProducts(archive, names)
    }
  }

  return { verify, keepProducts, scanReused, facts: () => ({ declared, unwanted }) }
}
