import type { Shell } from '../cli/options/shells.ts'
import { bashCompletion } from './completion-bash.ts'
import { fishCompletion } from './completion-fish.ts'
import { powershellCompletion } from './completion-powershell.ts'
import { zshCompletion } from './completion-zsh.ts'
import { TABLE, type Table } from './table.ts'

const SCRIPTS: Readonly<Record<Shell, (table: Table) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
}

/** The completion script of a shell. */
export function completionScript(shell: Shell, table: Table = TABLE): string {
  return SCRIPTS[shell](table)
}
