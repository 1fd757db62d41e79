import type { OptionRow } from './option-row.ts'

const LIMITS = 'Limits on archives'
const READERS = ['download', 'list', 'verify', 'extract', 'report', 'diff'] as const

/** What an archive may be, and what of it is unpacked. */
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
    help: 'refuse an archive that unpacks to more',
  },
  {
    key: 'maxRatio',
    name: 'max-ratio',
    placeholder: 'N',
    type: { kind: 'integer', min: 1, max: 1_000_000, default: 250 },
    group: LIMITS,
    commands: READERS,
    help: 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size',
  },
  {
    key: 'include',
    name: 'include',
    placeholder: 'GLOB',
    type: { kind: 'text' },
    repeatable: true,
    group: 'What to unpack',
    commands: ['extract'],
    help: 'unpack only entries that match; may be repeated',
  },
  {
    key: 'exclude',
    name: 'exclude',
    placeholder: 'GLOB',
    type: { kind: 'text' },
    repeatable: true,
    group: 'What to unpack',
    commands: ['extract'],
    help: 'leave out entries that match; may be repeated',
  },
  {
    key: 'flat',
    name: 'flat',
    type: { kind: 'flag' },
    group: 'What to unpack',
    commands: ['extract'],
    help: 'unpack without folders; entries whose names then collide are refused',
  },
] as const satisfies readonly OptionRow[]
