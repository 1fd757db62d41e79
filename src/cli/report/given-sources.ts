import { Failure } from '../../base/failure.ts'
import { readSourceList } from '../../report/sources/source-list.ts'
import type { Context } from '../context.ts'

/** The sources of a report: the operands, then those of a list. Standard input is read once, and not from a terminal. */
export async function givenSources({ world, settings }: Context): Promise<readonly string[]> {
  const { sourcesFrom, partsFile } = settings.values
  const { operands } = settings
  const uses = [...operands, ...partsFile, sourcesFrom].filter((one) => one === '-')
  if (uses.length > 1) {
    throw new Failure('usage', 'standard input can be read only once', {
      hint: 'give - once: as a source, or as a list',
      options: ['sources-from', 'parts-file'],
    })
  }
  if ((operands.includes('-') || sourcesFrom === '-') && world.stdin.isTTY === true) {
    const what = operands.includes('-') ? 'source' : 'list of sources'
    throw new Failure('usage', `the ${what} - is standard input, which is a terminal`, {
      hint: `pipe ${operands.includes('-') ? 'an archive or an XML file' : 'a list of paths'} into it, or name a file`,
    })
  }
  if (operands.includes('')) {
    throw new Failure('usage', 'an argument is empty', { hint: 'matdecl report --help shows its arguments' })
  }
  if (operands.length === 0 && sourcesFrom === undefined) {
    throw new Failure('usage', "missing required argument 'SOURCE'", {
      hint: 'name archives, directories or XML files, or give a list of them',
      options: ['sources-from'],
    })
  }
  return sourcesFrom === undefined ? operands : [...operands, ...(await readSourceList(world, sourcesFrom))]
}
