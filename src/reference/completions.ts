import type { Command } from 'commander'
import { bashCompletion } from './completion-bash.ts'
import { fishCompletion } from './completion-fish.ts'
import { powershellCompletion } from './completion-powershell.ts'
import { zshCompletion } from './completion-zsh.ts'
import type { Shell } from './shells.ts'
import { type Table, tableOf } from './table.ts'

const SCRIPTS: Readonly<Record<Shell, (table: Table) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
}

/** The completion script of a shell for a program. */
export function completionScript(shell: Shell, program: Command): string {
  return SCRIPTS[shell](tableOf(program))
}
