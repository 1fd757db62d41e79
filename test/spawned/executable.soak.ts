import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TARGETS } from '../../scripts/executable.mjs'
import { packageTargets } from '../../scripts/release-archives.mjs'
import { RELEASE_FILES } from '../../scripts/release-files.mjs'
import { canBuildImages, type ImageStore, openImageStore } from '../support/container.ts'
import { zip } from '../support/zip.ts'

const root = join(import.meta.dirname, '..', '..')
const target = 'linux-x64'
const isHere = `${process.platform}-${process.arch}` === target
// Outside CI only where the Node for it has been downloaded before.
const isReady = process.env.CI === 'true' || existsSync(join(root, 'build', 'nodes', TARGETS[target]!.node))

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const name = `matdecl-${version}-${target}`
const folder = mkdtempSync(join(tmpdir(), 'matdecl-executable-'))
const release = join(folder, 'build', 'release')
const unpacked = join(folder, name)
const executable = join(unpacked, 'matdecl')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// The release archive is made once, and what it contains is what the tests run.
const describeRelease = describe.skipIf(!isHere || !isReady)
beforeAll(async () => {
  if (!isHere || !isReady) return
  await packageTargets([target], folder)
  execFileSync('tar', ['-xzf', join(release, `${name}.tar.gz`), '-C', folder])
}, 180_000)

describeRelease('a release', () => {
  test('is an archive for each target, and their checksums', () => {
    const files = [`${name}.tar.gz`, `matdecl-${version}.cdx.json`]
    expect(readdirSync(release).sort()).toEqual(['SHA256SUMS', ...files].sort())
    const lines = files.map((file) => {
      const sha256 = createHash('sha256').update(readFileSync(join(release, file)))
      return `${sha256.digest('hex')}  ${file}\n`
    })
    expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8')).toBe(lines.join(''))
    expect(
      execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release, encoding: 'utf8' }),
    ).toBe(files.map((file) => `${file}: OK\n`).join(''))
  })

  test('contains the executable, documents, tables and licenses in one directory', () => {
    const expected = [
      'matdecl',
      'tables',
      'THIRD-PARTY-LICENSES',
      'LICENSE-node',
      'sbom.cdx.json',
      ...RELEASE_FILES,
    ]
    expect(expected.filter((path) => !existsSync(join(unpacked, path)))).toEqual([])
    const tops = new Set(expected.map((path) => path.split('/')[0]))
    expect(readdirSync(unpacked).filter((path) => !tops.has(path))).toEqual([])
    const listed = execFileSync('tar', ['-tvzf', join(release, `${name}.tar.gz`)], { encoding: 'utf8' })
    const lines = listed.trimEnd().split('\n')
    expect(lines.filter((line) => !/^[-d]r[-w][-x]r-[-x]r-[-x] 0\/0 /.test(line))).toEqual([])
    expect(lines.filter((line) => !line.includes(` ${name}/`))).toEqual([])
  })

  // Node is most of both.
  test('is not much larger than Node', () => {
    const node = statSync(join(root, 'build', 'nodes', TARGETS[target]!.node, 'bin', 'node')).size
    expect(statSync(executable).size).toBeLessThan(node + 16 * 1024 * 1024)
    expect(statSync(join(release, `${name}.tar.gz`)).size).toBeLessThan(64 * 1024 * 1024)
  })
})

