import { EXIT_CODES } from '../../src/base/failure.ts'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import {
  canBeSetIn,
  defaultText,
  OPTION_GROUPS,
  type OptionRow,
  optionTerm,
} from '../../src/cli/option-row.ts'
import { SECRET_KEYS } from '../../src/cli/settings/config-file.ts'
import { FINDING_KINDS, type FindingRule, VALUE_EXAMPLES } from '../../src/compliance/finding-rules.ts'
import { outcomeRows, type Scope } from '../../src/http/outcome.ts'
import { wordClasses } from '../../src/parts/heading.ts'
import { type ColumnType, columnsOf } from '../../src/report/columns.ts'
import { RULE_HELP } from '../../src/report/row-findings.ts'
import { EXIT_CODE_ROWS, exitCodeText } from './exit-codes.ts'
import { COMMON_FIELDS, ERROR_FIELDS, type JsonField } from './json-field.ts'
import { JSON_RESULTS } from './json-results.ts'
import { usageLine } from './usage-line.ts'

/** The tables between markers in Markdown files, by the name of the marker. */
export function markdownTables(options: readonly OptionRow[]): Readonly<Record<string, string>> {
  return {
    commands: commandTable(),
    options: optionTables(options),
    keys: keyTable(options),
    'exit-codes': exitCodeTable(),
    outcomes: outcomeTable(),
    'json-results': resultTable(),
    'json-common': fieldTable(COMMON_FIELDS),
    'json-error': fieldTable(ERROR_FIELDS),
    headings: headingTable(),
    'report-columns': columnTable('parts'),
    'substance-columns': columnTable('substances'),
    rules: ruleTable(),
  }
}

/**
 * Puts each table between its markers, `<!-- options:begin -->` and `<!-- options:end -->`, and leaves the rest as it is.
 * A marker without a table, or without its end, is an error.
 */
export function fillMarkers(text: string, tables: Readonly<Record<string, string>>): string {
  const filled = text.replace(
    /<!-- ([a-z-]+):begin -->\n[\s\S]*?<!-- \1:end -->/g,
    (_, name: string) => `<!-- ${name}:begin -->\n\n${tableNamed(tables, name)}\n<!-- ${name}:end -->`,
  )
  const begun = text.match(/<!-- [a-z-]+:begin -->/g)?.length ?? 0
  const ended = filled.match(/<!-- ([a-z-]+):begin -->\n[\s\S]*?<!-- \1:end -->/g)?.length ?? 0
  if (begun !== ended) throw new Error('a table marker has no end')
  return filled
}

function tableNamed(tables: Readonly<Record<string, string>>, name: string): string {
  const table = tables[name]
  if (table === undefined) throw new Error(`there is no table '${name}'`)
  return table
}

function commandTable(): string {
  return rows(
    ['command', 'description'],
    COMMANDS.map((command) => [code(usageLine(command).replace(' [options]', '')), prose(command.summary)]),
  )
}

const ENDS: Readonly<Record<Scope, string>> = {
  run: 'the run',
  request: 'the request',
  'request-of-many': 'the request if another has succeeded, else the run',
  divide: 'nothing: smaller requests are sent',
}

function outcomeTable(): string {
  return rows(
    ['status', 'meaning', 'code', 'retries', 'ends'],
    outcomeRows().map(({ status, outcome: { kind, retry, scope, rate, message } }) => [
      status,
      prose(message.replaceAll('HOST', 'the service').replace(/ \((?:RANGE|STATUS)\)/, '')),
      rate === 'always'
        ? `6 beyond ${code('--max-wait')}, else ${EXIT_CODES[kind]}`
        : String(EXIT_CODES[kind]),
      rate === undefined ? RETRIES[retry] : `${RETRIES[retry]}; see [rate limits](rate-limits.md)`,
      ENDS[scope],
    ]),
  )
}

const RETRIES = { never: 'no', once: 'once', twice: 'twice', always: 'all' } as const

