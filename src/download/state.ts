import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { Failure, isFailure } from '../base/failure.ts'
import { jsonValue } from '../base/json-text.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure, ifThere } from '../fs/disk-failure.ts'
import { writePrivateFile } from '../fs/publish.ts'
import { checkOwnDirectory, openOwnDirectory, STATE_DIRECTORY, stateDirectory } from '../fs/user-files.ts'
import type { LastRun } from '../request/since.ts'

const optionalText = z.optional(z.string())

// Unknown fields, such as those of a later version, are ignored.
const watchedRequest = z.object({
  baseUrl: z.string(),
  api: z.string(),
  format: z.string(),
  formatClass: optionalText,
  supplier: optionalText,
  query: z.optional(z.readonly(z.array(z.readonly(z.tuple([z.string(), z.string()]))))),
})

/** A remembered request, without secrets. */
type WatchedRequest = Readonly<z.infer<typeof watchedRequest>>

export interface StateEntry {
  readonly file: string
  readonly identity: string
  readonly request: WatchedRequest
  /** The server's date at the start of the last complete run, RFC 3339. */
  readonly lastRun: string
  /** Parts in that run; 0 for a whole supplier. */
  readonly partCount: number
}

const stateFile = z.object({
  schema: z.literal('matdecl.state/1'),
  identity: z.string(),
  request: watchedRequest,
  lastRun: z.string().check(z.refine((time) => Number.isFinite(Date.parse(time)))),
  // The first eight bytes of each part's SHA-256, concatenated, in base64.
  parts: z.string(),
})

type StateFile = z.infer<typeof stateFile>

const HASH_BYTES = 8
const NAME = /^([0-9a-f]{64})\.json$/

/** The state directory; `config` when it is unknown. */
export function stateDirectoryOf({ env, host }: Pick<World, 'env' | 'host'>): string {
  const directory = stateDirectory({ env, host })
  if (directory !== undefined) return directory
  throw new Failure(
    'config',
    'cannot save the last run, because there is no state directory: HOME is not set',
    {
      hint: 'set HOME, or XDG_STATE_HOME to an absolute path',
    },
  )
}

/** Creates the state directory (0700) and checks that it is writable, before anything is sent. */
export async function proveStateWritable(world: World): Promise<void> {
  const directory = stateDirectoryOf(world)
  const probe = join(directory, `.probe-${world.host.pid}`)
  try {
    await openOwnDirectory(world, directory, STATE_DIRECTORY)
    await removeProbes(world.disk, directory)
    await (await world.disk.open(probe, 'wx', 0o600)).close()
    await world.disk.rm(probe, { force: true })
  } catch (error) {
    throw diskFailure(error, 'write to', directory, STATE_DIRECTORY.alternative)
  }
}

// Killed runs leave their probes. A run that is alive no longer needs its probe once it is open.
async function removeProbes(disk: Disk, directory: string): Promise<void> {
  for (const name of await disk.readdir(directory)) {
    if (/^\.probe-\d+$/.test(name))
      await disk.rm(join(directory, name), { force: true }).catch(() => undefined)
  }
}

/**
 * The last complete run of a request; undefined for the first one. A state that is damaged or in the future is reported with
 * `onUnusable` and ignored.
 */
export async function readState(
  world: World,
  identity: string,
  onUnusable: (message: string) => void,
): Promise<LastRun | undefined> {
  const directory = stateDirectoryOf(world)
  const path = join(directory, `${identity}.json`)
  await checkOwnDirectory(world, directory, STATE_DIRECTORY)
  const text = await ifThere(world.disk.readFile(path, 'utf8'), 'read', path)
  if (text === undefined) return undefined
  const state = parseState(text)
  if (state === undefined || state.identity !== identity) {
    onUnusable(`the state file ${path} is damaged; everything is requested`)
    return undefined
  }
  const serverDateMs = Date.parse(state.lastRun)
  if (serverDateMs > world.clock.nowMs() + 2 * 86_400_000) {
    onUnusable(`the last run was at ${state.lastRun}, which is in the future; everything is requested`)
    return undefined
  }
  const known = new Set<string>()
  const hashes = Buffer.from(state.parts, 'base64')
  for (let at = 0; at < hashes.length; at += HASH_BYTES)
    known.add(hashes.toString('latin1', at, at + HASH_BYTES))
  return { serverDateMs, hasPart: (part) => known.has(partHash(part).toString('latin1')) }
}

/** Remembers a complete run. Call it last. */
export async function saveState(
  world: World,
  run: {
    readonly identity: string
    readonly request: WatchedRequest
    readonly serverDateMs: number
    readonly parts: readonly string[]
  },
): Promise<void> {
  const directory = stateDirectoryOf(world)
  const state: StateFile = {
    schema: 'matdecl.state/1',
    identity: run.identity,
    request: run.request,
    lastRun: new Date(run.serverDateMs).toISOString(),
    parts: Buffer.concat(run.parts.map(partHash)).toString('base64'),
  }
  const path = join(directory, `${run.identity}.json`)
  await writePrivateFile(world, path, `${JSON.stringify(state)}\n`, { overwrite: true }).catch(
    (error: unknown) => {
      const cause = isFailure(error) ? (error.cause ?? error) : error
      throw diskFailure(cause, 'write', path, STATE_DIRECTORY.alternative)
    },
  )
}

/** Every remembered request, the latest run first. */
export async function listState(world: World): Promise<readonly StateEntry[]> {
  const directory = stateDirectoryOf(world)
  const entries: StateEntry[] = []
  for (const name of await namesIn(world, directory)) {
    const identity = NAME.exec(name)?.[1]
    if (identity === undefined) continue
    const file = join(directory, name)
    const state = parseState((await ifThere(world.disk.readFile(file, 'utf8'), 'read', file)) ?? '')
    if (state === undefined) continue
    const partCount = Math.floor(Buffer.byteLength(state.parts, 'base64') / HASH_BYTES)
    entries.push({ file, identity, request: state.request, lastRun: state.lastRun, partCount })
  }
  return entries.sort((a, b) => b.lastRun.localeCompare(a.lastRun))
}

/** Forgets the requests that match, or all of them, including damaged ones; resolves with their number. */
export async function resetState(world: World, matches?: (entry: StateEntry) => boolean): Promise<number> {
  const directory = stateDirectoryOf(world)
  const matching =
    matches === undefined
      ? undefined
      : new Set((await listState(world)).filter(matches).map((entry) => entry.file))
  let count = 0
  for (const name of await namesIn(world, directory)) {
    const file = join(directory, name)
    const isState = NAME.test(name) && (matching === undefined || matching.has(file))
    if (!isState) continue
    await world.disk.unlink(file).catch((error: unknown) => {
      throw diskFailure(error, 'remove', file)
    })
    count += 1
  }
  return count
}

function parseState(text: string): StateFile | undefined {
  return stateFile.safeParse(jsonValue(text)).data
}

function partHash(part: string): Buffer {
  return createHash('sha256').update(part).digest().subarray(0, HASH_BYTES)
}

async function namesIn(world: World, directory: string): Promise<readonly string[]> {
  await checkOwnDirectory(world, directory, STATE_DIRECTORY)
  return (await ifThere(world.disk.readdir(directory), 'read', dirname(directory))) ?? []
}
