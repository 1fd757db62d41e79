import { resolve } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { readSmallText } from '../fs/input-file.ts'
import type { Problem } from '../request/check-criteria.ts'
import { type Migration, type MigrationOptions, migrate } from './migration.ts'
import { parseV1Request } from './v1-request.ts'

/** The v1 request to migrate, and how. */
export interface MigrateOptions extends Omit<MigrationOptions, 'todayMs'> {
  /** A file; standard input when it is undefined or `-`. */
  readonly file?: string | undefined
}

/**
 * Reads a v1 request (JSON, or a curl command line that sends it) and returns its v2 equivalent. Throws `usage` when it is
 * invalid or has none. No result or error contains its API key.
 */
export async function migrateRequest(world: World, { file, ...options }: MigrateOptions): Promise<Migration> {
  const isStdin = file === undefined || file === '-'
  if (isStdin && world.stdin.isTTY === true) {
    throw new Failure('usage', 'no request given', {
      hint: 'name a file with the v1 request, or pipe one in: matdecl migrate REQUEST.json',
    })
  }
  const source = isStdin ? { stdin: world.stdin } : { path: file, absolute: resolve(world.cwd(), file) }
  const { text, isExposed } = await readSmallText(world, source)
  const name = isStdin ? 'standard input' : escapeUnsafe(file)
  const parsed = parseV1Request(text, name)
  if ('problems' in parsed) throw failureOf(parsed.problems)
  const migration = migrate(parsed.request, { ...options, todayMs: world.clock.nowMs() })
  if ('problems' in migration) throw failureOf(migration.problems)
  if (!isExposed || !parsed.request.hasKey) return migration
  const message = `${name} contains an API key that others on this machine can read: run chmod 600, or remove the key`
  return { ...migration, warnings: [{ message }, ...migration.warnings] }
}

function failureOf(problems: readonly Problem[]): Failure {
  const [first] = problems
  if (problems.length === 1) return new Failure('usage', first!.message, { hint: first!.hint })
  return new Failure('usage', `${plural(problems.length, 'problem')} in the request`, {
    hint: 'fix the v1 request, then run the command again',
    problems: problems.map(({ message, hint }) => `${message}: ${hint}`),
  })
}
