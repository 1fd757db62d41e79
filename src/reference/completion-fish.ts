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

/** The completion script for fish (3.2 and later). */
export function fishCompletion(table: Table): string {
  const names = table.commands.map(({ name }) => name)
  return `# fish completion for matdecl, made from its option table: matdecl completion fish

# The operands before the cursor, the command first.
function __matdecl_operands
    set -l words (commandline -opc)
    set -l i 2
    while test $i -le (count $words)
        set -l next (math $i + 1)
        switch $words[$i]
            case --
                string join -- \\n $words[$next..-1]
                return
${skipCase(valueSpellings(table, false), '')}${skipCase(valueSpellings(table, true), '-*')}            case '-*'
            case '*'
                echo -- $words[$i]
        end
        set i (math $i + 1)
    end
end

function __matdecl_is
    set -l operands (__matdecl_operands)
    test "$operands[1]" = "$argv[1]"; or test -z "$operands[1]" -a "$argv[1]" = download
end

# The command is this one, and this many operands stand behind it.
function __matdecl_at
    set -l operands (__matdecl_operands)
    test "$operands[1]" = "$argv[1]"; and test (count $operands) -eq (math $argv[2] + 1)
end

function __matdecl_has_no_command
    set -l operands (__matdecl_operands)
    test -z "$operands[1]"; or test "$operands" = help
end

# Files with one of the endings and folders; every file where there is none such.
function __matdecl_files
    set -l paths (__fish_complete_path (string replace -r -- '^--[a-z0-9-]+=' '' (commandline -ct)))
    set -l found
    for path in $paths
        set -l name (string split -m 1 -- \\t $path)[1]
        for ending in $argv
            if string match -q -- "*$ending" $name
                set -a found $path
            end
        end
    end
    if test (count $found) -eq 0
        string join -- \\n $paths
    else
        string join -- \\n $found (string match -r -- '^[^\\t]*/(?:\\t.*)?$' $paths)
    end
end

function __matdecl_profiles
    set -l words (commandline -opc)
    set -l config
    if set -l at (contains -i -- --config $words)
        set config $words[(math $at + 1)]
    end
    set -l base $HOME/.config
    set -q XDG_CONFIG_HOME; and set base $XDG_CONFIG_HOME
    for file in $config $MATDECL_CONFIG $base/matdecl/config.toml $HOME/Library/Preferences/matdecl/config.toml
        if test -r "$file"
            string match -r -g -- '^\\s*\\[profiles\\.([A-Za-z0-9_-]+)\\]' <$file
            return
        end
    end
end

complete -c matdecl -f
${table.commands.map(({ name, summary }) => `complete -c matdecl -n __matdecl_has_no_command -a ${name} -d ${quoted(summary)}`).join('\n')}
complete -c matdecl -n __matdecl_has_no_command -a help -d 'the help of a command'
${commonOptions(table)
  .map((row) => optionLine(row, undefined))
  .join('\n')}
${names.flatMap((name) => ownOptions(table, name).map((row) => optionLine(row, name))).join('\n')}
${operandLines(table).join('\n')}
`
}

function skipCase(names: readonly string[], next: string): string {
  if (names.length === 0) return ''
  const skip =
    next === ''
      ? '                set i $next'
      : `                string match -q -- '${next}' $words[$next]; or set i $next`
  return `            case ${names.join(' ')}\n${skip}\n`
}

function optionLine(row: OptionRow, command: string | undefined): string {
  const words = ['complete -c matdecl']
  if (command !== undefined) words.push(`-n '__matdecl_is ${command}'`)
  words.push(`-l ${row.name}`)
  if (row.short !== undefined) words.push(`-s ${row.short}`)
  if (takesValue(row) && row.optionalValue !== true) {
    words.push('-x')
    const offer = offerOf(row)
    if (offer !== undefined) words.push(`-a ${offered(offer)}`)
  }
  words.push(`-d ${quoted(row.help)}`)
  return words.join(' ')
}

function operandLines({ commands }: Table): string[] {
  return commands.flatMap(({ name, operands }) =>
    operands.flatMap((operand, index) => {
      const offer = operandOffer(operands, index)
      if (offer === undefined) return []
      const condition = operand.many === true ? `__matdecl_is ${name}` : `__matdecl_at ${name} ${index}`
      return [`complete -c matdecl -n '${condition}' -a ${offered(offer)}`]
    }),
  )
}

function offered(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return quoted(offer.words.join(' '))
    case 'files':
      return `'(${['__matdecl_files', ...offer.endings].join(' ')})'`
    case 'folders':
      return `'(__fish_complete_directories)'`
    case 'profiles':
      return `'(__matdecl_profiles)'`
  }
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`
}
