import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import {
  type MigrateOptions,
  type Migration,
  type MigrationOptions,
  migrate,
  migrateRequest,
} from '../../src/migrate/migrate.ts'
import { parseV1Request, type V1Request } from '../../src/migrate/v1-request.ts'
import { testWorld, withFolder } from '../support/world.ts'

const KEY = 'k3y-that-must-not-show'
const REQUEST = JSON.stringify({ apikey: KEY, format: 'XML', supplier: '123456789' })

/** The failure of a migration, checked not to contain the key. */
async function failureOf(run: Promise<unknown>): Promise<Failure> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Failure)) throw new Error('it did not fail')
  const texts = [error.message, error.hint, error.stack, String(error.cause), JSON.stringify(error.details)]
  expect(texts.join('\n')).not.toContain(KEY)
  return error
}

describe('migrateRequest', () => {
  it('reads a file or standard input', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'old.json'), `\ufeff${REQUEST}\r\n`)
      const world = testWorld({ cwd: folder, stdinText: REQUEST })
      const inputs: readonly MigrateOptions[] = [{ file: 'old.json' }, { file: '-' }]
      for (const input of inputs) {
        const { downloads } = await migrateRequest(world, input)
        expect(downloads.map(({ criteria }) => criteria)).toMatchObject([
          { format: '1752A', supplier: '123456789' },
        ])
      }
      const piped = await migrateRequest(testWorld({ cwd: folder, stdinText: REQUEST }), {
        standard: '1752B',
      })
      expect(piped.downloads[0]?.criteria.format).toBe('1752B')
      expect(await readdir(folder)).toEqual(['old.json'])
    })
  })

  it('warns about a key that others can read', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, 'old.json')
      await writeFile(path, REQUEST)
      await chmod(path, 0o644)
      const open = await migrateRequest(testWorld({ cwd: folder }), { file: 'old.json' })
      expect(open.warnings[0]?.message).toBe(
        'old.json contains an API key that others on this machine can read; remove the key, or run: chmod 600 old.json',
      )
      await writeFile(join(folder, 'my old.json'), REQUEST)
      await chmod(join(folder, 'my old.json'), 0o644)
      const spaced = await migrateRequest(testWorld({ cwd: folder }), { file: 'my old.json' })
      expect(spaced.warnings[0]?.message).toMatch(/run: chmod 600 'my old\.json'$/)
      await chmod(path, 0o600)
      const closed = await migrateRequest(testWorld({ cwd: folder }), { file: 'old.json' })
      expect(JSON.stringify(closed.warnings)).not.toContain('chmod')
    })
  })

  it('does not wait for input on a terminal', async () => {
    const world = testWorld()
    Object.assign(world.stdin, { isTTY: true })
    expect(await failureOf(migrateRequest(world, {}))).toMatchObject({
      kind: 'usage',
      message: 'no request given',
    })
  })

  it.each([
    ['nowhere.json', 'usage', 'nowhere.json does not exist'],
    ['folder', 'usage', 'folder is a directory'],
    ['binary.json', 'usage', 'binary.json is not text'],
    ['large.json', 'usage', 'large.json is larger than 16 MiB'],
    ['empty.json', 'usage', 'empty.json is empty'],
    ['odd.json', 'usage', 'odd.json is not valid JSON: invalid symbol in line 1, column 12'],
  ])('reports the problem with %s', async (file, kind, message) => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'folder'))
      await writeFile(join(folder, 'binary.json'), `{"apikey": "${KEY}\0"}`)
      await writeFile(join(folder, 'large.json'), Buffer.alloc((16 << 20) + 1, 0x20))
      await writeFile(join(folder, 'empty.json'), '')
      await writeFile(join(folder, 'odd.json'), `{"apikey": ${KEY}}`)
      const failure = await failureOf(migrateRequest(testWorld({ cwd: folder }), { file }))
      expect([failure.kind, failure.message]).toEqual([kind, message])
    })
  })

  it('reports a disk failure as io', async () => {
    const world = testWorld({ stdinText: '' })
    const disk = {
      ...world.disk,
      stat: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })),
    }
    const failure = await failureOf(migrateRequest({ ...world, disk }, { file: 'old.json' }))
    expect([failure.kind, failure.message]).toEqual([
      'io',
      'old.json cannot be read: permission denied (EACCES)',
    ])
  })

  it('fails with all reasons if there is no v2 equivalent', async () => {
    const blank = testWorld({ stdinText: JSON.stringify({ apikey: KEY, format: 'XML' }) })
    expect(await failureOf(migrateRequest(blank, {}))).toMatchObject({
      kind: 'usage',
      exitCode: 2,
      message: 'supplier and partNumbers are both blank, which v2 does not allow',
    })
    const worse = testWorld({ stdinText: JSON.stringify({ apikey: KEY, format: 'PDF', startdate: 'x' }) })
    const failure = await failureOf(migrateRequest(worse, {}))
    expect(failure.message).toBe('3 problems in the request')
    expect(failure.details.problems).toHaveLength(3)
  })
})

