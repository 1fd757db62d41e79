import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { type OptionRow, variableOf } from '../../src/cli/option-row.ts'
import { OPTIONS, optionsOf } from '../../src/cli/options.ts'
import { SECRET_KEYS } from '../../src/cli/settings/config-file.ts'
import { cli } from '../support/cli.ts'

const ROWS: readonly OptionRow[] = OPTIONS

describe('the table of options', () => {
  test('keys are unique, and so are names and letters within a command', () => {
    expect(new Set(ROWS.map(({ key }) => key)).size).toBe(ROWS.length)
    for (const { name } of COMMANDS) {
      const rows = optionsOf(name)
      expect(new Set(rows.map((row) => row.name)).size, name).toBe(rows.length)
      const letters = rows.flatMap((row) => row.short ?? [])
      expect(new Set(letters).size, name).toBe(letters.length)
    }
  })

  test('a name has one meaning in the environment and in the file', () => {
    for (const place of ['env', 'file'] as const) {
      const names = ROWS.filter((row) => row.from?.includes(place) ?? true).map(variableOf)
      expect(names.length).toBe(new Set(names).size)
    }
  })

  test('no option can hold a secret', () => {
    const flags = ROWS.filter((row) => !row.commands.includes('sandbox' as never) || row.commands === 'all')
    expect(flags.filter((row) => (SECRET_KEYS as readonly string[]).includes(row.name))).toEqual([])
  })

  test('every sentence starts in lower case or with an acronym, without a full stop', () => {
    for (const row of ROWS) {
      expect(row.help, row.key).not.toMatch(/\.$/)
      expect(row.help, row.key).toMatch(/^(?:[a-z0-9]|HTTP|URL)/)
    }
  })

  test('options with a value have a placeholder', () => {
    for (const row of ROWS) {
      if (row.type.kind === 'flag' || row.type.kind === 'count')
        expect(row.placeholder, row.key).toBeUndefined()
      else expect(row.placeholder, row.key).toBeTruthy()
    }
  })
})

