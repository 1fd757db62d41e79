import { createXmlDecoder } from '../../src/base/xml.ts'
import { type Article, type DeclarationHeader, isUnaccepted } from '../../src/compliance/declaration.ts'
import { isAnswer } from '../../src/compliance/statements.ts'
import { createDeclarationReader } from '../../src/declaration/read-declaration.ts'
import { append, batchOf, type ReadBatch } from '../../src/report/report-batch.ts'
import { judgedRow } from '../../src/report/rows/make-row.ts'
import {
  partDeclaration,
  partFacts,
  type ReadPart,
  type SubstanceRow,
  substancesOf,
} from '../../src/report/rows/part-declaration.ts'
import type { JudgedRow } from '../../src/report/rows/report-row.ts'
import { cellsOf } from './report-rows.ts'

export interface ReadText {
  readonly products: readonly Article[]
  readonly header: DeclarationHeader
  readonly judged: readonly JudgedRow[]
  /** Their cells, and what only rules and counts need. */
  readonly rows: readonly RowCells[]
  readonly substances: readonly SubstanceRow[]
}

const CONTEXT = { nowMs: Date.parse('2026-03-04T05:06:07Z'), lookup: undefined }

/** The text of a complete file. */
export function decodeXml(bytes: Buffer): string {
  const decoder = createXmlDecoder()
  return decoder.write(bytes) + decoder.end()
}

/** Reads a complete file from text or bytes, optionally in pieces of `size` characters. */
export function readText(file: string | Buffer, size?: number): ReadText {
  const text = typeof file === 'string' ? file : decodeXml(file)
  const products: Article[] = []
  const facts: ReadPart[] = []
  const reader = createDeclarationReader((product) => {
    products.push(product)
    facts.push(...partFacts(product, undefined))
  })
  for (let at = 0; at < text.length; at += size ?? text.length)
    reader.write(text.slice(at, at + (size ?? text.length)))
  reader.end()
  const header = reader.header()
  const judged = facts.flatMap((part) => {
    const declaration = partDeclaration(part, header, 'file.xml')
    return declaration === undefined ? [] : [judgedRow([declaration], CONTEXT)]
  })
  return {
    products,
    header,
    judged,
    rows: judged.map(describeRow),
    substances: products.flatMap((product) => {
      const ofId = substancesOf(product, 'file.xml')
      return partFacts(product, undefined).flatMap((_, id) => [...ofId(id)])
    }),
  }
}

/** The only row of a file. */
export function readJudged(file: string | Buffer): JudgedRow {
  const { judged } = readText(file)
  if (judged.length !== 1) throw new Error(`expected one row, not ${judged.length}`)
  return judged[0]!
}

/** The cells of the only row of a file, and what only rules and counts need. */
export function readRow(file: string | Buffer) {
  return describeRow(readJudged(file))
}

export type RowCells = ReturnType<typeof describeRow>

/** The cells of a row, and what only rules and counts need. */
export function describeRow(row: JudgedRow) {
  const { rohs, reach, hasGaps, statements } = row.judged
  const svhcs = statements.filter((one) => one.kind === 'reach' && isAnswer(one))
  return {
    ...cellsOf(row),
    has_gaps: hasGaps,
    svhc_stated: new Set(svhcs.map(({ key }) => key)).size,
    unaccepted: isUnaccepted(row.acceptance),
    exemption_ids: rohs.exemptionIds,
    svhc_names: reach.over.map(({ name }) => name),
  }
}

/** Batches that follow each other as one. */
export function joinBatches(batches: readonly ReadBatch[]): ReadBatch {
  const all = batchOf({})
  for (const batch of batches) append(all, batch)
  return all
}
