import { basename } from 'node:path'
import { Failure } from '../../base/failure.ts'
import { plural } from '../../base/units.ts'
import { MADE_UP } from '../../compliance/company-names.ts'
import type { Answer } from '../../library/answers.ts'
import { answeredAnew, replay, WHOLE } from '../../library/known.ts'
import { lostArchives, readLibrary, rowsDirectory, suspectArchive } from '../../library/library.ts'
import type { ReportOptions } from '../../report/report.ts'
import type { Context } from '../context.ts'
import { SANDBOX_ADDRESS } from '../download/access.ts'
import { aboutLibrary, libraryPath } from '../library-path.ts'

/** What a report reads. */
export type LibrarySources = Pick<
  ReportOptions,
  | 'sources'
  | 'leaveOut'
  | 'lost'
  | 'onDamaged'
  | 'rowsDirectory'
  | 'emptyText'
  | 'answered'
  | 'partsIn'
  | 'place'
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
 * are not read: each is a row that says so, unless its parts were answered anew. Throws `usage` when there is no library.
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
  const replaced = answeredAnew(answers, lost)
  const said = new Set<string>()
  const warnOfLost = (archives: readonly string[]): void => {
    const missed = archives.filter((name) => !said.has(name))
    for (const name of missed) said.add(name)
    const [first] = missed
    if (first === undefined) return
    const [verb, more] = missed.length === 1 ? ['is', ''] : ['are', ' …']
    const hint = missed.some((name) => replaced.has(name)) ? '' : '; matdecl sync asks for the parts again'
    const message = `${plural(missed.length, 'archive')} of the library ${verb} gone or changed (${first}${more})${hint}`
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
  const archiveOf = (source: string): string => basename(source.replace(/\.zip!.*$/s, '.zip'))
  return (asOf) => {
    const untilMs = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf) + DAY_MS
    const then = answers.filter(({ date, at }) => (date ?? at) < untilMs)
    const answered = answerTimes(then)
    const unneeded = answeredAnew(then, lost)
    const missed = then.flatMap(({ archive = '' }) =>
      lost.has(archive) && !unneeded.has(archive) ? archive : [],
    )
    warnOfLost(missed)
    if (asOf !== undefined && Date.parse(asOf) > world.clock.nowMs()) {
      const message = `${asOf} is in the future: the library has what came until today`
      terminal.reporter.notice({ level: 'warning', event: 'library.future', message })
    }
    return {
      sources: [directory],
      place: 'the library',
      leaveOut: (name, modifiedMs) => {
        if (lost.has(name)) return 'changed since it came'
        return (recorded.get(name) ?? modifiedMs) < untilMs ? undefined : 'came later'
      },
      lost: new Map(missed.map((name) => [name, 'gone, or not what came'])),
      onDamaged: async (source) => {
        const name = archiveOf(source)
        if (!recorded.has(name) || said.has(name)) return
        await suspectArchive(world, directory, name)
        warnOfLost([name])
      },
      partsIn: (source) => found.get(archiveOf(source)) ?? [],
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
