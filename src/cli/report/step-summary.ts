import type { World } from '../../base/world.ts'
import { appendToFile } from '../../fs/result-file.ts'
import type { ReportShape } from '../../report/formats/formatter.ts'
import { stepSummary } from '../../report/formats/markdown.ts'
import { type FailOnRule, matchedWords, parseFailOn } from '../../report/gate/fail-on.ts'
import type { JudgedRow } from '../../report/rows/report-row.ts'
import type { WriteRows } from '../../report/write-report.ts'
import type { Terminal } from '../../terminal/terminal.ts'

/** Rows worth a line without `--fail-on`. */
const WITHOUT_GATE = 'not-compliant,svhc,missing,incomplete'

/** Adds a report to the summary of the GitHub step that runs this; undefined anywhere else. */
export function summaryOutput(
  world: World,
  terminal: Terminal,
  shape: ReportShape,
  failOn: readonly FailOnRule[] | undefined,
): WriteRows | undefined {
  if (summaryPath(world) === undefined) return undefined
  const context = { nowMs: shape.nowMs, failOn: parseFailOn(WITHOUT_GATE) }
  const words = (row: JudgedRow): readonly string[] => (failOn ? row.gate.open : matchedWords(row, context))
  const format = stepSummary(shape, (row) => words(row).length > 0)
  return async (report) => {
    let text = ''
    for await (const piece of format(report)) text += String(piece)
    await writeStepSummary(world, terminal, text)
  }
}

/** Appends to the summary of the GitHub step that runs this, if one does. */
export async function writeStepSummary(world: World, terminal: Terminal, text: string): Promise<void> {
  const path = summaryPath(world)
  if (path !== undefined) await appendToFile(world.disk, path, terminal.redact(text))
}

function summaryPath(world: World): string | undefined {
  const path = world.env.GITHUB_STEP_SUMMARY
  return world.env.GITHUB_ACTIONS === 'true' && path !== '' ? path : undefined
}
