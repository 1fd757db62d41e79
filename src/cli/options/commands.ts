import type { Offer } from './offer.ts'
import { SHELLS } from './shells.ts'

/** An operand of a command, as the usage line shows it. */
export interface Operand {
  readonly name: string
  readonly required: boolean
  readonly many?: true
  /** The only words it may be. */
  readonly values?: readonly string[]
  readonly offers?: Offer
}

/** One command: what help, man page and completions say of it. */
export interface CommandRow {
  readonly name: string
  readonly summary: string
  readonly operands: readonly Operand[]
  readonly description: string
  /** Command lines with what they do; the first two lead the help. */
  readonly examples: readonly { readonly line: string; readonly does: string }[]
}

const ZIP: Offer = { kind: 'files', endings: ['.zip'] }
const DECLARATIONS: Offer = { kind: 'files', endings: ['.zip', '.xml'] }
const ARCHIVES: Operand = { name: 'ARCHIVE', required: true, many: true, offers: ZIP }

/** Every command, the default one first. */
export const COMMANDS = [
  {
    name: 'download',
    summary: 'ask the service, save one verified archive; optionally list, extract, report',
    operands: [],
    description:
      'Asks for the declarations of a supplier, of parts, or of parts of a supplier; checks every byte of what comes; only then gives the archive its name. `matdecl --supplier …` is the same as `matdecl download --supplier …`. Part numbers that begin with a dash go after `--`, into a file, or are written `--part=-7X2`.',
    examples: [
      {
        line: 'matdecl download --sandbox --supplier 100200300 -x -l',
        does: 'try it, without account or settings',
      },
      {
        line: 'matdecl --supplier 123456789 --parts-file bom.csv -o bom.zip',
        does: 'the parts of a list, as one archive',
      },
      {
        line: 'matdecl --parts-file bom.csv --dry-run',
        does: 'how many requests, how long, how much allowance',
      },
      { line: 'matdecl --supplier 123456789 --since last-run --quiet', does: 'what is new since last night' },
      {
        line: 'matdecl --part "AB 12/7" --format-class D -o - > declaration.zip',
        does: 'one part, to standard output',
      },
    ],
  },
  {
    name: 'list',
    summary: 'entries of archives with size, packed size, date and CRC-32',
    operands: [ARCHIVES],
    description:
      'Shows what is inside without unpacking it. Names are shown with control characters made visible.',
    examples: [
      { line: 'matdecl list bom.zip', does: 'a table' },
      { line: "matdecl list bom.zip --json | jq -r '.archives[].entries[].name'", does: 'the names alone' },
    ],
  },
  {
    name: 'verify',
    summary: 'check structure, names, limits, and the size and CRC-32 of every entry',
    operands: [ARCHIVES],
    description:
      'Says what is wrong and where; writes nothing. Exit code 8 when an archive is damaged or unsafe.',
    examples: [
      { line: 'matdecl verify bom.zip', does: 'one archive' },
      { line: 'matdecl verify *.zip --quiet', does: 'many, the exit code alone' },
    ],
  },
  {
    name: 'extract',
    summary: 'unpack an archive safely, all or nothing',
    operands: [
      { name: 'ARCHIVE', required: true, offers: ZIP },
      { name: 'DIR', required: false, offers: { kind: 'folders' } },
    ],
    description:
      'Unpacks into a new folder that appears only when it is whole; the folder is named like the archive without `.zip` unless given.',
    examples: [
      { line: 'matdecl extract bom.zip', does: 'into the folder bom' },
      { line: "matdecl extract bom.zip xml --include '*.xml'", does: 'only what matches' },
    ],
  },
  {
    name: 'report',
    summary:
      'what each part declares: archives, folders or XML files in, a table, CSV, XLSX, JSON or HTML out',
    operands: [{ name: 'SOURCE', required: true, many: true, offers: DECLARATIONS }],
    description:
      'One row per part number: RoHS status, exemptions, SVHCs, the lists they rest on, mass and declared share. A terminal gets a table, a pipe CSV, --json one object, -o a file by its ending. What is not declared is never called compliant; a broken or foreign XML file is a row that says so. --parts-file adds the parts that were asked for and are in no source.',
    examples: [
      { line: 'matdecl report bom.zip', does: 'a table, or CSV into a pipe' },
      {
        line: 'matdecl report bom.zip --parts-file bom.csv -o bom.html',
        does: 'a page to search, sort and print',
      },
      {
        line: 'matdecl report bom.zip --parts-file bom.csv --fail-on not-compliant,missing',
        does: 'a gate: exit 13 when a part does not do',
      },
      { line: 'matdecl report bom.zip --substances -o substances.xlsx', does: 'what the parts are made of' },
    ],
  },
  {
    name: 'diff',
    summary: 'what changed between two downloads, part by part',
    operands: [
      { name: 'OLD', required: true, offers: DECLARATIONS },
      { name: 'NEW', required: true, offers: DECLARATIONS },
    ],
    description:
      'Compares what two archives, folders or XML files declare: parts added, removed and changed, statuses, exemptions and SVHCs gained and lost. Order, names and times of the files do not count; a list update that re-dates thousands of parts is one line. --fail-on looks at what is new or changed, and takes a removed part for a missing one.',
    examples: [
      { line: 'matdecl diff last-week.zip bom.zip', does: 'what is different' },
      {
        line: 'matdecl diff old.zip new.zip --fail-on not-compliant,svhc -o changes.md',
        does: 'a gate, and the changes as Markdown',
      },
    ],
  },
  {
    name: 'state',
    summary: 'show or forget what --since last-run remembers',
    operands: [
      { name: 'ACTION', required: true, values: ['show', 'reset'] },
      { name: 'ID', required: false },
    ],
    description:
      'A complete run with --since last-run remembers the date of the service and the parts that were asked for. `show` lists what is remembered, `reset` forgets one run by its ID, or all.',
    examples: [
      { line: 'matdecl state show', does: 'what is remembered' },
      { line: 'matdecl state reset', does: 'forget it all: the next run asks for everything' },
    ],
  },
  {
    name: 'migrate',
    summary: 'a legacy v1 request in, the v2 command and address out, with a note for all that changed',
    operands: [{ name: 'REQUEST', required: false }],
    description:
      'Reads a v1 JSON request, or a curl command line that carries one, from a file or standard input, and writes a script: the commands that ask the same of v2, and as comments their addresses, lines for the settings file and what is different. Asks nobody, changes nothing, and never repeats the API key. `--format` chooses what XML becomes.',
    examples: [
      { line: 'matdecl migrate request.json', does: 'a v1 request that stands in a file' },
      { line: 'matdecl migrate --format 1752B < fetch.sh', does: 'a curl command line, for 1752B' },
    ],
  },
  {
    name: 'doctor',
    summary:
      'look at settings, token, DNS, TLS, proxy, the service, allowance, clock and disk; say what is wrong and the mend',
    operands: [],
    description:
      'A line for each thing a download needs: in order, not so with what to do about it, or not to be looked at and why. Downloads nothing and uses no allowance. Ends with the exit code of the first thing that is not in order.',
    examples: [
      { line: 'matdecl doctor', does: 'is everything ready?' },
      { line: 'matdecl doctor --profile nightly --quiet', does: 'for a cron job: only what is wrong' },
      { line: 'matdecl doctor --sandbox', does: 'what it looks like, without account or settings' },
    ],
  },
  {
    name: 'config',
    summary: 'the settings: show them with where each came from, tell their place, write a starter file',
    operands: [{ name: 'ACTION', required: true, values: ['show', 'path', 'init'] }],
    description:
      '`show` lists every setting as it counts now, each with its source: flag, environment, profile, file or default; of secrets only the source; every flag may be given to see what would count with it. `path` prints where the settings file and the state are looked for, a line each. `init` writes a commented starter file that only you can read (mode 0600) to where it would be looked for, or to --config; on a terminal it asks for the few things that have no default.',
    examples: [
      { line: 'matdecl config init', does: 'a starter file' },
      { line: 'matdecl config show --profile nightly', does: 'what counts, and why' },
      { line: "matdecl config show --json | jq '.settings.rate'", does: 'one of them, for a program' },
    ],
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell: bash, zsh, fish or powershell',
    operands: [{ name: 'SHELL', required: true, values: SHELLS }],
    description:
      'The script completes commands, options, their values, files of the right kind and the names of your profiles. It asks nobody, and needs nothing but the shell.',
    examples: [
      { line: 'source <(matdecl completion bash)', does: 'for this bash; in ~/.bashrc for every one' },
      {
        line: 'matdecl completion zsh > "$fpath[1]/_matdecl"',
        does: 'for zsh, from the next one on',
      },
      {
        line: 'matdecl completion fish > ~/.config/fish/completions/matdecl.fish',
        does: 'for fish',
      },
      {
        line: 'matdecl completion powershell | Out-String | Invoke-Expression',
        does: 'for this PowerShell; in $PROFILE for every one',
      },
    ],
  },
  {
    name: 'sandbox',
    summary: 'the service itself, in miniature, on this machine',
    operands: [],
    description:
      'Serves /v2/download, /v2/ping, /v2/quota and /api/download on 127.0.0.1 with made-up suppliers and parts, until it is stopped.',
    examples: [
      { line: 'matdecl sandbox --port 8080 --token try-me', does: 'a service to try commands against' },
      { line: 'matdecl sandbox --fail 503x2', does: 'one whose first two answers are faults' },
    ],
  },
] as const satisfies readonly CommandRow[]

export type CommandName = (typeof COMMANDS)[number]['name']
