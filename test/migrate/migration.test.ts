import { execFileSync } from 'node:child_process'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { type LegacyRequest, readLegacyRequest } from '../../src/migrate/legacy-request.ts'
import { type MigrateOptions, type Migration, migrate } from '../../src/migrate/migration.ts'

const KEY = 'k3y-that-must-not-show'
const TODAY = Date.parse('2026-03-04T05:06:07Z')

function request(fields: Readonly<Record<string, unknown>>): LegacyRequest {
  const read = readLegacyRequest(JSON.stringify({ apikey: KEY, ...fields }), 'old.json')
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.request
}

function migrated(
  fields: Readonly<Record<string, unknown>>,
  options: Partial<MigrateOptions> = {},
): Migration {
  const result = migrate(request(fields), { todayMs: TODAY, ...options })
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  expect(JSON.stringify(result)).not.toContain(KEY)
  return result
}

function problemsOf(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const result = migrate(request(fields), { todayMs: TODAY })
  if (!('problems' in result)) throw new Error('it was migrated')
  expect(JSON.stringify(result)).not.toContain(KEY)
  return result.problems.map(({ message }) => message)
}

const noteOn = ({ notes }: Migration, aspect: string): string =>
  notes.find((note) => note.aspect === aspect)!.note

describe('migrate', () => {
  it('turns a request into the command and the address that ask the same of v2', () => {
    const { commands } = migrated(
      {
        format: 'XML',
        formatClass: 'checkDthenC',
        supplier: '123456789',
        partNumbers: '"A-1","B, 2/µ"',
        startdate: '2024-02-29',
      },
      { baseUrl: 'https://api.example.com' },
    )
    expect(commands).toEqual([
      {
        supplier: '123456789',
        argv: [
          'matdecl',
          'download',
          '--format',
          '1752A',
          '--format-class',
          'checkDthenC',
          '--supplier',
          '123456789',
          '--part',
          'A-1',
          '--part',
          'B, 2/µ',
          '--start-date',
          '2024-02-29',
        ],
        line: "matdecl download --format 1752A --format-class checkDthenC --supplier 123456789 --part A-1 --part 'B, 2/µ' --start-date 2024-02-29",
        url: 'https://api.example.com/v2/download?format=1752A&formatClass=checkDthenC&supplier=123456789&partNumbers[]=A-1&partNumbers[]=B%2C%202%2F%C2%B5&startDate=2024-02-29',
      },
    ])
  })

  it('makes a command of each supplier, with the same parts', () => {
    const { commands, config, notes } = migrated({
      format: 'XML',
      supplier: '123456789,987654321',
      partNumbers: '"A"',
    })
    expect(commands.map(({ supplier, line }) => [supplier, line])).toEqual([
      ['123456789', 'matdecl download --format 1752A --supplier 123456789 --part A'],
      ['987654321', 'matdecl download --format 1752A --supplier 987654321 --part A'],
    ])
    expect(config.join('\n')).not.toContain('supplier')
    expect(notes.find(({ aspect }) => aspect === 'several suppliers')?.note).toBe(
      '2 suppliers become 2 commands',
    )
  })

  it('notes every row of the change, whatever the request holds', () => {
    for (const fields of [
      { supplier: '123456789' },
      { format: 'CSV', partNumbers: '"A"', startdate: '2024-01-01' },
    ]) {
      const { notes } = migrated(fields)
      expect(notes.map(({ aspect }) => aspect)).toEqual([
        'address',
        'path',
        'method',
        'authorization',
        'format',
        'parts',
        'supplier and parts',
        'start date',
        'several suppliers',
      ])
      for (const { v1, v2, note } of notes)
        expect([v1, v2, note].every((text) => text.trim() !== '')).toBe(true)
    }
  })

  it('chooses 1752A for XML and asks to make sure, or takes the one that is wished for', () => {
    const xml = migrated({ format: 'XML', supplier: '123456789' })
    expect(noteOn(xml, 'format')).toMatch(/1752A or 1752B; 1752A is chosen/)
    const other = migrated({ format: 'xml', supplier: '123456789' }, { standard: '1752B' })
    expect(other.commands[0]?.line).toContain('--format 1752B')
    expect(noteOn(other, 'format')).toMatch(/1752B is chosen/)
  })

  it('points from CSV to report', () => {
    const csv = migrated({ format: 'CSV', supplier: '123456789' })
    expect(csv.commands[0]?.url).toContain('format=1752A')
    expect(noteOn(csv, 'format')).toMatch(/no successor.*matdecl report ARCHIVE -o FILE\.csv/)
  })

  it('says where the token comes from now', () => {
    expect(noteOn(migrated({ supplier: '123456789' }), 'authorization')).toMatch(
      /MATDECL_TOKEN.*not taken over, remove it/,
    )
  })

  it('gives an address that is nobody’s where it does not know v2’s, and says so', () => {
    const unknown = migrated({ supplier: '123456789' })
    expect(unknown.commands[0]?.url).toMatch(/^https:\/\/your-v2-address\.example\/v2\/download\?/)
    expect(noteOn(unknown, 'address')).toMatch(/ask the provider/)
    const known = migrated({ supplier: '123456789' }, { baseUrl: 'https://api.example.com' })
    expect(known.config).toContain('base-url = "https://api.example.com"')
  })

  it('shows the legacy address without what may be secret in it', () => {
    const result = migrate(
      {
        ...request({ supplier: '123456789' }),
        url: `https://me:${KEY}@old.example/api/download?apikey=${KEY}#${KEY}`,
      },
      { todayMs: TODAY },
    )
    expect(JSON.stringify(result)).not.toContain(KEY)
    expect(noteless(result)).toBe('https://***@old.example/api/download')
  })

  it('writes settings that the settings file can hold', () => {
    const { config } = migrated({ formatClass: 'd', supplier: '12"3\\µ\u2028x' })
    expect(parse(config.join('\n'))).toEqual({
      'base-url': 'https://your-v2-address.example',
      format: '1752A',
      'format-class': 'D',
      supplier: '12"3\\µ\u2028x',
    })
    expect(config.join('')).not.toContain('\u2028')
  })

  it('writes lines that a shell reads back to the letter, and a person can read', () => {
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
    const { commands } = migrated({ partNumbers: parts.map((part) => `"${part}"`).join(','), supplier: '-x' })
    const [{ argv, line } = { argv: [], line: '' }] = commands
    const shown = execFileSync(
      'bash',
      ['--norc', '-c', `matdecl() { printf '%s\\0' matdecl "$@"; }\n${line}`],
      {
        encoding: 'utf8',
        env: { LC_ALL: 'C.UTF-8' },
      },
    )
    expect(shown.split('\0').slice(0, -1)).toEqual(argv)
    expect(argv).toContain('--part=-7X2')
    expect(argv).toContain('--supplier=-x')
    expect(line).not.toMatch(/[\u200b\u202e]/)
  })

  it('keeps the file that curl wrote, for one command', () => {
    const one = migrate({ ...request({ supplier: '123456789' }), output: 'a b.zip' }, { todayMs: TODAY })
    expect('commands' in one && one.commands[0]?.line).toMatch(/ --output 'a b\.zip'$/)
    const two = migrate({ ...request({ supplier: '123456789,2' }), output: 'a.zip' }, { todayMs: TODAY })
    expect(JSON.stringify('commands' in two && two.commands)).not.toContain('a.zip')
    expect('warnings' in two && two.warnings.join()).toMatch(/each command writes its own/)
  })

  it('warns of what is odd and goes on', () => {
    const { warnings } = migrated({
      supplier: '12345678',
      startdate: '2027-01-01',
      language: 'en',
      partNumbers: Array.from({ length: 30 }, (_, index) => `"P${index}"`).join(','),
    })
    expect(warnings.join('\n')).toMatch(/language/)
    expect(warnings.join('\n')).toMatch(/no formatClass/)
    expect(warnings.join('\n')).toMatch(/--parts-file/)
    expect(warnings.join('\n')).toMatch(/not nine digits/)
    expect(warnings.join('\n')).toMatch(/future/)
  })

  it.each([
    [{ format: 'XML' }, /both blank/],
    [{ format: 'XML', supplier: ' ', partNumbers: '"",""' }, /both blank/],
    [{ supplier: '123456789', startdate: '2026-02-30' }, /'2026-02-30' is no date/],
    [{ supplier: '123456789', startdate: '01.02.2026' }, /is no date/],
    [{ supplier: '123456789', format: 'PDF' }, /'PDF' is no v1 format/],
    [{ supplier: '123456789', formatClass: 'E' }, /formatClass 'E'/],
    [{ partNumbers: '"A\u0007"' }, /control character/],
    [{ supplier: 'a\nb' }, /control character/],
    [{ supplier: 'a\u202e\nb' }, /a\\u202e/],
  ])('refuses what can’t be asked of v2: %j', (fields, reason) => {
    expect(problemsOf(fields)).toEqual([expect.stringMatching(reason)])
  })

  it('tells every reason at once, each once', () => {
    expect(
      problemsOf({ format: 'PDF', startdate: 'x', supplier: '1,2', partNumbers: '"A\u0007"' }),
    ).toHaveLength(3)
  })
})

function noteless(result: ReturnType<typeof migrate>): string | undefined {
  return 'notes' in result ? result.notes[0]?.v1 : undefined
}
