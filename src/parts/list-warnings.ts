import * as z from 'zod'
import { escapeUnsafe } from '../base/clean-text.ts'
import type { Notice, Reporter } from '../base/notice.ts'
import { formatCount } from '../base/units.ts'
import type { DamageKind } from './part-number.ts'

/** The warnings about lists and part numbers, as results of commands have them. */
export const listWarnings = {
  warnings: z
    .array(
      z.object({
        kind: z.string().describe('what it is about'),
        file: z.string().optional().describe('the list'),
        line: z.int().optional().describe('the line, or the row of the sheet'),
        message: z.string().describe('what looks wrong'),
      }),
    )
    .readonly()
    .describe('what looks wrong in the lists and with the part numbers: the first 20 of each kind'),
  warningCount: z.int().nonnegative().describe('the number of all'),
}

/** Something about the requested parts; `file` and `line` are absent for a part that was given by itself. */
export interface ListWarning {
  readonly kind: string
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly part?: string
  readonly message: string
  readonly hint?: string
  /** Long names of options that help, without dashes. */
  readonly options?: readonly string[] | undefined
}

/** A doubt about a value: a mistake where the run is strict. */
type ValueDoubt = ListWarning & { readonly kind: DamageKind }

/** Places of each kind that are named on the terminal. */
export const NAMED = 5
/** How many of a kind are kept. */
export const SHOWN = 20

/** What looks wrong in the lists of a run, and with its part numbers: whoever shows it gets it from here. */
export class Warnings {
  readonly #reporter: Reporter
  readonly #ofLists = new Map<string, ListWarning[]>()
  readonly #doubts = new Map<string, { count: number; readonly first: ListWarning[] }>()
  #countOfLists = 0

  constructor(reporter: Reporter) {
    this.#reporter = reporter
  }

  /** Adds a doubt, and `more` like it that are only counted; those of one group are reported together. */
  doubt(one: ValueDoubt, more = 0, group: string = one.kind): void {
    const same = this.#doubts.get(group) ?? { count: 0, first: [] }
    this.#doubts.set(group, same)
    same.count += 1 + more
    if (same.first.length < SHOWN) same.first.push(one)
  }

  /** Reports what there is to say about a list as a whole, and keeps it if it is a warning. */
  notice(file: string, notice: Notice): void {
    this.#reporter.notice({ ...notice, data: { file, ...notice.data } })
    if (notice.level !== 'warning') return
    const { event, message, options } = notice
    this.#countOfLists += 1
    const same = this.#ofLists.get(event) ?? []
    this.#ofLists.set(event, same)
    if (same.length < SHOWN) same.push({ kind: event.replace('parts.', ''), file, message, options })
  }

  /** The first of each kind, by list and line. */
  get first(): readonly ListWarning[] {
    return byPlace([...this.#ofLists.values()].flat().concat(this.doubts))
  }

  get count(): number {
    return this.#countOfLists + this.doubtCount
  }

  get doubts(): readonly ListWarning[] {
    return byPlace([...this.#doubts.values()].flatMap(({ first }) => first))
  }

  get doubtCount(): number {
    return [...this.#doubts.values()].reduce((sum, { count }) => sum + count, 0)
  }

  /** Reports each group of doubts once: the first in words, and where the others are. */
  report(): void {
    const { doubts } = this
    const groups = new Set(
      doubts.map((one) => [...this.#doubts.values()].find(({ first }) => first.includes(one))!),
    )
    for (const { first, count } of groups) {
      const [{ message, options: _, ...data }, ...others] = byPlace(first) as [ListWarning, ...ListWarning[]]
      const places = others
        .slice(0, NAMED)
        .map(({ file, line, part = '' }) =>
          file === undefined ? quote(part) : `${file}:${line}${part === '' ? '' : ` ${quote(part)}`}`,
        )
      const left = count - 1 - places.length
      const more = left > 0 ? ` and ${formatCount(left)} more` : ''
      this.#reporter.notice({
        level: 'warning',
        event: 'parts.doubtful',
        message: count === 1 ? message : `${message}; likewise ${places.join(', ')}${more}`,
        data: count === 1 ? data : { ...data, count },
      })
    }
  }
}

/** By line within a list: what concerns a whole column is found last. Lists stay in the order they were given. */
export function byPlace<One extends Pick<ListWarning, 'file' | 'line'>>(all: readonly One[]): readonly One[] {
  const files = [...new Set(all.map(({ file }) => file))]
  return all.toSorted(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || (a.line ?? 0) - (b.line ?? 0),
  )
}

export function quote(part: string): string {
  return `"${escapeUnsafe(part.length > 120 ? `${part.slice(0, 119)}…` : part)}"`
}
