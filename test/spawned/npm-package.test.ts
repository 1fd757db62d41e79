import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { soakTest } from '../support/soak.ts'

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
      'dist/workers/hash-worker.js',
      'dist/THIRD-PARTY-LICENSES',
      'dist/tables/svhc-updates.csv',
      'dist/tables/rohs-exemptions.csv',
      'completions/_matdecl',
      'completions/matdecl.bash',
      'completions/matdecl.fish',
      'completions/matdecl.ps1',
      'man/matdecl.1',
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

  test('has every file that its manifest names', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    const named = [
      ...Object.values<string>(manifest.bin),
      ...Object.values<string>(manifest.exports),
      ...manifest.man,
    ]
    const paths = packed.files.map(({ path }) => path)
    expect(named.filter((name) => !paths.includes(normalize(name)))).toEqual([])
    expect(readFileSync(join(installed, manifest.bin.matdecl), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  soakTest('runs with an empty home directory', () => {
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
})
