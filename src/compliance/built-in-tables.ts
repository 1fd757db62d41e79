import rohsExemptions from './tables/rohs-exemptions.csv'
import rohsSubstances from './tables/rohs-substances.csv'
import svhcSubstances from './tables/svhc-substances.csv'
import svhcUpdates from './tables/svhc-updates.csv'

/** The reference tables that ship with the tool, as CSV text by file name. */
export const BUILT_IN_TABLES = {
  'svhc-updates.csv': svhcUpdates,
  'rohs-exemptions.csv': rohsExemptions,
  'svhc-substances.csv': svhcSubstances,
  'rohs-substances.csv': rohsSubstances,
} as const