function optionTables(options: readonly OptionRow[]): string {
  return OPTION_GROUPS.flatMap((group) => {
    const mine = options.filter((row) => row.group === group)
    return mine.length === 0 ? [] : [`### ${group}\n\n${optionTable(mine)}`]
  }).join('\n')
}

/** The keys of the config file. */
function keyTable(options: readonly OptionRow[]): string {
  const keys = options.filter((row) => canBeSetIn(row, 'file'))
  const groups = OPTION_GROUPS.map((group) => [group, keys.filter((row) => row.group === group)] as const)
  return rows(
    ['about', 'keys'],
    [
      ['Secrets', SECRET_KEYS.map(code).join(', ')],
      ...groups
        .filter(([, mine]) => mine.length > 0)
        .map(([group, mine]) => [group, mine.map(({ name }) => code(name)).join(', ')]),
    ],
  )
}

function headingTable(): string {
  return rows(
    ['meaning', 'words'],
    wordClasses().map(({ name, words }) => [name, prose(words.join(', '))]),
  )
}

const TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'text',
  text: 'text',
  status: 'text',
  ids: 'list',
  list: 'list',
  gate: 'list',
  day: 'date',
  count: 'integer',
  hits: 'integer',
  amount: 'number',
  percent: 'number',
  flag: 'boolean',
}

function columnTable(kind: 'parts' | 'substances'): string {
  return rows(
    ['column', 'heading', 'type', 'content'],
    Object.entries(columnsOf(kind)).map(([name, { title, type, help }]) => [
      code(name),
      title,
      TYPES[type],
      prose(help),
    ]),
  )
}

/** The rules of findings, each with the verdict of a row that has no worse one. */
function ruleTable(): string {
  const examples: Readonly<Record<string, string>> = VALUE_EXAMPLES
  return rows(
    ['rule', 'verdict', 'finds'],
    (Object.keys(RULE_HELP) as FindingRule[]).map((rule) => {
      const kind = FINDING_KINDS[rule]
      return [code(examples[rule] ?? rule), kind === 'note' ? 'clean' : kind, prose(RULE_HELP[rule])]
    }),
  )
}

function optionTable(options: readonly OptionRow[]): string {
  const one = new Set(options.map(usersOf)).size === 1
  return rows(
    ['option', ...(one ? [] : ['for']), 'description', 'default'],
    options.map((row) => [
      code(optionTerm(row)),
      ...(one ? [] : [usersOf(row)]),
      prose(row.help),
      defaultText(row) ?? '',
    ]),
  )
}

function usersOf({ commands }: OptionRow): string {
  return commands === 'all' ? 'every command' : commands.join(', ')
}

function exitCodeTable(): string {
  return rows(
    ['code', 'name', 'meaning'],
    EXIT_CODE_ROWS.map((row) => [
      exitCodeText(row),
      row.name === '' ? '' : code(row.name),
      prose(row.meaning),
    ]),
  )
}

/** The results with their first fields; all of them are in the JSON Schema. */
function resultTable(): string {
  return rows(
    ['schema', 'from', 'fields'],
    JSON_RESULTS.map(({ schema, from, fields }) => [
      code(schema),
      prose(from),
      [...new Set(fields.map(({ path }) => path.replace(/[.[?].*$/, '')))].map(code).join(', '),
    ]),
  )
}

function fieldTable(fields: readonly JsonField[]): string {
  return rows(
    ['field', 'type', 'description'],
    fields.map(({ path, type, meaning }) => [
      code(path.replace(/\?$/, '')),
      path.endsWith('?') ? `${type}, optional` : type,
      meaning,
    ]),
  )
}

function rows(heading: readonly string[], body: readonly (readonly string[])[]): string {
  const lines = [heading, heading.map(() => '---'), ...body.map((cells) => cells.map(cell))]
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

// Options in a sentence are code, so that typography does not join their dashes.
function prose(text: string): string {
  return text.replace(/(?<![`\w-])--[a-z][a-z0-9-]*/g, '`$&`')
}

// A pipe would end the cell, also inside backquotes.
function cell(text: string): string {
  return text.replace(/(?<!\\)\|/g, '\\|')
}

function code(text: string): string {
  return `\`${text}\``
}
