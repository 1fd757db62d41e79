import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { migrationText } from '../../src/cli/migration-text.ts'
import { readLegacyRequest } from '../../src/migrate/legacy-request.ts'
import { migrate } from '../../src/migrate/migration.ts'
import { createStyle } from '../../src/terminal/style.ts'

function textOf(fields: Readonly<Record<string, string>>): string {
  const read = readLegacyRequest(JSON.stringify(fields), 'old.json')
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  const migration = migrate(read.request, { todayMs: 0 })
  if ('problems' in migration) throw new Error(JSON.stringify(migration.problems))
  return migrationText(migration, createStyle(false, true))
}

describe('migrationText', () => {
  it('is a script whose only commands are those of the migration', () => {
    const text = textOf({ format: 'CSV', supplier: '1,2', partNumbers: '"a; b","x\u202e$(exit 3)"' })
    const script = `set -eu\nmatdecl() { printf '%s ' "$#"; }\n${text}`
    expect(execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })).toBe('9 9 ')
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toHaveLength(2)
    expect(text).not.toMatch(/[\u202e\u001b]/)
  })

  it('shows addresses, settings and every note', () => {
    const text = textOf({ format: 'XML', supplier: '123456789' })
    expect(text).toContain(
      '# requests https://your-v2-address.example/v2/download?format=1752A&supplier=123456789\n',
    )
    expect(text).toContain('#   base-url = "https://your-v2-address.example"\n')
    expect(text).toMatch(/# {3}path: \/api\/download -> \/v2\/download\n/)
    expect(text.match(/^# {5}\S/gm)).toHaveLength(9)
    expect(text.endsWith('\n')).toBe(true)
  })
})
