import { Failure } from '../../base/failure.ts'
import { VERSION } from '../../base/version.ts'
import type { Downloaded } from '../../download/download.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { formatOf, openFormatter } from '../../report/choose-format.ts'
import { report } from '../../report/report.ts'
import { REPORT_COLUMNS } from '../../report/report-row.ts'
import type { ReportCounts } from '../../report/report-summary.ts'
import { openReportFile, writeReport } from '../../report/write-report.ts'
import type { Context } from '../context.ts'
import { limitsOf } from '../operands.ts'
import type { Prepared } from './prepare.ts'

/** What `--report` wrote. */
export interface Reported {
  readonly path: string
  readonly bytes: number
  readonly counts: ReportCounts
}

/** Refuses a `--report` whose ending names no format, before anything is sent. */
export function checkReport({ settings }: Context): void {
  const { report: path } = settings.values
  if (path === undefined || formatOf(path) !== undefined) return
  throw new Failure('usage', `--report ${path}: its ending names no format`, {
    hint: 'use .csv, .tsv, .json, .ndjson, .xlsx, .html or .md',
  })
}

/** Reports on the archive that was just saved, with a row for each part that was asked for and not found. */
export async function reportIfAsked(
  { world, settings, terminal }: Context,
  { parts }: Prepared,
  { archive, account, place }: Downloaded,
): Promise<Reported | undefined> {
  const { report: path } = settings.values
  if (path === undefined) return undefined
  const shape = {
    kind: 'parts',
    columns: REPORT_COLUMNS,
    nowMs: world.clock.nowMs(),
    version: VERSION,
  } as const
  await using file = await openReportFile(world, absolutePath(world.cwd, path), '--report', place.overwrite)
  const work = report(
    world,
    {
      // Rows name the archive as the user did.
      sources: archive === undefined ? [] : [place.shown === '-' ? archive.path : place.shown],
      limits: limitsOf(settings),
      substances: false,
      // A part whose request failed is unknown, not missing.
      askedParts: account === undefined ? undefined : withoutUnknown(parts, account.unknown),
    },
    terminal.reporter,
  )
  const formatter = await openFormatter(formatOf(path)!, shape)
  const { counts } = await writeReport(work, [{ rows: 'parts', formatter, write: file.write }])
  return { path, bytes: await file.publish(), counts }
}

function withoutUnknown(parts: readonly string[], unknown: readonly string[]): readonly string[] {
  if (unknown.length === 0) return parts
  const left = new Set(unknown)
  return parts.filter((part) => !left.has(part))
}
