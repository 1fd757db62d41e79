// Release archives in build/release/: standalone executables with manual page, completions, licences and checksums.
//   npm run package                   every target
//   npm run package -- linux-x64 …    only these
import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ZipFile } from 'yazl'
import { buildProgram, executableLicences, makeExecutable, nodeLicence, TARGETS } from './executable.mjs'
import { tarOf } from './tar.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// Fixed, so that archives are reproducible; within the range of tar and ZIP.
const MTIME = 1_767_225_600

const MACOS_NOTE = `This executable is not signed. On the Mac, run once:

  codesign --force --sign - matdecl
`

/** Builds the release of each target and returns the paths, checksums last. */
export async function packageTargets(targets, folder = join(root, 'build', 'release')) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const program = join(root, 'build', 'program')
  await buildProgram(program)
  const licences = executableLicences(program)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const archives = []
  for (const target of targets) {
    const name = `matdecl-${version}-${target}`
    const file = target.startsWith('win') ? 'matdecl.exe' : 'matdecl'
    const executable = join(root, 'build', 'bin', target, file)
    makeExecutable(target, program, executable)
    const files = [
      { path: file, bytes: readFileSync(executable), executable: true },
      ...carried(target, licences),
    ].map((one) => ({ ...one, path: `${name}/${one.path}` }))
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
    process.stderr.write(
      `package: unknown target '${unknown}': expected one of ${Object.keys(TARGETS).join(', ')}\n`,
    )
    process.exitCode = 2
  }
}
