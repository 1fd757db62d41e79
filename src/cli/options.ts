import { DEFAULT_ARCHIVE_LIMITS } from '../archive/problem.ts'
import { FAIL_ON_WORDS } from '../compliance/finding-rules.ts'
import { DIFF_FORMATS } from '../diff/write-diff.ts'
import { ENCODINGS } from '../parts/encodings.ts'
import { extensionsOf, FORMATS } from '../report/formats/choose-format.ts'
import {
  choice,
  count,
  date,
  directory,
  duration,
  file,
  flag,
  integer,
  type OptionRow,
  option,
  optionIn,
  profileName,
  size,
  suggested,
  suggestedList,
  text,
  timeLimit,
  url,
  type ValueOf,
} from './option-row.ts'

/** The names of the commands; each has its definition in `cli/commands`. */
export type CommandName =
  | 'download'
  | 'sync'
  | 'check'
  | 'parts'
  | 'list'
  | 'verify'
  | 'extract'
  | 'report'
  | 'diff'
  | 'migrate'
  | 'login'
  | 'logout'
  | 'doctor'
  | 'config'
  | 'completion'
  | 'sandbox'

// Options of a group, with the commands that have them unless a row says otherwise.
const searchOption = optionIn({ group: 'Search criteria', commands: ['download', 'sync', 'check'] })
const partsOption = optionIn({
  group: 'Search criteria',
  commands: ['download', 'sync', 'check', 'report', 'diff', 'parts'],
})
const libraryOption = optionIn({ group: 'Library', commands: ['sync', 'check'] })
const outputOption = optionIn({ group: 'Output', commands: ['download'] })
const requestsOption = optionIn({ group: 'Requests', commands: ['download', 'sync', 'check'] })
const connectionOption = optionIn({
  group: 'Connection',
  commands: ['download', 'sync', 'check', 'doctor', 'login'],
})
const limitsOption = optionIn({
  group: 'Archive limits',
  commands: ['download', 'sync', 'check', 'list', 'verify', 'extract', 'report', 'diff'],
})
const extractionOption = optionIn({ group: 'Extraction', commands: ['extract'] })
const reportOption = optionIn({ group: 'Report', commands: ['report'] })
const judgedOption = optionIn({ group: 'Report', commands: ['report', 'check'] })
const datedOption = optionIn({ group: 'Report', commands: ['report', 'check', 'diff', 'download'] })
const gatedOption = optionIn({ group: 'Report', commands: ['report', 'check', 'diff'] })
const sandboxOption = optionIn({ group: 'Sandbox', commands: ['sandbox'] })
const globalOption = optionIn({ group: 'Global options', commands: 'all' })

/** The search criteria of `download`; `report` takes a parts list too. */
const CRITERIA_OPTIONS = [
  searchOption('--supplier <ID>', text, 'supplier, usually a nine-digit DUNS number', {
    commands: ['download', 'sync', 'check', 'config'],
  }),
  searchOption('--part <NUMBER>', text, 'exact part number; repeatable', {
    commands: ['download', 'sync'],
    repeatable: true,
  }),
  partsOption(
    '--parts-file <FILE>',
    file('.csv', '.tsv', '.xlsx', '.txt'),
    'parts list (.txt .csv .tsv .xlsx -); repeatable',
    { commands: ['download', 'sync', 'report', 'diff'], repeatable: true },
  ),
  partsOption('--parts-column <COLUMN>', text, 'column of the part numbers: heading or number'),
  partsOption('--quantity-column <COLUMN>', text, 'column of the quantities: heading or number'),
  partsOption('--level-column <COLUMN>', text, 'column of the assembly levels: heading or number'),
  partsOption('--manufacturer-column <COLUMN>', text, 'column of the manufacturers: heading or number'),
  partsOption('--sheet <NAME|NUMBER>', text, 'sheet of a workbook (default: the best table)'),
  partsOption('--encoding <NAME>', suggested(...ENCODINGS), 'encoding of a text list, such as shift_jis'),
  partsOption('--strict-parts', flag, 'refuse numbers a spreadsheet may have changed'),
  // Not `output`: an output path for archives in the environment or the file must not become a list.
  partsOption(
    '-o, --output <FILE>',
    file('.csv', '.tsv', '.txt'),
    'write a clean list: .csv or .tsv with quantities and levels; .txt or - has one part number per line',
    { commands: ['parts'], key: 'listOutput', from: ['flag'] },
  ),
  searchOption('--start-date <YYYY-MM-DD>', date, 'only declarations approved after this date', {
    commands: ['download'],
  }),
  searchOption(
    '--since <WHEN>',
    suggested('7d', '2w', 'yesterday'),
    'start date counted back: 7d, 2w, yesterday',
    { commands: ['download'], conflicts: ['startDate'] },
  ),
  searchOption(
    '--format <FORMAT>',
    suggested('1752A', '1752B', 'XML', 'CSV'),
    '1752A (default) or 1752B; with v1 XML or CSV',
    { commands: ['download', 'sync', 'check', 'migrate'] },
  ),
  searchOption(
    '--format-class <CLASS>',
    choice('C', 'D', 'checkDthenC'),
    'class: regulatory compliance or full material',
  ),
  searchOption('--api <VERSION>', choice('v2', 'v1'), 'legacy v1 has MATDECL_API_KEY', {
    commands: ['download', 'sync', 'check', 'doctor', 'login', 'logout'],
    default: 'v2',
  }),
  searchOption('--query <NAME=VALUE>', text, 'additional query parameter; repeatable', {
    repeatable: true,
  }),
] as const

