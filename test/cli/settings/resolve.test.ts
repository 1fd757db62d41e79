import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/base/failure.ts'
import type { OptionRow } from '../../../src/cli/option-row.ts'
import { OPTIONS } from '../../../src/cli/options.ts'
import { type Resolved, resolveSettings, valueOfText } from '../../../src/cli/settings/resolve.ts'
import { parseLine } from '../../support/command-line.ts'
import { testWorld, withFolder } from '../../support/world.ts'

interface Facts {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly toml?: string
}

function resolve({ argv = ['download'], env = {}, toml }: Facts): Promise<Resolved> {
  return withFolder(async (folder) => {
    const typed = (await parseLine(argv))!
    if (toml !== undefined) {
      await mkdir(join(folder, 'matdecl'))
      await writeFile(join(folder, 'matdecl', 'config.toml'), toml, { mode: 0o600 })
    }
    return resolveSettings(testWorld({ cwd: folder, env: { XDG_CONFIG_HOME: folder, ...env } }), typed)
  })
}

async function failure(facts: Facts): Promise<Failure> {
  const result = await resolve(facts)
  if (result.failure instanceof Failure) return result.failure
  throw new Error('expected a Failure')
}

const LAYERS = 'rate = 10\nprofile = "night"\n[profiles.night]\nrate = 20\n[profiles.day]\nrate = 30\n'

describe('which source has precedence', () => {
  test.each([
    [
      'the flag',
      { argv: ['download', '--rate', '50'], env: { MATDECL_RATE: '40' }, toml: LAYERS },
      50,
      'flag',
    ],
    ['the environment', { env: { MATDECL_RATE: '40' }, toml: LAYERS }, 40, 'environment'],
    ['the profile', { toml: LAYERS }, 20, 'profile'],
    ['the profile named by flag', { argv: ['download', '--profile', 'day'], toml: LAYERS }, 30, 'profile'],
    ['the profile named by variable', { env: { MATDECL_PROFILE: 'day' }, toml: LAYERS }, 30, 'profile'],
    ['the top of the file', { toml: 'rate = 10\n[profiles.night]\nrate = 20\n' }, 10, 'file'],
    ['the default', {}, 100, 'default'],
    ['an empty variable is none', { env: { MATDECL_RATE: '' } }, 100, 'default'],
  ] as const)('%s', async (_, facts, rate, kind) => {
    const { settings } = await resolve(facts)
    expect(settings.values.rate).toBe(rate)
    expect(settings.sources.rate?.kind).toBe(kind)
  })

  test('a flag with its default value still overrides the file', async () => {
    const { settings } = await resolve({ argv: ['download', '--rate', '100'], toml: 'rate = 7\n' })
    expect(settings.values.rate).toBe(100)
  })

  test.each([
    [['--start-date', '2026-01-31'], { since: undefined, startDate: '2026-01-31' }],
    [['--since', '7d'], { since: '7d', startDate: undefined }],
    [[], { since: undefined, startDate: '2026-02-01' }],
  ])('of options that exclude each other: %j', async (flags, values) => {
    const { settings, failure } = await resolve({
      argv: ['download', ...flags],
      toml: 'since = "2w"\n',
      env: { MATDECL_START_DATE: '2026-02-01' },
    })
    expect([failure, settings.values]).toMatchObject([undefined, values])
  })

  describe('with the sandbox', () => {
    const toml =
      'supplier = "1"\nsince = "2w"\nrate = 7\nprofile = "p"\n[profiles.p]\nparts-file = ["a.csv"]\napi = "v1"\n'

    test('no search criterion comes from the file or a profile, and a message names them', async () => {
      const { settings, notices, file } = await resolve({ argv: ['download', '--sandbox'], toml })
      const { supplier, since, partsFile, api, rate } = settings.values
      expect({ supplier, since, partsFile, api, rate }).toEqual({ partsFile: [], api: 'v2', rate: 7 })
      expect(notices).toEqual([
        {
          level: 'info',
          event: 'settings.sandbox',
          message: `the sandbox ignores the search criteria in ${file?.path}: supplier, parts-file, since, api`,
        },
      ])
    })

    test('options and variables count', async () => {
      const argv = ['download', '--sandbox', '--supplier', '2']
      const { settings, notices } = await resolve({ argv, env: { MATDECL_PART: 'A' }, toml })
      expect(settings.values).toMatchObject({ supplier: '2', part: ['A'], partsFile: [] })
      expect(notices).toHaveLength(1)
    })

    test('other runs use the file', async () => {
      const { settings, notices } = await resolve({ toml })
      expect(settings.values).toMatchObject({ supplier: '1', partsFile: ['a.csv'], api: 'v1' })
      expect(notices).toEqual([])
    })
  })

  test('the source names file and line', async () => {
    const { settings } = await resolve({ toml: '# a comment\n\nrate = 7\n' })
    expect(settings.sources.rate).toMatchObject({
      kind: 'file',
      where: expect.stringMatching(/config\.toml:3: rate$/),
    })
  })

  test('options of other commands keep their defaults', async () => {
    const { settings } = await resolve({
      argv: ['list', 'a.zip'],
      env: { MATDECL_RATE: '40' },
      toml: 'retries = 9\n',
    })
    expect(settings.values.rate).toBe(100)
    expect(settings.values.retries).toBe(5)
  })
})

