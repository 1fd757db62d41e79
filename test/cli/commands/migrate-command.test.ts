import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, tree } from '../../support/cli.ts'
import { needs } from '../../support/programs.ts'
import { withFolder } from '../../support/world.ts'

const KEY = 'k3y-that-must-not-show'
const REQUEST = JSON.stringify({
  apikey: KEY,
  format: 'XML',
  formatClass: 'C',
  supplier: '123456789,987654321',
  partNumbers: '"A-1","B 2"',
  startdate: '2024-02-29',
})

describe('matdecl migrate', () => {
  test('prints a script of v2 commands, with every change as a comment', async () => {
    const { code, stdout, stderr } = await cli(['migrate'], { stdinText: REQUEST })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      "matdecl download --format 1752A --format-class C --supplier 123456789 --part A-1 --part 'B 2' --start-date 2024-02-29",
      "matdecl download --format 1752A --format-class C --supplier 987654321 --part A-1 --part 'B 2' --start-date 2024-02-29",
    ])
    expect(stdout).toContain('/v2/download?format=1752A&formatClass=C&supplier=987654321&partNumbers[]=A-1')
    expect(stdout).not.toContain(KEY)
  })

  test.skipIf(!needs('bash'))(
    'prints commands that the tool accepts, and that request the URLs it prints',
    async () => {
      const migrated = await cli(['migrate', '--json', '--base-url', 'https://api.example.com'], {
        stdinText: REQUEST,
      })
      const { commands } = migrated.json() as { commands: { command: string; argv: string[]; url: string }[] }
      expect(commands).toHaveLength(2)
      for (const { argv, command, url } of commands) {
        const words = execFileSync('bash', ['--norc', '-c', `matdecl() { printf '%s\\0' "$@"; }\n${command}`])
        expect(words.toString().split('\0').slice(0, -1)).toEqual(argv.slice(1))
        const plan = await cli([
          ...argv.slice(1),
          '--dry-run',
          '--json',
          '--base-url',
          'https://api.example.com',
        ])
        expect(plan.json()).toMatchObject({ requests: [{ url }] })
      }
    },
  )

  test('takes URL and format from settings and flags', async () => {
    const stdinText = JSON.stringify({ apikey: KEY, format: 'XML', supplier: '123456789' })
    const env = { MATDECL_BASE_URL: 'https://api.example.com/v2/', MATDECL_FORMAT: '1752B' }
    const set = await cli(['migrate', '--json'], { stdinText, env })
    expect(set.json()).toMatchObject({
      schema: 'matdecl.migrate/1',
      status: 'ok',
      commands: [
        { supplier: '123456789', url: 'https://api.example.com/v2/download?format=1752B&supplier=123456789' },
      ],
    })
    const v1 = await cli(['migrate', '--json'], { stdinText, env: { MATDECL_FORMAT: 'CSV' } })
    expect(JSON.stringify(v1.json())).toContain('format=1752A')
    const typed = await cli(['migrate', '--format', 'XML'], { stdinText })
    expect([typed.code, typed.stdout]).toEqual([2, ''])
  })

  test('reads a file, and warns of what it cannot convert', async () => {
    await withFolder(async (folder) => {
      await writeFile(
        join(folder, 'old.json'),
        `{"apikey": "${KEY}", "format": "CSV", "supplier": "12345678", "x": "${KEY}"}`,
        { mode: 0o600 },
      )
      const { code, stdout, stderr } = await cli(['migrate', 'old.json'], { cwd: folder })
      expect(code).toBe(0)
      expect(stdout).toContain('matdecl download --format 1752A --supplier 12345678\n')
      expect(stdout).toContain('matdecl report ARCHIVE -o FILE.csv')
      expect(stderr).toMatch(/warning: unknown field 'x'/)
      expect(stderr).toMatch(/not a nine-digit DUNS number/)
      expect(stdout + stderr).not.toContain(KEY)
      expect(await tree(folder)).toEqual(['old.json'])
    })
  })

  test.each([
    ['blank criteria', JSON.stringify({ apikey: KEY, format: 'XML', supplier: '' }), /both blank/],
    ['broken JSON', `{"apikey": "${KEY}", }`, /not valid JSON/],
    ['nothing', '', /standard input is empty/],
    ['a key in the wrong place', JSON.stringify({ apikey: KEY, supplier: KEY }), /contains the API key/],
  ])('%s is exit 2, with nothing on standard output and no key anywhere', async (_, stdinText, reason) => {
    const text = await cli(['migrate', '-vv'], { stdinText })
    expect([text.code, text.stdout]).toEqual([2, ''])
    expect(text.stderr).toMatch(/^matdecl: error: /m)
    expect(text.stderr).toMatch(reason)
    const json = await cli(['migrate', '--json', '--log-format', 'json'], { stdinText })
    expect(json.json()).toMatchObject({
      schema: 'matdecl.migrate/1',
      status: 'failed',
      error: { code: 'usage', exitCode: 2 },
    })
    expect(text.stderr + json.stdout + json.stderr).not.toContain(KEY)
  })

  test('prints the JSON of its documentation', async () => {
    const page = await readFile(new URL('../../../docs/migrate.md', import.meta.url), 'utf8')
    const shown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '') as { notes: unknown[] }
    const stdinText = JSON.stringify({ apikey: KEY, format: 'XML', formatClass: 'C', supplier: '123456789' })
    const written = (await cli(['migrate', '--json'], { stdinText })).json() as {
      notes: { aspect: string }[]
    }
    expect(written.notes).toHaveLength(9)
    expect({ ...written, notes: written.notes.filter(({ aspect }) => aspect === 'path') }).toEqual(shown)
  })

  test('takes one request', async () => {
    const { code, stderr } = await cli(['migrate', 'a.json', 'b.json'])
    expect(code).toBe(2)
    expect(stderr).toContain("too many arguments for 'migrate'")
  })
})
