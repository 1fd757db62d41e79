import type { CommandRow } from '../cli/options/commands.ts'
import type { Offer } from '../cli/options/offer.ts'
import type { OptionRow } from '../cli/options/option-row.ts'
import {
  commonOptions,
  offerOf,
  operandOffer,
  ownOptions,
  spellings,
  type Table,
  takesValue,
  valueSpellings,
} from './table.ts'

/** The completion script for bash (3.2 and later); it needs nothing but bash itself. */
export function bashCompletion(table: Table): string {
  const common = commonOptions(table)
  return `# bash completion for matdecl, made from its option table: matdecl completion bash

_matdecl() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" option command='' operands=0 config='' dashes='' own='' word i
  COMPREPLY=()
  option="\${COMP_WORDS[COMP_CWORD - 1]}"
  # bash takes --option=value for three words
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $option == '=' ]] && ((COMP_CWORD > 2)); then
    option="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  cur="\${cur#[\\"\\']}"
  cur="\${cur//\\\\/}"

  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ $word == --config ]] && config="\${COMP_WORDS[i + 1]}" && [[ $config == '=' ]] && config="\${COMP_WORDS[i + 2]}"
    if [[ -n $dashes ]]; then
      ((operands++))
      continue
    fi
    case "$word" in
      --) dashes=1 option='' ;;
      '=') ((i++)) ;;
${skipCase(valueSpellings(table, false), "'='")}${skipCase(valueSpellings(table, true), '[=-]*')}      -*) ;;
      *) if [[ -z $command ]]; then command="$word"; else ((operands++)); fi ;;
    esac
  done
  [[ -n $command ]] || command=download operands=-1

  case "$option" in
${valueCases(common, '    ')}
  esac
  case "$command" in
${table.commands.map((command) => commandCase(command, ownOptions(table, command.name))).join('\n')}
    help) operands=-1 ;;
    *) return ;;
  esac

  if [[ $cur == -* && -z $dashes ]]; then
    _matdecl_words "$own ${common.flatMap(spellings).join(' ')}"
  elif ((operands < 0)) && [[ -z $dashes ]]; then
    _matdecl_words '${[...table.commands.map(({ name }) => name), 'help'].join(' ')}'
  else
    case "$command $operands" in
${table.commands.flatMap(operandCases).join('\n')}
    esac
  fi
}

_matdecl_words() {
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

_matdecl_folders() {
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur")
}

# Files with one of the endings and folders; every file where there is none such.
_matdecl_files() {
  local ending
  compopt -o filenames 2>/dev/null
  for ending in "$@"; do
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -X "!*$ending" -- "$cur")
  done
  if ((\${#COMPREPLY[@]} > 0)); then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur")
  else
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  fi
}

_matdecl_profiles() {
  local file
  for file in "$config" "\${MATDECL_CONFIG-}" "\${XDG_CONFIG_HOME:-\${HOME-}/.config}/matdecl/config.toml" "\${HOME-}/Library/Preferences/matdecl/config.toml"; do
    [[ -n $file && -r $file ]] || continue
    _matdecl_words "$(sed -n 's/^[[:space:]]*\\[profiles\\.\\([A-Za-z0-9_-]*\\)\\].*/\\1/p' "$file")"
    return
  done
}

complete -F _matdecl matdecl
`
}

// The word after these is their value, unless it looks like `next`.
function skipCase(names: readonly string[], next: string): string {
  if (names.length === 0) return ''
  return `      ${names.join(' | ')})\n        [[ \${COMP_WORDS[i + 1]} == ${next} ]] || ((i++)) ;;\n`
}

function commandCase(command: CommandRow, options: readonly OptionRow[]): string {
  const cases = valueCases(options, '        ')
  const values = cases === '' ? '' : `\n      case "$option" in\n${cases}\n      esac`
  return `    ${command.name})\n      own='${options.flatMap(spellings).join(' ')}'${values}\n      ;;`
}

// Options that take a value, those with the same offer on one line. A value that may be left out leaves room for options.
function valueCases(options: readonly OptionRow[], indent: string): string {
  const byCall = new Map<string, string[]>()
  for (const row of options.filter(takesValue)) {
    const offer = offerOf(row)
    const call = offer === undefined ? 'return' : `${offerCall(offer)}; return`
    const guarded = row.optionalValue === true ? `[[ $cur == -* ]] || { ${call}; }` : call
    byCall.set(guarded, [...(byCall.get(guarded) ?? []), ...spellings(row)])
  }
  return [...byCall].map(([call, names]) => `${indent}${names.join(' | ')}) ${call} ;;`).join('\n')
}

function operandCases({ name, operands }: CommandRow): string[] {
  const cases: string[] = []
  for (const [index, operand] of operands.entries()) {
    const offer = operandOffer(operands, index)
    if (offer === undefined) continue
    cases.push(`      '${name} '${operand.many === true ? '*' : index}) ${offerCall(offer)} ;;`)
  }
  return cases
}

function offerCall(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return `_matdecl_words '${offer.words.join(' ')}'`
    case 'files':
      return ['_matdecl_files', ...offer.endings].join(' ')
    case 'folders':
      return '_matdecl_folders'
    case 'profiles':
      return '_matdecl_profiles'
  }
}
