import { DIFF_FORMATS } from '../diff/write-diff.ts'
import { ENCODINGS } from '../parts/encodings.ts'
import { extensionsOf, FORMAT_NAMES, FORMATS } from '../report/formats/choose-format.ts'
import { CSV_DIALECTS } from '../report/formats/csv-dialect.ts'
import { FAIL_ON_WORDS, RULE_WORDS } from '../report/gate/rule-words.ts'
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
  searchOption('--supplier <ID>', text, 'supplier, usually a nine-digit DUNS number; sent unchanged', {
    commands: ['download', 'sync', 'check', 'config'],
  }),
  searchOption(
    '--part <NUMBER>',
    text,
    'exact part number: never split, trimmed or case-folded; repeatable',
    { commands: ['download', 'sync'], repeatable: true },
  ),
  partsOption(
    '--parts-file <FILE>',
    file('.csv', '.tsv', '.xlsx', '.txt'),
    'list of part numbers: text (one per line), .csv, .tsv or .xlsx; - for standard input; repeatable',
    { commands: ['download', 'sync', 'report', 'diff'], repeatable: true },
  ),
  partsOption(
    '--parts-column <NAME|NUMBER>',
    text,
    'table column with the part numbers (default: found by its heading)',
  ),
  partsOption(
    '--quantity-column <NAME|NUMBER>',
    text,
    'table column with the quantities; adds the status of the whole product to the report',
  ),
  partsOption(
    '--level-column <NAME|NUMBER>',
    text,
    'table column with the assembly levels, such as 1, 2, 3 or 1.1, 1.1.2',
  ),
  partsOption(
    '--manufacturer-column <NAME|NUMBER>',
    text,
    'table column with the manufacturers (default: found by its heading)',
  ),
  partsOption(
    '--sheet <NAME|NUMBER>',
    text,
    'sheet of a workbook (default: the first one with a row of headings)',
  ),
  partsOption(
    '--encoding <NAME>',
    suggested(...ENCODINGS),
    'encoding of a text list, such as shift_jis or gb18030 (default: UTF-8, UTF-16 with a byte order mark, or Windows-1252)',
  ),
  partsOption('--strict-parts', flag, 'refuse a list with part numbers that a spreadsheet may have changed'),
  // Not `output`: an output path for archives in the environment or the file must not become a list.
  partsOption(
    '-o, --output <FILE>',
    file('.csv', '.tsv', '.txt'),
    'write the parts as a clean list: .csv and .tsv with quantities and levels, .txt (and - for standard output) one part number per line',
    { commands: ['parts'], key: 'listOutput', from: ['flag'] },
  ),
  searchOption('--start-date <YYYY-MM-DD>', date, 'only declarations approved after this date', {
    commands: ['download'],
  }),
  searchOption(
    '--since <WHEN>',
    suggested('7d', '2w', 'yesterday'),
    'only newer declarations: those of the last days or weeks, such as 7d or 2w, or since yesterday',
    { commands: ['download'], conflicts: ['startDate'] },
  ),
  searchOption(
    '--format <FORMAT>',
    suggested('1752A', '1752B', 'XML', 'CSV'),
    '1752A (default) or 1752B; the legacy API v1 has XML (default) and CSV',
    { commands: ['download', 'sync', 'check', 'migrate'] },
  ),
  searchOption(
    '--format-class <CLASS>',
    choice('C', 'D', 'checkDthenC'),
    'declaration class: C (regulatory compliance), D (full material) or checkDthenC; not sent unless given',
  ),
  searchOption(
    '--api <VERSION>',
    choice('v2', 'v1'),
    'version of the API; v1 is the legacy POST with an API key (MATDECL_API_KEY)',
    { commands: ['download', 'sync', 'check', 'doctor', 'login', 'logout'], default: 'v2' },
  ),
  searchOption('--query <NAME=VALUE>', text, 'additional query parameter for the service; repeatable', {
    repeatable: true,
  }),
] as const

