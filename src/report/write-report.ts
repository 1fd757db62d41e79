import { dirname } from 'node:path'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { type Draft, openDraft } from '../fs/draft.ts'
import { draftBeside } from '../fs/draft-path.ts'
import { makeFolders, removeEmptyFolders, reportMadeFolders } from '../fs/made-folders.ts'
import { checkFileTarget } from '../fs/output-target.ts'
import { publishDraft } from '../fs/publish.ts'
import type { Formatter, Row } from './formats/formatter.ts'
import type { Report } from './report.ts'
import type { ReportSummary } from './report-summary.ts'

/** An output of a report and its format. */
export interface ReportOutput {
  readonly rows: 'parts' | 'substances'
  readonly formatter: Formatter
  readonly write: (piece: string | Uint8Array) => Promise<void> | undefined
}

/** A file that is written under a hidden name until `publish`. */
export interface ReportFile extends AsyncDisposable {
  readonly path: string
  readonly write: (piece: string | Uint8Array) => Promise<void> | undefined
  /** Syncs the file, renames it and returns its size in bytes. */
  readonly publish: () => Promise<number>
}

/** Reads a report once and writes it to every output, at the speed of the slowest. */
export async function writeReport(report: Report, outputs: readonly ReportOutput[]): Promise<ReportSummary> {
  // Wait for the first batch: an invalid source must not leave a heading behind.
  let hasBegun = false
  const begin = async (): Promise<void> => {
    if (!hasBegun) for (const { formatter, write } of outputs) await write(formatter.begin())
    hasBegun = true
  }
  for await (const batch of report.batches) {
    await begin()
    for (const { rows, formatter, write } of outputs) {
      const chosen = batch[rows]
      if (chosen.length > 0) await write(formatter.add(chosen as unknown as readonly Row[]))
      const other = batch[rows === 'parts' ? 'substances' : 'parts']
      if (other.length > 0) formatter.addOther?.(other as unknown as readonly Row[])
    }
  }
  await begin()
  const summary = report.summary()
  for (const { formatter, write } of outputs) {
    for await (const piece of formatter.end(summary)) await write(piece)
  }
  return summary
}

interface ReportFileOptions {
  /** The file's name in messages. */
  readonly what: string
  readonly overwrite: boolean
  readonly reporter: Pick<Reporter, 'notice'>
}

/** Opens a file for a report; fails before anything is read when the file exists (without `overwrite`) or cannot be written. */
export async function openReportFile(
  world: World,
  path: string,
  { what, overwrite, reporter }: ReportFileOptions,
): Promise<ReportFile> {
  await checkFileTarget(world.disk, path, what, overwrite)
  const made = await makeFolders(world, dirname(path))
  const draft = await openReportDraft(world, path).catch((error: unknown) => {
    removeEmptyFolders(world, made)
    throw error
  })
  return {
    path,
    write: (piece) =>
      piece.length === 0 ? undefined : draft.write(typeof piece === 'string' ? Buffer.from(piece) : piece),
    publish: async () => {
      await draft.sync()
      await publishDraft(world.disk, draft.path, path, { overwrite, keepBeside: true })
      await draft.keep()
      reportMadeFolders(made, reporter)
      return draft.bytes()
    },
    async [Symbol.asyncDispose]() {
      await draft[Symbol.asyncDispose]()
      removeEmptyFolders(world, made)
    },
  }
}

async function openReportDraft(world: World, path: string): Promise<Draft> {
  return openDraft(world.disk, await draftBeside(world, path), { named: path })
}
