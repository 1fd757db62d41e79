import type { ProductId } from '../declaration/product-ids.ts'
import type { WriteOptions } from './archive-writer.ts'
import type { SharedFolder } from './archive-writer-sync.ts'
import type { WorkList } from './work-list.ts'

/** What a worker thread that inflates gets; the memory behind the arrays is shared by all of them. */
export interface InflateWork {
  /** The archive's descriptor. */
  readonly fd: number
  readonly list: Pick<WorkList, 'numbers' | 'paths' | 'runs'>
  readonly counters: SharedArrayBuffer
  readonly maxProblems: number
  readonly target: { readonly folder: SharedFolder; readonly options: WriteOptions } | undefined
}

/** The shared counters: which run is next, and whether to stop. */
export const COUNTER = { nextRun: 0, stop: 1 } as const

/** What it tells, from time to time and at its end. */
export interface FromInflater {
  readonly isDone: boolean
  /** Unpacked bytes since the last message. */
  readonly bytes: number
  /** ProductIDs of entries, by their place in the order of work. */
  readonly products: (readonly [number, readonly ProductId[]])[]
  /** At the end: the first problems, by place in the order of work, and how many there were. */
  readonly problems?: readonly (readonly [number, string])[]
  readonly problemCount?: number
  /** At the end: how many entries were dealt with. */
  readonly itemCount?: number
  /** A fault other than the archive's. */
  readonly error?: ThreadError
}

export interface ThreadError {
  readonly code: string | undefined
  readonly message: string
  readonly stack: string | undefined
  /** It was met while the archive was read, not while a file was written. */
  readonly isRead: boolean
}
