import type { Offer } from './offer.ts'

/** An operand of a command, as the usage line shows it. */
export interface Operand {
  readonly name: string
  readonly required: boolean
  readonly many?: boolean
  /** Only read after `--`. */
  readonly afterDashes?: boolean
  /** The only words it may be. */
  readonly values?: readonly string[]
  readonly offers?: Offer | undefined
}

/** A command line with what it does. */
export interface Example {
  readonly line: string
  readonly does: string
}

/** What help, man page, completions and docs say of a command. */
export interface CommandRow {
  readonly name: string
  readonly summary: string
  readonly operands: readonly Operand[]
  readonly description: string
  /** The first two lead the help. */
  readonly examples: readonly Example[]
}

/** `matdecl extract [options] ARCHIVE [DIR]`, `matdecl config [options] show|path|init`. */
export function usageLine(command: CommandRow): string {
  return ['matdecl', command.name, '[options]', ...command.operands.map(operandTerm)].join(' ')
}

function operandTerm({ name, values, many, required, afterDashes }: Operand): string {
  const word = `${afterDashes === true ? '-- ' : ''}${values?.join('|') ?? name}${many === true ? '…' : ''}`
  return required ? word : `[${word}]`
}