/** Where `download` writes its results, and how it plans its requests. */
const DOWNLOAD_OPTIONS = [
  outputOption(
    '-o, --output <PATH>',
    file('.zip'),
    'file, directory or - for stdout; may contain {supplier} {format} {class} {date} {time} {start}',
  ),
  outputOption('--overwrite', flag, 'replace an existing output', {
    commands: ['download', 'check', 'extract', 'report', 'diff', 'parts'],
  }),
  outputOption('-x, --extract [DIR]', directory, 'extract it (default: into OUTPUT without .zip)'),
  outputOption('-l, --list', flag, 'list the entries of the archive'),
  outputOption('--report <FILE>', file(), 'then report; its extension is the format'),
  outputOption('--manifest [FILE]', file(), 'write evidence (default: OUTPUT.manifest.json)'),
  outputOption('--missing <FILE>', file(), 'write parts that were not found: .txt .csv .tsv'),
  outputOption('--fail-if-missing', flag, 'exit 12 when a requested part is not found'),
  outputOption('--allow-partial', flag, 'keep the rest when some requests fail; exit 10'),
  outputOption('--fail-if-empty', flag, 'exit 12 when there are no declarations'),
  requestsOption('--max-url-length <BYTES>', integer(1, 1_000_000), 'longest URL to send', { default: 8000 }),
  requestsOption('--batch-size <N>', integer(1, 10_000_000), 'parts per request (default: unlimited)'),
  requestsOption('--max-requests <N>', integer(1, 10_000_000), 'refuse a plan with more requests'),
  requestsOption('--if-locked <HOW>', choice('fail', 'skip', 'wait'), 'if another run uses the output', {
    default: 'fail',
  }),
  requestsOption('-n, --dry-run', flag, 'print the plan and exit', {
    commands: ['download', 'sync'],
  }),
] as const

/** The library, and what `sync` asks for. */
const LIBRARY_OPTIONS = [
  libraryOption(
    '--library <DIR>',
    directory,
    'library (default: in the user data directory; matdecl config path)',
    { commands: ['sync', 'check', 'report', 'diff', 'verify', 'config'] },
  ),
  libraryOption('--full', flag, 'ask for everything without a start date'),
  libraryOption('--full-after <TIME>', duration, 'ask anew without a start date after this time', {
    default: 90 * 86_400_000,
  }),
  libraryOption('--max-age <TIME>', duration, 'leave out newer responses (default: sync 0, check 24h)'),
  libraryOption('--offline', flag, 'send nothing: judge by what the library has', {
    commands: ['check'],
  }),
  libraryOption('--as-of <YYYY-MM-DD>', date, 'what the library had at the end of this day (UTC)', {
    commands: ['report'],
    from: ['flag'],
  }),
  // Not `since`: a period for downloads in the environment or the file is another one.
  libraryOption(
    '--since <YYYY-MM-DD>',
    text,
    'compare the library at the end of this day (UTC) with now; also 7d, 2w, yesterday',
    { commands: ['diff'], key: 'diffSince', from: ['flag'] },
  ),
] as const

