import { SILENT } from '../../src/base/notice.ts'
import { ResourceStack } from '../../src/base/resource-stack.ts'
import type { World } from '../../src/base/world.ts'
import { type PartsLine, type PartsResult, showParts } from '../../src/parts/parts-result.ts'
import type { PartsInput } from '../../src/parts/read-parts.ts'

/** What `matdecl parts` shows of lists, with their lines. */
export async function shownParts(
  world: World,
  input: Omit<PartsInput, 'bom' | 'details'>,
  reporter = SILENT,
): Promise<PartsResult> {
  await using open = new ResourceStack()
  const shown = await showParts(world, input, reporter, open)
  const lists: PartsResult['lists'][number][] = []
  for (const { lines, ...list } of shown.lists) {
    const all: PartsLine[] = []
    for await (const batch of lines()) all.push(...batch)
    lists.push({
      ...list,
      rows: all.filter(({ part }) => part !== ''),
      withoutNumber: all.filter(({ part }) => part === ''),
    })
  }
  return { ...shown, lists }
}
