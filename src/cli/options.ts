import { DIFF_EXTENSIONS } from '../diff/write-diff.ts'
import { ENCODINGS } from '../parts/encodings.ts'
import { FORMAT_EXTENSIONS, FORMAT_NAMES } from '../report/formats/choose-format.ts'
import { CSV_DIALECTS } from '../report/formats/csv-dialect.ts'
import {
  choice,
  count,
  date,
  duration,
  file,
  flag,
  folder,
  integer,
  type OptionRow,
  option,
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
  | 'parts'
  | 'list'
  | 'verify'
  | 'extract'
  | 'report'
  | 'diff'
  | 'state'
  | 'migrate'
  | 'login'
  | 'logout'
  | 'doctor'
  | 'config'
  | 'completion'
  | 'sandbox'

const SEARCH = { group: 'Search criteria', commands: ['download'] } as const
const PARTS = { group: 'Search criteria', commands: ['download', 'report', 'parts'] } as const
const OUTPUT = { group: 'Output', commands: ['download'] } as const
const REQUESTS = { group: 'Requests', commands: ['download'] } as const
const CONNECTION = { group: 'Connection', commands: ['download', 'doctor', 'login'] } as const
const LIMITS = {
  group: 'Archive limits',
  commands: ['download', 'list', 'verify', 'extract', 'report', 'diff'],
} as const
const EXTRACTION = { group: 'Extraction', commands: ['extract'] } as const
const REPORT = { group: 'Report', commands: ['report'] } as const
const DATED = { group: 'Report', commands: ['report', 'diff', 'download'] } as const
const GATED = { group: 'Report', commands: ['report', 'diff'] } as const
const SANDBOX = { group: 'Sandbox', commands: ['sandbox'] } as const
const GLOBAL = { group: 'Global options', commands: 'all' } as const

/** The search criteria of `download`; `report` takes a parts list too. */
const CRITERIA_OPTIONS = [
  option('--supplier <ID>', text, 'supplier, usually a nine-digit DUNS number; sent unchanged', {
    ...SEARCH,
    commands: ['download', 'config'],
  }),
  option('--part <NUMBER>', text, 'exact part number: never split, trimmed or case-folded; repeatable', {
    ...SEARCH,
    repeatable: true,
  }),
  option(
    '--parts-file <FILE>',
    file('.csv', '.tsv', '.xlsx', '.txt'),
    'list of part numbers: text (one per line), .csv, .tsv or .xlsx; - for standard input; repeatable',
    { ...PARTS, commands: ['download', 'report'], repeatable: true },
  ),
  option(
    '--parts-column <NAME|NUMBER>',
    text,
    'table column with the part numbers (default: found by its heading)',
    PARTS,
  ),
  option(
    '--quantity-column <NAME|NUMBER>',
    text,
    'table column with the quantities; adds the status of the whole product to the report',
    PARTS,
  ),
  option(
    '--level-column <NAME|NUMBER>',
    text,
    'table column with the assembly levels, such as 1, 2, 3 or 1.1, 1.1.2',
    PARTS,
  ),
  option(
    '--manufacturer-column <NAME|NUMBER>',
    text,
    'table column with the manufacturers (default: found by its heading)',
    PARTS,
  ),
  option(
    '--sheet <NAME|NUMBER>',
    text,
    'sheet of a workbook (default: the first one with a row of headings)',
    PARTS,
  ),
  option(
    '--encoding <NAME>',
    suggested(...ENCODINGS),
    'encoding of a text list, such as shift_jis or gb18030 (default: UTF-8, UTF-16 with a byte order mark, or Windows-1252)',
    PARTS,
  ),
  option(
    '--strict-parts',
    flag,
    'refuse a list with part numbers that a spreadsheet may have changed',
    PARTS,
  ),
  // Not `output`: an output path for archives in the environment or the file must not become a list.
  option(
    '-o, --output <FILE>',
    file('.csv', '.tsv', '.txt'),
    'write the parts as a clean list: .csv and .tsv with quantities and levels, .txt (and - for standard output) one part number per line',
    { ...PARTS, commands: ['parts'], key: 'listOutput', from: ['flag'] },
  ),
  option('--start-date <YYYY-MM-DD>', date, 'only declarations approved after this date', SEARCH),
  option(
    '--since <WHEN>',
    suggested('7d', '2w', 'yesterday', 'last-run'),
    'only newer declarations: 7d, 2w, yesterday, or last-run for those since the last complete run of this request; parts new to the list are requested without a date',
    { ...SEARCH, conflicts: ['startDate'] },
  ),
  option(
    '--format <FORMAT>',
    suggested('1752A', '1752B', 'XML', 'CSV'),
    '1752A (default) or 1752B; the legacy API v1 has XML (default) and CSV',
    { ...SEARCH, commands: ['download', 'migrate'] },
  ),
  option(
    '--format-class <CLASS>',
    choice('C', 'D', 'checkDthenC'),
    'declaration class: C (regulatory compliance), D (full material) or checkDthenC; not sent unless given',
    SEARCH,
  ),
  option(
    '--api <VERSION>',
    choice('v2', 'v1'),
    'version of the API; v1 is the legacy POST with an API key (MATDECL_API_KEY)',
    { ...SEARCH, commands: ['download', 'doctor', 'login', 'logout'], default: 'v2' },
  ),
  option('--query <NAME=VALUE>', text, 'additional query parameter for the service; repeatable', {
    ...SEARCH,
    repeatable: true,
  }),
] as const

/** Where `download` writes its results, and how it plans its requests. */
const DOWNLOAD_OPTIONS = [
  option(
    '-o, --output <PATH>',
    file('.zip'),
    'output file, directory (existing, or a path ending in /), or - for standard output; placeholders: {supplier} {format} {class} {date} {time} {start}',
    OUTPUT,
  ),
  option(
    '--overwrite',
    flag,
    'replace an existing output; the old file is kept until the new one is complete',
    { ...OUTPUT, commands: ['download', 'extract', 'report', 'diff', 'parts', 'config'] },
  ),
  option(
    '-x, --extract [DIR]',
    folder,
    'extract the archive into DIR (default: the output without .zip)',
    OUTPUT,
  ),
  option('-l, --list', flag, 'list the entries of the archive', OUTPUT),
  option(
    '--report <FILE>',
    file(),
    `write a report; the extension selects the format: ${FORMAT_EXTENSIONS.join(' ')}`,
    OUTPUT,
  ),
  option(
    '--manifest [FILE]',
    file(),
    'write a manifest with the request, the responses, the SHA-256 and every entry (default: OUTPUT.manifest.json)',
    OUTPUT,
  ),
  option(
    '--missing <FILE>',
    file(),
    'write the requested parts that were not found, for use as the next --parts-file: text, .csv or .tsv',
    OUTPUT,
  ),
  option('--no-reconcile', flag, 'do not check the archive for the requested parts', {
    ...OUTPUT,
    conflicts: ['failIfMissing', 'missing'],
  }),
  option('--fail-if-missing', flag, 'exit 12 when a requested part is not in the archive', OUTPUT),
  option(
    '--allow-partial',
    flag,
    'keep the other parts when some requests fail permanently; exits with 10',
    OUTPUT,
  ),
  option('--fail-if-empty', flag, 'exit 12 when the service has no declarations for the request', OUTPUT),
  option(
    '--max-url-length <BYTES>',
    integer(1, 1_000_000),
    'longest URL to send; parts are packed into as few requests as possible',
    { ...REQUESTS, default: 8000 },
  ),
  option(
    '--batch-size <N>',
    integer(1, 10_000_000),
    'maximum number of parts per request (default: unlimited)',
    REQUESTS,
  ),
  option(
    '--max-requests <N>',
    integer(1, 10_000_000),
    'refuse a plan with more requests: each one uses allowance',
    REQUESTS,
  ),
  option('-y, --yes', flag, 'do not prompt before a plan of more than 50 requests', REQUESTS),
  option(
    '--if-locked <HOW>',
    choice('fail', 'skip', 'wait'),
    'if another run is using the output: fail (exit 11), skip (exit 0, does nothing) or wait',
    { ...REQUESTS, default: 'fail' },
  ),
  option('-n, --dry-run', flag, 'print the plan (requests, URLs, time, allowance) and exit', REQUESTS),
  option('--curl', flag, 'with --dry-run: print the plan as curl commands', REQUESTS),
] as const

/** How to connect to the service, and how long it may take. */
const SERVICE_OPTIONS = [
  option('--concurrency <N>', integer(1, 64), 'number of concurrent requests', { ...REQUESTS, default: 4 }),
  option(
    '--retries <N>',
    integer(0, 100),
    'retries after a temporary failure; attempts that made progress, and rate limiting without Retry-After, do not count',
    { ...REQUESTS, default: 5 },
  ),
  option(
    '--max-wait <TIME>',
    duration,
    'longest wait that the service may request, and longest time without an accepted request; beyond it the run ends with exit 6',
    { ...REQUESTS, default: 300_000 },
  ),
  option(
    '--rate <N>',
    integer(1, 100_000),
    'maximum requests per minute, evenly spaced; lowered automatically when the service limits the rate',
    { ...REQUESTS, default: 100 },
  ),
  option('--connect-timeout <TIME>', timeLimit, 'timeout for a connection', {
    ...CONNECTION,
    default: 10_000,
  }),
  option(
    '--response-timeout <TIME>',
    timeLimit,
    'timeout for the first byte, while the service builds the archive',
    { ...CONNECTION, commands: ['download'], default: 600_000 },
  ),
  option('--stall-timeout <TIME>', timeLimit, 'timeout between bytes', {
    ...CONNECTION,
    commands: ['download'],
    default: 60_000,
  }),
  option('--timeout <TIME>', timeLimit, 'timeout for the whole run (default: none)', {
    ...CONNECTION,
    commands: ['download'],
  }),
  option('--base-url <URL>', url, 'URL of the service without the version; https, except on localhost', {
    ...CONNECTION,
    commands: ['download', 'migrate', 'config', 'doctor', 'login'],
  }),
  option(
    '--proxy <URL>',
    text,
    'HTTP proxy (default: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY)',
    CONNECTION,
  ),
  option(
    '--ca-file <FILE>',
    file('.pem', '.crt', '.cer', '.key'),
    'additional certificate authorities (PEM)',
    CONNECTION,
  ),
  option(
    '--client-cert <FILE>',
    file('.pem', '.crt', '.cer', '.key', '.p12', '.pfx'),
    'client certificate (PEM, or PKCS#12 with its key)',
    CONNECTION,
  ),
  option(
    '--client-key <FILE>',
    file('.pem', '.key'),
    'private key of the client certificate (PEM)',
    CONNECTION,
  ),
  option(
    '--client-key-password-file <FILE>',
    file(),
    'file with the password of an encrypted client key or PKCS#12 file',
    CONNECTION,
  ),
  option(
    '--sandbox',
    flag,
    'use a built-in mock service; needs no account or settings, and ignores search criteria of the config file',
    { ...CONNECTION, commands: ['download', 'doctor'], from: ['flag'] },
  ),
] as const

/** Limits on archives, and what to extract from one. */
const ARCHIVE_OPTIONS = [
  option('--max-entries <N>', integer(1, 100_000_000), 'refuse an archive with more entries', {
    ...LIMITS,
    default: 200_000,
  }),
  option('--max-size <SIZE>', size, 'refuse an archive that is larger than this when unpacked', {
    ...LIMITS,
    default: 16 * 1024 ** 3,
  }),
  option(
    '--max-ratio <N>',
    integer(1, 1_000_000),
    'refuse an entry that unpacks to more than N times its packed size and more than 10 MiB',
    { ...LIMITS, default: 250 },
  ),
  option('--long', flag, 'also list packed size, time and CRC-32', { group: 'Output', commands: ['list'] }),
  // Not `manifest`: a path in the environment or the file for the manifest of a download must not be read.
  option(
    '--manifest <FILE>',
    file('.json'),
    'also compare the archive with its download manifest: size, SHA-256 and every entry',
    { group: 'Output', commands: ['verify'], key: 'knownManifest', from: ['flag'] },
  ),
  option('--include <GLOB>', text, 'extract only entries that match; repeatable', {
    ...EXTRACTION,
    repeatable: true,
  }),
  option('--exclude <GLOB>', text, 'skip entries that match; repeatable', {
    ...EXTRACTION,
    repeatable: true,
  }),
  option('--flat', flag, 'extract without directories; refuses entries whose names then collide', EXTRACTION),
  option('--no-pager', flag, 'do not use a pager for long output', {
    group: 'Output',
    commands: ['list', 'report'],
  }),
  option(
    '--pager <COMMAND>',
    text,
    'pager for output that is longer than the screen (default: $PAGER, or less)',
    { group: 'Output', commands: ['list', 'report'], conflicts: ['noPager'] },
  ),
] as const

/** What `report` and `diff` write, and when they fail. */
const REPORT_OPTIONS = [
  // Not `output`: an output path for archives in the environment or the file must not become a report.
  option(
    '-o, --output <FILE>',
    file(...FORMAT_EXTENSIONS, '.txt'),
    `write a file; the extension selects the format: ${FORMAT_EXTENSIONS.join(' ')} for report, ${DIFF_EXTENSIONS.join(' ')} for diff`,
    { ...GATED, key: 'reportOutput', from: ['flag'] },
  ),
  option('--open', flag, 'open the written file; an HTML page opens in the browser', {
    ...REPORT,
    from: ['flag'],
  }),
  option('--substances', flag, 'list class D substances instead of one row per part', REPORT),
  option(
    '--output-format <FORMAT>',
    choice(...FORMAT_NAMES),
    'format of the output, instead of the extension; also on standard output',
    { ...REPORT, from: ['flag'] },
  ),
  option(
    '--title <TEXT>',
    text,
    'what the report is about, such as a product and its release; shown by formats with a head: HTML, XLSX, Markdown',
    { ...REPORT, from: ['flag'] },
  ),
  option(
    '--order <ORDER>',
    choice('worst', 'list'),
    'order of the rows on a terminal: the worst first, or as in the sources; other formats keep the order of the sources',
    { ...REPORT, default: 'worst' },
  ),
  option(
    '--csv-dialect <DIALECT>',
    choice(...CSV_DIALECTS),
    'write CSV as in RFC 4180, or for Excel in your locale: byte order mark, separator, decimal sign, part numbers kept as text',
    { ...GATED, default: 'rfc4180' },
  ),
  option(
    '--sources-from <FILE>',
    file(),
    'also read the sources listed in this file, one per line or separated by NUL; - for standard input',
    { ...REPORT, from: ['flag'] },
  ),
  option(
    '--shard <I/N>',
    text,
    'read only shard I of N of the sources, selected by a hash of their paths; the N outputs together are the complete report',
    REPORT,
  ),
  option(
    '--all-parts',
    flag,
    'with --parts-file: also report declared parts that are not on the list',
    REPORT,
  ),
  option(
    '--history',
    flag,
    'also report what newer declarations replace, with status superseded; --fail-on ignores it',
    REPORT,
  ),
  option(
    '--fail-on <RULES>',
    suggestedList(
      'not-compliant',
      'svhc',
      'missing',
      'incomplete',
      'unreadable',
      'not-declared',
      'reach-not-declared',
      'unaccepted',
      'contradictory',
      'indicated',
      'other-manufacturer',
      'over:',
      'stale:',
      'older:',
      'exemption-expires:',
    ),
    'exit 13 if a row matches one of these rules, separated by commas: not-compliant, svhc, missing, incomplete, unreadable, not-declared, reach-not-declared, unaccepted, contradictory, indicated, other-manufacturer, over:LIST, stale:EUREACH-0624 (or any list), stale:12m (a REACH list), older:24m (a declaration), exemption-expires:2027-06-30 (or any day)',
    GATED,
  ),
  option('--junit <FILE>', file('.xml'), 'also write JUnit XML with one test case per part', REPORT),
  option(
    '--requests <DIR>',
    folder,
    'also write what to ask each supplier for into this directory: a text for each, and requests.csv with all of it',
    { ...REPORT, from: ['flag'] },
  ),
  option(
    '--waivers <FILE>',
    file('.csv', '.toml'),
    'exclude accepted findings from --fail-on until a date: CSV or TOML with part, rule, reason, owner, until',
    REPORT,
  ),
  option(
    '--svhc-updates <FILE>',
    file('.csv'),
    'use this table of Candidate List updates instead of the built-in one',
    DATED,
  ),
  option(
    '--rohs-exemptions <FILE>',
    file('.csv'),
    'use this table of RoHS exemption dates instead of the built-in one',
    DATED,
  ),
  option(
    '--svhc-substances <FILE>',
    file('.csv'),
    'use this table of Candidate List substances by CAS number instead of the built-in one',
    DATED,
  ),
  option(
    '--rohs-substances <FILE>',
    file('.csv'),
    'use this table of RoHS substances by CAS number instead of the built-in one',
    DATED,
  ),
  option('--no-cache', flag, 'do not use the cache: read every declaration again and store nothing', DATED),
] as const

/** How the mock service behaves. Not in the config file: it is for trying things. */
const SANDBOX_OPTIONS = [
  option('--port <N>', integer(0, 65_535), 'port to listen on; 0 for any free port', {
    ...SANDBOX,
    from: ['flag', 'env'],
    default: 0,
  }),
  option('--token <T>', text, 'token to accept (default: random)', {
    ...SANDBOX,
    key: 'sandboxToken',
    from: ['flag'],
  }),
  option('--catalog <FILE>', file(), 'suppliers and parts to serve (JSON)', {
    ...SANDBOX,
    from: ['flag', 'env'],
  }),
  option('--parts <N>', integer(1, 100_000), 'number of parts in the generated catalog', {
    ...SANDBOX,
    from: ['flag', 'env'],
    conflicts: ['catalog'],
  }),
  option(
    '--date <YYYY-MM-DD>',
    date,
    'serve only declarations approved by this day, and use it as the current date (default: everything, today)',
    { ...SANDBOX, key: 'sandboxDate', from: ['flag'] },
  ),
  option('--latency <MS>', integer(0, 600_000), 'milliseconds to wait before each response', {
    ...SANDBOX,
    from: ['flag', 'env'],
    default: 0,
  }),
  option('--rate <N>', integer(1, 100_000_000), 'requests allowed per minute', {
    ...SANDBOX,
    key: 'sandboxRate',
    from: ['flag'],
  }),
  option('--quota <N>', integer(0, 100_000_000), 'requests allowed per year', {
    ...SANDBOX,
    from: ['flag', 'env'],
  }),
  option(
    '--fail <SPEC>',
    text,
    'faults to inject, such as 503x2, 429:retry-after=2, truncate@0.5, stall@1000, reset, html; repeatable',
    { ...SANDBOX, repeatable: true, from: ['flag', 'env'] },
  ),
] as const

/** Options that every command has, before or after its name. */
const GLOBAL_OPTIONS = [
  option('--profile <NAME>', profileName, 'use the settings in [profiles.NAME]', GLOBAL),
  option('--config <FILE>', file('.toml'), 'read this config file instead of the default one', {
    ...GLOBAL,
    from: ['flag', 'env'],
  }),
  option('--json', flag, 'print the result as one JSON object', GLOBAL),
  option('-q, --quiet', flag, 'print errors only', GLOBAL),
  option(
    '-v, --verbose',
    count,
    'print details; twice: every request and response header, with secrets redacted',
    GLOBAL,
  ),
  option(
    '--log-format <FORMAT>',
    choice('text', 'json'),
    'format of standard error: text, or json with one object per line',
    { ...GLOBAL, default: 'text' },
  ),
  option('--no-progress', flag, 'show no progress', GLOBAL),
  option('--color <WHEN>', choice('auto', 'always', 'never'), 'when to use colors', {
    ...GLOBAL,
    default: 'auto',
  }),
  option('--no-color', flag, 'use no colors', GLOBAL),
  option('--no-input', flag, 'never prompt', GLOBAL),
  option('-V, --version', flag, 'print the version; with --json also Node, platform and commit', {
    ...GLOBAL,
    from: ['flag'],
  }),
  option('-h, --help', flag, 'print help', { ...GLOBAL, from: ['flag'] }),
  option('--help-all', flag, 'print help with every command and option', { ...GLOBAL, from: ['flag'] }),
] as const

/** Every option. Flags, variables, config keys, types, help, man page and completions follow from this table. */
export const OPTIONS = [
  ...CRITERIA_OPTIONS,
  ...DOWNLOAD_OPTIONS,
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
