import type { World } from '../base/world.ts'
import type { WantedBomColumns } from './bom-columns.ts'
import { type ListItem, trimBlanks } from './list-item.ts'
import { type ListSource, listChunks, nameOf } from './list-source.ts'
import { type TextBlock, textBlocks } from './list-text.ts'

/**
 * Reads one list of parts in batches: text (a part a line), `.csv` and `.tsv` tables, `.xlsx` workbooks. Values lose the spaces
 * and tabs around them and nothing else; blank ones are skipped. `column` is a heading or a number from 1; with `bom` the columns of a
 * bill of materials are read too. A list that cannot be used is a `usage` failure with file and line; a disk that fails is `io`.
 */
export async function* readList(
  world: World,
  source: ListSource,
  column: string | undefined,
  bom?: WantedBomColumns,
): AsyncGenerator<readonly ListItem[]> {
  const name = nameOf(source)
  if ('path' in source && hasEnding(name, ['.xlsx', '.xlsm'])) {
    const { readWorkbookList } = await import('./list-workbook.ts')
    return yield* readWorkbookList(world, source, column, bom)
  }
  const blocks = textBlocks(listChunks(world, source), name)
  const isColumnGiven = [column, bom?.quantity, bom?.level].some((one) => one !== undefined)
  const isTabbed = hasEnding(name, ['.tsv', '.tab'])
  if (isTabbed || hasEnding(name, ['.csv']) || (isColumnGiven && !isTextFile(source))) {
    const { readTable } = await import('./list-table.ts')
    return yield* readTable(blocks, { name, column, bom, isTabbed })
  }
  yield* readLines(blocks)
}

/** True for a list that never has columns: a `.txt` file. */
export function isTextFile(source: ListSource): boolean {
  return 'path' in source && hasEnding(source.path, ['.txt', '.lst', '.list'])
}

function hasEnding(name: string, endings: readonly string[]): boolean {
  const lower = name.toLowerCase()
  return endings.some((ending) => lower.endsWith(ending))
}

async function* readLines(blocks: AsyncIterable<TextBlock>): AsyncGenerator<readonly ListItem[]> {
  for await (const { text, firstLine } of blocks) {
    yield text.split('\n').flatMap((value, index) => {
      const part = trimBlanks(value)
      return part === '' ? [] : [{ line: firstLine + index, part }]
    })
  }
}
