import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { World } from '../world.ts'
import { placeFacts, processFacts } from './process-facts.ts'

/**
 * The hidden path beside `path` where this process drafts it. What runs that were killed left there under the same name is
 * removed: their process was one of this machine (and process namespace), and is gone.
 */
export async function draftBeside(
  { disk, host }: Pick<World, 'disk' | 'host'>,
  path: string,
): Promise<string> {
  const folder = dirname(path)
  const { namespace = '' } = await placeFacts(disk, host.pid)
  const mark = createHash('sha256').update(`${host.name} ${namespace}`).digest('hex').slice(0, 8)
  const [start, end] = [`.${basename(path).slice(0, 60)}.`, `.${mark}.draft`]
  for (const name of await disk.readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !name.endsWith(end)) continue
    const pid = name.slice(start.length, -end.length)
    const isLeft = /^[1-9]\d{0,9}$/.test(pid) && !(await processFacts(disk, Number(pid))).isAlive
    if (isLeft) await disk.rm(join(folder, name), { force: true }).catch(() => undefined)
  }
  return join(folder, `${start}${host.pid}${end}`)
}
