import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { migrationResult, migrationText } from '../../../src/cli/commands/migrate-command.ts'
import { type Migration, migrate } from '../../../src/migrate/migrate.ts'
import { parseV1Request } from '../../../src/migrate/v1-request.ts'
import { createStyle } from '../../../src/terminal/style.ts'
import { needs } from '../../support/programs.ts'

function migrated(fields: Readonly<Record<string, string>>): Migration {
  const parsed = parseV1Request(JSON.stringify(fields), 'old.json')
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems))
  const migration = migrate(parsed.request, { todayMs: 0 })
  if ('problems' in migration) throw new Error(JSON.stringify(migration.problems))
  return migration
}

function textOf(fields: Readonly<Record<string, string>>): string {
  return migrationText(migrated(fields), createStyle(false, true))
}

describe('migrationText', () => {
  it.skipIf(!needs('bash'))('is a script that runs only the commands of the migration', () => {
    const text = textOf({ format: 'CSV', supplier: '1,2', partNumbers: '"a; b","x\u202e$(exit 3)"' })
    const script = `set -eu\nmatdecl() { printf '%s ' "$#"; }\n${text}`
    expect(execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })).toBe('9 9 ')
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toHaveLength(2)
    expect(text).not.toMatch(/[\u202e\u001b]/)
  })

  it('shows URLs and all notes', () => {
    const text = textOf({ format: 'XML', supplier: '123456789' })
    expect(text).toContain(
      '# requests https://your-v2-address.example/v2/download?format=1752A&supplier=123456789\n',
    )
    expect(text).toMatch(/# {3}path: \/api\/download -> \/v2\/download\n/)
    expect(text.match(/^# {5}\S/gm)).toHaveLength(9)
    expect(text.endsWith('\n')).toBe(true)
  })
})

describe('migrationResult', () => {
  it('has a command for each supplier', () => {
    const { commands } = migrationResult(
      migrated({
        format: 'XML',
        formatClass: 'd',
        supplier: '123456789,987654321',
        partNumbers: '"A"',
        startdate: '2024-02-29',
      }),
    )
    expect(commands.map(({ supplier, command }) => [supplier, command])).toEqual(
      ['123456789', '987654321'].map((supplier) => [
        supplier,
        `matdecl download --format 1752A --format-class D --supplier ${supplier} --part A --start-date 2024-02-29`,
      ]),
    )
  })

  it('names the options that help', () => {
    const { notes, warnings } = migrationResult(migrated({ format: 'XML', partNumbers: '"A"' }))
    expect(notes.find(({ aspect }) => aspect === 'format')?.note).toMatch(/: --format$/)
    expect(warnings).toEqual([expect.stringMatching(/no formatClass.*: --format-class$/)])
  })

  it.skipIf(!needs('bash'))('writes commands that a shell reads back exactly, and a person can read', () => {
    const parts = [
      "it's",
      'a b',
      '$HOME',
      '`x`',
      '\\n',
      '-7X2',
      '!x',
      'a\u202eb',
      'a\u200bb',
      '😀',
      '*',
      '~',
      '',
    ]
    const partNumbers = parts.map((part) => `"${part}"`).join(',')
    const { commands } = migrationResult(migrated({ partNumbers, supplier: '-x' }))
    const { argv, command } = commands[0]!
    const script = `matdecl() { printf '%s\\0' matdecl "$@"; }\n${command}`
    const env = { LC_ALL: 'C.UTF-8' }
    const shown = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env })
    expect(shown.split('\0').slice(0, -1)).toEqual(argv)
    expect(argv).toContain('--part=-7X2')
    expect(argv).toContain('--supplier=-x')
    expect(command).not.toMatch(/[\u200b\u202e]/)
  })
})