describe('values by kind', () => {
  test.each([
    [{ env: { MATDECL_PART: 'A 1\n-B\n' } }, { part: ['A 1', '-B'] }],
    [{ env: { MATDECL_PART: 'A 1\r\n-B\r\n' } }, { part: ['A 1', '-B'] }],
    [{ toml: 'part = ["A", "B,C"]\n' }, { part: ['A', 'B,C'] }],
    [{ toml: 'part = "A"\n' }, { part: ['A'] }],
    [{ env: { MATDECL_OVERWRITE: 'true' } }, { overwrite: true }],
    [{ env: { MATDECL_OVERWRITE: 'false' } }, { overwrite: false }],
    [{ toml: 'overwrite = true\nextract = true\n' }, { overwrite: true, extract: true }],
    [{ toml: 'extract = "out"\n' }, { extract: 'out' }],
    [{ toml: 'start-date = 2026-01-31\n' }, { startDate: '2026-01-31' }],
    [{ toml: 'max-size = "2 GiB"\nmax-wait = "1m30s"\n' }, { maxSize: 2 * 1024 ** 3, maxWait: 90_000 }],
    [
      { argv: ['download', '--max-size', '500MB', '--connect-timeout', '500ms'] },
      { maxSize: 500e6, connectTimeout: 500 },
    ],
    [
      { argv: ['download', '--base-url', 'https://api.example.com/v2/'] },
      { baseUrl: 'https://api.example.com' },
    ],
    [{ argv: ['download', '--base-url', 'http://127.0.0.1:8080'] }, { baseUrl: 'http://127.0.0.1:8080' }],
    [{ argv: ['download', '-vv'] }, { verbose: 2 }],
  ])('%j gives %j', async (facts, values) => {
    expect((await resolve(facts)).settings.values).toMatchObject(values)
  })
})

describe('the text of a value', () => {
  const read = (name: string, text: string): unknown => {
    const checked = valueOfText((OPTIONS as readonly OptionRow[]).find((row) => row.name === name)!, text)
    return 'value' in checked ? checked.value : undefined
  }

  test.each([
    ['concurrency', '0', undefined],
    ['concurrency', ' 1 ', 1],
    ['concurrency', '64', 64],
    ['concurrency', '65', undefined],
    ['concurrency', '1.5', undefined],
    ['retries', '0', 0],
    ['verbose', '9', 9],
    ['verbose', '10', undefined],
    ['max-size', '0', undefined],
    ['max-size', '1', 1],
    ['max-wait', '0s', 0],
    ['max-wait', '3650d', 3650 * 86_400_000],
    ['max-wait', '3650d1ms', undefined],
    ['connect-timeout', '0s', undefined],
    ['connect-timeout', '1ms', 1],
    ['start-date', '2024-02-29', '2024-02-29'],
    ['start-date', '2026-02-29', undefined],
    ['start-date', '2026-1-1', undefined],
    ['manifest', '-', '-'],
    ['manifest', '', undefined],
    ['manifest', 'a\0b', undefined],
    ['extract', '-', undefined],
    ['extract', './-', './-'],
  ])('of --%s, %j, is %j', (name, text, value) => expect(read(name, text)).toBe(value))

  test.each([
    [true, ['true', '1', 'yes', 'ON']],
    [false, ['false', '0', 'no', 'Off']],
    [undefined, ['', 'y', '2', 'constructor']],
  ])('of a flag is %s for each of %j', (value, texts) => {
    for (const text of texts) expect(read('overwrite', text), text).toBe(value)
  })
})

