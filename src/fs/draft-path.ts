import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { Disk, World } from '../base/world.ts'
import { ownFacts, processFacts } from './process-facts.ts'

const DRAFT = '.draft'

/** The hidden path of this process's draft beside `path`. Removes the drafts of killed runs. */
export async function draftBeside(world: Pick<World, 'disk' | 'host'>, path: string): Promise<string> {
  await removeStaleDrafts(world, path)
  return join(dirname(path), `${draftStart(path)}${await processMark(world)}${DRAFT}`)
}

/** Removes the drafts of killed runs beside `path`. */
export async function removeStaleDrafts(world: Pick<World, 'disk' | 'host'>, path: string): Promise<void> {
  const { disk } = world
  const folder = dirname(path)
  const ours = await processMark(world)
  const start = draftStart(path)
  for (const name of await disk.readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !name.endsWith(DRAFT)) continue
    const isStale = await isOfGoneProcess(disk, name.slice(start.length, -DRAFT.length), ours)
    if (isStale) await disk.rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}

function draftStart(path: string): string {
  return `.${basename(path).slice(0, 60)}.`
}

/** Identifies this process in hidden names: its id, and a hash of machine and process namespace. */
export async function processMark({ disk, host }: Pick<World, 'disk' | 'host'>): Promise<string> {
  const { namespace = '' } = await ownFacts(disk, host.pid)
  const system = createHash('sha256').update(`${host.name} ${namespace}`).digest('hex').slice(0, 8)
  return `${host.pid}.${system}`
}

/** True when `mark` is of a process on the same system as `ours` that has ended. */
export async function isOfGoneProcess(disk: Disk, mark: string, ours: string): Promise<boolean> {
  const [pid = '', ...system] = mark.split('.')
  if (system.join('.') !== ours.slice(ours.indexOf('.') + 1) || !/^[1-9]\d{0,9}$/.test(pid)) return false
  return !(await processFacts(disk, Number(pid))).isAlive
}
