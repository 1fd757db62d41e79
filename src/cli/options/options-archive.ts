import type { OptionRow } from '../../reference/option-row.ts'
import type { CommandName } from './command-name.ts'

const LIMITS = 'Archive limits'
const READERS = ['download', 'list', 'verify', 'extract', 'report', 'diff'] as const

/** Limits on archives, and what to extract from one. */
export const ARCHIVE_OPTIONS = [
  {
    key: 'maxEntries',
    name: 'max-entries',
    placeholder: 'N',
    type: { kind: 'integer', min: 1, max: 100_000_000, default: 200_000 },
    group: LIMITS,
    commands: READERS,
    help: 'refuse an archive with more entries',
  },
  {
    key: 'maxSize',
    name: 'max-size',
    placeholder: 'SIZE',
    type: { kind: 'size', default: 16 * 1024 ** 3 },
    group: LIMITS,
    commands: READERS,
    help: 'refuse an archive that is larger than this when unpacked',
  },
  {
    key: 'maxRatio',
    name: 'max-ratio',
    placeholder: 'N',
    type: { kind: 'integer', min: 1, max: 1_000_000, default: 250 },
    group: LIMITS,
    commands: READERS,
    help: 'refuse an entry that unpacks to more than N times its packed size and more than 10 MiB',
  },
  {
    key: 'include',
    name: 'include',
    placeholder: 'GLOB',
    type: { kind: 'text' },
    repeatable: true,
    group: 'Extraction',
    commands: ['extract'],
    help: 'extract only entries that match; repeatable',
  },
  {
    key: 'exclude',
    name: 'exclude',
    placeholder: 'GLOB',
    type: { kind: 'text' },
    repeatable: true,
    group: 'Extraction',
    commands: ['extract'],
    help: 'skip entries that match; repeatable',
  },
  {
    key: 'flat',
    name: 'flat',
    type: { kind: 'flag' },
    group: 'Extraction',
    commands: ['extract'],
    help: 'extract without directories; refuses entries whose names then collide',
  },
] as const satisfies readonly OptionRow<CommandName>[]
