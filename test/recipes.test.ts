import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textFiles } from '../scripts/text-files.mjs'
import { fileA, HEAD, productXml } from './support/declarations.ts'
import { soakTest } from './support/soak.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** What a contributor inserts into a file, each time after a piece of its text. */
type Edits = Readonly<Record<string, readonly (readonly [after: string, inserted: string])[]>>

/** The query parameter `region`, after `supplier`. */
const QUERY_PARAMETER: Edits = {
  'cli/options.ts': [
    [
      'const CRITERIA_OPTIONS = [',
      "searchOption('--region <REGION>', text, 'only declarations for this region'),",
    ],
  ],
  'request/criteria.ts': [['formatClass: z.optional(FORMAT_CLASS),\n', 'region: z.optional(TEXT),\n']],
  'request/check-criteria.ts': [
    [
      "supplier: { label: 'supplier', options: ['supplier'] },\n",
      "region: { label: 'region', options: ['region'] },\n",
    ],
  ],
  'request/request.ts': [["parameter('supplier', supplier),\n", "parameter('region', criteria.region),\n"]],
  'download/download-result.ts': [
    [
      "supplier: z.string().optional().describe('if given'),\n",
      "region: z.string().optional().describe('if given'),\n",
    ],
  ],
}

/** The column `document_id`, from `Response/@docID`. */
const REPORT_COLUMN: Edits = {
  'compliance/declaration.ts': [['readonly responseDate: string\n', 'readonly documentId: string\n']],
  'declaration/read-declaration.ts': [
    ["    responseDate: '',\n", "    documentId: '',\n"],
    [
      "header.responseDate ||= text(attributes, 'date')\n",
      "header.documentId ||= text(attributes, 'docID')\n",
    ],
  ],
  'report/columns.ts': [
    [
      '    value: ({ date }) => date,\n  },\n',
      "  document_id: { title: 'Document', help: 'number of the document', type: 'id', width: 12, value: ({ documentId }) => documentId },\n",
    ],
  ],
  'report/rows/report-row.ts': [
    ['  readonly date: string\n', '  readonly documentId: string\n'],
    ["  date: '',\n", "  documentId: '',\n"],
  ],
  'report/rows/make-row.ts': [['    standard: newest.standard,\n', '    documentId: newest.documentId,\n']],
  'report/rows/part-declaration.ts': [
    ['  readonly dateText: string\n', '  readonly documentId: string\n'],
    [
      '    dateText: cleanText(header.responseDate, 60),\n',
      '    documentId: cleanText(header.documentId, 60),\n',
    ],
  ],
}

