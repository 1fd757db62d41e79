import { resolve } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { readRequestText } from '../fs/text-file.ts'
import type { Problem } from '../request/criteria.ts'
import { readLegacyRequest } from './legacy-request.ts'
import { type Migration, migrate } from './migration.ts'

/** Which request to bring to v2, and how. */
export interface MigrateWish {
  /** A file; undefined or `-` for standard input. */
  readonly file?: string | undefined
  readonly baseUrl?: string | undefined
  readonly standard?: '1752A' | '1752B' | undefined
}

/**
 * Reads a v1 request, JSON or a curl command line with one, and says what it is in v2. `usage` when it can't be read, or when
 * nothing valid can be asked of v2. Its key is in nothing that comes back, and in no failure.
 */
export async function migrateRequest(
  world: World,
  { file, baseUrl, standard }: MigrateWish,
): Promise<Migration> {
  const isStdin = file === undefined || file === '-'
  if (isStdin && world.stdin.isTTY === true) {
    throw new Failure('usage', 'no request is given', {
      hint: 'name a file that holds the v1 request, or pipe one in: matdecl migrate REQUEST.json',
    })
  }
  const source = isStdin ? { stdin: world.stdin } : { path: file, absolute: resolve(world.cwd(), file) }
  const { text, isExposed } = await readRequestText(world.disk, source)
  const name = isStdin ? 'standard input' : escapeUnsafe(file)
  const read = readLegacyRequest(text, name)
  if ('problems' in read) throw failureOf(read.problems)
  const migration = migrate(read.request, { baseUrl, standard, todayMs: world.clock.nowMs() })
  if ('problems' in migration) throw failureOf(migration.problems)
  if (!isExposed || !read.request.hasKey) return migration
  const exposed = `${name} holds an API key that others on this machine can read: chmod 600, or remove the key`
  return { ...migration, warnings: [exposed, ...migration.warnings] }
}

function failureOf(problems: readonly Problem[]): Failure {
  const [first] = problems
  if (problems.length === 1) return new Failure('usage', first!.message, { hint: first!.hint })
  return new Failure('usage', `${plural(problems.length, 'mistake')} in the request`, {
    hint: 'mend them in the v1 request, then run this again',
    problems: problems.map(({ message, hint }) => `${message}: ${hint}`),
  })
}
