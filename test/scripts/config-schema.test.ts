import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { configSchema } from '../../scripts/reference/config-schema.ts'
import { canBeSetIn, type OptionRow } from '../../src/cli/option-row.ts'
import { OPTIONS } from '../../src/cli/options.ts'
import { cli } from '../support/cli.ts'
import { withFolder } from '../support/world.ts'

const parsed = JSON.parse(configSchema(OPTIONS)) as Parameters<typeof z.fromJSONSchema>[0]
const schema = z.fromJSONSchema(parsed)
const accepts = (settings: unknown): boolean => schema.safeParse(settings).success

const GOOD: Readonly<Record<OptionRow['type']['kind'], unknown>> = {
  flag: true,
  count: 2,
  text: 'some words',
  choice: undefined,
  integer: undefined,
  size: '16GiB',
  duration: '1m30s',
  date: '2026-01-31',
  file: 'some/file.pem',
  directory: 'some/folder',
  url: 'https://api.example.com',
}

function goodValue({ type }: OptionRow): unknown {
  if (type.kind === 'choice') return type.values.at(-1)
  return type.kind === 'integer' ? type.max : GOOD[type.kind]
}

const rows = (OPTIONS as readonly OptionRow[]).filter((row) => canBeSetIn(row, 'file'))

describe('the schema of the config file', () => {
  test('accepts a valid value of every option, at the top and in a profile', () => {
    for (const row of rows) {
      const value = goodValue(row)
      expect(accepts({ [row.name]: value }), row.name).toBe(true)
      if (row.name !== 'profile')
        expect(accepts({ profiles: { night: { [row.name]: value } } }), row.name).toBe(true)
      if (row.repeatable === true) expect(accepts({ [row.name]: [value, value] }), row.name).toBe(true)
    }
  })

  test('accepts secrets in their three forms', () => {
    expect(accepts({ token: 'x', 'token-file': 'f', 'token-command': ['pass', 'show', 'x'] })).toBe(true)
  })

  test.each([
    ['an unknown key', { 'base-uri': 'https://api.example.com' }],
    ['an unknown key in a profile', { profiles: { night: { quite: true } } }],
    ['a profile within a profile', { profiles: { night: { profile: 'day' } } }],
    ['text for a number', { rate: '5' }],
    ['a number out of range', { concurrency: 0 }],
    ['text for a flag', { quiet: 'yes' }],
    ['a word that is no choice', { 'format-class': 'E' }],
    ['a size that is none', { 'max-size': 'large' }],
    ['a duration that is none', { 'max-wait': '5 parsecs' }],
    ['what is a matter of one run', { sandbox: true }],
  ])('refuses %s', (_, settings) => {
    expect(accepts(settings)).toBe(false)
  })

  test('agrees with the tool on every option of download', async () => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'x'))
      for (const row of rows) {
        const value = goodValue(row)
        if (row.commands !== 'all' && !row.commands.includes('download')) continue
        if (['profile', 'supplier', 'dry-run', 'base-url'].includes(row.name)) continue
        await writeFile(join(folder, 'c.toml'), `${row.name} = ${JSON.stringify(value)}\n`)
        const argv = ['download', '--config', 'c.toml', '--json', '--start-date', '2026-02-30']
        const { stdout } = await cli(argv, { cwd: folder })
        expect(stdout, row.name).toContain('2026-02-30')
        expect(stdout, row.name).not.toContain('c.toml')
      }
    })
  })
})
