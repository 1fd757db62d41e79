import type { CommandRow } from '../cli/options/commands.ts'
import { EXIT_CODE_ROWS, exitCodeText } from '../cli/options/exit-codes.ts'
import type { OptionRow } from '../cli/options/option-row.ts'
import { SECRET_VARIABLES, variableOf } from '../cli/options/options.ts'
import { GROUP_ORDER, optionSentence, usageLine, valueTerm } from './help.ts'
import { commonOptions, type Table } from './table.ts'
import { wrap } from './wrap.ts'

const LINE_WIDTH = 60

/** The manual page in man(7) macros, for `man` and `mandoc` alike. `date` is YYYY-MM-DD. */
export function manPage(table: Table, { version, date }: { version: string; date: string }): string {
  const blocks = [
    `.\\" Made from the option table: npm run generate\n.TH MATDECL 1 "${date}" "matdecl ${version}" "User Commands"`,
    '.SH NAME\nmatdecl \\- fetch material declarations and make them safe to rely on',
    ['.SH SYNOPSIS', ...table.commands.map(synopsis)].join('\n.br\n').replace('.br\n', ''),
    section('DESCRIPTION', DESCRIPTION.map(paragraph)),
    section('COMMANDS', table.commands.map(commandBlock)),
    section('OPTIONS', [paragraph(OPTIONS_NOTE), ...optionBlocks(table)]),
    section(
      'EXIT STATUS',
      EXIT_CODE_ROWS.map((row) =>
        tagged(bold(exitCodeText(row)), row.name === '' ? row.meaning : `\`${row.name}\`: ${row.meaning}`),
      ),
    ),
    section('ENVIRONMENT', environmentBlocks(table)),
    section(
      'FILES',
      FILES.map(([path, text]) => tagged(italic(path), text)),
    ),
    section('EXAMPLES', table.commands.flatMap(({ examples }) => examples).map(exampleBlock)),
    '.SH SEE ALSO\n.BR curl (1),\n.BR unzip (1)',
  ]
  return `${blocks.join('\n')}\n`
}

const DESCRIPTION = [
  'matdecl fetches material declarations (IPC-1752A and IPC-1752B XML in a ZIP archive) from a supplier compliance service. One run is one archive, however many requests it took; every byte of it is checked before it takes its name, and every part that was asked for is accounted for: found, missing or unknown.',
  'The result goes to standard output, everything else to standard error. With `--json` the result is one JSON object with a `schema`.',
]

const OPTIONS_NOTE =
  'Options may stand before or after the command; `--option=value` and `--option value` are the same; `--` ends the options. An option that is given twice with different values is refused unless it may be repeated.'

const FILES = [
  [
    '$XDG_CONFIG_HOME/matdecl/config.toml',
    'the settings, `~/.config` unless XDG_CONFIG_HOME is set; `matdecl config path` tells the place on this machine. Keys are the long option names; `[profiles.NAME]` tables override. It is never read from the working directory.',
  ],
  [
    '$XDG_STATE_HOME/matdecl/',
    'what `--since last-run` remembers, `~/.local/state` unless XDG_STATE_HOME is set',
  ],
  [
    'OUTPUT.parts/',
    'the job folder of a run that is not done; the same command goes on from it and removes it',
  ],
] as const

const FOREIGN_VARIABLES = [
  [
    'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    'the proxy on the way to the service; lower case counts too, empty is unset',
  ],
  ['SSL_CERT_FILE, NODE_EXTRA_CA_CERTS', "certificate authorities, added to the system's"],
  ['NO_COLOR, FORCE_COLOR, CLICOLOR, TERM', 'whether there is colour'],
  ['CI, GITHUB_ACTIONS, GITHUB_STEP_SUMMARY', 'no spinner and no questions; errors as annotations'],
  ['COLUMNS', 'how wide help is'],
] as const

function synopsis(command: CommandRow): string {
  const [first = '', second = '', ...rest] = usageLine(command).split(' ')
  return `.B ${roff(`${first} ${second}`)}\n${rest.map((word) => italic(word)).join(' ')}`
}

function commandBlock(command: CommandRow): string {
  return [
    `.SS ${roff(usageLine(command))}`,
    paragraph(`${capital(command.summary)}. ${command.description}`).replace('.PP\n', ''),
  ].join('\n')
}

function optionBlocks(table: Table): string[] {
  const common = commonOptions(table)
  const rows = [...table.options.filter((row) => row.commands !== 'all'), ...common]
  return GROUP_ORDER.flatMap((group) => {
    const mine = rows.filter((row) => row.group === group)
    return mine.length === 0 ? [] : [`.SS ${roff(group)}`, ...mine.map(optionBlock)]
  })
}

function optionBlock(row: OptionRow): string {
  const value = valueTerm(row)
  const names = [
    ...(row.short === undefined ? [] : [bold(`-${row.short}`)]),
    `${bold(`--${row.name}`)}${value === '' ? '' : ` ${italic(value)}`}`,
  ]
  const users = row.commands === 'all' ? '' : ` (${row.commands.join(', ')})`
  return tagged(names.join(', '), `${capital(optionSentence(row))}${users}.`)
}

function environmentBlocks(table: Table): string[] {
  const rows = table.options.filter((row) => row.from?.includes('env') ?? true)
  return [
    paragraph(
      'Every option has a variable, unless it is a matter of one run: its long name in capitals after MATDECL_, with _ for -. An option that may be repeated takes one value a line. Flags win over variables, variables over the settings file.',
    ),
    paragraph([...new Set(rows.map(variableOf))].sort().join(', ')),
    tagged(
      bold(SECRET_VARIABLES.join(', ')),
      'The token of v2 and the API key of v1, or the file that holds it alone. The first line of `token-command` in the settings file is another way. There is no flag: it would stand in the process list.',
    ),
    ...FOREIGN_VARIABLES.map(([names, text]) => tagged(bold(names), `${capital(text)}.`)),
  ]
}

function exampleBlock({ line, does }: CommandRow['examples'][number]): string {
  // A question, or a sentence with a colon in it, ends without one.
  const end = /\?$|: /.test(does) ? '' : ':'
  return [paragraph(`${capital(does)}${end}`), '.RS 4', '.EX', roff(line), '.EE', '.RE'].join('\n')
}

function section(title: string, blocks: readonly string[]): string {
  // A paragraph right below a heading is one already.
  return `.SH ${title}\n${blocks.join('\n').replace(/^\.PP\n/, '')}`
}

function tagged(term: string, text: string): string {
  return `.TP\n${term}\n${flow(text)}`
}

function paragraph(text: string): string {
  return `.PP\n${flow(text)}`
}

// Words in backquotes are literal: bold.
function flow(text: string): string {
  return wrap(text, LINE_WIDTH)
    .join('\n')
    .split('`')
    .map((piece, index) => (index % 2 === 0 ? roff(piece) : bold(piece)))
    .join('')
    .split('\n')
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
    .join('\n')
}

function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`
}

function italic(text: string): string {
  return `\\fI${roff(text)}\\fR`
}

// Backslashes, hyphens that are meant as such, variables that must not be broken, and what is beyond ASCII.
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/\bMATDECL_/g, '\\%MATDECL_')
    .replace(
      /[^\u0000-\u007f]/gu,
      (one) => `\\[u${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
}

function capital(text: string): string {
  return /^[a-z]\d/.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
