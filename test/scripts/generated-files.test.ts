import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { generatedFiles } from '../../scripts/reference/generated-files.ts'
import { choice, option, type ValueOf } from '../../src/cli/option-row.ts'
import { OPTIONS } from '../../src/cli/options.ts'
import { createProgram, type ToolCommand } from '../../src/cli/program.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string): string | undefined =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined

const markdown = Object.fromEntries(
  readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => [`docs/${name}`, read(`docs/${name}`)!]),
)
const { version } = JSON.parse(read('package.json')!) as { version: string }
const facts = { version, today: '2000-01-01' }

describe('generated files', () => {
  const files = generatedFiles(OPTIONS, markdown, read('man/matdecl.1'), facts)

  test.each(files.map(({ path, text }) => [path, text]))('%s is up to date', (path, text) => {
    expect(read(path) === text ? 'the same' : `${path} is stale: npm run generate`).toBe('the same')
  })

  test('docs have the options and the exit codes', () => {
    expect(markdown['docs/options.md']).toContain('| `--supplier ID` |')
    expect(markdown['docs/exit-codes.md']).toContain('| 13 | `policy` |')
  })

  test('the date of the man page changes only with its text', () => {
    const kept = '.TH MATDECL 1 "2001-02-03"'
    const manual = read('man/matdecl.1')!.replace(/^\.TH MATDECL 1 "[^"]*"/m, kept)
    const made = (text: string): string =>
      generatedFiles(OPTIONS, {}, text, facts).find(({ path }) => path === 'man/matdecl.1')!.text
    expect(made(manual)).toBe(manual)
    expect(made(manual.replace('curl', 'wget'))).toContain('.TH MATDECL 1 "2000-01-01"')
  })
})

const ROW = option('-z, --new-thing <COLOUR>', choice('crimson', 'cerulean'), 'a new option', {
  group: 'Output',
  commands: ['download'],
  default: 'cerulean',
})

describe('a new option row, with no other edit', () => {
  const program = createProgram({ options: [...OPTIONS, ROW] })
  const pages = {
    'docs/options.md': '<!-- options:begin -->\n<!-- options:end -->',
    'docs/configuration.md': '<!-- keys:begin -->\n<!-- keys:end -->',
  }
  const before = generatedFiles(OPTIONS, pages, undefined, facts)
  const after = generatedFiles([...OPTIONS, ROW], pages, undefined, facts)
  const textOf = (path: string): string => after.find((file) => file.path === path)!.text

  test('reaches the types', () => {
    expectTypeOf<ValueOf<typeof ROW>>().toEqualTypeOf<'crimson' | 'cerulean'>()
  })

  test('reaches the parser and the help of its command', () => {
    const command = (name: string) => program.commands.find((one) => one.name() === name)!
    command('download').parseOptions(['--new-thing', 'crimson', 'operand'])
    expect(command('download').opts()).toMatchObject({ newThing: ['crimson'] })
    const help = completeHelp(command('download'))
    expect(help).toContain('-z, --new-thing <crimson|cerulean>')
    expect(help).toContain('a new option')
    expect(completeHelp(command('list'))).not.toContain('new-thing')
  })

  test('reaches every generated file', () => {
    for (const [index, { path, text }] of after.entries()) {
      // Generated from the schemas of the results only.
      if (path === 'docs/results.schema.json') continue
      expect(text, path).not.toBe(before[index]!.text)
      expect(text, path).toMatch(/new(?:\\-|-)thing/)
    }
  })

  test('with its value in man page and docs', () => {
    expect(textOf('docs/configuration.md')).toMatch(/\| Output \| .*`new-thing`/)
    expect(textOf('man/matdecl.1')).toContain(
      '\\fB\\-z\\fR, \\fB\\-\\-new\\-thing\\fR \\fIcrimson|cerulean\\fR',
    )
    expect(textOf('man/matdecl.1')).toContain('MATDECL_NEW_THING')
    expect(textOf('docs/options.md')).toContain('| `-z, --new-thing crimson\\|cerulean` |')
  })
})

describe('the options that help lists', () => {
  test('are all in the man page', () => {
    const generated = generatedFiles(OPTIONS, {}, read('man/matdecl.1'), facts)
    for (const command of createProgram().commands) {
      const flags = completeHelp(command).match(/^ {2}(?:-\w, )?--[a-z-]+/gm) ?? []
      expect(flags.length).toBeGreaterThan(5)
      for (const flag of flags.map((one) => one.replace(/^.*--/, ''))) {
        for (const { path, text } of generated.filter((file) => !file.path.endsWith('.json'))) {
          expect(text.replaceAll('\\-', '-'), path).toMatch(new RegExp(`(?:--|-l )${flag}\\b`))
        }
      }
    }
  })
})

function completeHelp(command: Command): string {
  ;(command as ToolCommand).wantsAll = true
  return command.helpInformation()
}
