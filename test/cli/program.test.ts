import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { createProgram, type Invocation } from '../../src/cli/program.ts'
import { cli, TOKEN } from '../support/cli.ts'
import { parseLine } from '../support/command-line.ts'
import { withFolder } from '../support/world.ts'

async function parse(...line: string[]): Promise<Invocation> {
  const invocation = await parseLine(line)
  if (invocation === undefined) throw new Error('this asks for help')
  return invocation
}

async function given(...line: string[]): Promise<Record<string, unknown>> {
  return Object.fromEntries((await parse(...line)).given)
}

async function failure(...line: string[]): Promise<Failure> {
  const error = await parse(...line).catch((thrown: unknown) => thrown)
  if (error instanceof Failure) return error
  throw new Error(`expected a failure, got ${String(error)}`)
}

describe('a command line', () => {
  test('is a download without a command', async () => {
    expect((await parse('--supplier', '123456789')).command).toBe('download')
    expect(await given('--supplier', '123456789')).toEqual({ supplier: ['123456789'] })
  })

  test('takes a value after = or a space', async () => {
    expect(await given('download', '--supplier=1', '--part=-7X2', '--part', 'a=b')).toEqual({
      supplier: ['1'],
      part: ['-7X2', 'a=b'],
    })
  })

  test('takes a value that looks like an option or a command', async () => {
    expect(await given('--part', '-7X2', '--supplier', 'list')).toEqual({
      part: ['-7X2'],
      supplier: ['list'],
    })
    expect(await given('--part', '--', '--supplier', '1')).toEqual({ part: ['--'], supplier: ['1'] })
  })

  test('keeps the values of a repeatable option, in order', async () => {
    expect(await given('--part', 'B,A', '--part', ' A ', '--part', '')).toEqual({ part: ['B,A', ' A ', ''] })
  })

  test.each([
    [
      ['--supplier', '1', '--', '-7X2', '--json'],
      ['-7X2', '--json'],
    ],
    [['--', '-7X2'], ['-7X2']],
    [['--quiet', '--', 'list'], ['list']],
    [['download', '--supplier', '1', '--', '-h'], ['-h']],
  ])('%j has no options after --', async (line, parts) => {
    const invocation = await parse(...line)
    expect(invocation).toMatchObject({ command: 'download', operands: [], afterDashes: parts })
    expect(invocation.given.has('json')).toBe(false)
  })

  test('has operands before and after -- for a command that takes them', async () => {
    expect((await parse('verify', 'a.zip', '--', '-b.zip')).operands).toEqual(['a.zip', '-b.zip'])
  })

  test('takes global options before and after the command', async () => {
    expect(await given('--json', 'list', 'a.zip', '-q')).toEqual({ json: [true], quiet: [true] })
    expect(await parse('--json', 'list', 'a.zip', '-q')).toMatchObject({
      command: 'list',
      operands: ['a.zip'],
    })
    expect(await parse('--profile', 'list', 'verify', 'a.zip')).toMatchObject({
      command: 'verify',
      operands: ['a.zip'],
    })
    expect(await given('-v', 'config', '-v', 'show', '-v')).toEqual({ verbose: [true, true, true] })
  })

  test('takes an optional value only when there is one', async () => {
    expect(await given('-x', '--list')).toEqual({ extract: [true], list: [true] })
    expect(await given('-x', 'out', '--manifest')).toEqual({ extract: ['out'], manifest: [true] })
    expect(await given('--extract=out')).toEqual({ extract: ['out'] })
    expect(await given('-x', '-', '-o', '-')).toEqual({ extract: ['-'], output: ['-'] })
  })

  test('takes short flags together', async () => {
    expect(await given('-xlvv')).toEqual({ extract: [true], list: [true], verbose: [true, true] })
    expect(await given('-lqo', 'a.zip')).toEqual({ list: [true], quiet: [true], output: ['a.zip'] })
  })

  test('keeps --no-color apart from --color', async () => {
    expect(await given('--no-color', '--no-progress', '--color', 'always')).toEqual({
      noColor: [true],
      noProgress: [true],
      color: ['always'],
    })
  })
})

describe('help', () => {
  test.each([
    [['-h'], 'Usage: matdecl [COMMAND]'],
    [['--help'], 'Usage: matdecl [COMMAND]'],
    [['help'], 'Usage: matdecl [COMMAND]'],
    [['--json', '--help'], 'Usage: matdecl [COMMAND]'],
    [['download', '--nonsense', '-h'], 'Usage: matdecl download'],
    [['--supplier', '1', '--help'], 'Usage: matdecl download'],
    [['downlaod', '--supplier', '1', '-h'], 'Usage: matdecl download'],
    [['list', '-qh'], 'Usage: matdecl list'],
    [['-h', 'list'], 'Usage: matdecl list'],
    [['help', 'list'], 'Usage: matdecl list'],
    [['help', 'list', '--json'], 'Usage: matdecl list'],
    [['help', '--color', 'never', 'list', '-q'], 'Usage: matdecl list'],
    [['help', '-h'], 'Usage: matdecl [COMMAND]'],
    [['config', '--help'], 'Usage: matdecl config'],
    [['config', 'show', '--help'], 'Usage: matdecl config show'],
    [['extract', 'a', 'b', 'c', '-h'], 'Usage: matdecl extract'],
  ])('%j prints it to standard output', async (line, usage) => {
    const { code, stdout, stderr } = await cli(line)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(usage)
  })

  test('-h as a value is a value', async () => {
    expect(await given('--part', '-h')).toEqual({ part: ['-h'] })
    expect((await parse('--supplier', '1', '--', '-h')).afterDashes).toEqual(['-h'])
  })
})