const TODAY = Date.parse('2026-03-04T05:06:07Z')

function request(fields: Readonly<Record<string, unknown>>): V1Request {
  const read = parseV1Request(JSON.stringify({ apikey: KEY, ...fields }), 'old.json')
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.request
}

function migrated(
  fields: Readonly<Record<string, unknown>>,
  options: Partial<MigrationOptions> = {},
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
  it('turns a request into the same v2 request', () => {
    const { downloads } = migrated(
      {
        format: 'XML',
        formatClass: 'checkDthenC',
        supplier: '123456789',
        partNumbers: '"A-1","B, 2/µ"',
        startdate: '2024-02-29',
      },
      { baseUrl: 'https://api.example.com' },
    )
    expect(downloads).toMatchObject([
      {
        criteria: {
          api: 'v2',
          format: '1752A',
          formatClass: 'checkDthenC',
          supplier: '123456789',
          startDate: '2024-02-29',
        },
        parts: ['A-1', 'B, 2/µ'],
        url: 'https://api.example.com/v2/download?format=1752A&formatClass=checkDthenC&supplier=123456789&partNumbers[]=A-1&partNumbers[]=B%2C%202%2F%C2%B5&startDate=2024-02-29',
      },
    ])
  })

  it('creates a download for each supplier, with the same parts', () => {
    const migration = migrated({ format: 'XML', supplier: '123456789,987654321', partNumbers: '"A"' })
    expect(migration.downloads.map(({ criteria, parts }) => [criteria.supplier, parts])).toEqual([
      ['123456789', ['A']],
      ['987654321', ['A']],
    ])
    expect(noteOn(migration, 'several suppliers')).toBe('2 suppliers become 2 commands')
  })

  it('notes every difference, whatever the request contains', () => {
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

  it('chooses 1752A for XML by default, with a note to check it', () => {
    const xml = migrated({ format: 'XML', supplier: '123456789' })
    expect(noteOn(xml, 'format')).toMatch(/1752A or 1752B, here 1752A/)
    const other = migrated({ format: 'xml', supplier: '123456789' }, { standard: '1752B' })
    expect(other.downloads[0]?.criteria.format).toBe('1752B')
    expect(noteOn(other, 'format')).toMatch(/here 1752B/)
  })

  it('recommends report instead of CSV', () => {
    const csv = migrated({ format: 'CSV', supplier: '123456789' })
    expect(csv.downloads[0]?.url).toContain('format=1752A')
    expect(noteOn(csv, 'format')).toMatch(/no CSV.*matdecl report ARCHIVE -o FILE\.csv/)
  })

  it('names the source of the token', () => {
    expect(noteOn(migrated({ supplier: '123456789' }), 'authorization')).toMatch(
      /MATDECL_TOKEN.*not migrated, remove it/,
    )
  })

  it('uses a reserved URL in place of an unknown one, with a note', () => {
    const unknown = migrated({ supplier: '123456789' })
    expect(unknown.downloads[0]?.url).toMatch(/^https:\/\/your-v2-address\.example\/v2\/download\?/)
    expect(noteOn(unknown, 'address')).toMatch(/ask the provider/)
  })

  it('warns about possible mistakes', () => {
    const { warnings } = migrated({
      supplier: '12345678',
      startdate: '2027-01-01',
      language: 'en',
      partNumbers: Array.from({ length: 30 }, (_, index) => `"P${index}"`).join(','),
    })
    for (const reason of [/'language'/, /no formatClass/, /nine-digit/, /future/]) {
      expect(warnings.map(({ message }) => message)).toContainEqual(expect.stringMatching(reason))
    }
    expect(warnings).toContainEqual({
      message: '30 part numbers are easier to keep in a file, one per line',
      options: ['parts-file'],
    })
  })

  it.each([
    [{ format: 'XML' }, /both blank/],
    [{ format: 'XML', supplier: ' ', partNumbers: '"",""' }, /both blank/],
    [{ supplier: '123456789', startdate: '2026-02-30' }, /invalid start date '2026-02-30'/],
    [{ supplier: '123456789', startdate: '01.02.2026' }, /invalid start date/],
    [{ supplier: '123456789', format: 'PDF' }, /'PDF' is not a v1 format/],
    [{ supplier: '123456789', formatClass: 'E' }, /format class 'E'/],
    [{ partNumbers: '"A\u0007"' }, /control character/],
    [{ supplier: 'a\nb' }, /control character/],
    [{ supplier: 'a\u202e\nb' }, /a\\u202e/],
  ])('refuses what v2 does not support: %j', (fields, reason) => {
    expect(problemsOf(fields)).toEqual([expect.stringMatching(reason)])
  })

  it('reports all reasons at once, each once', () => {
    expect(
      problemsOf({ format: 'PDF', startdate: 'x', supplier: '1,2', partNumbers: '"A\u0007"' }),
    ).toHaveLength(3)
  })
})
