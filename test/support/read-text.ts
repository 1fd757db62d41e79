import { decodeXml } from '../../src/base/xml.ts'
import type { Article, DeclarationHeader } from '../../src/compliance/declaration.ts'
import { createDeclarationReader } from '../../src/declaration/read-declaration.ts'
import { judgedRow } from '../../src/report/rows/judged-rows.ts'
import { type PartFacts, partDeclaration, partFacts } from '../../src/report/rows/part-declaration.ts'
import type { JudgedRow, SubstanceRow } from '../../src/report/rows/report-row.ts'
import { substancesOf } from '../../src/report/rows/substance-rows.ts'

export interface ReadText {
  readonly products: readonly Article[]
  readonly header: DeclarationHeader
  readonly rows: readonly JudgedRow[]
  readonly substances: readonly SubstanceRow[]
}

const CONTEXT = { nowMs: Date.parse('2026-03-04T05:06:07Z'), lookup: undefined }

/** Reads a complete file from text or bytes, optionally in pieces of `size` characters. */
export function readText(file: string | Buffer, size?: number): ReadText {
  const text = typeof file === 'string' ? file : decodeXml(file)
  const products: Article[] = []
  const facts: PartFacts[] = []
  const reader = createDeclarationReader((product) => {
    products.push(product)
    facts.push(...partFacts(product, undefined))
  })
  for (let at = 0; at < text.length; at += size ?? text.length)
    reader.write(text.slice(at, at + (size ?? text.length)))
  reader.end()
  const header = reader.header()
  return {
    products,
    header,
    rows: facts.flatMap((part) => {
      const declaration = partDeclaration(part, header, 'file.xml')
      return declaration === undefined ? [] : [judgedRow([declaration], CONTEXT)]
    }),
    substances: products.flatMap((product) => {
      const ofId = substancesOf(product, 'file.xml')
      return partFacts(product, undefined).flatMap((_, id) => [...ofId(id)])
    }),
  }
}

/** The only row of a file. */
export function readRow(file: string | Buffer): JudgedRow {
  const { rows } = readText(file)
  if (rows.length !== 1) throw new Error(`expected one row, not ${rows.length}`)
  return rows[0]!
}
