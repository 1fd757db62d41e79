import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/options/commands.ts'
import type { OptionRow } from '../../src/cli/options/option-row.ts'
import { OPTIONS, optionsOf, SECRET_KEYS, variableOf } from '../../src/cli/options/options.ts'
import { commandHelp, overviewHelp } from '../../src/reference/help.ts'
import { cli } from '../support/cli.ts'

const ROWS: readonly OptionRow[] = OPTIONS

describe('the table of options', () => {
  test('keys are unique, and so are names and letters within a command', () => {
    expect(new Set(ROWS.map(({ key }) => key)).size).toBe(ROWS.length)
    for (const { name } of COMMANDS) {
      const rows = optionsOf(name)
      expect(new Set(rows.map((row) => row.name)).size, name).toBe(rows.length)
      const letters = rows.flatMap((row) => row.short ?? [])
      expect(new Set([...letters, 'h', 'V']).size, name).toBe(letters.length + 2)
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

  test('every sentence is one: lower case or a name, no full stop', () => {
    for (const row of ROWS) {
      expect(row.help, row.key).not.toMatch(/\.$/)
      expect(row.help, row.key).toMatch(/^(?:[a-z0-9]|HTTP|C \(|OUTPUT)/)
    }
  })

  test('what takes a value shows a placeholder or its words', () => {
    for (const row of ROWS) {
      if (row.type.kind === 'flag' || row.type.kind === 'count')
        expect(row.placeholder, row.key).toBeUndefined()
      else expect(row.placeholder, row.key).toBeTruthy()
    }
  })
})

describe('help', () => {
  test.each(COMMANDS.map(({ name }) => name))(
    'of %s leads with an example and tells every option',
    (name) => {
      const text = commandHelp(name, 80)
      const [usage, , example] = text.split('\n')
      expect(usage).toMatch(/^Usage matdecl /)
      expect(example).toMatch(/^ {2}(?:source <\()?matdecl /)
      for (const row of optionsOf(name)) expect(text).toContain(`--${row.name}`)
    },
  )

  test.each([40, 60, 80, 200])('fits %i columns where words allow', (columns) => {
    const texts = [overviewHelp(columns), ...COMMANDS.map(({ name }) => commandHelp(name, columns))]
    for (const line of texts
      .join('')
      .split('\n')
      .filter((one) => !/^(?: {2}(?:matdecl|-)|Usage )|--/.test(one))) {
      expect(line.length, line).toBeLessThanOrEqual(Math.max(40, columns))
    }
  })

  test('goes to standard output with 0, nothing asked goes to standard error with 2', async () => {
    const help = await cli(['list', '--nonsense', '-h'], { env: { COLUMNS: '60' } })
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('matdecl list')
    expect(await cli([])).toMatchObject({ code: 2, stdout: '' })
  })

  test('has no colour in a pipe and some on a terminal', async () => {
    expect((await cli(['--help'])).stdout).not.toContain('\u001b')
    expect((await cli(['--help'], { isTTY: true })).stdout).toContain('\u001b[')
    expect((await cli(['--help'], { isTTY: true, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b')
  })

  test('the version is one line, with --json an object', async () => {
    expect((await cli(['--version'])).stdout).toMatch(/^matdecl \d+\.\d+\.\d+\S*\n$/)
    expect((await cli(['-V', '--json'])).json()).toMatchObject({
      schema: 'matdecl.version/1',
      node: process.versions.node,
      commit: null,
    })
  })
})