describe('help', () => {
  test.each(COMMANDS.map(({ name }) => name))('of %s is short, and says where the rest is', async (name) => {
    const { stdout } = await cli([name, '--help'])
    expect(stdout.split('\n')[0]).toBe('Examples:')
    expect(stdout.split('\n').length).toBeLessThan(70)
    expect(stdout).toContain('matdecl --help\n')
    expect(stdout).not.toContain('--log-format')
    const { common = [] } = COMMANDS.find((one) => one.name === name)!
    const isShort = COMMANDS.some((one) => one.name === name && one.common !== undefined)
    expect(stdout.includes(`matdecl ${name} --help-all`)).toBe(isShort)
    for (const option of common) {
      expect(optionsOf(name).map((row) => row.name)).toContain(option)
      expect(stdout).toContain(`--${option}`)
    }
  })

  test('lists the global options once, with the program', async () => {
    const { stdout } = await cli(['--help'])
    for (const row of ROWS.filter(({ commands }) => commands === 'all'))
      expect(stdout).toContain(`--${row.name}`)
    for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`\\n  ${name} `))
    expect(stdout).toContain('matdecl --help-all lists every option')
    const all = (await cli(['--help-all'])).stdout
    for (const { name } of COMMANDS) expect(all).toContain(`\n  ${name} `)
  })

  test.each([
    ['list', ['max-entries', 'max-size', 'max-ratio']],
    ['verify', ['max-entries']],
    ['extract', ['max-ratio']],
    ['report', ['max-size', 'shard']],
    ['diff', ['max-size', 'svhc-updates']],
    ['download', ['max-entries', 'connect-timeout', 'stall-timeout', 'api']],
    ['doctor', ['api', 'connect-timeout']],
    ['login', ['api', 'connect-timeout']],
  ])('of %s leaves rare options to --help-all: %j', async (name, options) => {
    const short = (await cli([name, '--help'])).stdout
    const all = (await cli([name, '--help-all'])).stdout
    for (const option of options) {
      expect(short).not.toContain(`\n  --${option} `)
      expect(all).toContain(`\n  --${option} `)
    }
  })

  test('of download shows the common options only', async () => {
    const { stdout } = await cli(['download', '--help'])
    expect(stdout.match(/^ {2}(?:-\w, )?--/gm)!.length).toBeLessThanOrEqual(16)
  })

  test('of config show leaves out the settings of other commands', async () => {
    expect((await cli(['config', 'show', '--help'])).stdout).not.toContain('--stall-timeout')
    expect((await cli(['config', 'show', '--help-all'])).stdout).toContain('--stall-timeout')
  })

  test.each([
    [['download', '--help-all', '--bogus']],
    [['download', '--bogus', '--help-all']],
    [['--supplier', 'X', '--help-all']],
    [['--help-all', '--supplier', 'X']],
    [['help', 'download', '--help-all']],
    [['help', '--help-all', 'download']],
  ])('%j prints every option', async (argv) => {
    const result = await cli(argv)
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(result.stdout).toContain('--stall-timeout')
    expect(result.stdout).toContain('--log-format')
  })

  test('words after -- do not ask for help', async () => {
    const { stdout, code } = await cli([
      'download',
      '--dry-run',
      '--base-url',
      'http://localhost:1',
      '--',
      '--help-all',
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('--help-all')
  })

  test('suggests options that the short help leaves out', async () => {
    expect((await cli(['download', '--stal-timeout', '3s'])).stderr).toContain('--stall-timeout')
  })

  test.each(COMMANDS.map(({ name }) => name))(
    'of %s names only options that the command has',
    async (name) => {
      const { stdout } = await cli([name, '--help-all'])
      const options = stdout.slice(stdout.indexOf('\nUsage: '))
      const own = new Set(optionsOf(name).map((row) => `--${row.name}`))
      const named = options.replaceAll(/`[^`]*`/g, '').match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []
      expect(named.filter((flag) => !own.has(flag) && name !== 'config')).toEqual([])
    },
  )

  test.each(COMMANDS.map(({ name }) => name))(
    'of %s leads with examples and lists every option',
    async (name) => {
      const { stdout } = await cli([name, '--help-all'])
      const [title, example] = stdout.split('\n')
      expect(title).toBe('Examples:')
      expect(example).toMatch(/^ {2}(?:source <\()?matdecl /)
      expect(stdout).toContain(`Usage: matdecl ${name} `)
      for (const row of optionsOf(name)) {
        if (row.commands === 'all' || name !== 'config') expect(stdout).toContain(`--${row.name}`)
      }
    },
  )

  test.each([80, 100, 200])('fits %i columns', async (columns) => {
    const texts = await Promise.all(
      [['--help'], ...COMMANDS.map(({ name }) => [name, '--help'])].map((argv) =>
        cli(argv, { env: { COLUMNS: String(columns) } }),
      ),
    )
    for (const line of texts.flatMap(({ stdout }) => stdout.split('\n'))) {
      if (!/^ {2}(?:source|matdecl)/.test(line)) expect(line.length, line).toBeLessThanOrEqual(columns)
    }
  })

  test('puts descriptions below the options where 40 columns have no room beside them', async () => {
    const { stdout } = await cli(['report', '--help'], { env: { COLUMNS: '40' } })
    expect(stdout).toContain('\n  --overwrite\n      replace an existing output\n')
    const options = stdout.slice(stdout.indexOf('Search criteria:'), stdout.indexOf('More options:'))
    for (const line of options.split('\n')) expect(line.length, line).toBeLessThanOrEqual(40)
  })

  test('names the documentation', async () => {
    expect((await cli(['--help'])).stdout).toMatch(/man matdecl[\s\S]*README\.md/)
  })

  test('has no colors in a pipe and some on a terminal', async () => {
    expect((await cli(['--help'])).stdout).not.toContain('\u001b')
    expect((await cli(['--help'], { isTTY: true })).stdout).toContain('\u001b[')
    expect((await cli(['--help'], { isTTY: true, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b')
    expect((await cli(['list', '-h', '--color=always'])).stdout).toContain('\u001b[')
    expect((await cli(['--no-color', 'list', '-h'], { isTTY: true })).stdout).not.toContain('\u001b')
  })
})