describeRelease('the standalone executable', () => {
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

  test('lists the licenses of every package inside', () => {
    const licences = readFileSync(join(unpacked, 'THIRD-PARTY-LICENSES'), 'utf8')
    expect(licences).toMatch(/^undici \d/m)
    expect(licences).toMatch(/^zod \d/m)
    expect(licences).toMatch(/^@yao-pkg\/pkg \d/m)
  })

  test('lists the same packages, and its Node, in CycloneDX', () => {
    const licences = readFileSync(join(unpacked, 'THIRD-PARTY-LICENSES'), 'utf8')
    const sbom = JSON.parse(readFileSync(join(unpacked, 'sbom.cdx.json'), 'utf8')) as {
      metadata: unknown
      components: { name: string; version: string }[]
    }
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { type: 'application', name: 'matdecl', version } },
    })
    const listed = sbom.components.map((each) => `${each.name} ${each.version}`).sort()
    const licensed = [...licences.matchAll(/^-{72}\n\n(\S+ \S+) \(/gm)].map(([, title]) => title!)
    const node = `node ${TARGETS[target]!.node.split('@')[1]}`
    expect(listed).toEqual([...licensed, node].sort())
  })

  test('passes the spawn tests of the script', () => {
    const { MATDECL_TEST_REPORT: _, ...env } = process.env
    const result = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--mode',
        'soak',
        'test/spawned/process.test.ts',
      ],
      { cwd: root, encoding: 'utf8', env: { ...env, MATDECL_TEST_EXECUTABLE: executable, NO_COLOR: '1' } },
    )
    expect(result.stdout).toMatch(/Tests +\d+ passed \(\d+\)/)
    expect(result.status, result.stdout).toBe(0)
  }, 120_000)
})

describe.skipIf(!isHere || !isReady || !canBuildImages())('the container image', () => {
  let images: ImageStore
  let digest = ''
  beforeAll(() => {
    for (const path of ['Dockerfile', '.dockerignore']) copyFileSync(join(root, path), join(folder, path))
    images = openImageStore(executable)
    digest = images.build(folder, 'matdecl')
  }, 180_000)
  afterAll(() => images?.[Symbol.dispose]())

  test('runs the executable as a user without privileges', () => {
    expect(images.config('matdecl')).toEqual({
      User: '65532:65532',
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/data'],
      Entrypoint: ['/usr/local/bin/matdecl'],
      WorkingDir: '/data',
      Labels: expect.any(Object),
    })
    expect(images.run('matdecl', ['matdecl', '--version'])).toMatchObject({
      status: 0,
      stdout: `matdecl ${version}\n`,
      stderr: '',
    })
    expect(images.run('matdecl', ['id', '-u']).stdout).toBe('65532\n')
  })

  test('can write its data and nothing else', () => {
    const download = ['matdecl', 'download', '--sandbox', '--supplier', '100200300']
    const script = `${download.join(' ')} -o incoming/ -q && ls incoming && ls -a`
    const got = images.run('matdecl', ['sh', '-c', script])
    expect(got).toMatchObject({ status: 0 })
    expect(got.stdout).toMatch(/^\S+\.zip\n/)
    for (const path of ['/usr/local/bin/matdecl', '/usr/local/bin/other', '/other']) {
      expect(images.run('matdecl', ['touch', path]).status, path).not.toBe(0)
    }
  })

  test('reads a token from a mounted secret that belongs to root', () => {
    const secret = join(folder, 'token')
    writeFileSync(secret, 'made-up-token\n')
    chmodSync(secret, 0o444)
    const got = images.run('matdecl', ['matdecl', 'config', 'show'], {
      volumes: [`${secret}:/run/secrets/token:ro`],
      env: ['MATDECL_TOKEN_FILE=/run/secrets/token'],
    })
    expect(got).toMatchObject({ status: 0 })
    expect(got.stdout).toContain('MATDECL_TOKEN_FILE')
    expect(got.stdout + got.stderr).not.toContain('made-up-token')
  })

  test('is the same when it is built again', () => {
    expect(images.build(folder, 'again')).toBe(digest)
  })

  test('is not built from an archive with another checksum', () => {
    const other = join(folder, 'other')
    cpSync(release, join(other, 'build', 'release'), { recursive: true })
    copyFileSync(join(root, 'Dockerfile'), join(other, 'Dockerfile'))
    const sums = join(other, 'build', 'release', 'SHA256SUMS')
    writeFileSync(sums, readFileSync(sums, 'utf8').replace(/^[0-9a-f]{8}/, '00000000'))
    expect(() => images.build(other, 'other')).toThrow(/did NOT match/)
    expect(() => images.config('other')).toThrow(/buildah inspect failed/)
  })
})
