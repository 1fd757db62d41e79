import { dirname } from 'node:path'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { type Draft, draftBeside, openDraft } from '../fs/draft.ts'
import {
  checkFileTarget,
  makeDirectories,
  removeEmptyDirectories,
  reportMadeDirectories,
} from '../fs/output-target.ts'
import { publishDraft } from '../fs/publish.ts'
import type { Formatter } from './formats/formatter.ts'
import type { Report } from './report.ts'

/** Takes the pieces of an output. */
export type Write = (piece: string | Uint8Array) => Promise<void> | undefined

/** Takes the rows of a report. */
export type WriteRows = (report: Report) => Promise<void>

/** Writes a report in a format. */
export async function writeFormatted(report: Report, format: Formatter, write: Write): Promise<void> {
  for await (const piece of format(report)) if (piece.length > 0) await write(piece)
}

/** A file that is written under a hidden name until `publish`. */
export interface ReportFile extends AsyncDisposable {
  readonly path: string
  readonly write: Write
  /** Syncs the file, renames it and returns its size in bytes. */
  readonly publish: () => Promise<number>
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
  const made = await makeDirectories(world, dirname(path))
  const draft = await openReportDraft(world, path).catch((error: unknown) => {
    removeEmptyDirectories(world, made)
    throw error
  })
  return {
    path,
    write: (piece) => draft.write(typeof piece === 'string' ? Buffer.from(piece) : piece),
    publish: async () => {
      await draft.sync()
      await publishDraft(world.disk, draft.path, path, { overwrite, keepBeside: true })
      await draft.keep()
      reportMadeDirectories(made, reporter)
      return draft.bytes()
    },
    async [Symbol.asyncDispose]() {
      await draft[Symbol.asyncDispose]()
      removeEmptyDirectories(world, made)
    },
  }
}

async function openReportDraft(world: World, path: string): Promise<Draft> {
  return openDraft(world.disk, await draftBeside(world, path), { named: path })
}
