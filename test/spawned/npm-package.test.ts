import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'matdecl-npm-'))
const home = join(folder, 'home')
const installed = join(home, 'node_modules', 'matdecl')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const env = { PATH: process.env.PATH, HOME: home, npm_config_update_notifier: 'false' }

/** Runs a program in the empty home directory, outside the repository. */
function run(
  program: string,
  argv: readonly string[],
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(program, argv, { cwd: home, encoding: 'utf8', env })
}

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

describe('the npm package', () => {
  let packed: Packed

  beforeAll(() => {
    const output = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    packed = (JSON.parse(output.slice(output.indexOf('['))) as Packed[])[0]!
    mkdirSync(home)
    writeFileSync(join(home, 'package.json'), '{"private":true}\n')
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)], {
      cwd: home,
      env,
      stdio: 'ignore',
    })
  }, 120_000)

  test('contains the files that users need, and no development files', () => {
    const paths = packed.files.map(({ path }) => path)
    for (const path of [
      'bin/matdecl.js',
      'bin/package.json',
      'dist/main.js',
      'dist/api.js',
      'dist/workers/hash-worker.js',
      'dist/types/api.d.ts',
      'dist/THIRD-PARTY-LICENSES',
      'dist/tables/svhc-updates.csv',
      'dist/tables/rohs-exemptions.csv',
      'completions/_matdecl',
      'completions/matdecl.bash',
      'completions/matdecl.fish',
      'completions/matdecl.ps1',
      'man/matdecl.1',
      'docs/config.schema.json',
      'docs/results.schema.json',
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
    ]) {
      expect(paths).toContain(path)
    }
    expect(paths.filter((path) => /^(?:src|test|scripts|bench|build|\.ci)\//.test(path))).toEqual([])
    expect(packed.size).toBeLessThan(2_000_000)
  })

  test('has no dependencies, and the licenses of bundled packages', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(manifest.dependencies).toBeUndefined()
    expect(manifest.publishConfig).toMatchObject({ provenance: true })
    expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'matdecl',
    ])
    const licences = readFileSync(join(installed, 'dist', 'THIRD-PARTY-LICENSES'), 'utf8')
    for (const name of ['undici', 'zod', 'commander', 'chalk', 'smol-toml']) {
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'))
    }
  })

  test('contains no path of the build machine', () => {
    for (const { path } of packed.files) {
      expect(readFileSync(join(installed, path), 'utf8'), path).not.toContain(root)
    }
  })

  test('passes publint', async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true })
    expect(messages).toEqual([])
  })

  test('runs with an empty home directory', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const matdecl = join(home, 'node_modules', '.bin', 'matdecl')
    expect(run(matdecl, ['--version'])).toMatchObject({
      status: 0,
      stdout: `matdecl ${version}\n`,
      stderr: '',
    })
    expect(run(matdecl, ['doctor', '--sandbox']).status).toBe(0)
    const got = run(matdecl, ['--sandbox', '--supplier', '100200300', '-o', 'got.zip', '-l', '-x'])
    expect(got.status).toBe(0)
    expect(got.stdout).toMatch(/^got\.zip\n/)
    expect(run(matdecl, ['report', 'got.zip', '-o', 'got.xlsx']).status).toBe(0)
    expect(readdirSync(home).sort()).toEqual(
      expect.arrayContaining(['got', 'got.xlsx', 'got.zip', 'node_modules', 'package.json']),
    )
  })

  test('can be imported by a program', () => {
    writeFileSync(
      join(home, 'use.mjs'),
      `import { download, EXIT_CODES, extract, list, MatdeclError, report, verify } from 'matdecl'
const events = []
const got = await download({
  sandbox: true,
  part: ['EXC188R60000KA', 'not one of theirs'],
  output: 'api.zip',
  stallTimeout: '20s',
  onEvent: (event) => events.push(event.event),
})
const checked = await verify(['api.zip'])
const rows = (await report('api.zip')).rows
const file = await report('api.zip', { output: 'api.csv' })
const unpacked = await extract('api.zip', 'api')
const again = await extract('api.zip', 'api').catch((error) => error)
const unread = await list('nowhere.zip').catch((error) => error)
const nothing = await download({ env: {}, part: ['A'], baseUrl: 'https://api.example.com' }).catch((error) => error)
const stopped = await download({ sandbox: true, part: ['A'], output: 's.zip', signal: AbortSignal.abort() }).catch((error) => error)
console.log(JSON.stringify({
  missing: got.missingParts, events: events.length, checked: checked.status, rows: rows.map((row) => row.part),
  files: unpacked.extracted.files, file: [file.output, file.rows === undefined],
  missingFile: [unread.code, unread.exitCode],
  again: [again instanceof MatdeclError, again.code, again.exitCode === EXIT_CODES.io, typeof again.hint],
  nothing: [nothing.code, nothing.exitCode], stopped: [stopped.code, stopped.exitCode],
}))
`,
    )
    const { status, stdout, stderr } = run(process.execPath, ['use.mjs'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      missing: ['not one of theirs'],
      events: expect.any(Number),
      checked: 'ok',
      rows: ['EXC188R60000KA'],
      files: 1,
      file: ['api.csv', true],
      missingFile: ['usage', 2],
      again: [true, 'io', true, 'string'],
      nothing: ['config', 3],
      stopped: ['interrupted', 130],
    })
    expect(readdirSync(home)).not.toContain('s.zip')
  })

  test('has types for every option', () => {
    writeFileSync(
      join(home, 'use.mts'),
      `import { diff, download, extract, list, MatdeclError, plan, report, verify, type DownloadResult, type ReportRow } from 'matdecl'
const result: DownloadResult = await download({
  supplier: '123456789', part: ['A'], formatClass: 'checkDthenC', retries: 3, maxSize: '1GiB', extract: true,
  token: 'x', signal: new AbortController().signal, onEvent: ({ level, event }) => level === 'warn' && event.length,
})
const sum: string | undefined = result.archive?.sha256
const rows: readonly ReportRow[] | undefined = (await report('a.zip', { failOn: 'svhc' })).rows
await extract('a.zip', 'a', { include: ['*.xml'], flat: true })
await verify('a.zip', { maxEntries: 10 })
await report(['a.zip'], { output: 'a.xlsx', partsFile: ['bom.csv'], overwrite: true })
const cas: string | undefined = (await report('a.zip', { substances: true })).rows?.[0]?.cas
const crc32: string | undefined = (await list('a.zip')).archives[0]?.entries[0]?.crc32
const added: number = (await diff('a.zip', 'b.zip')).counts.added
const urls: readonly string[] = (await plan({ part: ['A'] })).requests.map(({ url }) => url)
const hintOf = (error: unknown): string | undefined => error instanceof MatdeclError ? error.result.error.hint : undefined
// @ts-expect-error: no such class
await download({ formatClass: 'E' })
// @ts-expect-error: an option of another command
await verify('a.zip', { supplier: '1' })
// @ts-expect-error: text for a number
await download({ retries: '3' })
// @ts-expect-error: a plan is another function
await download({ dryRun: true })
export { added, cas, crc32, hintOf, rows, sum, urls }
`,
    )
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom',
      '--types',
      '',
    ]
    const { status, stdout } = run(process.execPath, [tsc, ...options, 'use.mts'])
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })
})
