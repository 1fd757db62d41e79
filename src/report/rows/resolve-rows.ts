import type { ReadBatch } from '../report-batch.ts'
import type { RequestedParts } from '../requested-parts.ts'
import { createNewestDeclarations } from './newest-declarations.ts'
import { partKey } from './part-key.ts'
import type { JudgedRow, SubstanceRow } from './report-row.ts'

/** What stays of a batch, and how many rows do not. */
export interface ResolvedBatch {
  readonly rows: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
  readonly superseded: number
  readonly notListed: number
}

/** Decides which declarations a report shows. All batches must be seen, in order, before `resolveAll` begins to resolve them, in the same order. */
export interface RowResolver {
  readonly see: (batch: ReadBatch) => void
  readonly resolveAll: () => (batch: ReadBatch) => ResolvedBatch
}

export interface ResolveOptions {
  /** The parts that the report is about. */
  readonly asked: RequestedParts
  /** Parts that are not on the list stay. */
  readonly allParts: boolean
  /** Superseded declarations stay, with that status. */
  readonly history: boolean
}

/** Of each part the newest declarations stay, of a parts list only those on it. Rows of unreadable files always stay. */
export function createRowResolver({ asked, allParts, history }: ResolveOptions): RowResolver {
  const newest = createNewestDeclarations()
  const filesSeen = numberFiles()
  return {
    see(batch) {
      const files = filesSeen(batch)
      for (const [index, row] of batch.rows.entries()) {
        if (row.status !== 'declared') continue
        const key = partKey(row)
        if (key !== undefined) newest.see(key, row, files[index]!)
        asked.see(row, key)
      }
    },
    resolveAll() {
      const filesResolved = numberFiles()
      let isLastShown = false
      return (batch) => {
        const files = filesResolved(batch)
        const shown: (JudgedRow | undefined)[] = []
        let superseded = 0
        let notListed = 0
        const isShownOwner = (owner: number): boolean =>
          owner < 0 ? isLastShown : shown[owner] !== undefined
        for (const [index, row] of batch.rows.entries()) {
          const key = row.status === 'declared' ? partKey(row) : undefined
          const replacement = key === undefined ? undefined : newest.replacedBy(key, row, files[index]!)
          const isInScope = row.status !== 'declared' || allParts || asked.isListed(row, key)
          if (isInScope && replacement === undefined) shown.push(row)
          else if (isInScope && history) shown.push(supersededRow(row, replacement!))
          else {
            shown.push(undefined)
            if (replacement === undefined) notListed += 1
            else superseded += 1
          }
        }
        const substances = batch.substances.filter((_, index) => isShownOwner(batch.owners[index]!))
        if (shown.length > 0) isLastShown = shown.at(-1) !== undefined
        return { rows: shown.filter((row) => row !== undefined), substances, superseded, notListed }
      }
    },
  }
}

/** Numbers the files: the result has the number of each row's file. Batches must come in order. */
function numberFiles(): (batch: ReadBatch) => readonly number[] {
  let file = 0
  return ({ rows, starts }) => {
    let next = 0
    const numbers = rows.map((_, index) => {
      for (; starts[next] === index; next += 1) file += 1
      return file
    })
    // A file may begin after the last row.
    file += starts.length - next
    return numbers
  }
}

function supersededRow(row: JudgedRow, date: string): JudgedRow {
  const by = `replaced by ${date === '' ? 'another declaration' : `the declaration of ${date}`}`
  return { ...row, status: 'superseded', note: row.note === '' ? by : `${row.note}; ${by}` }
}
