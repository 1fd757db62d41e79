import { basename } from 'node:path'
import * as z from 'zod'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { parseCalendarDate } from '../../base/units.ts'
import { unreadableInput } from '../../fs/disk-failure.ts'
import { readInputFile } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { createPrevious, type EarlierRow, earlierRow, type PreviousReport } from '../../report/previous.ts'
import { type ReportOptions, report } from '../../report/report.ts'
import { startOfPeriod } from '../../request/since.ts'
import type { Context } from '../context.ts'
import { librarySources } from './library-sources.ts'

/** A row of a JSON report, as far as it is compared. */
const earlierRowJson = z.looseObject({
  part: z.string(),
  requester_part: z.string().default(''),
  supplier: z.string().default(''),
  source: z.string().default(''),
  line: z.number().nullish(),
  status: z.string(),
  verdict: z.enum(['failed', 'doubtful', 'clean', '']),
  findings: z.string(),
})

const earlierReport = z.looseObject({
  schema: z.literal('matdecl.report/1'),
  rows: z.array(earlierRowJson),
})

const LARGEST_BYTES = 1024 ** 3

/** The report that rows are compared with: a JSON report, or that of the library on an earlier day. Undefined without either. */
export async function previousReport(
  context: Context,
  options: ReportOptions,
): Promise<PreviousReport | undefined> {
  const { previous, diffSince, reportOutput } = context.settings.values
  const option = previous !== undefined ? '--previous' : diffSince !== undefined ? '--since' : undefined
  if (option !== undefined && !/\.html?$/i.test(reportOutput ?? '')) {
    throw new Failure('usage', `${option} marks the rows of an HTML page`, { hint: 'add -o report.html' })
  }
  if (previous !== undefined)
    return createPrevious(escapeUnsafe(basename(previous)), await readRows(context, previous))
  return diffSince === undefined ? undefined : librarySince(context, options, diffSince)
}

async function readRows({ world }: Context, path: string): Promise<readonly EarlierRow[]> {
  const { bytes } = await readInputFile(world, absolutePath(world.cwd, path), LARGEST_BYTES).catch(
    (error: unknown) => {
      throw unreadableInput(error, path, { file: path })
    },
  )
  const found = earlierReport.safeParse(parsed(bytes.toString('utf8')))
  if (!found.success) {
    throw new Failure('usage', `${escapeUnsafe(path)} is not a JSON report with its rows`, {
      hint: 'write one with matdecl report -o last.json',
      options: ['previous'],
      file: path,
    })
  }
  return found.data.rows.map(({ part, requester_part, source, line, ...row }) => ({
    ...row,
    part: part || requester_part || source,
    line: line === undefined || line === null ? undefined : String(line),
  }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function librarySince(
  context: Context,
  options: ReportOptions,
  since: string,
): Promise<PreviousReport> {
  const { world, settings, terminal } = context
  if (settings.operands.length > 0) {
    throw new Failure('usage', '--since is about the library, and cannot be given with a source', {
      hint: 'leave out the source, or compare with an earlier report: --previous last.json',
    })
  }
  const day = parseCalendarDate(since) === undefined ? startOfPeriod(since, world.clock.nowMs()) : since
  const then = { ...options, ...(await librarySources(context, day)), substances: false, isPart: true }
  const rows: EarlierRow[] = []
  await using read = report(world, then, terminal.reporter)
  for await (const { parts } of read.batches) rows.push(...parts.map(earlierRow))
  return createPrevious(day, rows)
}