describe('the version', () => {
  test.each([[['-V']], [['--version', 'list']], [['list', '--version']]])(
    '%j prints one line',
    async (line) => {
      expect(await cli(line)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^matdecl \S+\n$/),
        stderr: '',
      })
    },
  )

  test.each([[['-V', '--json']], [['--json', '--version']]])('%j prints an object', async (line) => {
    expect((await cli(line)).json()).toMatchObject({ schema: 'matdecl.version/1' })
  })
})

describe('a command line that is not valid', () => {
  test.each([
    [['downlaod', '--supplier', '1'], "unknown command 'downlaod'", 'did you mean matdecl download?'],
    [['reprot', 'a.zip', '--fail-on', 'svhc'], "unknown command 'reprot'", 'did you mean matdecl report?'],
    [['xyzzy'], "unknown command 'xyzzy'", 'matdecl --help lists the commands'],
    [['bom.csv'], "unknown command 'bom.csv'", 'for a parts list: matdecl --parts-file bom.csv'],
    [['EXC-188'], "unknown command 'EXC-188'", 'for a part: matdecl --part EXC-188'],
    [['bom2.zip'], "unknown command 'bom2.zip'", 'matdecl --help lists the commands'],
    [['help', 'lis'], "unknown command 'lis'", 'did you mean matdecl list?'],
    [['help', '--nonsense=S3CRET'], "unknown option '--nonsense'", 'matdecl help --help lists the options'],
    [['config', '--token=S3CRET'], "unknown option '--token'", 'matdecl config --help lists the commands'],
    [['config'], "missing command after 'config'", 'expected one of show, path'],
    [['--suppl', '1'], "unknown option '--suppl'", 'did you mean --supplier?'],
    [['--frmat', 'S3CRET', '--supplier', '1'], "unknown option '--frmat'", 'did you mean --format?'],
    [['--suplier=S3CRET'], "unknown option '--suplier'", 'did you mean --supplier?'],
    [['--json=true'], "option '--json' takes no value", 'matdecl download --help lists the options'],
    [
      ['--supplier'],
      "option '--supplier <ID>' argument missing",
      'matdecl download --help lists the options',
    ],
    [['download', '-o'], "option '-o, --output <PATH>' argument missing", 'matdecl download --help'],
    [
      ['--supplier', '--part', 'A'],
      "option '--supplier <ID>' argument missing before --part",
      'give it a value',
    ],
    [['list'], "missing required argument 'ARCHIVE'", 'matdecl list --help lists the options'],
    [['sandbox', 'download'], "too many arguments for 'sandbox'", 'matdecl sandbox --help lists the options'],
    [['list', ''], 'ARCHIVE is empty', 'give a value, or leave it out'],
    [
      ['--supplier', '1', '--supplier', '2'],
      '--supplier is given twice, with different values',
      'give it once',
    ],
    [['--profile', 'a', 'list', 'x', '--profile', 'b'], '--profile is given twice', 'give it once'],
    [['--token=S3CRET'], 'there is no --token option', 'set MATDECL_TOKEN'],
    [['--token', 'S3CRET', '--supplier', '1'], 'there is no --token option', 'set MATDECL_TOKEN'],
    [['--api-key', 'S3CRET'], 'there is no --api-key option', 'set MATDECL_API_KEY'],
    [
      ['--since', '7d', '--start-date', '2026-01-01'],
      'cannot be used with',
      'matdecl download --help lists the options',
    ],
    [
      ['--rate', '5', 'sync'],
      "'sync' stands after options of download",
      'put the command first: matdecl sync ...',
    ],
    [['--rate', '5', 'sync', '--full'], "'sync' stands after options of download", 'matdecl sync ...'],
    [['config', 'path', '--rate', '5'], "unknown option '--rate'", 'matdecl config path --help'],
  ])('%j is a usage error with a hint', async (line, message, hint) => {
    const error = await failure(...line)
    expect(error.kind).toBe('usage')
    expect(error.message).toContain(message)
    expect(error.hint).toContain(hint)
    expect(JSON.stringify([error.message, error.hint])).not.toContain('S3CRET')
  })

  test('the same value twice is no mistake', async () => {
    expect(await given('--supplier', '1', '--supplier', '1')).toEqual({ supplier: ['1', '1'] })
  })

  test('nothing at all prints the help to standard error', async () => {
    const { code, stdout, stderr } = await cli([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: matdecl')
  })

  test.each([
    [['list', '--nonsense', '--json'], 'matdecl.list/1'],
    [['--json', 'lits', 'a.zip'], 'matdecl.error/1'],
    [['lits', 'a.zip', '--json'], 'matdecl.error/1'],
    [['help', '--nonsense', '--json'], 'matdecl.error/1'],
    [['--if-locked', 'bogus', '--json'], 'matdecl.download/1'],
    [['--json', 'config', 'sho'], 'matdecl.config/1'],
    [['--json', '--profile'], 'matdecl.download/1'],
  ])('%j is answered with a JSON object', async (line, schema) => {
    const { code, json } = await cli(line)
    expect(code).toBe(2)
    expect(json()).toMatchObject({ schema, status: 'failed', error: { code: 'usage', exitCode: 2 } })
  })

  test('--log-format json makes the error a log object, also behind the operands', async () => {
    const { code, stdout, stderr } = await cli(['list', '--nonsense', '--log-format', 'json'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ level: 'error', event: 'error.usage' })
  })

  test.each([
    ['json = true\nlog-format = "json"\n', []],
    ['[profiles.ci]\njson = true\nlog-format = "json"\n', ['--profile', 'ci']],
  ])('the config file says how to print it: %j', (toml, more) =>
    withFolder(async (folder) => {
      const path = join(folder, 'config.toml')
      await writeFile(path, toml, { mode: 0o600 })
      const { code, stderr, json } = await cli(['list', '--config', path, ...more, '--nonsense'])
      expect(code).toBe(2)
      expect(json()).toMatchObject({ schema: 'matdecl.list/1', error: { code: 'usage' } })
      expect(JSON.parse(stderr)).toMatchObject({ level: 'error', event: 'error.usage' })
    }),
  )

  test.each([
    ['json = true\nlog-format = 7\n', /"usage".*"unknown option '--nonsense'"/],
    ['json = true\nlog-format = \n', /^$/],
  ])('a config file that cannot be used does not hide it: %j', (toml, printed) =>
    withFolder(async (folder) => {
      const path = join(folder, 'config.toml')
      await writeFile(path, toml, { mode: 0o600 })
      const { code, stderr, stdout } = await cli(['list', '--config', path, '--nonsense'])
      expect(code).toBe(2)
      expect(stdout).toMatch(printed)
      expect(stderr).toContain("matdecl: error: unknown option '--nonsense'")
    }),
  )

  test('a secret that is typed is masked', async () => {
    const { code, stdout, stderr } = await cli(['list', `--nonsense-${TOKEN}`, '--json'])
    expect(code).toBe(2)
    expect(stdout + stderr).toContain("unknown option '--nonsense-***'")
    expect(stdout + stderr).not.toContain(TOKEN)
  })
})

describe('settings that are not valid', () => {
  test.each([
    ['a value', 'rate = "fast"\n', {}],
    ['a key', 'ratte = 1\n', {}],
    ['a profile', 'profile = "no"\n', {}],
    ['a variable', '', { MATDECL_RATE: 'fast' }],
  ])('are printed as the config file says, and the valid variables and options: %s', (_, toml, env) =>
    withFolder(async (folder) => {
      const path = join(folder, 'config.toml')
      await writeFile(path, `json = true\nlog-format = "json"\n${toml}`, { mode: 0o600 })
      const failed = await cli(['download', '--config', path, '--supplier', '1'], { env })
      expect(failed.code).toBe(3)
      expect(failed.json()).toMatchObject({ schema: 'matdecl.download/1', error: { code: 'config' } })
      expect(JSON.parse(failed.stderr)).toMatchObject({ level: 'error', event: 'error.config' })
      const text = await cli(['download', '--config', path, '--supplier', '1'], {
        env: { ...env, MATDECL_JSON: 'false', MATDECL_LOG_FORMAT: 'text' },
      })
      expect([text.code, text.stdout]).toEqual([3, ''])
      expect(text.stderr).toMatch(/^matdecl: error: /)
    }),
  )
})

describe('options that are added later', () => {
  const optionsOf = (program: ReturnType<typeof createProgram>) =>
    program.commands.flatMap((one) => (one.options.length > 0 ? [one.name()] : []))

  test('are those of the command that runs', async () => {
    const ran: Invocation[] = []
    const program = createProgram({ act: async (each) => void ran.push(each) })
    expect(optionsOf(program)).toEqual(['help'])
    await program.parseAsync(['verify', 'a.zip', '--max-entries', '5'], { from: 'user' })
    expect(ran.map(({ command, given }) => [command, [...given]])).toEqual([
      ['verify', [['maxEntries', ['5']]]],
    ])
    expect(optionsOf(program)).toEqual(['verify', 'help'])
  })
})
