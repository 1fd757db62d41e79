import type { ArchiveLimits } from '../archive/problem.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { FailOnRule } from '../report/gate/fail-on.ts'
import { createRowDates } from '../report/regulations/reference-facts.ts'
import type { ReferenceTables } from '../report/regulations/reference-tables.ts'
import { report } from '../report/report.ts'
import type { JudgedRow } from '../report/rows/report-row.ts'
import { createComparison } from './comparison.ts'
import type { DeclarationDiff } from './diff-result.ts'

export interface DiffOptions {
  /** Each is an archive, a directory or an XML file. */
  readonly oldSource: string
  readonly newSource: string
  readonly limits: ArchiveLimits
  readonly failOn?: readonly FailOnRule[] | undefined
  /** What is known about exemptions by date, for the rules to fail on. */
  readonly tables?: ReferenceTables | undefined
  /** Use and fill the cache of rows. */
  readonly cache?: boolean | undefined
}

/** Compares two downloads part by part: on each side the newest declaration of a part decides. Only what is compared is kept in memory. */
export async function diffDeclarations(
  world: World,
  { oldSource, newSource, limits, failOn, tables, cache }: DiffOptions,
  reporter: Reporter,
): Promise<DeclarationDiff> {
  const nowMs = world.clock.nowMs()
  const comparison = createComparison({ nowMs, failOn, dates: tables && createRowDates(tables, nowMs) })
  const read = async (source: string, take: (row: JudgedRow) => void): Promise<number> => {
    const options = { sources: [source], limits, substances: false, tables, cache }
    await using rows = report(world, options, reporter)
    for await (const { parts } of rows.batches) for (const row of parts) take(row)
    return (await rows.summary()).counts.superseded
  }
  const superseded = {
    old: await read(oldSource, comparison.old),
    new: await read(newSource, comparison.new),
  }
  return comparison.result(superseded)
}
