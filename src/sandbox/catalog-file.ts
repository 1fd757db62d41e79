import { createHash } from 'node:crypto'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { parseJson, positionOf } from '../base/json-text.ts'
import { plural } from '../base/units.ts'
import type { Catalog } from './catalog.ts'
import { partFacts } from './catalog-part.ts'
import { type CatalogFile, type CatalogProblem, checkCatalog } from './catalog-schema.ts'
import { catalogOf } from './indexed-catalog.ts'

/** How many mistakes are listed. */
const MOST_LISTED = 20

/**
 * Reads a catalog file, JSON with the user's own suppliers and parts; `file` is its name in messages. All mistakes are
 * reported with line and path in one `usage` failure.
 */
export function parseCatalog(text: string, file: string): Catalog {
  const checked = checkCatalog(readJson(text.replace(/^\ufeff/, ''), file))
  const problems = isProblems(checked) ? checked : repeatedNames(checked)
  if (problems.length > 0) throw badCatalog(text, file, problems)
  const { suppliers } = checked as CatalogFile
  const parts = inOrder(suppliers, ({ id }) => id).flatMap(({ id, name, parts: own }) =>
    inOrder(own, ({ number }) => number).map((part) => partFacts({ id, name }, part)),
  )
  return catalogOf(suppliers, parts, createHash('sha256').update(text).digest('hex'))
}

function readJson(text: string, file: string): unknown {
  const parsed = parseJson(text)
  if ('value' in parsed) return parsed.value
  const { message, line, column } = parsed.problem
  throw new Failure('usage', `${escapeUnsafe(file)}:${line}:${column}: invalid JSON: ${message}`, {
    hint: 'docs/sandbox.md shows a catalog file',
    file,
    line,
  })
}

function isProblems(checked: CatalogFile | readonly CatalogProblem[]): checked is readonly CatalogProblem[] {
  return Array.isArray(checked)
}

/** A repeated number would give two entries of an archive the same name. */
function repeatedNames({ suppliers }: CatalogFile): readonly CatalogProblem[] {
  const ids = repeats(suppliers.map(({ id }) => id)).map((index) => ({
    path: ['suppliers', index, 'id'],
    reason: 'is a duplicate',
  }))
  const numbers = suppliers.flatMap(({ parts }, supplier) =>
    repeats(parts.map(({ number }) => number)).map((index) => ({
      path: ['suppliers', supplier, 'parts', index, 'number'],
      reason: 'is a duplicate',
    })),
  )
  return [...ids, ...numbers]
}

function repeats(names: readonly string[]): readonly number[] {
  const seen = new Set<string>()
  return names.flatMap((name, index) => {
    if (seen.has(name)) return [index]
    seen.add(name)
    return []
  })
}

function badCatalog(text: string, file: string, problems: readonly CatalogProblem[]): Failure {
  const messages = problems.map(
    ({ path, reason }) => `${escapeUnsafe(file)}:${positionOf(text, path).line}: ${pathName(path)} ${reason}`,
  )
  const [first, ...others] = messages
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more mistake')})`
  return new Failure('usage', `${first}${more}`, {
    hint: 'docs/sandbox.md describes the catalog file',
    file,
    line: positionOf(text, problems[0]!.path).line,
    problems: messages.slice(0, MOST_LISTED),
  })
}

function pathName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the catalog'
  return escapeUnsafe(
    path
      .map((step, index) =>
        typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
      )
      .join(''),
  )
}

function inOrder<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}
