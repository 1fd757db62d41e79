import { escapeUnsafe } from '../../base/clean-text.ts'
import { EXIT_CODES } from '../../base/failure.ts'
import { changed } from '../../download/collect-archive.ts'
import { identityOf, isSameFile } from '../../fs/draft.ts'
import type { CommandRun } from '../command.ts'
import type { Context } from '../context.ts'
import { interruptionOr } from '../explain.ts'
import { jsonPieces } from '../json.ts'
import { writeStepSummary } from '../step-summary.ts'
import { planDownload, printPlan } from './plan-download.ts'
import { type DownloadRun, runDownload } from './run-download.ts'
import { summaryLines, summaryMarkdown } from './summary.ts'

/** Downloads one verified archive, then does what else the options ask for. */
export const printDownload: CommandRun = async (context) => {
  const { settings, terminal } = context
  if (settings.values.dryRun) {
    await printPlan(context, await planDownload(context))
    return 0
  }
  await using download = await runDownload(context).catch(async (error: unknown) => {
    await writeStepSummary(context, summaryMarkdown(undefined, interruptionOr(context.world, error)))
    throw error
  })
  await printResult(context, download)
  terminal.stopProgress()
  printSummary(context, download)
  const failure = await download.settle().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!download.result.skipped) await writeStepSummary(context, summaryMarkdown(download.result, failure))
  if (failure !== undefined) throw failure
  if (terminal.choice.json) for (const piece of jsonPieces(download.result)) await terminal.write(piece)
  await download.complete()
  return download.result.status === 'partial' ? EXIT_CODES.partial : 0
}

/** Prints the result on standard output: the archive itself for `--output -`, else its path, then the list. */
export async function printResult({ world, terminal, settings }: Context, run: DownloadRun): Promise<void> {
  const { archive, output } = run.download ?? {}
  if (archive === undefined || output === undefined) return
  if (output.shown === '-') {
    const handle = await world.disk.open(archive.path, 'r')
    try {
      if (!isSameFile(identityOf(await handle.stat({ bigint: true })), archive.identity))
        throw changed(archive.path)
      const buffer = Buffer.allocUnsafe(1 << 20)
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length)
        if (bytesRead === 0) return
        await terminal.writeBytes(buffer.subarray(0, bytesRead))
      }
    } finally {
      await handle.close()
    }
  }
  if (terminal.choice.json || terminal.choice.quiet) return
  // On a terminal the summary names it.
  if (!terminal.isOneScreen) await terminal.write(`${escapeUnsafe(output.shown)}\n`)
  if (!settings.values.list) return
  const { listingLines, listingLook } = await import('../archive-listing.ts')
  for (const piece of listingLines(archive.entries, listingLook(terminal, false))) await terminal.write(piece)
}

/** Prints the summary on standard error. */
export function printSummary({ terminal, settings }: Context, run: DownloadRun): void {
  for (const { event, message, data, level } of summaryLines(run, settings.values.missing)) {
    if (level === undefined) terminal.saySummary(event, [message], data)
    else terminal.reporter.notice({ level, event, message })
  }
}
