import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { parseArgv, type Typed } from '../../src/cli/parse-argv.ts'
import { quickAsk } from '../../src/cli/scan-argv.ts'

function parse(line: readonly string[]): Typed {
  return parseArgv(line)
}

function given(...line: string[]): Record<string, unknown> {
  return Object.fromEntries(parse(line).given)
}

function failure(...line: string[]): Failure {
  try {
    parseArgv(line)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('expected a failure')
}

describe('what was typed', () => {
  test('without a command it is download', () => {
    expect(parse(['--supplier', '123456789']).command).toBe('download')
    expect(given('--supplier', '123456789')).toEqual({ supplier: '123456789' })
  })

  test('a value is written after = or a space', () => {
    expect(given('download', '--supplier=1', '--part=-7X2', '--part', 'a=b')).toEqual({
      supplier: '1',
      part: ['-7X2', 'a=b'],
    })
  })

  test('a value that looks like an option or a command is still the value', () => {
    expect(given('--part', '-7X2', '--supplier', 'list')).toEqual({ part: ['-7X2'], supplier: 'list' })
    expect(given('--part', '--', '--supplier', '1')).toEqual({ part: ['--'], supplier: '1' })
  })

  test('a repeatable option takes one value each time and keeps their order', () => {
    expect(given('--part', 'B,A', '--part', ' A ', '--part', '')).toEqual({ part: ['B,A', ' A ', ''] })
  })

  test('what follows -- is no option', () => {
    const typed = parse(['--supplier', '1', '--', '-7X2', '--json'])
    expect(typed.afterDashes).toEqual(['-7X2', '--json'])
    expect(typed.given.has('json')).toBe(false)
  })

  test('options for every command stand before or after its name', () => {
    expect(given('--json', 'list', 'a.zip', '-q')).toEqual({ json: true, quiet: true })
    expect(parse(['--json', 'list', 'a.zip', '-q'])).toMatchObject({ command: 'list', operands: ['a.zip'] })
    expect(parse(['--profile', 'list', 'verify', 'a.zip'])).toMatchObject({
      command: 'verify',
      operands: ['a.zip'],
    })
  })

  test('an optional value is taken only when it is there', () => {
    expect(given('-x', '--list')).toEqual({ extract: true, list: true })
    expect(given('-x', 'out', '--manifest')).toEqual({ extract: 'out', manifest: true })
    expect(given('--extract=out')).toEqual({ extract: 'out' })
  })

  test('short flags go together', () => {
    expect(given('-xlvv')).toEqual({ extract: true, list: true, verbose: 2 })
    expect(given('-lqo', 'a.zip')).toEqual({ list: true, quiet: true, output: 'a.zip' })
  })

  test('--no-color is a flag of its own', () => {
    expect(given('--no-color', '--no-progress', '--supplier', '1')).toMatchObject({
      noColor: true,
      noProgress: true,
    })
  })

  test.each([
    [['-h']],
    [['download', '--nonsense', '-h']],
    [['--supplier', '1', '--help']],
    [['list', '-qh']],
  ])('%j asks for help', (line) => {
    expect(quickAsk(line)?.kind).toBe('help')
  })

  test('-h as a value is a value', () => {
    expect(given('--part', '-h')).toEqual({ part: ['-h'] })
    expect(parse(['--supplier', '1', '--', '-h']).afterDashes).toEqual(['-h'])
  })

  test('help COMMAND is COMMAND --help', () => {
    expect(quickAsk(['help', 'list'])).toEqual({ kind: 'help', command: 'list' })
    expect(quickAsk(['list', '--help'])).toEqual({ kind: 'help', command: 'list' })
    expect(quickAsk(['help'])).toEqual({ kind: 'help', command: undefined })
  })

  test('--version and -V ask for the version, nothing at all is nothing', () => {
    expect(quickAsk(['--version'])).toEqual({ kind: 'version' })
    expect(quickAsk(['-V', '--json'])).toEqual({ kind: 'version' })
    expect(quickAsk([])).toEqual({ kind: 'nothing' })
  })
})

describe('what can not be typed', () => {
  test('an unknown command is no operand of download', () => {
    expect(failure('downlaod', '--supplier', '1')).toMatchObject({
      kind: 'usage',
      hint: "did you mean 'matdecl download'?",
    })
    expect(failure('xyzzy')).toMatchObject({ kind: 'usage', message: "there is no command 'xyzzy'" })
    expect(failure('lis', 'a.zip').hint).toContain('list')
    expect(failure('help', 'lis').hint).toContain('list')
  })

  test('a word behind an unknown option is taken for its value and not repeated', () => {
    const wrong = failure('--frmat', 'S3CRET', '--supplier', '1')
    expect(wrong).toMatchObject({
      message: "download has no option '--frmat'",
      hint: 'did you mean --format?',
    })
    expect(failure('--api-key', 'S3CRET').hint).toContain('MATDECL_API_KEY')
    expect(JSON.stringify([wrong.message, failure('--api-key', 'S3CRET').message])).not.toContain('S3CRET')
  })

  test('a flag with a value is told that it takes none', () => {
    expect(failure('--json=true')).toMatchObject({
      message: '--json takes no value',
      hint: 'write --json alone',
    })
  })

  test('a second word behind --part is told where part numbers go', () => {
    expect(failure('--part', 'A', 'B')).toMatchObject({
      message: "there is no command 'B'",
      hint: expect.stringContaining('--parts-file'),
    })
  })

  test('an unknown option is named without its value, with the nearest right one', () => {
    const wrong = failure('--suplier=S3CRET')
    expect(wrong).toMatchObject({
      kind: 'usage',
      message: "download has no option '--suplier'",
      hint: 'did you mean --supplier?',
    })
    expect(JSON.stringify([wrong.message, wrong.hint])).not.toContain('S3CRET')
  })

  test.each([['--token=S3CRET'], ['--token', 'S3CRET'], ['--api-key=S3CRET']])(
    '%s is refused and not repeated',
    (...line) => {
      const wrong = failure('download', ...line)
      expect(wrong.kind).toBe('usage')
      expect(wrong.hint).toMatch(/MATDECL_(?:TOKEN|API_KEY)/)
      expect(JSON.stringify([wrong.message, wrong.hint])).not.toContain('S3CRET')
    },
  )

  test('an option without its value says which', () => {
    expect(failure('--supplier')).toMatchObject({
      kind: 'usage',
      message: '--supplier needs a value',
      hint: 'write --supplier ID',
    })
    expect(failure('download', '-o').message).toBe('--output needs a value')
  })

  test('a flag takes no value', () => {
    expect(failure('--json=yes').kind).toBe('usage')
  })

  test('an option that is not repeatable is not given twice with different values', () => {
    expect(failure('--supplier', '1', '--supplier', '2')).toMatchObject({
      kind: 'usage',
      message: '--supplier is given twice, with different values',
    })
    expect(given('--supplier', '1', '--supplier', '1')).toEqual({ supplier: '1' })
  })

  test('an abbreviation of an option is none', () => {
    expect(failure('--suppl', '1').kind).toBe('usage')
  })
})
