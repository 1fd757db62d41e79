import { basename } from 'node:path'
import { Failure } from '../../base/failure.ts'
import { plural } from '../../base/units.ts'
import { MADE_UP } from '../../compliance/company-names.ts'
import type { Answer } from '../../library/answers.ts'
import { replay, WHOLE } from '../../library/known.ts'
import { lostArchives, readLibrary, rowsDirectory } from '../../library/library.ts'
import type { ReportOptions } from '../../report/report.ts'
import type { Context } from '../context.ts'
import { SANDBOX_ADDRESS } from '../download/access.ts'
import { aboutLibrary, libraryPath } from '../library-path.ts'

/** What a report reads. */
export type LibrarySources = Pick<
  ReportOptions,
  'sources' | 'leaveOut' | 'rowsDirectory' | 'emptyText' | 'answered' | 'partsIn' | 'place'
>

const DAY_MS = 86_400_000

/** The library on a day. */
export async function librarySources(
  context: LibraryContext,
  asOf: string | undefined,
): Promise<LibrarySources> {
  return (await libraryByDay(context))(asOf)
}

type LibraryContext = Pick<Context, 'world' | 'settings' | 'terminal'>

/**
 * The library as the sources of reports: every archive that came, and the files that people put there; with a day as it was at the end
 * of that day (UTC): archives by the service's clock, other files by their time. Archives that are gone or have changed since they came
 * are warned of, and not read. Throws `usage` when there is no library.
 */
export async function libraryByDay(
  context: LibraryContext,
): Promise<(asOf: string | undefined) => LibrarySources> {
  const { world, terminal, settings } = context
  const directory = libraryPath(context)
  const { answers } = await readLibrary(world, directory).catch((error: unknown) => {
    throw aboutLibrary(error)
  })
  const isThere = await world.disk.stat(directory).then(
    (facts) => facts.isDirectory(),
    () => false,
  )
  if (!isThere) {
    throw new Failure('usage', `there is no library at ${directory}`, {
      hint: 'run matdecl sync first, or name archives, directories or XML files',
      options: ['library'],
    })
  }
  const lost = await lostArchives(world, directory, answers, world.interrupt)
  if (lost.size > 0) {
    const [first] = lost
    const what = `${plural(lost.size, 'archive')} of the library ${lost.size === 1 ? 'is' : 'are'} gone or changed, and not read`
    const message = `${what} (${first}${lost.size === 1 ? '' : ' …'}); matdecl sync asks for the parts again`
    terminal.reporter.notice({ level: 'warning', event: 'library.lost', message })
  }
  // A run against the sandbox says so itself.
  if (!settings.values.sandbox && answers.some(({ search }) => search.baseUrl === SANDBOX_ADDRESS)) {
    terminal.reporter.notice({
      level: 'warning',
      event: 'library.sandbox',
      message: `the library has ${MADE_UP}`,
    })
  }
  const recorded = new Map(answers.map(({ archive, date, at }) => [archive, date ?? at]))
  const found = new Map(answers.map((answer) => [answer.archive, answer.found]))
  return (asOf) => {
    const untilMs = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf) + DAY_MS
    const answered = answerTimes(answers.filter(({ date, at }) => (date ?? at) < untilMs))
    return {
      sources: [directory],
      place: 'the library',
      leaveOut: (name, modifiedMs) => {
        if (lost.has(name)) return 'changed since it came'
        return (recorded.get(name) ?? modifiedMs) < untilMs ? undefined : 'came later'
      },
      partsIn: (source) => found.get(basename(source.replace(/\.zip!.*$/s, '.zip'))) ?? [],
      rowsDirectory: rowsDirectory(directory),
      emptyText:
        asOf === undefined
          ? 'the library has nothing yet'
          : `the library had nothing at the end of ${asOf} (UTC)`,
      // What was asked of a supplier as a whole was not asked by part.
      ...(answered.has(WHOLE) ? {} : { answered }),
    }
  }
}

/** When each part was last answered, by this machine's clock, in milliseconds since the epoch. */
export function answerTimes(answers: readonly Answer[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { parts } of replay(answers).values()) {
    for (const [part, { at }] of parts) {
      if (at !== undefined) times.set(part, Math.max(at, times.get(part) ?? 0))
    }
  }
  return times
}
