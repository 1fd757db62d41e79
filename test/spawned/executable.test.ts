import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProgram, executableLicences, makeExecutable, TARGETS } from '../../scripts/executable.mjs'
import { zip } from '../support/zip.ts'

const root = join(import.meta.dirname, '..', '..')
const target = 'linux-x64'
const isHere = `${process.platform}-${process.arch}` === target
// Outside CI only where the Node for it has been downloaded before.
const isReady = process.env.CI === 'true' || existsSync(join(root, 'build', 'nodes', TARGETS[target]!.node))

describe.skipIf(!isHere || !isReady)('the standalone executable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'matdecl-executable-'))
  const executable = join(folder, 'matdecl')
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  let licences = ''
  beforeAll(async () => {
    await buildProgram(join(folder, 'program'))
    makeExecutable(target, join(folder, 'program'), executable)
    licences = executableLicences(join(folder, 'program'))
  }, 180_000)

  const run = (...argv: string[]) =>
    spawnSync(executable, argv, {
      cwd: folder,
      encoding: 'utf8',
      env: { HOME: folder },
      maxBuffer: 1 << 26,
    })

  test('runs without any other file, and --version names the Node inside', () => {
    const { status, stdout, stderr } = run('--version', '--json')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(JSON.parse(stdout)).toMatchObject({
      version,
      node: TARGETS[target]!.node.split('@')[1],
      platform: target,
    })
  })

  test.each([[['--help']], [['download', '--help']], [['completion', 'bash']]])(
    '%j prints what the script prints',
    (argv) => {
      const script = spawnSync(
        process.execPath,
        [join(process.env.MATDECL_TEST_BUILD!, 'bin', 'matdecl.js'), ...argv],
        {
          encoding: 'utf8',
          env: { HOME: folder },
        },
      )
      expect(run(...argv)).toMatchObject({ status: 0, stdout: script.stdout, stderr: script.stderr })
    },
  )

  test('downloads, verifies, extracts and reports, with worker threads and lazily loaded code', () => {
    const got = run('--sandbox', '--supplier', '100200300', '-o', 'got.zip', '-x', '--manifest')
    expect(got).toMatchObject({ status: 0, stdout: 'got.zip\n' })
    expect(run('verify', 'got.zip').status).toBe(0)
    for (const name of ['got.csv', 'got.xlsx', 'got.html', 'got.json', 'got.parquet']) {
      const report = run('report', 'got.zip', '-o', name)
      expect(report.stderr).not.toContain('error')
      expect(report.status).toBe(0)
      expect(existsSync(join(folder, name))).toBe(true)
    }
    expect(execFileSync('head', ['-c', '2', join(folder, 'got.xlsx')]).toString()).toBe('PK')
    expect(execFileSync('tail', ['-c', '4', join(folder, 'got.parquet')]).toString()).toBe('PAR1')
    const parts = run('--sandbox', '--parts-file', 'got.xlsx', '--parts-column', 'part', '-n', '--json')
    expect(JSON.parse(parts.stdout)).toMatchObject({ schema: 'matdecl.plan/1', parts: expect.any(Number) })
  })

  test('extracts many entries on worker threads', () => {
    const entries = Array.from({ length: 4000 }, (_, n) => ({
      name: `d/e${n}.xml`,
      data: `<a n="${n}"/>`.repeat(200),
    }))
    writeFileSync(join(folder, 'many.zip'), zip(entries))
    expect(run('verify', 'many.zip')).toMatchObject({ status: 0 })
    expect(run('extract', 'many.zip', 'many')).toMatchObject({ status: 0 })
    expect(readFileSync(join(folder, 'many', 'd', 'e3999.xml'), 'utf8')).toBe('<a n="3999"/>'.repeat(200))
    expect(run('report', 'many.zip', '-o', 'many.csv').status).toBe(0)
  })

  test('fails with the same exit codes as the script', () => {
    expect(run('nonsense')).toMatchObject({ status: 2, stdout: '' })
    expect(run('--part', 'A')).toMatchObject({ status: 3, stdout: '' })
    writeFileSync(join(folder, 'bad.zip'), 'PK no archive')
    expect(run('verify', 'bad.zip').status).toBe(8)
  })

  test('lists the licences of every package inside', () => {
    expect(licences).toMatch(/^undici \d/m)
    expect(licences).toMatch(/^zod \d/m)
    expect(licences).toMatch(/^@yao-pkg\/pkg \d/m)
  })

  test('passes the spawn tests of the script', () => {
    const { MATDECL_TEST_REPORT: _, ...env } = process.env
    const result = spawnSync(
      process.execPath,
      [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', 'test/spawned/process.test.ts'],
      { cwd: root, encoding: 'utf8', env: { ...env, MATDECL_TEST_EXECUTABLE: executable, NO_COLOR: '1' } },
    )
    expect(result.stdout).toMatch(/Tests +\d+ passed \(\d+\)/)
    expect(result.status, result.stdout).toBe(0)
  }, 120_000)
})
