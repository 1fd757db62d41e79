import type { ArchiveEntry } from '../archive/entry.ts'
import { type Account, accountParts } from '../domain/accounting.ts'
import type { ArchiveLimits } from '../domain/archive-limits.ts'
import { escapeUnsafe } from '../domain/clean-text.ts'
import type { RequestResult } from '../domain/download-result.ts'
import type { Reporter } from '../domain/notice.ts'
import type { Plan } from '../domain/plan.ts'
import type { Service } from '../service/service.ts'
import { publishDraft } from '../storage/publish.ts'
import type { World } from '../world.ts'
import { checkPlace, makePlace, type Place, type PlaceWish } from './download-place.ts'
import { type GatherWish, gatherArchive } from './gather-archive.ts'

/** One run: what is asked, how, and where it goes. Everything in it has been checked. */
export interface DownloadWish extends Omit<GatherWish, 'place'> {
  readonly plan: Plan
  readonly service: Service
  readonly place: Place
  readonly placeWish: PlaceWish
  readonly limits: ArchiveLimits
  /** Match the ProductIDs in the archive with the parts asked for. */
  readonly reconcile: boolean
}

/** What a run brought; `archive` is undefined when there was nothing. */
export interface Downloaded {
  readonly requests: readonly RequestResult[]
  readonly archive: PublishedArchive | undefined
  /** Undefined when no parts were asked for, or nobody wants to know. */
  readonly account: Account | undefined
  readonly rateLimit: Readonly<Record<string, unknown>> | undefined
  readonly serverDateMs: number | undefined
}

export interface PublishedArchive {
  /** Where it can be read: its final name, or the draft for standard output. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly entries: readonly ArchiveEntry[]
}

/**
 * Runs a download: checks that it can end well, asks, gathers, accounts, and gives the archive its name. `use` gets the result
 * while it is certain to be there, also when it goes to standard output. Nothing stands at the final name unless it is whole.
 */
export async function download(
  world: World,
  wish: DownloadWish,
  reporter: Reporter,
  use: (result: Downloaded) => Promise<void>,
): Promise<void> {
  const { place, placeWish } = wish
  await checkPlace(world, place, placeWish)
  const takeBack = await makePlace(world, place, placeWish)
  try {
    await using gathered = await gatherArchive(world, wish, reporter)
    const account =
      wish.reconcile && wish.plan.partCount > 0
        ? accountParts(
            wish.plan.groups.flatMap(({ parts }) => parts),
            [...(gathered.archive?.products.values() ?? [])].flat(),
            gathered.requests.flatMap(({ error, parts }) => (error === undefined ? [] : parts)),
          )
        : undefined
    const { requests, archive, rateLimit, serverDateMs } = gathered
    const hasEntries = archive !== undefined && archive.entries.length > 0
    if (hasEntries && place.archivePath !== undefined) {
      await publishDraft(world.disk, archive.path, place.archivePath, { overwrite: place.overwrite })
    }
    await gathered.finish()
    const published = hasEntries
      ? {
          path: place.archivePath ?? archive.path,
          bytes: archive.bytes,
          sha256: archive.sha256,
          entries: archive.entries,
        }
      : undefined
    await use({ requests, archive: published, account, rateLimit, serverDateMs })
  } finally {
    await takeBack()
  }
}

/** How a part number stands in a message. */
export function shownPart(part: string): string {
  return `'${escapeUnsafe(part)}'`
}
