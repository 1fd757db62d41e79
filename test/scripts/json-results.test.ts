import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { fieldsOf } from '../../scripts/reference/json-field.ts'
import { JSON_RESULTS } from '../../scripts/reference/json-results.ts'
import { failedResult } from '../../src/base/failed-result.ts'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { cli, TOKEN } from '../support/cli.ts'
import { testService } from '../support/service.ts'
import { createFakeClock, withFolder } from '../support/world.ts'

const V1 =
  '{"apikey":"key-1","format":"XML","supplier":"1, 2","partNumbers":"\\"A\\"","startdate":"2020-01-01"}'
const GET = ['download', '--sandbox', '--supplier', '100200300', '-o', 'a.zip']
/** With exemptions, SVHCs and materials. */
const SOME = ['0000', '0001', '0006', '0016'].flatMap((number) => ['--part', `EXC188R6${number}KA`])

/** The differences between a result and its schema: unknown fields, missing fields, other types. */
function problemsOf(result: Readonly<Record<string, unknown>>): unknown {
  const row = JSON_RESULTS.find(({ schema }) => schema === result.schema)
  if (row === undefined) return `${result.schema} is not documented`
  const isFailed = result.status === 'failed'
  // A failed run has the facts known by then.
  const schema = isFailed ? (row.zod as z.ZodObject).partial().extend(failedResult.shape) : row.zod
  const parsed = schema.safeParse(result)
  if (!parsed.success) return parsed.error.issues
  // Zod drops the fields that a schema does not have.
  return isDeepStrictEqual(parsed.data, result) ? [] : ['a field is not documented', parsed.data, result]
}

async function resultOf(
  argv: readonly string[],
  cwd: string,
  overrides: Parameters<typeof cli>[1] = {},
): Promise<Record<string, unknown>> {
  const env = { XDG_STATE_HOME: join(cwd, 'state'), ...overrides?.env }
  const { stdout } = await cli([...argv, '--json'], { ...overrides, cwd, env })
  return JSON.parse(stdout) as Record<string, unknown>
}

test('every command has a documented result', () => {
  const schemas = JSON_RESULTS.map(({ schema }) => schema)
  for (const { name } of COMMANDS) expect(schemas).toContain(`matdecl.${name}/1`)
})

