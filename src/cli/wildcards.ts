import { win32 } from 'node:path'
import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { absolutePath, isTaken } from '../fs/output-target.ts'
import { operandsOf } from './command.ts'
import { COMMANDS } from './commands/commands.ts'
import type { CommandLine } from './settings/settings.ts'

/**
 * The operands with `*` and `?` replaced by the names that match, where these stand for files. For Windows, whose shells do not do it. A
 * name that exists is taken as it is. Throws `usage` when nothing matches, or more than one where the command takes one.
 */
export async function expandWildcards(
  world: World,
  { command, operands }: Pick<CommandLine, 'command' | 'operands'>,
): Promise<readonly string[]> {
  const expected = operandsOf(COMMANDS.find(({ name }) => name === command)!)
  const expanded: string[] = []
  for (const [index, word] of operands.entries()) {
    const operand = expected[index] ?? expected.at(-1)
    const { root } = win32.parse(word)
    const isPattern = operand?.offers?.kind === 'files' && /[*?]/.test(word.slice(root.length))
    if (!isPattern || (await isTaken(world.disk, absolutePath(world.cwd, word)).catch(() => false))) {
      expanded.push(word)
      continue
    }
    const matches = await matchesOf(world, root, word.slice(root.length))
    if (matches.length === 0) {
      throw new Failure('usage', `no file matches '${cleanText(word, 200)}'`, { hint: 'check the path' })
    }
    if (matches.length > 1 && operand.many !== true) {
      throw new Failure(
        'usage',
        `'${cleanText(word, 200)}' matches ${matches.length} files, but ${command} takes one there`,
        {
          hint: `name the file, for example '${cleanText(matches[0]!, 200)}'`,
        },
      )
    }
    for (const one of matches) expanded.push(one)
  }
  return expanded
}

// Without case, as Windows compares names; hidden names (`.NAME`) only for a pattern that begins with a dot.
async function matchesOf({ disk, cwd }: World, root: string, pattern: string): Promise<readonly string[]> {
  let found: readonly string[] = [root]
  // Components, each with the separators behind it.
  const components = pattern.match(/[^\\/]+[\\/]*|[\\/]+/g) ?? []
  for (const component of components) {
    const name = component.replace(/[\\/]+$/, '')
    const separators = component.slice(name.length)
    if (!/[*?]/.test(name)) {
      found = found.map((before) => `${before}${component}`)
      continue
    }
    const parts = name
      .normalize()
      .replace(/[.+^${}()|[\]]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
    const match = new RegExp(`^${parts}$`, 'isu')
    const next: string[] = []
    for (const before of found) {
      const names = await disk.readdir(absolutePath(cwd, before === '' ? '.' : before)).catch(() => [])
      for (const one of names.toSorted()) {
        if (match.test(one.normalize()) && (name.startsWith('.') || !one.startsWith('.')))
          next.push(`${before}${one}${separators}`)
      }
    }
    found = next
  }
  const isThere = await Promise.all(
    found.map((path) => isTaken(disk, absolutePath(cwd, path)).catch(() => false)),
  )
  return found.filter((_, index) => isThere[index])
}