/** Where `download` writes its results, and how it plans its requests. */
const DOWNLOAD_OPTIONS = [
  outputOption(
    '-o, --output <PATH>',
    file('.zip'),
    'output file, directory (existing, or a path ending in /), or - for standard output; placeholders: {supplier} {format} {class} {date} {time} {start}',
  ),
  outputOption(
    '--overwrite',
    flag,
    'replace an existing output; the old file is kept until the new one is complete',
    { commands: ['download', 'check', 'extract', 'report', 'diff', 'parts', 'config'] },
  ),
  outputOption(
    '-x, --extract [DIR]',
    directory,
    'extract the archive into DIR (default: the output without .zip)',
  ),
  outputOption('-l, --list', flag, 'list the entries of the archive'),
  outputOption(
    '--report <FILE>',
    file(),
    `write a report; the extension selects the format: ${extensionsOf(FORMATS).join(' ')}`,
  ),
  outputOption(
    '--manifest [FILE]',
    file(),
    'write a manifest with the request, the responses, the SHA-256 and every entry (default: OUTPUT.manifest.json)',
  ),
  outputOption(
    '--missing <FILE>',
    file(),
    'write the requested parts that were not found, for use as the next --parts-file: text, .csv or .tsv',
  ),
  outputOption('--no-reconcile', flag, 'do not check the archive for the requested parts', {
    conflicts: ['failIfMissing', 'missing'],
  }),
  outputOption('--fail-if-missing', flag, 'exit 12 when a requested part is not in the archive'),
  outputOption(
    '--allow-partial',
    flag,
    'keep the other parts when some requests fail permanently; exits with 10',
  ),
  outputOption('--fail-if-empty', flag, 'exit 12 when the service has no declarations for the request'),
  requestsOption(
    '--max-url-length <BYTES>',
    integer(1, 1_000_000),
    'longest URL to send; parts are packed into as few requests as possible',
    { default: 8000 },
  ),
  requestsOption(
    '--batch-size <N>',
    integer(1, 10_000_000),
    'maximum number of parts per request (default: unlimited)',
  ),
  requestsOption(
    '--max-requests <N>',
    integer(1, 10_000_000),
    'refuse a plan with more requests: each one uses allowance',
  ),
  requestsOption('-y, --yes', flag, 'do not prompt before a plan of more than 50 requests'),
  requestsOption(
    '--if-locked <HOW>',
    choice('fail', 'skip', 'wait'),
    'if another run is using the output: fail (exit 11), skip (exit 0, does nothing) or wait',
    { default: 'fail' },
  ),
  requestsOption('-n, --dry-run', flag, 'print the plan (requests, URLs, time, allowance) and exit', {
    commands: ['download', 'sync'],
  }),
  requestsOption(
    '--curl',
    flag,
    'with --dry-run: print the plan as curl commands, with --json beside the URLs',
    { commands: ['download'] },
  ),
] as const

/** The library, and what `sync` asks for. */
const LIBRARY_OPTIONS = [
  libraryOption(
    '--library <DIR>',
    directory,
    'library of everything that the service has sent (default: library in the user data directory; the sandbox has its own beside it)',
    { commands: ['sync', 'check', 'report', 'diff', 'verify', 'config'] },
  ),
  libraryOption('--full', flag, 'ask for everything without a start date'),
  libraryOption(
    '--full-after <TIME>',
    duration,
    'ask without a start date where the last such answer is older; parts that were never found after 7 days',
    { default: 90 * 86_400_000 },
  ),
  libraryOption(
    '--max-age <TIME>',
    duration,
    'leave out what was answered within this time (default 0 for sync, 24h for check)',
  ),
  libraryOption('--offline', flag, 'ask the service for nothing: judge by what the library has', {
    commands: ['check'],
  }),
  libraryOption('--as-of <YYYY-MM-DD>', date, 'report what the library had at the end of this day (UTC)', {
    commands: ['report'],
    from: ['flag'],
  }),
  // Not `since`: a period for downloads in the environment or the file is another one.
  libraryOption(
    '--since <YYYY-MM-DD>',
    text,
    'compare what the library had at the end of this day (UTC) with what it has now; also 7d, 2w, yesterday; an HTML report marks the rows that changed',
    { commands: ['diff', 'report'], key: 'diffSince', from: ['flag'] },
  ),
] as const

