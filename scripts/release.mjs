// Everything that a release publishes, made and tried without publishing anything. .github/workflows/release.yml publishes it.
//   npm run release                          every target
//   npm run release -- linux-x64             only these
//   npm run release -- --tag v0.1.0          also compares the tag with the version
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { TARGETS } from './executable.mjs'
import { packageTargets } from './release-archives.mjs'
import { releaseProblems } from './release-facts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values, positionals } = parseArgs({ allowPositionals: true, options: { tag: { type: 'string' } } })
const targets = positionals.length > 0 ? positionals : Object.keys(TARGETS)
const scratch = mkdtempSync(join(tmpdir(), 'matdecl-release-'))
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const STEPS = [
  ['facts', checkFacts],
  ['archives', makeArchives],
  ['npm package', makePackage],
  ['checksums', checkSums],
  ['npm install', tryPackage],
  ['npx', tryNpx],
  ['npm publish', publishDry],
  ['container', makeImage],
]

let failed = 0
try {
  for (const [name, step] of STEPS) {
    try {
      process.stdout.write(`ok    ${name}: ${await step()}\n`)
    } catch (error) {
      failed += 1
      process.stdout.write(`fail  ${name}: ${error.message}\n`)
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.stdout.write(
  failed === 0 ? 'release: nothing was published\n' : `release: ${failed} of ${STEPS.length} steps failed\n`,
)
process.exitCode = failed === 0 ? 0 : 1

function checkFacts() {
  const problems = releaseProblems({
    packageJson,
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    changed: run('git', ['status', '--porcelain']),
    tag: values.tag,
  })
  if (problems.length > 0) throw new Error(problems.join('; '))
  return `${packageJson.name} ${packageJson.version}`
}

async function makeArchives() {
  const unknown = targets.find((target) => TARGETS[target] === undefined)
  if (unknown !== undefined) throw new Error(`unknown target '${unknown}'`)
  const paths = await packageTargets(targets)
  return `${paths.length} files in build/release, ${megabytes(paths)} MB`
}

function checkSums() {
  const lines = run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release() }).trim().split('\n')
  return `${lines.length} files match`
}

function makePackage() {
  const printed = run('npm', ['pack', '--json', '--pack-destination', release()])
  const [packed] = JSON.parse(printed.slice(printed.indexOf('[')))
  const sum = createHash('sha256').update(readFileSync(tarball())).digest('hex')
  appendFileSync(join(release(), 'SHA256SUMS'), `${sum}  ${packed.filename}\n`)
  return `${packed.filename}, ${packed.entryCount} files, ${megabytes([tarball()])} MB`
}

/** Installs the tarball into an empty prefix, and asks the question of README.md in an empty directory. */
function tryPackage() {
  const prefix = join(scratch, 'prefix')
  run('npm', ['install', '--global', '--offline', '--ignore-scripts', '--prefix', prefix, tarball()])
  const cwd = join(scratch, 'work')
  mkdirSync(cwd)
  cpSync(join(root, 'examples', 'bom.csv'), join(cwd, 'bom.csv'))
  const matdecl = join(prefix, 'bin', 'matdecl')
  const env = { PATH: process.env.PATH, HOME: join(scratch, 'home') }
  const { status, stdout, stderr } = spawnSync(matdecl, ['check', 'bom.csv', '--sandbox'], {
    cwd,
    env,
    encoding: 'utf8',
  })
  if (status !== 0 && status !== 13) throw new Error(`check bom.csv --sandbox ends with ${status}: ${stderr}`)
  return `check bom.csv --sandbox: ${stdout.split('\n')[0]}`
}

/** What `npx matdecl` runs once the package is published. */
function tryNpx() {
  const args = ['exec', '--yes', '--offline', `--package=${tarball()}`, '--', 'matdecl', '--version']
  return run('npm', args, { cwd: scratch }).trim()
}

function publishDry() {
  run('npm', ['publish', tarball(), '--dry-run', '--provenance=false', '--access', 'public'])
  return 'accepted by npm publish --dry-run'
}

/** Builds the image where there is a program for it, and asks it for its version. */
function makeImage() {
  if (!targets.includes('linux-x64') && !targets.includes('linux-arm64'))
    return 'skipped: no executable for Linux'
  const builder = ['docker', 'buildah'].find((name) => isUsable(name))
  if (builder === undefined) return 'skipped: neither docker nor buildah can be used here'
  const [, base] = /^ARG BASE=(\S+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  const isThere = spawnSync(builder, ['pull', base], { stdio: 'ignore' }).status === 0
  if (!isThere && process.env.CI === undefined)
    return `skipped: ${base} cannot be fetched here; npm run soak builds the image on a base made of this machine`
  const image = `matdecl:${packageJson.version}`
  run(builder, ['build', '--tag', image, '.'])
  if (builder !== 'docker') return `${image} built by ${builder}`
  return `${image}: ${run('docker', ['run', '--rm', '--network', 'none', image, '--version']).trim()}`
}

function isUsable(builder) {
  return spawnSync(builder, ['info'], { stdio: 'ignore' }).status === 0
}

function release() {
  const folder = join(root, 'build', 'release')
  if (!existsSync(folder)) throw new Error('build/release is missing')
  return folder
}

function tarball() {
  return join(release(), `${packageJson.name}-${packageJson.version}.tgz`)
}

function megabytes(paths) {
  return (paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6).toFixed(1)
}

function run(program, args, { cwd = root } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (status === 0) return stdout
  throw new Error(`${program} ${args[0]}: ${error?.message ?? stderr.trim().split('\n').slice(-3).join(' ')}`)
}
