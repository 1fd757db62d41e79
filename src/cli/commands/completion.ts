import { completionScript } from '../../docs/completions.ts'
import { cleanText } from '../../domain/clean-text.ts'
import { nearest } from '../../domain/nearest.ts'
import { Failure } from '../../failure.ts'
import { SHELLS } from '../../spec/shells.ts'
import type { CommandRun } from '../context.ts'
import { jsonResult } from '../json.ts'
import { takeOperands } from '../operands.ts'

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
