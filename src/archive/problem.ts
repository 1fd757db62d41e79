import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { plural } from '../base/units.ts'

/** One thing that is wrong with an archive, and where. */
export interface Problem {
  /** The entry's name as the archive spells it. */
  readonly entry?: string
  /** Where in the file it shows, in bytes from its start. */
  readonly offset?: number
  /** What kind of rule it breaks; decides the hint, and whether the bytes behind it can still be looked at. */
  readonly rule: 'name' | 'limit' | 'structure' | 'unsupported' | 'data'
  /** Long name of the option that sets the limit. */
  readonly option?: string
  /** What is wrong, as a clause without subject. */
  readonly text: string
}

/** How many problems of one archive are told; the rest is counted. */
export const MAX_TOLD = 20

/** Many problems without holding them all: the first `MAX_TOLD`, and how many there were. */
export interface ProblemList {
  readonly first: readonly Problem[]
  readonly count: number
  /** Nothing but names is wrong so far: every entry's data is where it is said to be. */
  readonly areNamesAlone: boolean
  readonly add: (problem: Problem) => void
}

export function createProblemList(): ProblemList {
  const first: Problem[] = []
  let count = 0
  let areNamesAlone = true
  return {
    first,
    get count() {
      return count
    },
    get areNamesAlone() {
      return areNamesAlone
    },
    add: (problem) => {
      count += 1
      if (problem.rule !== 'name') areNamesAlone = false
      if (first.length < MAX_TOLD) first.push(problem)
    },
  }
}

/** `"a.xml" at offset 812: CRC-32 is …`, fit for a terminal. */
export function describeProblem({ entry, offset, text }: Problem): string {
  const where = [
    entry === undefined ? undefined : `"${escapeUnsafe(shorten(entry))}"`,
    offset === undefined ? undefined : `at offset ${offset}`,
  ].filter((part) => part !== undefined)
  return escapeUnsafe(where.length === 0 ? text : `${where.join(' ')}: ${text}`)
}

/** The Failure for an archive at `path` with these problems (at least one). */
export function archiveFailure(path: string, problems: ProblemList): Failure {
  const [first] = problems.first
  const told = problems.first.map(describeProblem)
  if (problems.count > told.length) told.push(`and ${plural(problems.count - told.length, 'more problem')}`)
  const count = problems.count === 1 ? '' : `${plural(problems.count, 'problem')}; the first: `
  return new Failure('archive', `${escapeUnsafe(path)}: ${count}${told[0]}`, {
    hint: HINTS[first!.rule],
    file: path,
    rule: first!.rule,
    ...(first!.option === undefined ? {} : { options: [first!.option] }),
    ...(first!.entry === undefined ? {} : { entry: escapeUnsafe(first!.entry) }),
    problems: told,
  })
}

/** The Failure for an archive at `path` with one problem. */
export function archiveProblem(path: string, problem: Problem): Failure {
  const problems = createProblemList()
  problems.add(problem)
  return archiveFailure(path, problems)
}

const HINTS: Readonly<Record<Problem['rule'], string>> = {
  name: 'the archive was refused as a whole: a name like this could overwrite or hide a file; ask its sender for one without it',
  limit: 'raise the limit only if you trust the sender of the archive',
  structure:
    'the archive is damaged or was built to be read in two ways; fetch it again, and tell its sender if that does not help',
  unsupported: 'ask the sender for an archive with stored or deflated entries, not encrypted, in one file',
  data: 'the archive is damaged; fetch it again',
}

function shorten(name: string): string {
  return name.length > 200 ? `${name.slice(0, 199)}…` : name
}
