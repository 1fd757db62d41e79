import type { ArchiveLimits } from '../archive/archive-limits.ts'
import type { Settings } from './settings/settings.ts'

/** The archive limits among the settings. */
export function limitsOf({ values }: Settings): ArchiveLimits {
  return { maxEntries: values.maxEntries, maxBytes: values.maxSize, maxRatio: values.maxRatio }
}
