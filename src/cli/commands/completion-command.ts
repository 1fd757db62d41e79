import type { Command } from 'commander'
import { SHELLS, type Shell } from '../../reference/shells.ts'
import type { CommandDefinition } from '../command-definition.ts'
import type { Context } from '../context.ts'
import { jsonResult } from '../json.ts'

export const completionCommand: CommandDefinition = {
  name: 'completion',
  summary: 'print the completion script of a shell: bash, zsh, fish or powershell',
  operands: [{ name: 'SHELL', required: true, values: SHELLS }],
  description:
    'The script completes commands, options, their values, files of the right type and the names of your profiles. It needs only the shell.',
  examples: [
    {
      line: 'source <(matdecl completion bash)',
      does: 'for this shell only; add it to ~/.bashrc for every shell',
    },
    { line: 'matdecl completion zsh > "$fpath[1]/_matdecl"', does: 'for zsh; takes effect in new shells' },
    { line: 'matdecl completion fish > ~/.config/fish/completions/matdecl.fish', does: 'for fish' },
    {
      line: 'matdecl completion powershell | Out-String | Invoke-Expression',
      does: 'for this session only; add it to $PROFILE for every session',
    },
  ],
  action: { run, reach: 'flags' },
}

async function run({ settings, terminal }: Context, program: () => Command): Promise<number> {
  const { completionScript } = await import('../../reference/completions.ts')
  const shell = settings.operands[0] as Shell
  const script = completionScript(shell, program())
  await terminal.write(terminal.choice.json ? jsonResult('completion', 'ok', { shell, script }) : script)
  return 0
}
