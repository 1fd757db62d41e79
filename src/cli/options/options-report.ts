import type { OptionRow } from '../../reference/option-row.ts'
import type { CommandName } from './command-name.ts'

const REPORT = 'Report'

/** What `report` and `diff` write, and when they fail. */
export const REPORT_OPTIONS = [
  {
    // Not `output`: an output path for archives in the environment or the file must not become a report.
    key: 'reportOutput',
    name: 'output',
    short: 'o',
    placeholder: 'FILE',
    type: { kind: 'file' },
    from: ['flag'],
    offers: { kind: 'files', endings: ['.csv', '.tsv', '.json', '.ndjson', '.xlsx', '.html', '.md', '.txt'] },
    group: REPORT,
    commands: ['report', 'diff'],
    help: 'write a file; the extension selects the format: .csv .tsv .json .ndjson .xlsx .html .md for report, .txt .json .md for diff',
  },
  {
    key: 'substances',
    name: 'substances',
    type: { kind: 'flag' },
    group: REPORT,
    commands: ['report'],
    help: 'list class D substances instead of one row per part',
  },
  {
    key: 'failOn',
    name: 'fail-on',
    placeholder: 'WORDS',
    type: { kind: 'text' },
    offers: {
      kind: 'words',
      words: ['not-compliant', 'svhc', 'missing', 'incomplete', 'unreadable', 'not-declared', 'stale:'],
    },
    group: REPORT,
    commands: ['report', 'diff'],
    help: 'exit 13 when a row matches one of these, separated by commas: not-compliant, svhc, missing, incomplete, unreadable, not-declared, stale:EUREACH-0624 (or any other list)',
  },
  {
    key: 'junit',
    name: 'junit',
    placeholder: 'FILE',
    type: { kind: 'file' },
    offers: { kind: 'files', endings: ['.xml'] },
    group: REPORT,
    commands: ['report'],
    help: 'also write JUnit XML with one test case per part',
  },
] as const satisfies readonly OptionRow<CommandName>[]
