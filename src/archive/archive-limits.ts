import { formatBytes, formatCount } from '../base/units.ts'

/** What an archive may cost its reader at most (contract §7); each has a flag. */
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
export const RATIO_FROM_BYTES = 10 * 1024 ** 2

/** Why `count` entries are too many, or undefined. */
export function countProblem(count: number, limits: ArchiveLimits): string | undefined {
  if (count <= limits.maxEntries) return undefined
  return `holds ${formatCount(count)} entries, more than the ${formatCount(limits.maxEntries)} of --max-entries`
}

/** Why `bytes` unpacked are too many, or undefined. */
export function sizeProblem(bytes: number, limits: ArchiveLimits): string | undefined {
  if (bytes <= limits.maxBytes) return undefined
  return `unpacks to ${formatBytes(bytes)}, more than the ${formatBytes(limits.maxBytes)} of --max-size`
}

/** Why unpacking `packedBytes` to `bytes` is a bomb's ratio, or undefined. */
export function ratioProblem(bytes: number, packedBytes: number, limits: ArchiveLimits): string | undefined {
  if (bytes <= RATIO_FROM_BYTES || bytes <= packedBytes * limits.maxRatio) return undefined
  const ratio = packedBytes === 0 ? 'nothing' : `1:${formatCount(Math.floor(bytes / packedBytes))}`
  return `unpacks ${formatBytes(packedBytes)} to ${formatBytes(bytes)} (${ratio}), more than the 1:${limits.maxRatio} of --max-ratio`
}

/**
 * The most bytes a central directory may take: it is held in memory, and names of 255 bytes with their extra fields stay
 * far below half a kibibyte on average. Never more than 32 bits can count.
 */
export function maxDirectoryBytes(limits: ArchiveLimits): number {
  return Math.min(0xffff_ffff, Math.max(1024 ** 2, limits.maxEntries * 512))
}