/** How to connect to the service, and how long it may take. */
const SERVICE_OPTIONS = [
  requestsOption('--concurrency <N>', integer(1, 64), 'number of concurrent requests', { default: 4 }),
  requestsOption(
    '--retries <N>',
    integer(0, 100),
    'retries after a temporary failure; attempts that made progress, and rate limiting without Retry-After, do not count',
    { default: 5 },
  ),
  requestsOption(
    '--max-wait <TIME>',
    duration,
    'longest wait that the service may request, and longest time without an accepted request; beyond it the run ends with exit 6',
    { default: 300_000 },
  ),
  requestsOption(
    '--rate <N>',
    integer(1, 100_000),
    'maximum requests per minute, evenly spaced; lowered automatically when the service limits the rate',
    { default: 100 },
  ),
  connectionOption('--connect-timeout <TIME>', timeLimit, 'timeout for a connection', { default: 10_000 }),
  connectionOption(
    '--response-timeout <TIME>',
    timeLimit,
    'timeout for the first byte, while the service builds the archive',
    { commands: ['download', 'sync', 'check'], default: 600_000 },
  ),
  connectionOption('--stall-timeout <TIME>', timeLimit, 'timeout between bytes', {
    commands: ['download', 'sync', 'check'],
    default: 60_000,
  }),
  connectionOption('--timeout <TIME>', timeLimit, 'timeout for the whole run (default: none)', {
    commands: ['download', 'sync', 'check'],
  }),
  connectionOption(
    '--base-url <URL>',
    url,
    'URL of the service without the version; https, except on localhost',
    { commands: ['download', 'sync', 'check', 'migrate', 'config', 'doctor', 'login'] },
  ),
  connectionOption(
    '--proxy <URL>',
    text,
    'HTTP proxy (default: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY)',
  ),
  connectionOption(
    '--ca-file <FILE>',
    file('.pem', '.crt', '.cer', '.key'),
    'additional certificate authorities (PEM)',
  ),
  connectionOption(
    '--client-cert <FILE>',
    file('.pem', '.crt', '.cer', '.key', '.p12', '.pfx'),
    'client certificate (PEM, or PKCS#12 with its key)',
  ),
  connectionOption(
    '--client-key <FILE>',
    file('.pem', '.key'),
    'private key of the client certificate (PEM)',
  ),
  connectionOption(
    '--client-key-password-file <FILE>',
    file(),
    'file with the password of an encrypted client key or PKCS#12 file',
  ),
  connectionOption(
    '--sandbox',
    flag,
    'use a built-in mock service; needs no account or settings, and ignores search criteria of the config file',
    { commands: ['download', 'sync', 'check', 'doctor'], from: ['flag'] },
  ),
] as const

