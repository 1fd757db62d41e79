import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { type CliResult, cli } from '../../support/cli.ts'
import { IS_SOAK } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'
import { type Declaration, WRITERS, xmlOf } from './declarations.ts'

/** Every run is on this day, at noon. */
export const TODAY = '2026-11-22'

/** The rules of `--fail-on` without a value. */
export const PLAIN_RULES =
  'not-compliant,svhc,missing,incomplete,unreadable,not-declared,reach-not-declared,unaccepted,contradictory,indicated,threshold,not-screened'

/** What a cell has to be: this value, a text that matches, or a text that contains or matches each of these. */
export type Wanted = string | number | null | RegExp | readonly (string | RegExp)[]

/** What a row has to say; what is not given is not checked. */
export interface WantedRow {
  readonly part: string
  /** The files, by their names in the case, that `source` names; it names no other file of the case. */
  readonly sources?: readonly string[]
  /** The matched rules, without what is waived. */
  readonly gate?: readonly string[]
  /** A remark that stands in `note` or in `indications`. */
  readonly told?: RegExp
  /** What these cells must not contain or be. */
  readonly not?: Readonly<Record<string, string | RegExp>>
  readonly [column: string]: Wanted | Readonly<Record<string, string | RegExp>> | undefined
}

/** Files by name, without `.xml`: a declaration, or the text of a file. */
export type Folder = Readonly<Record<string, Declaration | string>>

/** A folder of declarations and what its report has to say. */
export interface Case {
  /** The words of the contract. */
  readonly name: string
  readonly files: Folder
  /** Further files that options name, such as a parts list. */
  readonly beside?: Readonly<Record<string, string>>
  readonly options?: readonly string[]
  readonly today?: string
  /** Every row of the report, in any order. */
  readonly rows: readonly WantedRow[]
  /** By default 13 where a row has a gate, else 0. */
  readonly exit?: number
  /** What the other output has to say: counts, verdict, roll-up. */
  readonly report?: Wanted
  readonly notReport?: string | RegExp
  /** The run ends before it has rows. */
  readonly hasNoRows?: boolean
  /** Only one writer: the case is about the text of the file itself. */
  readonly isOneWriter?: boolean
}

export type Row = Readonly<Record<string, unknown>>

/**
 * A test for each case. In the soak a case is run twice: the second time its files come in the other order and from other programs, for
 * what a folder says must depend on neither. The suite runs every other case in the one way, and the rest in the other.
 */
export function itReports(cases: readonly Case[]): void {
  for (const [index, one] of cases.entries()) {
    const isReversed = index % 2 === 1 && one.isOneWriter !== true
    it(one.name, async () => {
      const problems = [
        ...(IS_SOAK || !isReversed ? await problemsOf(one, 0, false) : []),
        ...(one.isOneWriter !== true && (IS_SOAK || isReversed) ? await problemsOf(one, 1, true) : []),
      ]
      if (problems.length > 0) expect.fail(problems.join('\n'))
    })
  }
}

async function problemsOf(one: Case, firstWriter: number, isReversed: boolean): Promise<string[]> {
  return withFolder(async (cwd) => {
    await writeFolder(join(cwd, 'xml'), one.files, firstWriter, isReversed)
    for (const [name, content] of Object.entries(one.beside ?? {})) await writeFile(join(cwd, name), content)
    const result = await cli(['report', 'xml', '--json', ...gateOf(one), ...(one.options ?? [])], {
      cwd,
      nowMs: Date.parse(`${one.today ?? TODAY}T12:00:00Z`),
    })
    const found = [...exitProblems(one, result), ...rowProblems(one, result), ...outputProblems(one, result)]
    const how = isReversed ? 'files in the other order, other writers' : 'files in order'
    return found.map((problem) => `${problem} [${how}]`)
  })
}

/** Writes the files of a case, in an order of names and each by the next program. */
export async function writeFolder(
  folder: string,
  files: Folder,
  firstWriter = 0,
  isReversed = false,
): Promise<void> {
  const names = Object.keys(files)
  await mkdir(folder, { recursive: true })
  for (const [index, name] of names.entries()) {
    const file = files[name]!
    const place = isReversed ? names.length - index : index + 1
    const path = join(folder, String(place).padStart(2, '0'), `${name}.xml`)
    await mkdir(dirname(path), { recursive: true })
    const writer = WRITERS[(index + firstWriter) % WRITERS.length]!
    await writeFile(path, typeof file === 'string' ? file : xmlOf(file, writer))
  }
}

