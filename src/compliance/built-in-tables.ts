import rohsExemptions from './tables/rohs-exemptions.csv'
import svhcUpdates from './tables/svhc-updates.csv'

/** The reference tables that ship with the tool, as CSV text by file name. */
export const BUILT_IN_TABLES = {
  'svhc-updates.csv': svhcUpdates,
  'rohs-exemptions.csv': rohsExemptions,
} as const