describe('mistakes', () => {
  test.each([
    ['a date that is none', { argv: ['download', '--start-date', '2026-02-30'] }, 'usage', '--start-date'],
    ['a date in another form', { argv: ['download', '--start-date', '30.1.2026'] }, 'usage', '--start-date'],
    ['a number out of range', { argv: ['download', '--retries', '-1'] }, 'usage', '--retries'],
    ['a number in another form', { argv: ['download', '--retries', '0x10'] }, 'usage', '--retries'],
    ['a time limit of nothing', { argv: ['download', '--stall-timeout', '0'] }, 'usage', 'above 0'],
    ['a time that is none', { argv: ['download', '--timeout', 'abc'] }, 'usage', '--timeout'],
    ['an endless time', { argv: ['download', '--timeout', 'Infinity'] }, 'usage', '--timeout'],
    ['a class that is none', { argv: ['download', '--format-class', 'c'] }, 'usage', 'did you mean C'],
    [
      'http off loopback',
      { argv: ['download', '--base-url', 'http://api.example.com'] },
      'usage',
      '--base-url',
    ],
    [
      'the same in the environment',
      { env: { MATDECL_BASE_URL: 'http://api.example.com' } },
      'config',
      'MATDECL_BASE_URL',
    ],
    [
      'the same in the file',
      { toml: '\nbase-url = "http://api.example.com"\n' },
      'config',
      'config.toml:2: invalid URL for base-url',
    ],
    ['a wrong word for a flag', { env: { MATDECL_JSON: 'maybe' } }, 'config', 'MATDECL_JSON'],
    [
      'a wrong type',
      { toml: 'rate = "fast"\n' },
      'config',
      'config.toml:1: invalid value "fast" for rate: expected a whole number',
    ],
    [
      'a wrong type that an option overrides',
      { argv: ['download', '--rate', '50'], toml: 'rate = "fast"\n' },
      'config',
      'config.toml:1: invalid value "fast" for rate: expected a whole number',
    ],
    [
      'a wrong type that a profile overrides',
      { toml: 'profile = "p"\nrate = "fast"\n[profiles.p]\nrate = 20\n' },
      'config',
      'config.toml:2: invalid value "fast" for rate',
    ],
    [
      'a wrong type of the profile name that an option overrides',
      { argv: ['download', '--profile', 'p'], toml: 'profile = 5\n[profiles.p]\nrate = 20\n' },
      'config',
      'config.toml:1: invalid value 5 for profile',
    ],
    [
      'a wrong type in a profile',
      { toml: 'profile = "p"\n[profiles.p]\noverwrite = 1\n' },
      'config',
      'config.toml:3: invalid value 1 for overwrite: expected true or false',
    ],
    [
      'a profile that is not there',
      { argv: ['list', '--profile', 'nigth', 'a'], toml: LAYERS },
      'usage',
      "'nigth'",
    ],
    ['broken TOML', { toml: 'rate = \n' }, 'config', 'config.toml:1'],
    [
      'a named file that is not there',
      { argv: ['list', '--config', 'no.toml', 'a'] },
      'config',
      'no.toml does not exist',
    ],
    [
      'a named file that is a directory',
      { argv: ['list', '--config', '.', 'a'] },
      'config',
      'is a directory',
    ],
  ] as const)('%s', async (_, facts, kind, words) => {
    const wrong = await failure(facts)
    expect(wrong.kind).toBe(kind)
    expect(`${wrong.message} ${wrong.hint}`).toContain(words)
  })

  test('an unknown key is reported with file, line and the nearest valid one', async () => {
    const wrong = await failure({ toml: '# mine\nretires = 3\n' })
    expect(wrong).toMatchObject({ kind: 'config', hint: 'did you mean retries?', details: { line: 2 } })
    expect(wrong.message).toMatch(/config\.toml:2: unknown setting 'retires'$/)
  })

  test('an unknown key in an unused profile is reported too', async () => {
    const wrong = await failure({ toml: '[profiles.day]\nrate = 1\nbase_url = "x"\n' })
    expect(wrong).toMatchObject({ kind: 'config', hint: 'did you mean base-url?', details: { line: 3 } })
  })

  test.each([
    ['[ci]\nrate = 1\n', 'ci'],
    ['rate = 1\n[profile.ci]\nrate = 2\n', 'profile'],
  ])('a table %j is taken for a profile written wrongly', async (toml, name) => {
    const wrong = await failure({ toml })
    expect(wrong).toMatchObject({ kind: 'config', hint: 'did you mean [profiles.ci]?' })
    expect(wrong.message).toMatch(new RegExp(`config\\.toml:\\d: unknown table '${name}'$`))
  })

  test('all mistakes are reported together', async () => {
    const wrong = await failure({
      argv: ['download', '--retries', 'x', '--timeout', 'y'],
      env: { MATDECL_RATE: 'z' },
    })
    expect(wrong.kind).toBe('usage')
    expect(wrong.details.problems).toHaveLength(3)
  })

  test('mistakes in the search criteria are reported with those in options', async () => {
    const wrong = await failure({ argv: ['download', '--rate', 'x', '--supplier', ' ', '--format', 'Q'] })
    expect(wrong.message).toBe('3 mistakes in the settings')
    expect(wrong.details.problems).toEqual([
      expect.stringContaining("invalid value 'x' for --rate"),
      expect.stringContaining("'Q' is not a v2 format: use 1752A or 1752B: --format"),
      expect.stringContaining('supplier is blank'),
    ])
    const version = await failure({ argv: ['download', '--api', 'v3', '--query', 'a'] })
    expect(version.message).toContain("invalid value 'v3' for --api")
  })

  test('a URL with a password is refused and not printed', async () => {
    const wrong = await failure({ argv: ['download', '--base-url', 'https://me:hunter2@api.example.com'] })
    expect(wrong.message).toContain('user name')
    expect(JSON.stringify([wrong.message, wrong.hint, wrong.details])).not.toContain('hunter2')
  })

  test('a secret in a broken file is not printed', async () => {
    const wrong = await failure({ toml: 'token = "S3CRET\n' })
    expect(wrong.kind).toBe('config')
    expect(JSON.stringify([wrong.message, wrong.hint, wrong.details])).not.toContain('S3CRET')
  })
})

test('an unknown variable gets no suggestion when nothing is near', async () => {
  const { notices } = await resolve({ env: { MATDECL_FOO: '1' } })
  expect(notices[0]?.message).toBe('unknown environment variable MATDECL_FOO')
})

test('an unknown variable gets a warning with the nearest one', async () => {
  const { notices } = await resolve({
    env: { MATDECL_SUPLIER: '1', MATDECL_TOKEN: 'x', MATDECL_SUPPLIER: '2' },
  })
  expect(notices.map(({ message }) => message)).toEqual([
    'unknown environment variable MATDECL_SUPLIER; did you mean MATDECL_SUPPLIER?',
  ])
})

test('the file is never read from the working directory', async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'config.toml'), 'rate = 1\n')
    await writeFile(join(folder, 'matdecl.toml'), 'rate = 1\n')
    const typed = (await parseLine(['download']))!
    const { settings } = await resolveSettings(
      testWorld({ cwd: folder, env: { XDG_CONFIG_HOME: '.' } }),
      typed,
    )
    expect(settings.values.rate).toBe(100)
  })
})