function gateOf({ rows, options = [] }: Case): string[] {
  if (options.includes('--fail-on') || rows.every(({ gate }) => gate === undefined)) return []
  return ['--fail-on', PLAIN_RULES]
}

function exitProblems({ rows, exit }: Case, { code, stderr }: CliResult): string[] {
  const wanted = exit ?? (rows.some(({ gate = [] }) => gate.length > 0) ? 13 : 0)
  return code === wanted ? [] : [`exit ${code}, not ${wanted}: ${stderr.slice(0, 300)}`]
}

function rowProblems({ rows: wanted, files, hasNoRows = false }: Case, result: CliResult): string[] {
  if (hasNoRows) return []
  if (!result.stdout.startsWith('{')) return [`no JSON: ${result.stdout.slice(0, 200)}`]
  const rows = (result.json().rows ?? []) as Row[]
  const left = [...rows]
  const problems: string[] = []
  for (const row of wanted) {
    const candidates = left.filter(({ part }) => part === row.part)
    if (candidates.length === 0) {
      problems.push(`no row of ${row.part}`)
      continue
    }
    // Of several rows of a part, that which fits best.
    const ranked = candidates.map((candidate) => ({
      candidate,
      found: cellProblems(row, candidate, Object.keys(files)),
    }))
    const best = ranked.sort((a, b) => a.found.length - b.found.length)[0]!
    left.splice(left.indexOf(best.candidate), 1)
    problems.push(...best.found)
  }
  return [...problems, ...left.map((row) => `a row too many: ${JSON.stringify(row)}`)]
}

function cellProblems(wanted: WantedRow, row: Row, files: readonly string[]): string[] {
  const { sources, gate, not = {}, ...cells } = wanted
  const problems = Object.entries(cells)
    .filter(([column, value]) => value !== undefined && !fits(cellOf(row, column), value as Wanted))
    .map(
      ([column, value]) =>
        `${wanted.part} ${column}: ${shown(cellOf(row, column))}, expected ${shown(value)}`,
    )
  for (const [column, unwanted] of Object.entries(not)) {
    if (column in row && !contains(row[column], unwanted)) continue
    problems.push(`${wanted.part} ${column}: ${shown(row[column])}, expected without ${shown(unwanted)}`)
  }
  if (sources !== undefined) {
    const named = files.filter((file) => String(row.source).includes(`/${file}.xml`))
    if (named.toSorted().join() !== sources.toSorted().join()) {
      problems.push(`${wanted.part} source: ${shown(row.source)}, expected ${shown(sources)}`)
    }
  }
  if (gate !== undefined && gateWords(row).join() !== gate.toSorted().join()) {
    problems.push(
      `${wanted.part} gate: ${shown(row.gate)}, expected ${shown(gate)}; note: ${shown(row.note)}`,
    )
  }
  return problems
}

/** A cell, or for `told` the two columns in which a remark may stand. */
function cellOf(row: Row, column: string): unknown {
  return column === 'told' ? `${row.note ?? ''}; ${row.indications ?? ''}` : row[column]
}

/** The rules that a row matches and nobody waived. */
export function gateWords(row: Row): string[] {
  return String(row.gate)
    .split('; ')
    .filter((word) => word !== '' && !/\(waived/.test(word))
    .toSorted()
}

function outputProblems({ report, notReport }: Case, { stdout, stderr }: CliResult): string[] {
  const { rows: _, ...rest } = (stdout.startsWith('{') ? JSON.parse(stdout) : {}) as { rows?: unknown }
  const output = `${JSON.stringify(rest)}\n${stderr}`
  return [
    ...(report === undefined || fits(output, report) ? [] : [`${output}\n expected ${shown(report)}`]),
    ...(notReport !== undefined && contains(output, notReport)
      ? [`${output}\n expected without ${shown(notReport)}`]
      : []),
  ]
}

/** True for a value that is as wanted. */
export function fits(value: unknown, wanted: Wanted): boolean {
  if (wanted instanceof RegExp) return wanted.test(String(value ?? ''))
  if (Array.isArray(wanted)) return wanted.every((piece) => contains(value, piece as string | RegExp))
  return value === wanted
}

function contains(value: unknown, piece: string | RegExp): boolean {
  const all = String(value ?? '')
  return typeof piece === 'string' ? all.toLowerCase().includes(piece.toLowerCase()) : piece.test(all)
}

function shown(value: unknown): string {
  if (value instanceof RegExp) return String(value)
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  return JSON.stringify(value) ?? 'undefined'
}
