import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { needs, pathOf } from './programs.ts'

// What the Dockerfile uses of its base, and what the tests use inside.
const PROGRAMS = ['sh', 'sha256sum', 'tar', 'gzip', 'mkdir', 'uname', 'grep', 'id', 'touch', 'ls']
const BASE = 'localhost/base'

/** True where images can be built and run: with buildah, as root. */
export const canBuildImages = (): boolean => process.getuid?.() === 0 && needs('buildah')

/** Image building in a store of its own, without any registry. */
export interface ImageStore extends Disposable {
  /** Builds the Dockerfile of a directory on a base made of this machine's programs; the digest of the image. */
  readonly build: (folder: string, name: string) => string
  /** The configuration of an image. */
  readonly config: (name: string) => unknown
  /** Runs a program in a new container of an image, as the image's user, with these volumes. */
  readonly run: (
    name: string,
    argv: readonly string[],
    options?: { readonly volumes?: readonly string[]; readonly env?: readonly string[] },
  ) => { status: number | null; stdout: string; stderr: string }
}

/** Opens an empty store with the base image; `executable` names a program whose libraries the base must have too. */
export function openImageStore(executable: string): ImageStore {
  const folder = mkdtempSync(join(tmpdir(), 'matdecl-images-'))
  const store = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
  const buildah = (args: readonly string[]) =>
    spawnSync('buildah', [...store, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 })
  const done = (args: readonly string[]): string => {
    const { status, stdout, stderr } = buildah(args)
    if (status !== 0) throw new Error(`buildah ${args[0]} failed: ${stderr}`)
    return stdout.trim()
  }
  const build = (context: string, name: string, more: readonly string[]): string =>
    done([
      'bud',
      '--isolation',
      'chroot',
      '--pull-never',
      '--timestamp',
      '0',
      '-q',
      '-t',
      name,
      ...more,
      context,
    ])
  layBase(join(folder, 'base'), executable)
  writeFileSync(join(folder, 'base', 'Dockerfile'), 'FROM scratch\nCOPY files /\n')
  build(join(folder, 'base'), BASE, [])
  return {
    build: (context, name) => build(context, `localhost/${name}`, ['--build-arg', `BASE=${BASE}`]),
    config: (name) => JSON.parse(done(['inspect', '--type', 'image', `localhost/${name}`])).OCIv1.config,
    run: (name, argv, { volumes = [], env = [] } = {}) => {
      const container = done(['from', '--pull-never', `localhost/${name}`])
      const options = [...volumes.flatMap((each) => ['-v', each]), ...env.flatMap((each) => ['-e', each])]
      return buildah(['run', '--isolation', 'chroot', ...options, container, '--', ...argv])
    },
    [Symbol.dispose]: () => {
      buildah(['rm', '--all'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// Programs of this machine with their libraries, where they are here.
function layBase(folder: string, executable: string): void {
  const files = join(folder, 'files')
  mkdirSync(join(files, 'tmp'), { recursive: true, mode: 0o777 })
  const lay = (from: string, to: string): void => {
    mkdirSync(dirname(join(files, to)), { recursive: true })
    copyFileSync(realpathSync(from), join(files, to))
  }
  const paths = PROGRAMS.map((name) => pathOf(name)!)
  for (const path of paths) lay(path, join('/usr/bin', path.slice(path.lastIndexOf('/'))))
  for (const path of [...paths, executable]) {
    const libraries = execFileSync('ldd', [path], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)
    for (const [, library] of libraries) lay(library!, library!)
  }
  symlinkSync('usr/bin', join(files, 'bin'))
}
