import { EXIT_CODES } from '../../base/failure.ts'
import type { CommandRun } from '../command.ts'
import { planDownload } from '../download/plan-download.ts'
import { printPlan } from '../download/print-plan.ts'
import { printResult, printSummary } from '../download/print-result.ts'
import { runDownload } from '../download/run-download.ts'
import { summaryMarkdown } from '../download/summary.ts'
import { interruptionOr } from '../explain.ts'
import { jsonPieces } from '../json.ts'
import { writeStepSummary } from '../step-summary.ts'

/** Downloads one verified archive, then does what else the options ask for. */
export const run: CommandRun = async (context) => {
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
