import type { World } from '../../base/world.ts'
import { appendToFile } from '../../fs/result-file.ts'
import { stepSummary } from '../../report/formats/markdown.ts'
import { type FailOnRule, matchedWords, parseFailOn } from '../../report/gate/fail-on.ts'
import type { ReportSummary } from '../../report/report-summary.ts'
import { gateWords } from '../../report/rows/finish-row.ts'
import type { JudgedRow } from '../../report/rows/report-row.ts'
import type { ReportOutput } from '../../report/write-report.ts'
import type { Terminal } from '../../terminal/terminal.ts'

/** Rows worth a line without `--fail-on`. */
const WITHOUT_GATE = 'not-compliant,svhc,missing,incomplete'

/** Collects the summary of a GitHub step while rows pass; undefined anywhere else. */
export function summaryOutput(
  world: World,
  failOn: readonly FailOnRule[] | undefined,
): { readonly output: ReportOutput; readonly text: (summary: ReportSummary) => string } | undefined {
  if (summaryPath(world) === undefined) return undefined
  const context = { nowMs: world.clock.nowMs(), failOn: parseFailOn(WITHOUT_GATE) }
  const words = (row: JudgedRow): readonly string[] => (failOn ? gateWords(row) : matchedWords(row, context))
  const summary = stepSummary((row) => words(row as unknown as JudgedRow).length > 0)
  const formatter = {
    begin: () => '',
    add: (rows: Parameters<typeof summary.add>[0]) => {
      summary.add(rows)
      return ''
    },
    end: () => [],
  }
  return { output: { rows: 'parts', formatter, write: () => undefined }, text: summary.text }
}

/** Appends to the summary of the GitHub step that runs this, if one does. */
export async function writeStepSummary(
  world: World,
  terminal: Terminal,
  text: string | undefined,
): Promise<void> {
  const path = summaryPath(world)
  if (path !== undefined && text !== undefined) await appendToFile(world.disk, path, terminal.redact(text))
}

function summaryPath(world: World): string | undefined {
  const path = world.env.GITHUB_STEP_SUMMARY
  return world.env.GITHUB_ACTIONS === 'true' && path !== '' ? path : undefined
}
