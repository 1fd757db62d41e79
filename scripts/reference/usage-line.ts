import { type CommandDefinition, type Operand, operandsOf } from '../../src/cli/command.ts'

/** `matdecl extract [options] ARCHIVE [DIR]`, `matdecl config [options] show|path|init`. */
export function usageLine(command: CommandDefinition): string {
  return ['matdecl', command.name, '[options]', ...operandsOf(command).map(operandTerm)].join(' ')
}

function operandTerm({ name, values, many, required, afterDashes }: Operand): string {
  const word = `${afterDashes === true ? '-- ' : ''}${values?.join('|') ?? name}${many === true ? '…' : ''}`
  return required ? word : `[${word}]`
}