describe('docs/json.md documents every field', () => {
  test('of the download, its plan and its manifest', async () => {
    await withFolder(async (folder) => {
      const got = await resultOf(
        [
          ...GET,
          '--part',
          'EXC188R60000KA',
          '--part',
          'exc188r60001ka',
          '--part',
          'NO',
          '--part',
          'NO',
          '-x',
          '-l',
          '--manifest',
          '--report',
          'r.csv',
        ],
        folder,
      )
      expect(got).toMatchObject({
        schema: 'matdecl.download/1',
        status: 'ok',
        missingParts: ['NO'],
      })
      expect(problemsOf(got)).toEqual([])
      const manifest = JSON.parse(await readFile(join(folder, 'a.zip.manifest.json'), 'utf8'))
      expect(problemsOf(manifest)).toEqual([])
      const plan = await resultOf([...GET, '--dry-run', '--format-class', 'C', '--query', 'lang=en'], folder)
      expect(plan.schema).toBe('matdecl.plan/1')
      expect(problemsOf(plan)).toEqual([])
    })
  })

  test('of an empty, partial, complete or skipped download', async () => {
    await withFolder(async (folder) => {
      await using nothing = await testService({ status: 204 })
      const argv = (url: string, ...more: string[]) => ['--base-url', url, '-o', 'e.zip', ...more]
      const empty = await resultOf(argv(nothing.url, '--supplier', '1', '--manifest'), folder)
      expect(empty.status).toBe('empty')
      expect(problemsOf(empty)).toEqual([])
      await using partly = await testService(({ target }) =>
        target.includes('=A') ? { status: 204 } : { status: 400, body: '{"message":"no"}' },
      )
      const partial = await resultOf(
        argv(partly.url, '--part', 'A', '--part', 'B', '--batch-size', '1', '--allow-partial', '--overwrite'),
        folder,
      )
      expect(partial.status).toBe('partial')
      expect(problemsOf(partial)).toEqual([])
    })
  })

  test('of failures: usage, configuration, the service, an archive, the gate', async () => {
    await withFolder(async (folder) => {
      await using refusing = await testService({ status: 401, body: '{"message":"who are you"}' })
      await writeFile(join(folder, 'bad.zip'), 'PK\u0003\u0004 nothing')
      await writeFile(join(folder, 'bad.toml'), '\nrate = "x"\n')
      await resultOf(['download', '--sandbox', ...SOME, '-o', 'a.zip'], folder)
      const failures = [
        ['download', '--start-date', '2026-02-30', '--part', ' '],
        ['download', '--config', 'bad.toml', '--part', 'A'],
        ['download', '--base-url', refusing.url, '--part', 'A'],
        ['download', '--base-url', 'http://127.0.0.1:1', '--part', 'A', '--retries', '1'],
        ['verify', 'bad.zip', 'a.zip'],
        ['list', 'bad.zip'],
        ['extract', 'bad.zip'],
        ['report', 'nowhere.zip'],
        ['report', 'a.zip', '--fail-on', 'svhc'],
        ['diff', 'a.zip', 'nowhere.zip'],
        ['doctor', '--base-url', refusing.url],
        ['config', 'sho'],
        ['completion', 'tcsh'],
      ]
      for (const argv of failures) {
        const result = await resultOf(argv, folder)
        expect(result.status, argv.join(' ')).toBe('failed')
        expect(problemsOf(result), argv.join(' ')).toEqual([])
      }
    })
  })

  test('of the commands that read archives', async () => {
    await withFolder(async (folder) => {
      await resultOf(['download', '--sandbox', ...SOME, '-o', 'a.zip'], folder)
      await resultOf(['download', '--sandbox', '--part', 'EXC188R60000KA', '-o', 'b.zip'], folder)
      await writeFile(join(folder, 'parts.txt'), 'NO SUCH PART\n')
      await mkdir(join(folder, 'broken'))
      await writeFile(join(folder, 'broken', 'x.xml'), '<unclosed')
      for (const argv of [
        ['list', 'a.zip', 'b.zip'],
        ['verify', 'a.zip'],
        ['extract', 'a.zip', 'out'],
        ['report', 'a.zip', 'broken', '--parts-file', 'parts.txt'],
        ['report', 'a.zip', '--substances'],
        ['report', 'a.zip', '-o', 'r.html', '--junit', 'j.xml'],
        ['diff', 'a.zip', 'b.zip'],
        ['diff', 'b.zip', 'broken', '-o', 'd.md'],
      ]) {
        const result = await resultOf(argv, folder)
        expect(result.status, argv.join(' ')).toBe('ok')
        expect(problemsOf(result), argv.join(' ')).toEqual([])
      }
    })
  })

  test('of the commands about the tool', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'v1.json'), V1)
      const clock = { ...createFakeClock(), nowMs: Date.now }
      for (const argv of [
        ['migrate', 'v1.json'],
        ['doctor', '--sandbox'],
        ['config', 'show'],
        ['config', 'path'],
        ['completion', 'bash'],
        ['--version'],
      ]) {
        const result = await resultOf(argv, folder, { clock })
        expect(problemsOf(result), argv.join(' ')).toEqual([])
        expect(JSON.stringify(result)).not.toContain(TOKEN)
      }
    })
  })

  test('and each schema is documented once', () => {
    const names = JSON_RESULTS.map(({ schema }) => schema)
    expect(new Set(names).size).toBe(names.length)
    for (const { fields, schema } of JSON_RESULTS) {
      const paths = fields.map(({ path }) => path.replace(/\?$/, ''))
      expect(new Set(paths).size, schema).toBe(paths.length)
      for (const { path, meaning } of fields) expect(meaning, `${schema} ${path}`).not.toBe('')
    }
  })
})

describe('fieldsOf', () => {
  test('names each field with its type and meaning', () => {
    const schema = z.object({
      schema: z.literal('x/1'),
      status: z.literal('ok'),
      count: z.int().describe('how many'),
      at: z.iso.datetime().nullable().describe('when'),
      bytes: z.int().nonnegative().nullable().describe('its size'),
      list: z.array(z.object({ name: z.string().describe('its name') })),
      file: z
        .object({ path: z.string().describe('its path') })
        .nullable()
        .describe('the file'),
      words: z.array(z.string()).optional().describe('some words'),
      by: z.record(z.string(), z.int()).describe('by name'),
    })
    expect(fieldsOf(schema).map(({ path, type, meaning }) => `${path}: ${type}, ${meaning}`)).toEqual([
      'count: integer, how many',
      'at: time or null, when',
      'bytes: integer or null, its size',
      'list[].name: text, its name',
      'file: object or null, the file',
      'file.path?: text, its path',
      'words[]?: text, some words',
      'by.*: integer, by name',
    ])
  })

  test('a field that only some variants have is optional', () => {
    const good = z.object({ kind: z.literal('a').describe('a or b'), bytes: z.int().describe('its size') })
    const bad = z.object({ kind: z.literal('b').describe('a or b') })
    const schema = z.object({ items: z.array(z.discriminatedUnion('kind', [good, bad])) })
    expect(fieldsOf(schema).map(({ path }) => path)).toEqual(['items[].kind', 'items[].bytes?'])
  })
})
