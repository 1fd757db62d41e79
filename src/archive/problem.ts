import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { formatBytes, formatCount, plural } from '../base/units.ts'

/** A problem of an archive, and its position. */
export interface Problem {
  /** The entry's name as the archive spells it. */
  readonly entry?: string
  /** Bytes from the start of the file. */
  readonly offset?: number
  /** The kind of rule that it breaks. */
  readonly rule: 'name' | 'limit' | 'structure' | 'unsupported' | 'data'
  /** Long name of the option that sets the limit. */
  readonly option?: string
  /** What is wrong, as a predicate. */
  readonly text: string
  /** Another kind of file: not even a damaged archive. */
  readonly isForeign?: true
}

/** More problems than this are only counted. */
export const MAX_SHOWN = 20

/** The first `MAX_SHOWN` problems, and their count. */
export class ProblemList {
  readonly first: Problem[] = []
  #count = 0
  #areOnlyNames = true

  get count(): number {
    return this.#count
  }

  /** True when only names are wrong, so the data of every entry can be checked. */
  get areOnlyNames(): boolean {
    return this.#areOnlyNames
  }

  add(problem: Problem): void {
    this.#count += 1
    if (problem.rule !== 'name') this.#areOnlyNames = false
    if (this.first.length < MAX_SHOWN) this.first.push(problem)
  }
}

/** `"a.xml" at offset 812: CRC-32 is …`, safe for a terminal. */
function describeProblem({ entry, offset, text }: Problem): string {
  const where = [
    entry === undefined
      ? undefined
      : `"${escapeUnsafe(entry.length > 200 ? `${entry.slice(0, 199)}…` : entry)}"`,
    offset === undefined ? undefined : `at offset ${offset}`,
  ].filter((part) => part !== undefined)
  return escapeUnsafe(where.length === 0 ? text : `${where.join(' ')}: ${text}`)
}

/** The Failure for an archive at `path` with these problems (at least one). */
export function archiveFailure(path: string, problems: ProblemList): Failure {
  const [first] = problems.first
  const shown = problems.first.map(describeProblem)
  if (problems.count > shown.length)
    shown.push(`and ${plural(problems.count - shown.length, 'more problem')}`)
  const count = problems.count === 1 ? '' : `${plural(problems.count, 'problem')}; the first: `
  return new Failure('archive', `${escapeUnsafe(path)}: ${count}${shown[0]}`, {
    hint: first!.isForeign ? NO_ARCHIVE_HINT : HINTS[first!.rule],
    file: path,
    rule: first!.rule,
    ...(first!.option === undefined ? {} : { options: [first!.option] }),
    ...(first!.entry === undefined ? {} : { entry: escapeUnsafe(first!.entry) }),
    problems: shown,
  })
}

export function archiveProblem(path: string, problem: Problem): Failure {
  const problems = new ProblemList()
  problems.add(problem)
  return archiveFailure(path, problems)
}

const NO_ARCHIVE_HINT = 'name a ZIP archive; if this should be one, download it again'

const HINTS: Readonly<Record<Problem['rule'], string>> = {
  name: 'the whole archive was refused: such a name could overwrite or hide a file; ask its sender for an archive without it',
  limit: 'raise the limit only if you trust the sender of the archive',
  structure:
    'the archive is damaged or ambiguous; download it again, and contact its sender if that does not help',
  unsupported: 'ask the sender for an archive with stored or deflated entries, not encrypted, in one file',
  data: 'the archive is damaged; download it again',
}

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
