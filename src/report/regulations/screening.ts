import {
  createSubstanceTables,
  type RohsSubstance,
  type SubstanceTables,
  type SvhcSubstance,
} from '../../compliance/indications.ts'
import type { ReferenceTables } from './reference-tables.ts'

/** The substance tables as one text, which is sent to other threads and identifies what was screened with. */
export function screeningText({ rohsSubstances, svhcSubstances }: ReferenceTables): string {
  return JSON.stringify([rohsSubstances.rows, svhcSubstances.rows])
}

let last: { readonly text: string; readonly tables: SubstanceTables } | undefined

/** Stands for the text that was read last on a thread. */
export const KNOWN_TABLES = 'known'

/** The tables in such a text; undefined for an empty one. */
export function screeningTables(text: string): SubstanceTables | undefined {
  if (text === '') return undefined
  if (text !== KNOWN_TABLES && last?.text !== text) {
    const [rohs, svhc] = JSON.parse(text) as [readonly RohsSubstance[], readonly SvhcSubstance[]]
    last = { text, tables: createSubstanceTables(rohs, svhc) }
  }
  return last?.tables
}
