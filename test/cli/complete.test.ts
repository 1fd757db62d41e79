import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { cli } from '../support/cli.ts'
import { needs } from '../support/programs.ts'
import { bashComplete, completionFile, fishComplete, zshComplete } from '../support/shells.ts'
import { soakTest } from '../support/soak.ts'
import { toolCommand } from '../support/tool-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'matdecl-shells-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cwd = join(folder, 'work')
mkdirSync(join(cwd, 'sub'), { recursive: true })
for (const name of ['bom.zip', 'parts.csv', 'parts.xlsx', 'readme.md', 'settings.toml']) {
  writeFileSync(join(cwd, name), '')
}
const config = join(folder, 'config', 'matdecl')
mkdirSync(config, { recursive: true })
writeFileSync(join(config, 'config.toml'), 'rate = 5\n[profiles.nightly]\nquiet = true\n[profiles.ci]\n')
writeFileSync(join(cwd, 'settings.toml'), '[profiles.other]\n')

// The scripts ask this run's build.
const { program, args } = toolCommand()
mkdirSync(join(folder, 'bin'))
writeFileSync(join(folder, 'bin', 'matdecl'), `#!/bin/sh\nexec ${[program, ...args].join(' ')} "$@"\n`)
chmodSync(join(folder, 'bin', 'matdecl'), 0o755)

const setting = (scratch: string) => ({
  cwd,
  scratch: join(folder, scratch),
  env: { XDG_CONFIG_HOME: join(folder, 'config'), PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
})

const SHELLS = [
  ['bash', bashComplete, completionFile('matdecl.bash')],
  ['zsh', zshComplete, completionFile('_matdecl')],
  ['fish', fishComplete, completionFile('matdecl.fish')],
] as const

const COMMAND_WORDS = [...COMMANDS.map(({ name }) => name), 'help'].sort()

for (const [shell, loaded, script] of SHELLS) {
  describe.skipIf(!needs(shell))(`completion in ${shell}`, () => {
    const complete = loaded(script, setting(shell))
    const offers = (line: string): string[] =>
      complete(line)
        .map((one) => one.replace(/\/$/, ''))
        .sort()

    soakTest('completes commands, also after global options', () => {
      expect(offers('matdecl ')).toEqual(COMMAND_WORDS)
      expect(offers('matdecl --json --log-format json ver')).toEqual(['verify'])
      expect(offers('matdecl help ver')).toEqual(['verify'])
    })

    soakTest('completes only the options of the command', () => {
      expect(offers('matdecl list --max-')).toEqual(['--max-entries', '--max-ratio', '--max-size'])
      expect(offers('matdecl --json -o list verify --max-e')).toEqual(['--max-entries'])
      expect(offers('matdecl --base')).toEqual(['--base-url'])
      expect(offers('matdecl list --base')).toEqual([])
    })

    soakTest('completes the values of a choice', () => {
      expect(offers('matdecl --format-class ')).toEqual(['C', 'D', 'checkDthenC'])
      expect(offers('matdecl download --if-locked s')).toEqual(['skip'])
      expect(offers('matdecl --format 17')).toEqual(['1752A', '1752B'])
      expect(offers('matdecl report --fail-on s')).toEqual(['stale:', 'svhc'])
      // zsh offers the word, bash the whole value.
      const next = offers('matdecl report --fail-on not-compliant,sv')
      if (shell !== 'fish') expect(next.map((word) => word.replace('not-compliant,', ''))).toEqual(['svhc'])
      expect(offers('matdecl config ')).toEqual(['path', 'show'])
    })

    test('completes a value after an equals sign', () => {
      expect(offers('matdecl --color=al').map((one) => one.replace('--color=', ''))).toEqual(['always'])
    })

    soakTest('completes files with the right extension, and directories', () => {
      expect(offers('matdecl list ')).toEqual(['bom.zip', 'sub'])
      expect(offers('matdecl list bom.zip ')).toEqual(['bom.zip', 'sub'])
      expect(offers('matdecl --parts-file ')).toEqual(['parts.csv', 'parts.xlsx', 'sub'])
      expect(offers('matdecl extract bom.zip ')).toEqual(['sub'])
    })

    test('completes any file when none has the right extension', () => {
      expect(offers('matdecl list readme')).toEqual(['readme.md'])
    })

    soakTest('completes nothing without candidates', () => {
      expect(offers('matdecl --supplier ')).toEqual([])
      expect(offers('matdecl nonsense ')).toEqual([])
    })

    soakTest('completes the profiles of the config file', () => {
      expect(offers('matdecl --profile ')).toEqual(['ci', 'nightly'])
      expect(offers('matdecl --config settings.toml --profile ')).toEqual(['other'])
    })
  })
}

// zsh draws ` --` before what follows a colon.
test.skipIf(!needs('zsh'))('zsh gets a colon only before a description', () => {
  const script = `compdef() { }
source "$1"
_describe() { print -rl -- $described }
for word in --format-class --for; do
  words=(matdecl $word) CURRENT=2 PREFIX=$word
  [[ $word = --for ]] || { words+=''; CURRENT=3 PREFIX= }
  _matdecl
done`
  const file = join(import.meta.dirname, '..', '..', 'completions', '_matdecl')
  const { env } = setting('zsh')
  const shown = execFileSync('zsh', ['-f', '-c', script, 'zsh', file], { cwd, env, encoding: 'utf8' })
  expect(shown.split('\n')).toEqual([
    'C',
    'D',
    'checkDthenC',
    expect.stringMatching(/^--format:\w/),
    expect.stringMatching(/^--format-class:\w/),
    '',
  ])
})

describe('completion in PowerShell', () => {
  const script = completionFile('matdecl.ps1')

  test('asks the program of the command line', () => {
    expect(script).toContain('& $program __complete @words ".$wordToComplete"')
  })

  test('has balanced brackets', () => {
    const code = script.replace(/^ *#.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''")
    for (const [open, close] of ['{}', '()', '[]']) {
      expect(code.split(open!).length, open).toBe(code.split(close!).length)
    }
    expect(code).not.toMatch(/[\u2018\u2019]/)
  })
})

describe('what a completion script asks', () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await cli(['__complete', ...words.slice(0, -1), `.${words.at(-1)}`])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.slice(0, -1).split('\n')
  }

  test('is answered with words and their descriptions', async () => {
    expect(await complete('verify', '--man')).toEqual([
      'words',
      '--manifest\talso compare the archive with its manifest',
    ])
  })

  test('is answered with the kind of files', async () => {
    expect(await complete('verify', '')).toEqual(['files .zip'])
    expect(await complete('extract', 'a.zip', '')).toEqual(['directories'])
  })

  test.each([
    [['--color', '=', 'al'], '--color=always\t'],
    [['--color=al'], '--color=always\t'],
    [['report', '--fail-on', 'svhc,not-c'], 'svhc,not-compliant\t'],
    [['-x', '--extr'], '--extract\textract it (default: into OUTPUT without .zip)'],
  ])('%j is completed', async (words, expected) => {
    expect(await complete(...words)).toEqual(['words', expected])
  })

  test.each([[['--help', '']], [['-V', '']], [['--token', 'S3CRET', 'x']], [['list', '--', '--']]])(
    '%j is no command line to run',
    async (words) => {
      expect((await complete(...words))[0]).toMatch(/^(?:words|files)/)
    },
  )

  test('has no profiles where the config file cannot be used', async () => {
    expect(await complete('--config', '/nonexistent/config.toml', '--profile', '')).toEqual(['words'])
  })
})
