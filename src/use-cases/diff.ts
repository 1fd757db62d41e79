import type { ArchiveLimits } from '../domain/archive-limits.ts'
import { createComparison, type DeclarationDiff } from '../domain/declaration-diff.ts'
import type { FailOnRule } from '../domain/fail-on.ts'
import type { Reporter } from '../domain/notice.ts'
import type { JudgedRow } from '../domain/report-row.ts'
import type { World } from '../world.ts'
import { report } from './report.ts'

export interface DiffOptions {
  /** An archive, a folder or an XML file each. */
  readonly oldSource: string
  readonly newSource: string
  readonly limits: ArchiveLimits
  readonly failOn?: readonly FailOnRule[] | undefined
}

/** Compares two downloads part by part. What both hold of each part is kept in memory, the files are not. */
export async function diffDeclarations(
  world: World,
  { oldSource, newSource, limits, failOn }: DiffOptions,
  reporter: Reporter,
): Promise<DeclarationDiff> {
  const comparison = createComparison(failOn)
  const read = async (source: string, take: (row: JudgedRow) => void): Promise<void> => {
    const { batches } = report(world, { sources: [source], limits, substances: false }, reporter)
    for await (const { parts } of batches) for (const row of parts) take(row)
  }
  await read(oldSource, comparison.old)
  await read(newSource, comparison.new)
  return comparison.result()
}
