import { isFailure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { appendToFile } from '../fs/publish.ts'
import type { Context } from './context.ts'

/** True in a step of GitHub Actions, which has a summary page. */
export function hasStepSummary(world: World): boolean {
  return summaryPath(world) !== undefined
}

/** Appends to the summary page of the GitHub Actions step that runs this, if any. A page that cannot be written is a warning. */
export async function writeStepSummary(
  { world, terminal }: Pick<Context, 'world' | 'terminal'>,
  markdown: string,
): Promise<void> {
  const path = summaryPath(world)
  if (path === undefined) return
  try {
    await appendToFile(world.disk, path, terminal.secrets.redact(markdown))
  } catch (error) {
    if (!isFailure(error)) throw error
    const message = `the step summary was not written: ${error.message}`
    terminal.reporter.notice({ level: 'warning', event: 'summary.not-written', message })
  }
}

function summaryPath({ env }: World): string | undefined {
  return (env.GITHUB_ACTIONS === 'true' && env.GITHUB_STEP_SUMMARY) || undefined
}