/** Limits on archives, and what to extract from one. */
const ARCHIVE_OPTIONS = [
  limitsOption('--max-entries <N>', integer(1, 100_000_000), 'refuse an archive with more entries', {
    default: 200_000,
  }),
  limitsOption('--max-size <SIZE>', size, 'refuse an archive that is larger than this when unpacked', {
    default: 16 * 1024 ** 3,
  }),
  limitsOption(
    '--max-ratio <N>',
    integer(1, 1_000_000),
    'refuse an entry that unpacks to more than N times its packed size and more than 10 MiB',
    { default: 250 },
  ),
  option('--long', flag, 'also list packed size, time and CRC-32', { group: 'Output', commands: ['list'] }),
  // Not `manifest`: a path in the environment or the file for the manifest of a download must not be read.
  option(
    '--manifest <FILE>',
    file('.json'),
    'also compare the archive with its download manifest: size, SHA-256 and every entry',
    { group: 'Output', commands: ['verify'], key: 'knownManifest', from: ['flag'] },
  ),
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
    file(...extensionsOf(FORMATS), '.txt'),
    `write a file; the extension selects the format: ${extensionsOf(FORMATS).join(' ')} for report and check, ${extensionsOf(DIFF_FORMATS).join(' ')} for diff; check also takes a directory (a path ending in /) for a page of each list and an index`,
    { key: 'reportOutput', from: ['flag'] },
  ),
  reportOption('--open', flag, 'open the written file; an HTML page opens in the browser', {
    from: ['flag'],
  }),
  reportOption(
    '--annotate',
    flag,
    'with -o FILE.csv or .xlsx: write the parts list itself, its columns and rows as they are, with verdict, statuses, reasons, dates and sources to the right',
    { from: ['flag'], conflicts: ['outputFormat', 'substances'] },
  ),
  reportOption(
    '--explain <PART>',
    text,
    'print one part instead: why, every statement with file, line and date, where it is used, what to ask its supplier',
    { from: ['flag'], conflicts: ['reportOutput', 'outputFormat', 'substances', 'annotate'] },
  ),
  judgedOption(
    '--previous <FILE>',
    file('.json'),
    'with -o FILE.html: mark rows that are new, better, worse or answered since this JSON report',
    { from: ['flag'], conflicts: ['diffSince'] },
  ),
  reportOption('--substances', flag, 'list class D substances instead of one row per part'),
  reportOption(
    '--output-format <FORMAT>',
    choice(...FORMAT_NAMES),
    'format of the output, instead of the extension; also on standard output',
    { from: ['flag'] },
  ),
  reportOption(
    '--title <TEXT>',
    text,
    'what the report is about, such as a product and its release; shown by formats with a head: HTML, XLSX, Markdown',
    { from: ['flag'] },
  ),
  reportOption(
    '--order <ORDER>',
    choice('worst', 'list'),
    'order of the rows on a terminal, which shows the first fifty: the worst first, or as in the sources; other formats keep the order of the sources',
    { default: 'worst' },
  ),
  gatedOption(
    '--csv-dialect <DIALECT>',
    choice(...CSV_DIALECTS),
    'write CSV as in RFC 4180, or for Excel in your locale: byte order mark, separator, decimal sign, part numbers kept as text',
    { default: 'rfc4180' },
  ),
  reportOption(
    '--sources-from <FILE>',
    file(),
    'also read the sources listed in this file, one per line or separated by NUL; - for standard input',
    { from: ['flag'] },
  ),
  reportOption(
    '--shard <I/N>',
    text,
    'read only shard I of N of the sources, selected by a hash of their paths; the N outputs together are the complete report',
  ),
  reportOption('--all-parts', flag, 'with --parts-file: also report declared parts that are not on the list'),
  reportOption(
    '--history',
    flag,
    'also report what newer declarations replace, with status superseded; --fail-on ignores it',
  ),
  gatedOption(
    '--fail-on <RULES>',
    suggestedList(...FAIL_ON_WORDS),
    `exit 13 if a finding matches one of these rules, separated by commas: failed or doubtful (every finding of that kind: what is left is clean), ${RULE_WORDS.join(', ')}, indicated:NAME (a list of your own), over:LIST, stale:EUREACH-0624 (or any list), stale:12m (a REACH list), older:24m (a declaration), exemption-expires:2027-06-30 (or any day)`,
  ),
  reportOption('--junit <FILE>', file('.xml'), 'also write JUnit XML with one test case per part'),
  reportOption(
    '--requests <DIR>',
    directory,
    'also write what to ask each supplier for into this directory: a text for each, and requests.csv with all of it',
    { from: ['flag'] },
  ),
  judgedOption(
    '--waivers <FILE>',
    file('.csv', '.toml'),
    'exclude accepted findings from --fail-on until a date: CSV or TOML with part, rule, reason, owner, until, and where it is for one supplier its name',
  ),
  gatedOption(
    '--manufacturers <FILE>',
    file('.csv'),
    'more names of manufacturers, for those of a parts list and of declarations: CSV with name, alias',
  ),
  judgedOption(
    '--substance-list <FILE>',
    file('.csv'),
    'screen class D for a list of your own, named like its file: CSV with cas, name, threshold, of (material, article or any); repeatable',
    { repeatable: true },
  ),
  datedOption(
    '--svhc-updates <FILE>',
    file('.csv'),
    'use this table of Candidate List updates instead of the built-in one',
  ),
  datedOption(
    '--rohs-exemptions <FILE>',
    file('.csv'),
    'use this table of RoHS exemption dates instead of the built-in one',
  ),
  datedOption(
    '--svhc-substances <FILE>',
    file('.csv'),
    'use this table of Candidate List substances by CAS number instead of the built-in one',
  ),
  datedOption(
    '--rohs-substances <FILE>',
    file('.csv'),
    'use this table of RoHS substances by CAS number instead of the built-in one',
  ),
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
  sandboxOption('--catalog <FILE>', file(), 'suppliers and parts to serve (JSON)', { from: ['flag', 'env'] }),
  sandboxOption('--parts <N>', integer(1, 100_000), 'number of parts in the generated catalog', {
    from: ['flag', 'env'],
    conflicts: ['catalog'],
  }),
  sandboxOption(
    '--date <YYYY-MM-DD>',
    date,
    'serve only declarations approved by this day, and use it as the current date (default: everything, today)',
    { key: 'sandboxDate', from: ['flag'] },
  ),
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
  globalOption('--config <FILE>', file('.toml'), 'read this config file instead of the default one', {
    from: ['flag', 'env'],
  }),
  globalOption('--json', flag, 'print the result as one JSON object'),
  globalOption('-q, --quiet', flag, 'print errors only'),
  globalOption(
    '-v, --verbose',
    count,
    'print details; twice: every request and response header, with secrets redacted',
  ),
  globalOption(
    '--log-format <FORMAT>',
    choice('text', 'json'),
    'format of standard error: text, or json with one object per line',
    { default: 'text' },
  ),
  globalOption('--no-progress', flag, 'show no progress'),
  globalOption('--color <WHEN>', choice('auto', 'always', 'never'), 'when to use colors', {
    default: 'auto',
  }),
  globalOption('--no-color', flag, 'use no colors'),
  globalOption('--no-input', flag, 'never prompt'),
  globalOption('-V, --version', flag, 'print the version; with --json also Node, platform and commit', {
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
