import type { OptionRow } from '../../reference/option-row.ts'
import type { CommandName } from './command-name.ts'

const LIMITS = {
  group: 'Archive limits',
  commands: ['download', 'list', 'verify', 'extract', 'report', 'diff'],
} as const
const LISTING = { group: 'Output', commands: ['list'] } as const
const VERIFICATION = { group: 'Output', commands: ['verify'] } as const
const EXTRACTION = { group: 'Extraction', commands: ['extract'] } as const

/** Limits on archives, and what to extract from one. */
export const ARCHIVE_OPTIONS = [
  {
    ...LIMITS,
    key: 'maxEntries',
    name: 'max-entries',
    placeholder: 'N',
    type: { kind: 'integer', min: 1, max: 100_000_000, default: 200_000 },
    help: 'refuse an archive with more entries',
  },
  {
    ...LIMITS,
    key: 'maxSize',
    name: 'max-size',
    placeholder: 'SIZE',
    type: { kind: 'size', default: 16 * 1024 ** 3 },
    help: 'refuse an archive that is larger than this when unpacked',
  },
  {
    ...LIMITS,
    key: 'maxRatio',
    name: 'max-ratio',
    placeholder: 'N',
    type: { kind: 'integer', min: 1, max: 1_000_000, default: 250 },
    help: 'refuse an entry that unpacks to more than N times its packed size and more than 10 MiB',
  },
  {
    ...LISTING,
    key: 'long',
    name: 'long',
    type: { kind: 'flag' },
    help: 'also list packed size, time and CRC-32',
  },
  {
    // Not `manifest`: a path in the environment or the file for the manifest of a download must not be read.
    ...VERIFICATION,
    key: 'knownManifest',
    name: 'manifest',
    placeholder: 'FILE',
    type: { kind: 'file' },
    from: ['flag'],
    offers: { kind: 'files', endings: ['.json'] },
    help: 'also compare the archive with its download manifest: size, SHA-256 and every entry',
  },
  {
    ...EXTRACTION,
    key: 'include',
    name: 'include',
    placeholder: 'GLOB',
    type: { kind: 'text' },
    repeatable: true,
    help: 'extract only entries that match; repeatable',
  },
  {
    ...EXTRACTION,
    key: 'exclude',
    name: 'exclude',
    placeholder: 'GLOB',
    type: { kind: 'text' },
    repeatable: true,
    help: 'skip entries that match; repeatable',
  },
  {
    ...EXTRACTION,
    key: 'flat',
    name: 'flat',
    type: { kind: 'flag' },
    help: 'extract without directories; refuses entries whose names then collide',
  },
  {
    key: 'noPager',
    name: 'no-pager',
    type: { kind: 'flag' },
    group: 'Output',
    commands: ['list', 'report'],
    help: 'do not use a pager for long output',
  },
  {
    key: 'pager',
    name: 'pager',
    placeholder: 'COMMAND',
    type: { kind: 'text' },
    group: 'Output',
    commands: ['list', 'report'],
    conflicts: ['noPager'],
    help: 'pager for output that is longer than the screen (default: $PAGER, or less)',
  },
] as const satisfies readonly OptionRow<CommandName>[]
