import type { CommandRow } from '../cli/options/commands.ts'
import type { Offer } from '../cli/options/offer.ts'
import type { OptionRow } from '../cli/options/option-row.ts'
import {
  commonOptions,
  offerOf,
  operandOffer,
  ownOptions,
  type Table,
  takesValue,
  valueSpellings,
} from './table.ts'

/** The completion function for zsh: put it as `_matdecl` into a folder of `fpath`, or source it after `compinit`. */
export function zshCompletion(table: Table): string {
  return `#compdef matdecl
# zsh completion for matdecl, made from its option table: matdecl completion zsh

_matdecl() {
  local command='' word
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    word="$words[i]"
    case "$word" in
      --) break ;;
${skipCase(valueSpellings(table, false), '')}${skipCase(valueSpellings(table, true), '-*')}      -*) ;;
      *) command="$word"; break ;;
    esac
  done

  local -a common
  common=(
${commonOptions(table)
  .map((row) => `    ${optionSpec(row)}`)
  .join('\n')}
  )
  case "$command" in
    '')
      _arguments -s -S : $common \\
${specLines([...ownOptions(table, 'download').map(optionSpec), quoted('1: :_matdecl_commands')])}
      ;;
${table.commands.map((command) => commandCase(table, command)).join('\n')}
    help)
      _arguments -s -S : $common '1: :(help)' '2: :_matdecl_commands'
      ;;
  esac
}

_matdecl_commands() {
  local -a commands
  commands=(
${table.commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`).join('\n')}
    'help:the help of a command'
  )
  _describe -t commands 'command' commands
}

_matdecl_profiles() {
  local file
  local -a names
  for file in "$opt_args[--config]" "$MATDECL_CONFIG" "\${XDG_CONFIG_HOME:-$HOME/.config}/matdecl/config.toml" "$HOME/Library/Preferences/matdecl/config.toml"; do
    [[ -n $file && -r $file ]] || continue
    names=(\${(f)"$(sed -n 's/^[[:space:]]*\\[profiles\\.\\([A-Za-z0-9_-]*\\)\\].*/\\1/p' "$file")"})
    compadd -a names
    return
  done
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _matdecl "$@"
else
  compdef _matdecl matdecl
fi
`
}

function skipCase(names: readonly string[], next: string): string {
  if (names.length === 0) return ''
  const skip = next === '' ? '((i++))' : `[[ "$words[i + 1]" == ${next} ]] || ((i++))`
  return `      ${names.join('|')}) ${skip} ;;\n`
}

function commandCase(table: Table, command: CommandRow): string {
  const specs = [
    ...ownOptions(table, command.name).map(optionSpec),
    quoted(`1: :(${command.name})`),
    ...operandSpecs(command),
  ]
  return `    ${command.name})
      _arguments -s -S : $common \\
${specLines(specs)}
      ;;`
}

function specLines(specs: readonly string[]): string {
  return specs.map((spec) => `        ${spec}`).join(' \\\n')
}

function operandSpecs({ operands }: CommandRow): string[] {
  return operands.map((operand, index) => {
    const place = operand.many === true ? '*' : String(index + 2)
    return quoted(`${place}:${operand.name.replaceAll(':', '\\:')}:${action(operandOffer(operands, index))}`)
  })
}

// `(-o --output)'{-o+,--output=}'[help]:PATH:_files`: an option once, unless it may be repeated.
function optionSpec(row: OptionRow): string {
  const isMany = row.repeatable === true || row.type.kind === 'count'
  const value = takesValue(row)
  const long = `--${row.name}${value ? '=' : ''}`
  const sentence = `[${row.help.replace(/[[\]\\]/g, '\\$&')}]`
  const colon = row.optionalValue === true ? '::' : ':'
  const tail = value
    ? `${sentence}${colon}${(row.placeholder ?? 'value').replaceAll(':', '\\:')}:${action(offerOf(row))}`
    : sentence
  if (row.short === undefined) return quoted(`${isMany ? '*' : ''}${long}${tail}`)
  const short = `-${row.short}${value ? '+' : ''}`
  const head = isMany ? `'*'` : `'(-${row.short} --${row.name})'`
  return `${head}{${short},${long}}${quoted(tail)}`
}

function action(offer: Offer | undefined): string {
  switch (offer?.kind) {
    case undefined:
      return ' '
    case 'words':
      return `(${offer.words.join(' ').replaceAll(':', '\\:')})`
    case 'files':
      return offer.endings.length === 0 ? '_files' : `_files -g "${globOf(offer.endings)}"`
    case 'folders':
      return '_files -/'
    case 'profiles':
      return '_matdecl_profiles'
  }
}

// One ending alone in parentheses would be read as qualifiers of the glob.
function globOf(endings: readonly string[]): string {
  return endings.length === 1 ? `*${endings[0]}` : `*(${endings.join('|')})`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
