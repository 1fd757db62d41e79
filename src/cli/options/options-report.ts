import type { OptionRow } from '../../reference/option-row.ts'
import { FORMAT_EXTENSIONS } from '../../report/choose-format.ts'
import type { CommandName } from './command-name.ts'

const REPORT = { group: 'Report', commands: ['report'] } as const
const DATED = { group: 'Report', commands: ['report', 'diff', 'download'] } as const
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
    ...REPORT,
    key: 'allParts',
    name: 'all-parts',
    type: { kind: 'flag' },
    help: 'with --parts-file: also report declared parts that are not on the list',
  },
  {
    ...REPORT,
    key: 'history',
    name: 'history',
    type: { kind: 'flag' },
    help: 'also report declarations that a newer one of the same part replaces, with status superseded; they are not gated',
  },
  {
    ...GATED,
    key: 'failOn',
    name: 'fail-on',
    placeholder: 'WORDS',
    type: { kind: 'text' },
    offers: {
      kind: 'words',
      words: [
        'not-compliant',
        'svhc',
        'missing',
        'incomplete',
        'unreadable',
        'not-declared',
        'unaccepted',
        'stale:',
        'exemption-expires:',
      ],
    },
    help: 'exit 13 when a row matches one of these, separated by commas: not-compliant, svhc, missing, incomplete, unreadable, not-declared, unaccepted, stale:EUREACH-0624 (or any other list), stale:12m (a REACH list older than that), exemption-expires:2027-06-30 (or any other day)',
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
  {
    ...REPORT,
    key: 'waivers',
    name: 'waivers',
    placeholder: 'FILE',
    type: { kind: 'file' },
    offers: { kind: 'files', endings: ['.csv', '.toml'] },
    help: 'take accepted findings out of --fail-on until their date: CSV or TOML with part, rule, reason, owner, until',
  },
  {
    ...DATED,
    key: 'svhcUpdates',
    name: 'svhc-updates',
    placeholder: 'FILE',
    type: { kind: 'file' },
    offers: { kind: 'files', endings: ['.csv'] },
    help: 'use this table of Candidate List updates instead of the shipped one',
  },
  {
    ...DATED,
    key: 'rohsExemptions',
    name: 'rohs-exemptions',
    placeholder: 'FILE',
    type: { kind: 'file' },
    offers: { kind: 'files', endings: ['.csv'] },
    help: 'use this table of RoHS exemption dates instead of the shipped one',
  },
] as const satisfies readonly OptionRow<CommandName>[]
