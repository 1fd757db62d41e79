import { escapeUnsafe } from '../../base/clean-text.ts'
import type { JudgeContext } from '../../compliance/judge.ts'
import { nearKey } from '../../parts/near-key.ts'
import type { BatchHead, BatchRows } from '../report-batch.ts'
import { type Candidate, CurrentDeclarations } from './current-declarations.ts'
import { judgedRow, replacedParts, supersededRow } from './make-row.ts'
import type { PartDeclaration, SubstanceRow } from './part-declaration.ts'
import { missingRow, type OpenRow, unreadableRow } from './report-row.ts'

/** What stays of a batch, and how many rows do not. */
export interface ResolvedBatch {
  readonly rows: readonly OpenRow[]
  readonly substances: readonly SubstanceRow[]
  readonly superseded: number
  readonly notListed: number
}

/** Makes the rows of a report. All declarations must be seen, in order, before the first batch is resolved, in the same order. */
export interface RowResolver {
  readonly see: (declaration: Candidate) => void
  readonly resolveAll: () => BatchResolver
}

/** Resolves the batches, each in one of two ways. */
interface BatchResolver {
  /** Those of a head that need no row, each where it is. */
  readonly outside: (head: BatchHead) => readonly (Candidate | undefined)[]
  readonly rows: (batch: BatchRows) => ResolvedBatch
  /** By its head alone, where nothing of a batch stays; undefined where its rows are needed. */
  readonly leaveOut: (head: BatchHead) => ResolvedBatch | undefined
}

export interface ResolveOptions extends JudgeContext {
  /** The parts that the report is about. */
  readonly asked: RequestedParts
  /** Parts that are not on the list stay. */
  readonly allParts: boolean
  /** Superseded declarations stay, with that status. */
  readonly history: boolean
}

/**
 * A row for each part, from the declarations that count for it, where the last of them is; of a parts list only those on it. Rows of
 * unreadable files always stay. Only the declarations of parts with several that count are held.
 */
export function createRowResolver({ asked, allParts, history, ...context }: ResolveOptions): RowResolver {
  const current = new CurrentDeclarations(context.nowMs)
  /** By the number of the first declaration of their part. */
  const held = new Map<number, PartDeclaration[]>()
  let number = 0
  let isLastShown = false

  /** The rows of a declaration: none where another one of its part comes later, or replaces it. */
  function rowsOf(declaration: PartDeclaration): {
    rows: OpenRow[]
    superseded: number
    notListed: number
    isShown: boolean
  } {
    const nothing = { rows: [], superseded: 0, notListed: 0, isShown: false }
    if (!isInScope(declaration)) return { ...nothing, ...leftOut(declaration) }
    if (declaration.key === undefined) {
      return { ...nothing, rows: [judgedRow([declaration], context)], isShown: true }
    }
    const { own, counting } = next(declaration)
    if (!counting.includes(own)) {
      return history
        ? { ...nothing, rows: [replacedRow(declaration)], isShown: true }
        : { ...nothing, superseded: 1 }
    }
    const isLast = own === counting.at(-1)
    const isShown = history || counting.length === 1 || current.hasCurrentComposition(declaration, own)
    if (counting.length === 1) return { ...nothing, rows: [judgedRow([declaration], context)], isShown }
    const first = counting[0]!
    const together = [...(held.get(first) ?? []), declaration]
    if (!isLast) {
      held.set(first, together)
      return { ...nothing, isShown }
    }
    held.delete(first)
    const row = judgedRow(together, context)
    const isLeft = ({ source }: PartDeclaration): boolean => row.sources.includes(source)
    const replaced = together.filter((one) => !isLeft(one))
    if (!history) return { ...nothing, rows: [row], superseded: replaced.length, isShown }
    row.notes = [...replacedParts(row), ...row.notes]
    return { ...nothing, rows: [...replaced.map(replacedRow), row], isShown }
  }

  /** The number of the next declaration with a key, and the numbers of those that count for its part. */
  function next(declaration: Candidate | PartDeclaration): { own: number; counting: readonly number[] } {
    number += 1
    return { own: number - 1, counting: current.of(declaration) }
  }

  /** Counts a declaration that has no row. */
  function leftOut(declaration: Candidate | PartDeclaration): { superseded: number; notListed: number } {
    if (declaration.key === undefined) return { superseded: 0, notListed: 1 }
    const { own, counting } = next(declaration)
    return {
      superseded: counting.includes(own) ? 0 : 1,
      notListed: own === counting.at(-1) ? 1 : 0,
    }
  }

  /** A number of the list may be in a declaration of the same part from a company with another identifier or name. */
  function isInScope(declaration: Candidate | PartDeclaration): boolean {
    if (allParts || asked.isListed(declaration)) return true
    if (declaration.key === undefined || current.of(declaration).length < 2) return false
    return current.keysOf(declaration).some((key) => asked.isListed({ part: '', requesterPart: '', key }))
  }

  function replacedRow(declaration: PartDeclaration): OpenRow {
    const day = current.replacementDay(declaration)
    const by = day === '' ? 'an equal declaration' : `the declaration of ${day}`
    return supersededRow(declaration, `superseded: replaced by ${by}`, context)
  }

  return {
    see(declaration) {
      current.see(declaration)
      asked.see(declaration)
    },
    resolveAll() {
      held.clear()
      number = 0
      isLastShown = false
      return {
        outside: ({ declarations }) => declarations.map((one) => (isInScope(one) ? undefined : one)),
        rows(batch) {
          const rows: OpenRow[] = []
          const shown: boolean[] = []
          let superseded = 0
          let notListed = 0
          for (const row of batch.rows) {
            if (row.kind === 'unreadable') {
              rows.push(unreadableRow(row.source, row.reason))
              shown.push(false)
              continue
            }
            const found = row.kind === 'outside' ? { rows: [], isShown: false, ...leftOut(row) } : rowsOf(row)
            for (const one of found.rows) rows.push(one)
            shown.push(found.isShown)
            superseded += found.superseded
            notListed += found.notListed
          }
          const substances = batch.substances.filter((_, index) => {
            const owner = batch.owners[index]!
            return owner < 0 ? isLastShown : shown[owner]!
          })
          if (shown.length > 0) isLastShown = shown.at(-1)!
          return { rows, substances, superseded, notListed }
        },
        leaveOut({ declarations, unreadable }) {
          if (isLastShown || unreadable.length > 0 || declarations.some(isInScope)) return undefined
          let superseded = 0
          let notListed = 0
          for (const declaration of declarations) {
            const left = leftOut(declaration)
            superseded += left.superseded
            notListed += left.notListed
          }
          return { rows: [], substances: [], superseded, notListed }
        },
      }
    },
  }
}

