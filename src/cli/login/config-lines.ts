import { isDeepStrictEqual } from 'node:util'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import type { World } from '../../base/world.ts'
import { readSettingsFile } from '../../fs/input-file.ts'
import { isTable, keyLines, parseToml } from '../settings/config-file.ts'
import { writeSettingsFile } from './secret-file.ts'

/** The settings that `login` writes. */
export type SavedKeys = Readonly<Record<string, string>>

const HEAD = '# Settings of matdecl: the keys are its long options\n'

/** What the config file says: its text, and the values that a run with this profile reads from it. */
export async function readConfig(
  world: World,
  path: string,
  profile: string | undefined,
): Promise<{ readonly text: string; readonly valueOf: (key: string) => unknown }> {
  const text = (await readSettingsFile(world, path, false))?.text ?? ''
  const table = await parseToml(text, path, () => 'fix the line, then run the same command again')
  const profiles = isTable(table.profiles) ? table.profiles : {}
  const level = profile === undefined ? undefined : profiles[profile]
  return { text, valueOf: (key) => (isTable(level) ? level[key] : undefined) ?? table[key] }
}

/**
 * Sets keys at the top of the config file, or in the table of a profile: replaces their lines, or adds them. Everything else in it
 * stays as it is; a file in which this cannot be done is left alone, with the lines to write as the hint.
 */
export async function saveInConfig(
  world: World,
  path: string,
  text: string,
  profile: string | undefined,
  keys: SavedKeys,
): Promise<void> {
  const place = profile === undefined ? [] : ['profiles', profile]
  const changed = withKeys(text, place, keys)
  if (!(await saysTheSame(text, changed, path, place, keys))) {
    const lines = Object.entries(keys).map(([key, value]) => lineOf(key, value))
    const header = profile === undefined ? [] : [`[profiles.${tomlKey(profile)}]`]
    throw new Failure('config', `matdecl cannot change ${path}`, {
      file: path,
      hint: `write there, then run the same command again: ${escapeUnsafe([...header, ...lines].join(' / '))}`,
    })
  }
  const target = await world.disk.realpath(path).catch(() => path)
  await writeSettingsFile(world, target, changed, true)
}

function withKeys(text: string, place: readonly string[], keys: SavedKeys): string {
  const found = keyLines(text)
  const lines = (text === '' ? HEAD : text).split('\n')
  const added: string[] = []
  for (const [key, value] of Object.entries(keys)) {
    const at = found.get([...place, key].join('.'))
    if (at === undefined) added.push(lineOf(key, value))
    else lines[at - 1] = lineOf(key, value)
  }
  if (added.length === 0) return lines.join('\n')
  const header = place.length === 0 ? undefined : found.get(place.join('.'))
  if (header === undefined && place.length > 0)
    return [...lines, `[profiles.${tomlKey(place[1]!)}]`, ...added, ''].join('\n')
  const at = header ?? (text === '' ? 1 : 0)
  return [...lines.slice(0, at), ...added, ...lines.slice(at)].join('\n')
}

function lineOf(key: string, value: string): string {
  return `${key} = ${JSON.stringify(value)}`
}

function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
}

// A line is found by its text: the parsed file must have the new values, and no other difference.
async function saysTheSame(
  before: string,
  after: string,
  path: string,
  place: readonly string[],
  keys: SavedKeys,
): Promise<boolean> {
  const parse = (text: string) =>
    parseToml(text, path, () => '').then(structuredClone<Record<string, unknown>>)
  try {
    const [expected, got] = await Promise.all([parse(before), parse(after)])
    let level = expected
    for (const name of place) {
      level[name] ??= {}
      level = level[name] as Record<string, unknown>
    }
    Object.assign(level, keys)
    return isDeepStrictEqual(got, expected)
  } catch (error) {
    if (isFailure(error)) return false
    throw error
  }
}
