import { formatBytes, formatCount } from '../base/units.ts'
import type { Problem } from './problem.ts'

/** What an archive may cost its reader at most. */
export interface ArchiveLimits {
  readonly maxEntries: number
  /** Bytes of all entries together, unpacked. */
  readonly maxBytes: number
  /** Unpacked bytes for each packed byte, for what unpacks to more than `RATIO_FROM_BYTES`. */
  readonly maxRatio: number
}

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxEntries: 200_000,
  maxBytes: 16 * 1024 ** 3,
  maxRatio: 250,
}

/** For archives that were held to the user's limits before. */
export const NO_ARCHIVE_LIMITS: ArchiveLimits = {
  maxEntries: Number.MAX_SAFE_INTEGER,
  maxBytes: Number.MAX_SAFE_INTEGER,
  maxRatio: Number.MAX_SAFE_INTEGER,
}

/** Below this many unpacked bytes no ratio is suspicious: small XML with much repetition packs very well. */
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

/** Why unpacking `packedBytes` to `bytes` is a bomb's ratio, or undefined. */
export function ratioProblem(bytes: number, packedBytes: number, limits: ArchiveLimits): Problem | undefined {
  if (bytes <= RATIO_FROM_BYTES || bytes <= packedBytes * limits.maxRatio) return undefined
  const ratio = packedBytes === 0 ? 'nothing' : `1:${formatCount(Math.floor(bytes / packedBytes))}`
  const text = `unpacks ${formatBytes(packedBytes)} to ${formatBytes(bytes)} (${ratio}), more than the maximum ratio of 1:${limits.maxRatio}`
  return { rule: 'limit', option: 'max-ratio', text }
}

/**
 * Why a central directory of so many bytes is too large, or undefined: names of 255 bytes with their extra fields stay far below
 * half a kibibyte on average.
 */
export function directoryProblem(bytes: number, limits: ArchiveLimits): Problem | undefined {
  const most = Math.max(1024 ** 2, limits.maxEntries * 512)
  if (bytes <= most) return undefined
  const text = `has a central directory of ${formatBytes(bytes)}, more than the ${formatBytes(most)} that ${formatCount(limits.maxEntries)} entries may take`
  return { rule: 'limit', option: 'max-entries', text }
}
