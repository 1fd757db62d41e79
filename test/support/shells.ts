import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A script in `completions/`. */
export function completionFile(name: string): string {
  return readFileSync(join(import.meta.dirname, '..', '..', 'completions', name), 'utf8')
}

/** The completions that a shell with the script offers at the end of a command line. */
export type Complete = (line: string) => string[]

interface Setting {
  /** A directory for the shell's own files. */
  readonly scratch: string
  /** The working directory. */
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** bash: calls the completion function with the words as bash splits them. */
export function bashComplete(script: string, setting: Setting): Complete {
  const file = put(setting, 'matdecl.bash', script)
  const harness = `set -u
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_matdecl
[[ \${#COMPREPLY[@]} -eq 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"`
  return (line) => {
    const words = line.split(' ').flatMap((word) => word.split(/(=)/).filter((one) => one !== ''))
    const typed = line.endsWith(' ') ? [...words, ''] : words
    return run(setting, 'bash', ['--norc', '--noprofile', '-c', harness, 'bash', file, ...typed])
  }
}

/** zsh: presses Tab in an interactive shell in a pseudo-terminal. */
export function zshComplete(script: string, setting: Setting): Complete {
  put(setting, 'functions/_matdecl', script)
  put(
    setting,
    '.zshrc',
    `PROMPT=
unset zle_bracketed_paste
fpath=(${setting.scratch}/functions $fpath)
autoload -U compinit
compinit -u -D
bindkey '^I' complete-word
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
  typeset -a offered_
  builtin compadd -A offered_ "$@"
  local one_
  for one_ in $offered_; do print -r -- "<offered>$one_</offered>"; done
  builtin compadd "$@"
}
end_() { print -r -- "<end>" }
comppostfuncs=(end_)
print -r '<ready>'
`,
  )
  const harness = `zmodload zsh/zpty
zpty shell zsh -i
zpty -r shell seen '*<ready>*'
zpty -n -w shell "$1"$'\\t'
zpty -r shell seen '*<end>*'
print -r -- "$seen"`
  return (line) =>
    run({ ...setting, env: { ...setting.env, ZDOTDIR: setting.scratch } }, 'zsh', [
      '-f',
      '-c',
      harness,
      'zsh',
      line,
    ])
      .flatMap((seen) => [...seen.matchAll(/<offered>(.*?)<\/offered>/g)].map((match) => match[1]!))
      .filter((one, index, all) => all.indexOf(one) === index)
}

/** fish: runs `complete -C`. */
export function fishComplete(script: string, setting: Setting): Complete {
  const file = put(setting, 'matdecl.fish', script)
  return (line) =>
    run(setting, 'fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', file, line]).map(
      (one) => one.split('\t')[0]!,
    )
}

function put({ scratch }: Setting, name: string, text: string): string {
  const path = join(scratch, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

function run({ cwd, scratch, env }: Setting, program: string, args: readonly string[]): string[] {
  const output = execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    timeout: 15_000,
    env: { PATH: process.env.PATH, HOME: scratch, TERM: 'dumb', LC_ALL: 'C.UTF-8', ...env },
  })
  return output.split(/\r?\n/).filter((line) => line !== '')
}