// A copy of the source with both changes, type-checked and built.
let copy = ''

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'matdecl-recipes-'))
  for (const name of ['src', 'bin', 'completions', 'docs', 'package.json', 'tsconfig.json']) {
    await cp(join(root, name), join(copy, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
  for (const edits of [QUERY_PARAMETER, REPORT_COLUMN]) {
    for (const [file, insertions] of Object.entries(edits)) await insert(join(copy, 'src', file), insertions)
  }
  await build({
    cwd: copy,
    input: { main: 'src/main.ts' },
    platform: 'node',
    plugins: [textFiles()],
    transform: {
      target: 'node20.18',
      define: { __MATDECL_VERSION__: '"0.0.0-test"', __MATDECL_COMMIT__: 'null' },
    },
    resolve: { mainFields: ['module', 'main'] },
    output: { dir: join(copy, 'dist'), format: 'esm' },
  })
})

afterAll(() => rm(copy, { recursive: true, force: true }))

test.each([
  ['A query parameter', QUERY_PARAMETER],
  ['A report column', REPORT_COLUMN],
])('the recipe "%s" names the files to change, and no others', async (title, edits) => {
  expect(await filesOfRecipe(title)).toEqual(Object.keys(edits).sort())
})

soakTest('the changes pass the type check', { timeout: 180_000 }, async () => {
  await writeFile(join(copy, 'tsconfig.src.json'), '{"extends":"./tsconfig.json","include":["src"]}\n')
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = await run(process.execPath, [tsc, '--noEmit', '-p', 'tsconfig.src.json'], {
    cwd: copy,
  }).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

describe('a query parameter made by the recipe', () => {
  const dryRun = ['download', '--dry-run', '--json', '--base-url', 'https://api.example.com']
  const search = ['--supplier', '123456789', '--part', 'A']

  test('is in the URL when the option is given, and only then', async () => {
    expect(urlOf(await matdecl([...dryRun, ...search, '--region', 'E U']))).toBe(
      'https://api.example.com/v2/download?format=1752A&supplier=123456789&region=E%20U&partNumbers[]=A',
    )
    expect(urlOf(await matdecl([...dryRun, ...search]))).not.toContain('region')
  })

  test('can be set in the config file', async () => {
    await writeFile(join(copy, 'config.toml'), 'region = "EU"\n')
    expect(urlOf(await matdecl([...dryRun, ...search, '--config', 'config.toml']))).toContain('&region=EU&')
  })

  test('is checked, and reserved for its own option', async () => {
    await expect(matdecl([...dryRun, ...search, '--region', ' '])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/region is blank[\s\S]*--region/),
    })
    await expect(matdecl([...dryRun, ...search, '--query', 'region=EU'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/'region' is reserved[\s\S]*--region/),
    })
  })

  test('is in the result of a run', async () => {
    const sandbox = ['download', '--sandbox', '--supplier', '100200300', '--region', 'EU']
    const result = await matdecl([...sandbox, '-o', 'a.zip', '--json'])
    expect(JSON.parse(result)).toMatchObject({ status: 'ok', request: { region: 'EU' } })
  })
})

describe('a report column made by the recipe', () => {
  beforeAll(async () => {
    const head = HEAD.replace('<Response ', '<Response docID="DOC-7" ')
    await writeFile(join(copy, 'a.xml'), fileA(productXml(['P1'], ''), { head }))
  })

  test('is in CSV', async () => {
    const [heading, row] = (await matdecl(['report', 'a.xml'])).split('\r\n')
    const column = heading!.split(',').indexOf('document_id')
    expect(column).toBe(heading!.split(',').indexOf('date') + 1)
    expect(row!.split(',')[column]).toBe('DOC-7')
  })

  test('is in JSON', async () => {
    const { columns, rows } = JSON.parse(await matdecl(['report', 'a.xml', '--json']))
    expect(columns).toContain('document_id')
    expect(rows).toMatchObject([{ part: 'P1', document_id: 'DOC-7' }])
  })
})

async function insert(path: string, insertions: Edits[string]): Promise<void> {
  let text = await readFile(path, 'utf8')
  for (const [after, inserted] of insertions) {
    const at = text.indexOf(after)
    if (at === -1) throw new Error(`${path} has no longer: ${after}`)
    text = text.slice(0, at + after.length) + inserted + text.slice(at + after.length)
  }
  await writeFile(path, text)
}

/** The files of `src` that a recipe of ARCHITECTURE.md names. */
async function filesOfRecipe(title: string): Promise<string[]> {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8')
  const recipe = text.split(/^### /m).find((section) => section.startsWith(`${title}\n`)) ?? ''
  const named = [...recipe.matchAll(/`([\w-]+(?:\/[\w-]+)+\.ts)`/g)].map(([, path]) => path!)
  return named.filter((path) => !path.startsWith('test/')).sort()
}

async function matdecl(args: readonly string[]): Promise<string> {
  const home = join(copy, 'home')
  await mkdir(home, { recursive: true })
  const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: home, LC_ALL: 'C.UTF-8' }
  const { stdout } = await run(process.execPath, [join('bin', 'matdecl.js'), ...args], { cwd: copy, env })
  return stdout
}

function urlOf(plan: string): string {
  return JSON.parse(plan).requests[0].url
}
