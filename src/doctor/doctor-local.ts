import { Failure } from '../base/failure.ts'
import { shellQuote } from '../base/shell-words.ts'
import { formatBytes } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { secretFileExposure } from '../fs/input-file.ts'
import { freeBytes, requireWritableDirectory } from '../fs/output-target.ts'
import { checkOwnDirectory, STATE_DIRECTORY, stateDirectory } from '../fs/user-files.ts'
import { type Check, check, type Found, pass, skip } from './doctor-check.ts'
import type { DoctorOptions } from './doctor-options.ts'

const OLDEST_NODE = [20, 18] as const
const LEAST_FREE_BYTES = 256 * 1024 * 1024

/**
 * The checks that need no network. Returns the check of the token or API key where it passed: its line is for `networkChecks` to
 * yield, because the service may refuse what was found.
 */
export async function* localChecks(
  world: World,
  options: DoctorOptions,
): AsyncGenerator<Check, Check | undefined> {
  yield* check(world, 'node', () => nodeVersion(world))
  yield* check(world, 'settings', () => settings(options))
  yield* check(world, 'address', () => address(options))
  let found: Check | undefined
  for await (const one of check(world, options.secret.name, () => secret(options))) {
    if (one.status === 'pass') found = one
    else yield one
  }
  yield* check(world, 'file modes', () => fileModes(world, options))
  yield* check(world, 'state folder', () => state(world))
  yield* check(world, 'disk', () => disk(world))
  return found
}

function nodeVersion({ host }: World): Found {
  const [major = 0, minor = 0] = host.nodeVersion.split('.').map(Number)
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  if (!isOld) return pass(`${host.nodeVersion}, on ${host.platform}`)
  throw new Failure('config', `Node ${host.nodeVersion} is too old`, {
    hint: `install Node ${OLDEST_NODE.join('.')} or newer`,
  })
}

function settings({ settings: { path, usualPath, profile, failure } }: DoctorOptions): Found {
  if (failure !== undefined) throw failure
  const used = profile === undefined ? '' : `, profile ${profile}`
  if (path !== undefined) return pass(`${path}${used}`)
  const where = usualPath === undefined ? 'HOME is not set' : `${usualPath} does not exist`
  return pass(`no config file (${where}), only options and environment`)
}

function address({ baseUrl, isSandbox, settings: { failure } }: DoctorOptions): Found {
  if (isSandbox) return pass(`${baseUrl}, the mock service in this process`)
  if (baseUrl !== undefined) return pass(baseUrl)
  if (failure !== undefined) return skip('the configuration cannot be read')
  throw new Failure('config', 'the service URL is not set', {
    hint: 'run matdecl config init, set MATDECL_BASE_URL, or use the option',
    options: ['base-url'],
  })
}

async function secret(options: DoctorOptions): Promise<Found> {
  const { name, source, read } = options.secret
  if (source === undefined && options.settings.failure !== undefined)
    return skip('the configuration cannot be read')
  await read()
  return pass(`found ${name === 'token' ? 'a token' : 'an API key'} in ${source}`)
}

async function fileModes(world: World, { secretFiles }: DoctorOptions): Promise<Found> {
  const checked: string[] = []
  for (const path of secretFiles) {
    const exposure = await secretFileExposure(world.disk, path)
    if (exposure === 'exposed') {
      throw new Failure('config', `others can read or change ${path}`, {
        file: path,
        hint: `run: chmod 600 ${shellQuote(path)}`,
      })
    }
    if (exposure === 'none') checked.push(path)
  }
  if (checked.length === 0) return skip('no file contains a secret')
  if (world.host.platform === 'win32') {
    return skip(
      `not checked: who can read ${checked.join(', ')} (see Properties, Security in Explorer, or run icacls)`,
    )
  }
  return pass(`only the owner can read ${checked.join(', ')}`)
}

async function state(world: World): Promise<Found> {
  const folder = stateDirectory({
    env: world.env,
    platform: world.host.platform,
    homeDir: world.host.homeDir,
  })
  if (folder === undefined) return skip('HOME is not set, so the last run cannot be remembered')
  await checkOwnDirectory(world, folder, STATE_DIRECTORY)
  await requireWritableDirectory(world.disk, folder, STATE_DIRECTORY.alternative)
  return pass(`${folder} is writable`)
}

async function disk(world: World): Promise<Found> {
  const folder = world.cwd()
  const free = await freeBytes(world.disk, folder)
  if (free === undefined) return skip('the free space is not known')
  if (free >= LEAST_FREE_BYTES) return pass(`${formatBytes(free)} free in ${folder}`)
  throw new Failure('io', `only ${formatBytes(free)} free in ${folder}`, {
    hint: 'free some space, or choose another path',
    options: ['output'],
  })
}
