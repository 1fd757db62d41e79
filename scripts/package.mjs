// Release archives: standalone executables with manual page, completions and licences, and their checksums, in build/release/.
//   npm run package                   every target
//   npm run package -- linux-x64 …    these alone
import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ZipFile } from 'yazl'
import { bundleScripts, makeExecutable, nodeLicence, TARGETS } from './executable.mjs'
import { tarOf } from './tar.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// Within what tar and ZIP can tell, and the same on every machine.
const MTIME = 1_767_225_600

const MACOS_NOTE = `This executable could not be signed where it was made. On the Mac it is for, run once:

  codesign --force --sign - matdecl
`

/** Builds the release of each target and returns the paths, checksums last. */
export async function packageTargets(targets, folder = join(root, 'build', 'release')) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const scripts = join(root, 'build', 'scripts')
  const licences = await bundleScripts(scripts)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const archives = []
  for (const target of targets) {
    const name = `matdecl-${version}-${target}`
    const program = target.startsWith('win') ? 'matdecl.exe' : 'matdecl'
    const executable = join(root, 'build', 'bin', target, program)
    makeExecutable(target, scripts, executable)
    const files = [
      { path: program, bytes: readFileSync(executable), executable: true },
      ...carried(target, licences),
    ].map((file) => ({ ...file, path: `${name}/${file.path}` }))
    const archive = join(folder, `${name}.${target.startsWith('win') ? 'zip' : 'tar.gz'}`)
    if (archive.endsWith('.zip')) await writeZip(archive, files)
    else writeFileSync(archive, gzipSync(tarOf(files, MTIME)))
    archives.push(archive)
  }
  const sums = join(folder, 'SHA256SUMS')
  writeFileSync(sums, archives.map((path) => `${sha256(path)}  ${path.slice(folder.length + 1)}\n`).join(''))
  return [...archives, sums]
}

function carried(target, licences) {
  const copied = [
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    'man/matdecl.1',
    'completions/matdecl.bash',
    'completions/_matdecl',
    'completions/matdecl.fish',
    'completions/matdecl.ps1',
    'docs/config.schema.json',
  ]
  return [
    ...copied.map((path) => ({ path, bytes: readFileSync(join(root, path)) })),
    { path: 'THIRD-PARTY-LICENSES', bytes: Buffer.from(licences) },
    { path: 'LICENSE-node', bytes: Buffer.from(nodeLicence(target)) },
    ...(target.startsWith('macos') ? [{ path: 'SIGN-ME', bytes: Buffer.from(MACOS_NOTE) }] : []),
  ]
}

async function writeZip(path, files) {
  const zip = new ZipFile()
  for (const { path: name, bytes, executable } of files) {
    zip.addBuffer(bytes, name, { mtime: new Date(MTIME * 1000), mode: executable ? 0o100755 : 0o100644 })
  }
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2)
  const unknown = asked.find((target) => TARGETS[target] === undefined)
  if (unknown === undefined) {
    const paths = await packageTargets(asked.length > 0 ? asked : Object.keys(TARGETS))
    for (const path of paths) process.stdout.write(`${path}\n`)
  } else {
    process.stderr.write(`package: there is no target '${unknown}': ${Object.keys(TARGETS).join(', ')}\n`)
    process.exitCode = 2
  }
}
