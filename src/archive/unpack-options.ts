import type { ProductId } from '../declaration/product-ids.ts'
import type { HeldFolder } from './archive-folders.ts'
import type { WriteOptions } from './archive-writer.ts'
import type { InflateThreads } from './inflate-threads.ts'

/** What unpacking found, by place in the order of work: the first `MAX_TOLD` problems, their number, and ProductIDs. */
export interface UnpackResult {
  readonly problems: readonly (readonly [place: number, text: string])[]
  readonly problemCount: number
  /** How many entries were dealt with. */
  readonly itemCount: number
  readonly products: readonly (readonly [place: number, ids: readonly ProductId[]])[]
}

/** Where files are written, and how. */
export interface UnpackTarget {
  readonly folder: HeldFolder
  readonly pathByName: string | undefined
  readonly options: WriteOptions
}

export interface UnpackOptions {
  readonly target?: UnpackTarget
  /** Without, this thread does it all. */
  readonly threads?: InflateThreads
  readonly onBytes: (bytes: number) => void
  readonly signal: AbortSignal
}
