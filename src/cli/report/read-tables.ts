import { type ReferenceTables, readReferenceTables } from '../../report/regulations/reference-tables.ts'
import type { Context } from '../context.ts'

/** The reference tables of these settings: those that ship with the tool, or the files of the options. */
export function readTables({
  world,
  settings,
}: Pick<Context, 'world' | 'settings'>): Promise<ReferenceTables> {
  const { svhcUpdates, rohsExemptions, svhcSubstances, rohsSubstances } = settings.values
  return readReferenceTables(world, { svhcUpdates, rohsExemptions, svhcSubstances, rohsSubstances })
}
