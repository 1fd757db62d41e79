import { formatBytes, formatCount } from '../base/units.ts'
import type { Problem } from './problem.ts'

/** Limits against archives that exhaust disk or memory. */
export interface ArchiveLimits {
  readonly maxEntries: number
  /** Bytes of all entries together, unpacked. */
  readonly maxBytes: number
  /** Unpacked bytes per packed byte, above `RATIO_FROM_BYTES`. */
  readonly maxRatio: number
}

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxEntries: 200_000,
  maxBytes: 16 * 1024 ** 3,
  maxRatio: 250,
}

/** For archives that were already checked with the user's limits. */
export const NO_ARCHIVE_LIMITS: ArchiveLimits = {
  maxEntries: Number.MAX_SAFE_INTEGER,
  maxBytes: Number.MAX_SAFE_INTEGER,
  maxRatio: Number.MAX_SAFE_INTEGER,
}

/** Small repetitive XML has a high ratio too. */
const RATIO_FROM_BYTES = 10 * 1024 ** 2

/** Why `count` entries are too many, or undefined. */
export function countProblem(count: number, limits: ArchiveLimits): Problem | undefined {
  if (count <= limits.maxEntries) return undefined
  const text = `holds ${formatCount(count)} entries, more than the maximum of ${formatCount(limits.maxEntries)}`
  return { rule: 'limit', option: 'max-entries', text }
}

/** Why `bytes` unpacked are too many, or undefined. */
export function sizeProblem(bytes: number, limits: ArchiveLimits): Problem | undefined {
  if (bytes <= limits.maxBytes) return undefined
  const text = `unpacks to ${formatBytes(bytes)}, more than the maximum of ${formatBytes(limits.maxBytes)}`
  return { rule: 'limit', option: 'max-size', text }
}

/** Why the ratio of `bytes` to `packedBytes` is too high, or undefined. */
export function ratioProblem(bytes: number, packedBytes: number, limits: ArchiveLimits): Problem | undefined {
  if (bytes <= RATIO_FROM_BYTES || bytes <= packedBytes * limits.maxRatio) return undefined
  const ratio = packedBytes === 0 ? 'nothing' : `1:${formatCount(Math.floor(bytes / packedBytes))}`
  const text = `unpacks ${formatBytes(packedBytes)} to ${formatBytes(bytes)} (${ratio}), more than the maximum ratio of 1:${limits.maxRatio}`
  return { rule: 'limit', option: 'max-ratio', text }
}

/**
 * Why a central directory of `bytes` is too large, or undefined: half a kibibyte per entry is ample for names of 255 bytes with extra
 * fields.
 */
export function directoryProblem(bytes: number, limits: ArchiveLimits): Problem | undefined {
  const most = Math.max(1024 ** 2, limits.maxEntries * 512)
  if (bytes <= most) return undefined
  const text = `has a central directory of ${formatBytes(bytes)}, more than the ${formatBytes(most)} that ${formatCount(limits.maxEntries)} entries may take`
  return { rule: 'limit', option: 'max-entries', text }
}