/** The parts that a report is about, matched with the declared ones. */
export interface RequestedParts {
  /** Takes each declaration, before the first question. */
  readonly see: (row: Numbers) => void
  /** True for a part on the list, by its own numbers or by those of another declaration of it; without a list for every part. */
  readonly isListed: (row: Numbers) => boolean
  /** A row for each part that no row declared. */
  readonly missing: () => Generator<OpenRow>
}

type Numbers = Pick<PartDeclaration, 'part' | 'requesterPart' | 'key'>

/**
 * Matches are exact, with the supplier's or the buyer's number; a similar number is only mentioned in a note. The service has answered
 * for all parts, or for those in `answered`.
 */
export function createRequestedParts(
  parts: readonly string[] | undefined,
  answered?: Pick<ReadonlySet<string>, 'has'>,
): RequestedParts {
  const wasFound = new Map((parts ?? []).map((part) => [part, false]))
  const nearWanted = new Set((parts ?? []).map(nearKey))
  const near = new Map<string, string>()
  const listedKeys = new Set<string>()
  const isOnList = (row: Numbers): boolean => wasFound.has(row.part) || wasFound.has(row.requesterPart)
  return {
    see(row) {
      if (parts === undefined) return
      for (const number of [row.part, row.requesterPart]) {
        if (wasFound.has(number)) wasFound.set(number, true)
        else if (number !== '') noteNear(number)
      }
      if (row.key !== undefined && isOnList(row)) listedKeys.add(row.key)
    },
    isListed: (row) =>
      parts === undefined || isOnList(row) || (row.key !== undefined && listedKeys.has(row.key)),
    *missing() {
      for (const [part, isFound] of wasFound) {
        if (isFound) continue
        const like = near.get(nearKey(part))
        const similar = like === undefined ? [] : [`near: ${escapeUnsafe(like)}`]
        const isAnswered = answered === undefined || answered.has(part)
        yield missingRow(part, [
          isAnswered
            ? 'requested, not declared'
            : 'no declaration in the library; the service was never asked',
          ...similar,
        ])
      }
    },
  }

  function noteNear(number: string): void {
    const key = nearKey(number)
    if (nearWanted.has(key) && !near.has(key)) near.set(key, number)
  }
}
