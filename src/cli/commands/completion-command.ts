import zsh from '../../../completions/_matdecl?text'
import bash from '../../../completions/matdecl.bash?text'
import fish from '../../../completions/matdecl.fish?text'
import powershell from '../../../completions/matdecl.ps1?text'
import type { CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { okResult, printResult } from '../json.ts'

const SCRIPTS = { bash, zsh, fish, powershell }

export const completionCommand: CommandDefinition = {
  name: 'completion',
  summary: 'print the completion script of a shell',
  operands: [{ name: 'SHELL', required: true, values: Object.keys(SCRIPTS) }],
  description:
    'The script completes commands, options, their values, files of the right type and the names of your profiles. It asks the matdecl of the command line, and so fits every version.',
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
  run,
  reach: 'flags',
}

async function run({ settings, terminal }: Context): Promise<number> {
  const shell = settings.operands[0] as keyof typeof SCRIPTS
  const script = SCRIPTS[shell]
  await printResult(terminal, okResult('completion', { shell, script }), script)
  return 0
}
