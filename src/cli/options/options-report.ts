import { DIFF_EXTENSIONS } from '../../diff/diff-format.ts'
import type { OptionRow } from '../../reference/option-row.ts'
import { FORMAT_EXTENSIONS, FORMAT_NAMES } from '../../report/choose-format.ts'
import { CSV_DIALECTS } from '../../report/csv-dialect.ts'
import type { CommandName } from './command-name.ts'

const REPORT = { group: 'Report', commands: ['report'], common: ['report'] } as const
const DATED = { group: 'Report', commands: ['report', 'diff', 'download'] } as const
const GATED = { group: 'Report', commands: ['report', 'diff'] } as const

/** What `report` and `diff` write, and when they fail. */
export const REPORT_OPTIONS = [
  {
    // Not `output`: an output path for archives in the environment or the file must not become a report.
    ...GATED,
    key: 'reportOutput',
    name: 'output',
    common: ['report'],
    short: 'o',
    placeholder: 'FILE',
    type: { kind: 'file' },
    from: ['flag'],
    offers: { kind: 'files', endings: [...FORMAT_EXTENSIONS, '.txt'] },
    help: `write a file; the extension selects the format: ${FORMAT_EXTENSIONS.join(' ')} for report, ${DIFF_EXTENSIONS.join(' ')} for diff`,
  },
  {
    ...REPORT,
    key: 'substances',
    name: 'substances',
    common: ['report'],
    type: { kind: 'flag' },
    help: 'list class D substances instead of one row per part',
  },
  {
    ...REPORT,
    key: 'outputFormat',
    name: 'output-format',
    common: ['report'],
    placeholder: 'FORMAT',
    type: { kind: 'choice', values: FORMAT_NAMES },
    from: ['flag'],
    help: 'format of the output, instead of the extension; also on standard output, which is a table or CSV without it',
  },
  {
    ...GATED,
    key: 'csvDialect',
    name: 'csv-dialect',
    placeholder: 'DIALECT',
    type: { kind: 'choice', values: CSV_DIALECTS, default: 'rfc4180' },
    help: 'CSV as in RFC 4180, or as Excel opens it in your locale: byte order mark, separator, decimal sign, part numbers kept as text',
  },
  {
    ...REPORT,
    key: 'sourcesFrom',
    name: 'sources-from',
    common: ['report'],
    placeholder: 'FILE',
    type: { kind: 'file' },
    from: ['flag'],
    help: 'also read the sources listed in this file, one per line or separated by NUL; - for standard input',
  },
  {
    ...REPORT,
    key: 'shard',
    name: 'shard',
    placeholder: 'I/N',
    type: { kind: 'text' },
    help: 'read only the I-th of N parts of the sources, by a hash of their paths; the N outputs together are the whole',
  },
  {
    ...REPORT,
    key: 'allParts',
    name: 'all-parts',
    common: ['report'],
    type: { kind: 'flag' },
    help: 'with --parts-file: also report declared parts that are not on the list',
  },
  {
    ...REPORT,
    key: 'history',
    name: 'history',
    common: ['report'],
    type: { kind: 'flag' },
    help: 'also report declarations that a newer one of the same part replaces, with status superseded; they are not gated',
  },
  {
    ...GATED,
    key: 'failOn',
    name: 'fail-on',
    common: ['report'],
    placeholder: 'WORDS',
    type: { kind: 'text' },
    offers: {
      kind: 'words',
      isList: true,
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
    common: ['report'],
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
