import { Failure } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { stateFolder } from '../fs/app-folders.ts'
import { freeBytes } from '../fs/free-space.ts'
import { secretFileExposure } from '../fs/small-file.ts'
import { proveFolderWritable } from '../fs/writable-folder.ts'
import { type DoctorWish, type Examination, type Found, pass, skip } from './doctor-options.ts'

const OLDEST_NODE = [20, 18] as const
const LEAST_FREE_BYTES = 256 * 1024 * 1024

/** What can be looked at without the network. */
export function localChecks(world: World, wish: DoctorWish): readonly Examination[] {
  return [
    { name: 'node', look: async () => nodeVersion(world) },
    { name: 'settings', look: async () => settings(wish) },
    { name: 'address', look: async () => address(wish) },
    { name: wish.secret.name, look: () => secret(wish) },
    { name: 'file modes', look: () => fileModes(world, wish) },
    { name: 'state folder', look: () => state(world) },
    { name: 'disk', look: () => disk(world) },
  ]
}

function nodeVersion({ host }: World): Found {
  const [major = 0, minor = 0] = host.nodeVersion.split('.').map(Number)
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  if (!isOld) return pass(`${host.nodeVersion}, on ${host.platform}`)
  throw new Failure('config', `Node ${host.nodeVersion} is too old`, {
    hint: `install Node ${OLDEST_NODE.join('.')} or newer`,
  })
}

function settings({ settings: { path, usualPath, profile, failure } }: DoctorWish): Found {
  if (failure !== undefined) throw failure
  const used = profile === undefined ? '' : `, profile ${profile}`
  if (path !== undefined) return pass(`${path}${used}`)
  if (usualPath === undefined) return pass('no file: HOME is not set; flags and environment alone')
  return pass(`no file at ${usualPath}; flags and environment alone`)
}

function address({ baseUrl, isSandbox, settings: { failure } }: DoctorWish): Found {
  if (isSandbox) return pass(`${baseUrl}, the miniature service inside this process`)
  if (baseUrl !== undefined) return pass(baseUrl)
  if (failure !== undefined) return skip('the settings can not be read')
  throw new Failure('config', 'there is no address of the service', {
    hint: 'give --base-url, set MATDECL_BASE_URL or put base-url = "https://…" into the settings file',
  })
}

async function secret(wish: DoctorWish): Promise<Found> {
  const { name, source, read } = wish.secret
  if (source === undefined && wish.settings.failure !== undefined) return skip('the settings can not be read')
  await read()
  return pass(`there is ${name === 'token' ? 'a token' : 'an API key'}, from ${source}`)
}

async function fileModes(world: World, { secretFiles }: DoctorWish): Promise<Found> {
  const there: string[] = []
  for (const path of secretFiles) {
    const exposure = await secretFileExposure(world.disk, path)
    if (exposure === 'not there') continue
    there.push(path)
    if (exposure !== 'none') {
      throw new Failure('config', `${path}: others can read or change it`, {
        file: path,
        hint: `run: chmod 600 ${quoted(path)}`,
      })
    }
  }
  return there.length === 0
    ? skip('no file holds a secret')
    : pass(`only its owner can read ${there.join(', ')}`)
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}

async function state(world: World): Promise<Found> {
  const folder = stateFolder({ env: world.env, platform: world.host.platform, homeDir: world.host.homeDir })
  if (folder === undefined) return skip('HOME is not set: --since last-run has nowhere to remember')
  await proveFolderWritable(world.disk, folder, 'XDG_STATE_HOME')
  return pass(`${folder} can be written to`)
}

async function disk(world: World): Promise<Found> {
  const folder = world.cwd()
  const free = await freeBytes(world.disk, folder)
  if (free === undefined) return skip('the system does not say how much room there is')
  if (free >= LEAST_FREE_BYTES) return pass(`${formatBytes(free)} free in ${folder}`)
  throw new Failure('io', `only ${formatBytes(free)} free in ${folder}`, {
    hint: 'free some space, or write elsewhere with --output',
  })
}
