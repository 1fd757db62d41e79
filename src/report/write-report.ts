import { dirname } from 'node:path'
import type { Reporter } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import type { World } from '../base/world.ts'
import {
  checkFileTarget,
  makeDirectories,
  removeEmptyDirectories,
  reportMadeDirectories,
} from '../fs/output-target.ts'
import { openResultFile, type ResultFile } from '../fs/publish.ts'
import type { Formatter } from './formats/formatter.ts'
import type { Report } from './report.ts'

/** Takes the rows of a report. */
export type WriteRows = (report: Report) => Promise<void>

export async function writeFormatted(
  report: Report,
  format: Formatter,
  write: ResultFile['write'],
): Promise<void> {
  for await (const piece of format(report)) if (piece.length > 0) await write(piece)
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
): Promise<ResultFile> {
  await checkFileTarget(world.disk, path, what, overwrite)
  await using resources = new ResourceStack()
  const made = await makeDirectories(world, dirname(path))
  resources.defer(() => removeEmptyDirectories(world, made))
  const file = resources.use(
    await openResultFile(world, path, { overwrite, option: what.replace(/^--/, '') }),
  )
  const held = resources.move()
  return {
    write: file.write,
    async publish() {
      const bytes = await file.publish()
      reportMadeDirectories(made, reporter)
      return bytes
    },
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  }
}
