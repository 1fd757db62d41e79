// Release archives: standalone executables with man page, completions, licenses, lists of what is inside, and checksums.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { ZipFile } from 'yazl'
import { sbomText } from './bundled-packages.mjs'
import {
  buildProgram,
  executableLicences,
  executableSbom,
  makeExecutable,
  nodeLicence,
} from './executable.mjs'
import { RELEASE_FILES } from './release-files.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// Fixed, so that archives depend on their content alone.
const MTIME = 1_767_225_600

const MACOS_NOTE = `This executable is not signed. On the Mac, run once:

  codesign --force --sign - matdecl
`

/**
 * Builds the release of each target into `build/release` of a directory, and the list of what is inside the npm package; resolves with
 * the paths, checksums last.
 */
export async function packageTargets(targets, home = root) {
  const release = join(home, 'build', 'release')
  const program = join(home, 'build', 'program')
  rmSync(release, { recursive: true, force: true })
  mkdirSync(release, { recursive: true })
  const packages = await buildProgram(program)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const files = []
  for (const target of targets) {
    files.push(await packageTarget(target, `matdecl-${version}-${target}`, release, program, packages))
  }
  const list = `matdecl-${version}.cdx.json`
  writeFileSync(join(release, list), sbomText(root, packages))
  files.push(list)
  const sums = join(release, 'SHA256SUMS')
  writeFileSync(sums, files.map((name) => `${sha256(join(release, name))}  ${name}\n`).join(''))
  return [...files.map((name) => join(release, name)), sums]
}

async function packageTarget(target, name, release, program, packages) {
  const folder = join(release, name)
  const isWindows = target.startsWith('win')
  makeExecutable(target, program, join(folder, isWindows ? 'matdecl.exe' : 'matdecl'))
  for (const path of RELEASE_FILES) cpSync(join(root, path), join(folder, path), { recursive: true })
  cpSync(join(program, 'dist/tables'), join(folder, 'tables'), { recursive: true })
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), executableLicences(packages))
  writeFileSync(join(folder, 'sbom.cdx.json'), executableSbom(packages, target))
  writeFileSync(join(folder, 'LICENSE-node'), nodeLicence(target))
  if (target.startsWith('macos')) writeFileSync(join(folder, 'SIGN-ME'), MACOS_NOTE)
  const archive = `${name}.${isWindows ? 'zip' : 'tar.gz'}`
  if (isWindows) await zip(release, name, archive)
  else tar(release, name, archive)
  rmSync(folder, { recursive: true })
  return archive
}

async function zip(release, name, archive) {
  const file = new ZipFile()
  const entries = readdirSync(join(release, name), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.sort()) {
    file.addFile(path, path.slice(release.length + 1), { mtime: new Date(MTIME * 1000), mode: 0o100755 })
  }
  file.end()
  await pipeline(file.outputStream, createWriteStream(join(release, archive)))
}

// GNU tar: the executables are made on Linux.
function tar(release, name, archive) {
  const same = [
    '--format=ustar',
    '--sort=name',
    `--mtime=@${MTIME}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
  ]
  const args = [...same, '--mode=go-w', '--use-compress-program=gzip -n', '-cf', archive, name]
  const { status, stderr } = spawnSync('tar', args, { cwd: release, encoding: 'utf8' })
  if (status !== 0) throw new Error(`tar failed: ${stderr}`)
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
