import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { readSmallText } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { csvRecords } from '../../parts/list-table.ts'
import { createWaivers, WAIVER_COLUMNS, type Waivers, waiversOf } from '../../report/gate/waivers.ts'
import type { FileRecord } from '../../report/records.ts'
import type { Context } from '../context.ts'

/** Reads the file of the `waivers` option: TOML by its extension, else CSV. Undefined without the option. */
export async function readWaivers({
  world,
  settings,
}: Pick<Context, 'world' | 'settings'>): Promise<Waivers | undefined> {
  const { waivers: path } = settings.values
  if (path === undefined) return undefined
  const { text } = await readSmallText(world, { path, absolute: absolutePath(world.cwd, path) })
  const records = /\.toml$/i.test(path)
    ? await tomlRecords(text, path)
    : await csvRecords(text, path, WAIVER_COLUMNS, ['waivers'])
  return createWaivers(path, waiversOf(records, path), world.clock.nowMs())
}

/** The `[[waiver]]` tables of a TOML file. */
async function tomlRecords(text: string, name: string): Promise<readonly FileRecord[]> {
  const { parse, TomlError } = await import('smol-toml')
  const tables = (() => {
    try {
      return parse(text).waiver
    } catch (error) {
      if (!(error instanceof TomlError)) throw error
      const reason = cleanText(error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, ''), 120)
      throw new Failure('usage', `${name}:${error.line}: ${reason}`, {
        hint: 'fix the line',
        options: ['waivers'],
        file: name,
        line: error.line,
      })
    }
  })()
  if (!Array.isArray(tables) || !tables.every(isTable)) {
    throw new Failure('usage', `${name} has no [[waiver]] tables`, {
      hint: `write [[waiver]], and under it ${WAIVER_COLUMNS.join(', ')}`,
      options: ['waivers'],
      file: name,
    })
  }
  const lines = text
    .split('\n')
    .flatMap((line, index) => (/^\s*\[\[\s*waiver\s*\]\]/.test(line) ? [index + 1] : []))
  return tables.map((table, index) => ({
    line: lines.length === tables.length ? lines[index] : undefined,
    // A TOML date is the same as its text.
    values: Object.fromEntries(
      Object.entries(table).map(([key, value]) => [key, value instanceof Date ? value.toISOString() : value]),
    ),
  }))
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
