import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { Disk, World } from '../base/world.ts'
import { placeFacts, processFacts } from './process-facts.ts'

/**
 * The hidden path beside `path` where this process drafts it. What runs that were killed left there under the same name is
 * removed.
 */
export async function draftBeside(world: Pick<World, 'disk' | 'host'>, path: string): Promise<string> {
  const { disk } = world
  const folder = dirname(path)
  const ours = await processMark(world)
  const start = `.${basename(path).slice(0, 60)}.`
  for (const name of await disk.readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !name.endsWith(DRAFT)) continue
    const isLeft = await isOfGoneProcess(disk, name.slice(start.length, -DRAFT.length), ours)
    if (isLeft) await disk.rm(join(folder, name), { force: true }).catch(() => undefined)
  }
  return join(folder, `${start}${ours}${DRAFT}`)
}

const DRAFT = '.draft'

/** What stands for this process in hidden names: its number, and a hash of the machine and process namespace where that counts. */
export async function processMark({ disk, host }: Pick<World, 'disk' | 'host'>): Promise<string> {
  const { namespace = '' } = await placeFacts(disk, host.pid)
  const place = createHash('sha256').update(`${host.name} ${namespace}`).digest('hex').slice(0, 8)
  return `${host.pid}.${place}`
}

/** True when `mark` is that of a process of the same place as `ours`, and certainly gone. */
export async function isOfGoneProcess(disk: Disk, mark: string, ours: string): Promise<boolean> {
  const [pid = '', ...place] = mark.split('.')
  if (place.join('.') !== ours.slice(ours.indexOf('.') + 1) || !/^[1-9]\d{0,9}$/.test(pid)) return false
  return !(await processFacts(disk, Number(pid))).isAlive
}
