import type { World } from '../../base/world.ts'
import { appendToFile } from '../../fs/result-file.ts'
import { type FailOnRule, parseFailOn } from '../../report/fail-on.ts'
import { stepSummary } from '../../report/markdown.ts'
import type { JudgedRow } from '../../report/report-row.ts'
import type { ReportSummary } from '../../report/report-summary.ts'
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
  const rules = failOn ?? parseFailOn(WITHOUT_GATE)
  const summary = stepSummary((row) => rules.some((rule) => rule.matches(row as unknown as JudgedRow)))
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