/** How to connect to the service, and how long it may take. */
const SERVICE_OPTIONS = [
  requestsOption('--concurrency <N>', integer(1, 64), 'concurrent requests', { default: 4 }),
  requestsOption('--retries <N>', integer(0, 100), 'retries after a temporary failure', { default: 5 }),
  requestsOption('--max-wait <TIME>', duration, 'longest wait for a rate limit', {
    default: 300_000,
  }),
  requestsOption('--rate <N>', integer(1, 100_000), 'most requests per minute', {
    default: 100,
  }),
  connectionOption('--connect-timeout <TIME>', timeLimit, 'timeout for a connection', { default: 10_000 }),
  connectionOption('--response-timeout <TIME>', timeLimit, 'timeout for the first byte', {
    commands: ['download', 'sync', 'check'],
    default: 600_000,
  }),
  connectionOption('--stall-timeout <TIME>', timeLimit, 'timeout between bytes', {
    commands: ['download', 'sync', 'check'],
    default: 60_000,
  }),
  connectionOption('--timeout <TIME>', timeLimit, 'timeout for the whole run (default: none)', {
    commands: ['download', 'sync', 'check'],
  }),
  connectionOption('--base-url <URL>', url, 'URL of the service, without the version', {
    commands: ['download', 'sync', 'check', 'migrate', 'config', 'doctor', 'login'],
  }),
  connectionOption('--proxy <URL>', text, 'HTTP proxy (default: HTTPS_PROXY, NO_PROXY …)'),
  connectionOption(
    '--ca-file <FILE>',
    file('.pem', '.crt', '.cer', '.key'),
    'additional certificate authorities (PEM)',
  ),
  connectionOption(
    '--client-cert <FILE>',
    file('.pem', '.crt', '.cer', '.key', '.p12', '.pfx'),
    'client certificate: PEM, or PKCS#12 with its key',
  ),
  connectionOption('--client-key <FILE>', file('.pem', '.key'), 'its private key (PEM)'),
  connectionOption('--client-key-password-file <FILE>', file(), 'file with the password of the key'),
  connectionOption('--sandbox', flag, 'use the built-in mock service: no account needed', {
    commands: ['download', 'sync', 'check', 'doctor'],
    from: ['flag'],
  }),
] as const

/** Limits on archives, and what to extract from one. */
const ARCHIVE_OPTIONS = [
  limitsOption('--max-entries <N>', integer(1, 100_000_000), 'most entries in an archive', {
    default: DEFAULT_ARCHIVE_LIMITS.maxEntries,
  }),
  limitsOption('--max-size <SIZE>', size, 'most bytes when unpacked', {
    default: DEFAULT_ARCHIVE_LIMITS.maxBytes,
  }),
  limitsOption('--max-ratio <N>', integer(1, 1_000_000), 'most growth of an entry', {
    default: DEFAULT_ARCHIVE_LIMITS.maxRatio,
  }),
  option('--long', flag, 'also list packed size, time and CRC-32', { group: 'Output', commands: ['list'] }),
  // Not `manifest`: a path in the environment or the file for the manifest of a download must not be read.
  option('--manifest <FILE>', file('.json'), 'also compare the archive with its manifest', {
    group: 'Output',
    commands: ['verify'],
    key: 'knownManifest',
    from: ['flag'],
  }),
  extractionOption('--include <GLOB>', text, 'extract only entries that match; repeatable', {
    repeatable: true,
  }),
  extractionOption('--exclude <GLOB>', text, 'skip entries that match; repeatable', { repeatable: true }),
  extractionOption('--flat', flag, 'extract without directories; refuses entries whose names then collide'),
] as const

/** What `report` and `diff` write, and when they fail. */
const REPORT_OPTIONS = [
  // Not `output`: an output path for archives in the environment or the file must not become a report.
  gatedOption(
    '-o, --output <FILE>',
    file(...extensionsOf(FORMATS)),
    `write a file: ${extensionsOf(FORMATS).join(' ')}, for diff ${extensionsOf(DIFF_FORMATS).join(' ')}; check also takes DIR/ for a page of each list and an index`,
    {
      key: 'reportOutput',
      from: ['flag'],
      helpOf: {
        report: `write a file: ${extensionsOf(FORMATS).join(' ')}`,
        diff: `write a file: ${extensionsOf(DIFF_FORMATS).join(' ')}`,
        check: `write a file: ${extensionsOf(FORMATS).join(' ')}; DIR/ gets a page of each list and an index`,
      },
    },
  ),
  reportOption(
    '--annotate',
    flag,
    'with -o FILE.csv or .xlsx: your list as it is, with the verdict to the right',
    { from: ['flag'], conflicts: ['substances'] },
  ),
  reportOption(
    '--explain <PART>',
    text,
    'print one part: why, every statement with its place, where it is used, what to ask its supplier',
    { from: ['flag'], conflicts: ['reportOutput', 'substances', 'annotate'] },
  ),
  reportOption('--substances', flag, 'class D substances instead of a row per part'),
  reportOption('--shard <I/N>', text, 'read the I-th of N shares of the sources'),
  reportOption('--all-parts', flag, 'also report declared parts that are not on the list'),
  reportOption('--history', flag, 'also report what newer declarations replace'),
  gatedOption(
    '--fail-on <RULES>',
    suggestedList(...FAIL_ON_WORDS),
    'exit 13 if a finding matches one of these rules, separated by commas: failed, doubtful (every finding of that kind), or those in docs/columns.md, such as missing, not-compliant, svhc, stale:12m or exemption-expires:2027-06-30',
  ),
  judgedOption('--junit <FILE>', file('.xml'), 'also write JUnit XML with a test case for each line'),
  reportOption('--requests <DIR>', directory, 'also write a letter to each supplier, and requests.csv', {
    from: ['flag'],
  }),
  judgedOption(
    '--waivers <FILE>',
    file('.csv', '.toml'),
    'accepted findings: CSV or TOML with part, rule, reason, owner, until, supplier',
  ),
  gatedOption('--manufacturers <FILE>', file('.csv'), 'names of manufacturers: CSV with name, alias'),
  judgedOption(
    '--substance-list <FILE>',
    file('.csv'),
    'screen class D for your list: CSV with cas, name, threshold, of (material, article, any); repeatable',
    { repeatable: true },
  ),
  datedOption('--svhc-updates <FILE>', file('.csv'), 'your table of Candidate List updates'),
  datedOption('--rohs-exemptions <FILE>', file('.csv'), 'your table of RoHS exemptions'),
  datedOption('--svhc-substances <FILE>', file('.csv'), 'your table of Candidate List substances'),
  datedOption('--rohs-substances <FILE>', file('.csv'), 'your table of RoHS substances'),
] as const

