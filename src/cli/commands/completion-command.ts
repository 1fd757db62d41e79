import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { nearest } from '../../base/nearest.ts'
import { completionScript } from '../../reference/completions.ts'
import type { CommandRun } from '../context.ts'
import { jsonResult } from '../json.ts'
import { takeOperands } from '../operands.ts'
import { SHELLS } from '../options/shells.ts'

/** Prints the completion script of a shell. */
export const run: CommandRun = async ({ settings, terminal }) => {
  const [named = ''] = takeOperands(settings)
  const shell = SHELLS.find((name) => name === named)
  if (shell === undefined) {
    const near = nearest(named, SHELLS)
    throw new Failure('usage', `there is no completion for '${cleanText(named, 60)}'`, {
      hint: near === undefined ? `there is one for ${SHELLS.join(', ')}` : `did you mean ${near}?`,
    })
  }
  const script = completionScript(shell)
  await terminal.write(terminal.choice.json ? jsonResult('completion', 'ok', { shell, script }) : script)
  return 0
}
