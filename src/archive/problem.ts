import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { plural } from '../base/units.ts'

/** Something wrong with an archive, and where. */
export interface Problem {
  /** The entry's name as the archive spells it. */
  readonly entry?: string
  /** Where in the file, in bytes from its start. */
  readonly offset?: number
  /** What kind of rule it breaks; decides the hint, and whether the data can still be checked. */
  readonly rule: 'name' | 'limit' | 'structure' | 'unsupported' | 'data'
  /** Long name of the option that sets the limit. */
  readonly option?: string
  /** What is wrong, as a clause without subject. */
  readonly text: string
}

/** How many problems of one archive are shown; the rest is counted. */
export const MAX_SHOWN = 20

/** Many problems without holding them all: the first `MAX_SHOWN` and the count. */
export interface ProblemList {
  readonly first: readonly Problem[]
  readonly count: number
  /** Only names are wrong so far: the data of every entry can be checked. */
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
      if (first.length < MAX_SHOWN) first.push(problem)
    },
  }
}

/** `"a.xml" at offset 812: CRC-32 is …`, safe for a terminal. */
function describeProblem({ entry, offset, text }: Problem): string {
  const where = [
    entry === undefined ? undefined : `"${escapeUnsafe(shorten(entry))}"`,
    offset === undefined ? undefined : `at offset ${offset}`,
  ].filter((part) => part !== undefined)
  return escapeUnsafe(where.length === 0 ? text : `${where.join(' ')}: ${text}`)
}

/** The Failure for an archive at `path` with these problems (at least one). */
export function archiveFailure(path: string, problems: ProblemList): Failure {
  const [first] = problems.first
  const shown = problems.first.map(describeProblem)
  if (problems.count > shown.length)
    shown.push(`and ${plural(problems.count - shown.length, 'more problem')}`)
  const count = problems.count === 1 ? '' : `${plural(problems.count, 'problem')}; the first: `
  return new Failure('archive', `${escapeUnsafe(path)}: ${count}${shown[0]}`, {
    hint: HINTS[first!.rule],
    file: path,
    rule: first!.rule,
    ...(first!.option === undefined ? {} : { options: [first!.option] }),
    ...(first!.entry === undefined ? {} : { entry: escapeUnsafe(first!.entry) }),
    problems: shown,
  })
}

/** The Failure for an archive at `path` with one problem. */
export function archiveProblem(path: string, problem: Problem): Failure {
  const problems = createProblemList()
  problems.add(problem)
  return archiveFailure(path, problems)
}

const HINTS: Readonly<Record<Problem['rule'], string>> = {
  name: 'the whole archive was refused: such a name could overwrite or hide a file; ask its sender for an archive without it',
  limit: 'raise the limit only if you trust the sender of the archive',
  structure:
    'the archive is damaged, or tools could read it in different ways; download it again, and inform its sender if that does not help',
  unsupported: 'ask the sender for an archive with stored or deflated entries, not encrypted, in one file',
  data: 'the archive is damaged; download it again',
}

function shorten(name: string): string {
  return name.length > 200 ? `${name.slice(0, 199)}…` : name
}
