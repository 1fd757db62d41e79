import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { OptionRow, ValueOf } from '../../src/cli/options/option-row.ts'
import { scanArgv } from '../../src/cli/scan-argv.ts'
import { generatedFiles } from '../../src/reference/generated-files.ts'
import { commandHelp } from '../../src/reference/help.ts'
import { TABLE } from '../../src/reference/table.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string): string | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined

const markdown = Object.fromEntries(
  ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, read(path)!]),
)
const { version } = JSON.parse(read('package.json')!) as { version: string }
const facts = { version, today: '2000-01-01' }

describe('what is made from the option table', () => {
  const files = generatedFiles(markdown, read('man/matdecl.1'), facts)

  test.each(files.map(({ path, text }) => [path, text]))('%s is as committed', (path, text) => {
    expect(read(path) === text ? 'the same' : `${path} is stale: npm run generate`).toBe('the same')
  })

  test('README has the options and the exit codes', () => {
    expect(markdown['README.md']).toContain('| `--supplier ID` |')
    expect(markdown['README.md']).toContain('| 13 | `policy` |')
  })

  test('the date of the manual page changes with its words alone', () => {
    const kept = '.TH MATDECL 1 "2001-02-03"'
    const manual = read('man/matdecl.1')!.replace(/^\.TH MATDECL 1 "[^"]*"/m, kept)
    const made = (text: string): string =>
      generatedFiles({}, text, facts).find(({ path }) => path === 'man/matdecl.1')!.text
    expect(made(manual)).toBe(manual)
    expect(made(manual.replace('curl', 'wget'))).toContain('.TH MATDECL 1 "2000-01-01"')
  })
})

const ROW = {
  key: 'newThing',
  name: 'new-thing',
  short: 'z',
  placeholder: 'COLOUR',
  type: { kind: 'choice', values: ['crimson', 'cerulean'], default: 'cerulean' },
  group: 'Where it goes',
  commands: ['download'],
  help: 'what nobody has asked for yet',
} as const satisfies OptionRow

describe('a new option row, with no other edit', () => {
  const table = { ...TABLE, options: [...TABLE.options, ROW] }
  const pages = {
    'README.md':
      '<!-- options:begin -->\n<!-- options:end -->\n<!-- variables:begin -->\n<!-- variables:end -->',
  }
  const before = generatedFiles(pages, undefined, facts)
  const after = generatedFiles(pages, undefined, facts, table)
  const textOf = (path: string): string => after.find((file) => file.path === path)!.text

  test('reaches the types', () => {
    expectTypeOf<ValueOf<typeof ROW>>().toEqualTypeOf<'crimson' | 'cerulean'>()
  })

  test('reaches the parser and the help', () => {
    expect(scanArgv(['--new-thing', 'list', 'verify'], table.options).operandAt).toEqual([2])
    const help = commandHelp('download', 100, undefined, table.options)
    expect(help).toContain('-z, --new-thing crimson|cerulean')
    expect(help).toContain('what nobody has asked for yet (default cerulean)')
    expect(commandHelp('list', 100, undefined, table.options)).not.toContain('new-thing')
  })

  test('reaches every generated file', () => {
    for (const [index, { path, text }] of after.entries()) {
      // Made from the schemas of the results alone.
      if (path === 'docs/results.schema.json') continue
      expect(text, path).not.toBe(before[index]!.text)
      expect(text, path).toMatch(/new(?:\\-|-)thing/)
    }
  })

  test('with its value in the completions, the schema, the manual page and the README', () => {
    for (const path of ['completions/matdecl.bash', 'completions/_matdecl', 'completions/matdecl.fish']) {
      expect(textOf(path), path).toContain('crimson cerulean')
    }
    expect(textOf('completions/matdecl.ps1')).toContain("Words = @('crimson', 'cerulean')")
    const schema = JSON.parse(textOf('docs/config.schema.json'))
    expect(schema.properties['new-thing']).toMatchObject({ type: 'string', enum: ['crimson', 'cerulean'] })
    expect(schema.properties.profiles.additionalProperties.properties).toHaveProperty('new-thing')
    expect(textOf('man/matdecl.1')).toContain(
      '\\fB\\-z\\fR, \\fB\\-\\-new\\-thing\\fR \\fIcrimson|cerulean\\fR',
    )
    expect(textOf('man/matdecl.1')).toContain('MATDECL_NEW_THING')
    expect(textOf('README.md')).toContain('| `-z, --new-thing crimson\\|cerulean` |')
    expect(textOf('README.md')).toContain('| `MATDECL_NEW_THING` | `--new-thing` |')
  })
})

describe('the options that help shows', () => {
  test('stand in the manual page and the completions, each of them', () => {
    const files = generatedFiles({}, read('man/matdecl.1'), facts)
    for (const { name } of TABLE.commands) {
      const flags = commandHelp(name as 'download', 110).match(/^ {2}(?:-\w, )?--[a-z-]+/gm) ?? []
      expect(flags.length).toBeGreaterThan(5)
      for (const flag of flags.map((one) => one.replace(/^.*--/, ''))) {
        for (const { path, text } of files.filter(({ path }) => !path.endsWith('.json'))) {
          expect(text.replaceAll('\\-', '-'), path).toMatch(new RegExp(`(?:--|-l )${flag}\\b`))
        }
      }
    }
  })
})