/** How the mock service behaves. Not in the config file: it is for trying things. */
const SANDBOX_OPTIONS = [
  sandboxOption('--port <N>', integer(0, 65_535), 'port to listen on; 0 for any free port', {
    from: ['flag', 'env'],
    default: 0,
  }),
  sandboxOption('--token <T>', text, 'token to accept (default: random)', {
    key: 'sandboxToken',
    from: ['flag'],
  }),
  sandboxOption('--parts <N>', integer(1, 100_000), 'number of generated parts', {
    from: ['flag', 'env'],
  }),
  sandboxOption('--date <YYYY-MM-DD>', date, 'serve what was approved by this day, as today', {
    key: 'sandboxDate',
    from: ['flag'],
  }),
  sandboxOption('--latency <MS>', integer(0, 600_000), 'milliseconds to wait before each response', {
    from: ['flag', 'env'],
    default: 0,
  }),
  sandboxOption('--rate <N>', integer(1, 100_000_000), 'requests allowed per minute', {
    key: 'sandboxRate',
    from: ['flag'],
  }),
  sandboxOption('--quota <N>', integer(0, 100_000_000), 'requests allowed per year', {
    from: ['flag', 'env'],
  }),
  sandboxOption(
    '--fail <SPEC>',
    text,
    'faults to inject, such as 503x2, 429:retry-after=2, truncate@0.5, stall@1000, reset, html; repeatable',
    { repeatable: true, from: ['flag', 'env'] },
  ),
] as const

/** Options that every command has, before or after its name. */
const GLOBAL_OPTIONS = [
  globalOption('--profile <NAME>', profileName, 'use the settings in [profiles.NAME]'),
  globalOption('--config <FILE>', file('.toml'), 'read this config file', {
    from: ['flag', 'env'],
  }),
  globalOption('--json', flag, 'print the result as one JSON object'),
  globalOption('-q, --quiet', flag, 'print errors only'),
  globalOption('-v, --verbose', count, 'print details; -vv: headers, secrets redacted'),
  globalOption('--log-format <FORMAT>', choice('text', 'json'), 'format of standard error', {
    default: 'text',
  }),
  globalOption('--no-progress', flag, 'show no progress'),
  globalOption('--color <WHEN>', choice('auto', 'always', 'never'), 'when to use colors', {
    default: 'auto',
  }),
  globalOption('--no-color', flag, 'use no colors'),
  globalOption('--no-input', flag, 'never prompt'),
  globalOption('-V, --version', flag, 'print the version', {
    from: ['flag'],
  }),
  globalOption('-h, --help', flag, 'print help', { from: ['flag'] }),
  globalOption('--help-all', flag, 'print help with every command and option', { from: ['flag'] }),
] as const

/** Every option. Flags, variables, config keys, types, help, man page and completions follow from this table. */
export const OPTIONS = [
  ...CRITERIA_OPTIONS,
  ...DOWNLOAD_OPTIONS,
  ...LIBRARY_OPTIONS,
  ...SERVICE_OPTIONS,
  ...ARCHIVE_OPTIONS,
  ...REPORT_OPTIONS,
  ...SANDBOX_OPTIONS,
  ...GLOBAL_OPTIONS,
] as const satisfies readonly OptionRow<CommandName>[]

type Rows = (typeof OPTIONS)[number]

/** The values of all options, by key. Options that a command does not have keep their defaults. */
export type Values = { readonly [R in Rows as R['key']]: ValueOf<R> }

/** The options of one command, those for every command last. */
export function optionsOf(command: string, table: readonly OptionRow[] = OPTIONS): readonly OptionRow[] {
  return table.filter((row) => row.commands === 'all' || row.commands.some((name) => name === command))
}
