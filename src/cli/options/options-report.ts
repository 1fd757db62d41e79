import type { OptionRow } from '../../reference/option-row.ts'
import { FORMAT_EXTENSIONS } from '../../report/choose-format.ts'
import type { CommandName } from './command-name.ts'

const REPORT = { group: 'Report', commands: ['report'] } as const
const GATED = { group: 'Report', commands: ['report', 'diff'] } as const

/** What `report` and `diff` write, and when they fail. */
export const REPORT_OPTIONS = [
  {
    // Not `output`: an output path for archives in the environment or the file must not become a report.
    ...GATED,
    key: 'reportOutput',
    name: 'output',
    short: 'o',
    placeholder: 'FILE',
    type: { kind: 'file' },
    from: ['flag'],
    offers: { kind: 'files', endings: [...FORMAT_EXTENSIONS, '.txt'] },
    help: `write a file; the extension selects the format: ${FORMAT_EXTENSIONS.join(' ')} for report, .txt .json .md for diff`,
  },
  {
    ...REPORT,
    key: 'substances',
    name: 'substances',
    type: { kind: 'flag' },
    help: 'list class D substances instead of one row per part',
  },
  {
    ...GATED,
    key: 'failOn',
    name: 'fail-on',
    placeholder: 'WORDS',
    type: { kind: 'text' },
    offers: {
      kind: 'words',
      isList: true,
      words: ['not-compliant', 'svhc', 'missing', 'incomplete', 'unreadable', 'not-declared', 'stale:'],
    },
    help: 'exit 13 when a row matches one of these, separated by commas: not-compliant, svhc, missing, incomplete, unreadable, not-declared, stale:EUREACH-0624 (or any other list)',
  },
  {
    ...REPORT,
    key: 'junit',
    name: 'junit',
    placeholder: 'FILE',
    type: { kind: 'file' },
    offers: { kind: 'files', endings: ['.xml'] },
    help: 'also write JUnit XML with one test case per part',
  },
] as const satisfies readonly OptionRow<CommandName>[]
