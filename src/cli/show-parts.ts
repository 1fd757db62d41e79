import { cutToWidth, displayWidth, escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import { plural } from '../base/units.ts'
import { absolutePath, checkFileTarget } from '../fs/output-target.ts'
import { openResultFile } from '../fs/publish.ts'
import { rowCountsText, unreadPlaces } from '../parts/list-account.ts'
import {
  cleanList,
  type PartsLine,
  type ShownList,
  type ShownParts,
  showParts,
} from '../parts/parts-result.ts'
import type { Style } from '../terminal/style.ts'
import type { Context } from './context.ts'
import { printResult, StreamedArray } from './json.ts'
import { listOptions, warningFields } from './parts-lists.ts'

/** Prints what is read from the lists, or writes them as a clean list. */
export async function showLists(context: Context): Promise<number> {
  const { world, settings, terminal } = context
  const { listOutput, overwrite } = settings.values
  const isPiped = listOutput === '-'
  if (isPiped && terminal.choice.json) {
    throw new Failure('usage', '--json and --output - both need standard output', {
      hint: 'give --output a file',
    })
  }
  const output = listOutput === undefined || isPiped ? undefined : await checkedOutput(context, listOutput)
  const input = { ...listOptions(settings.values), parts: [], files: settings.operands }
  await using open = new ResourceStack()
  const isShown = terminal.choice.json || listOutput === undefined
  const reporter = isShown ? withoutShown(terminal.reporter) : terminal.reporter
  const shown = await showParts(world, input, reporter, open)
  if (listOutput !== undefined && !/\.(?:csv|tsv)$/i.test(listOutput)) noticeLeftOut(terminal.reporter, shown)
  if (output !== undefined) {
    await using file = await openResultFile(world, output, { overwrite })
    for await (const text of cleanList(shown, output)) await file.write(text)
    await file.publish()
  }
  if (isPiped) for await (const text of cleanList(shown, listOutput)) await terminal.write(text)
  else if (terminal.choice.json) await printResult(terminal, asResult(shown))
  else if (output !== undefined) await terminal.write(`${escapeUnsafe(listOutput ?? '')}\n`)
  else {
    for await (const text of partsText(shown, terminal.out, terminal.columns))
      await terminal.write(`${text}\n`)
  }
  return 0
}

/** The result as `--json` has it. */
function asResult({ lists, ...shown }: ShownParts): object {
  const streamed = lists.map(({ lines, skippedTexts: _, lacksQuantities: _none, ...list }) => ({
    ...list,
    rows: new StreamedArray(() => linesWith(lines(), true)),
    withoutNumber: new StreamedArray(() =>
      list.counts.lines < list.counts.rows ? linesWith(lines(), false) : [],
    ),
  }))
  return { ...shown, ...warningFields(shown), lists: streamed }
}

async function* linesWith(
  batches: AsyncIterable<readonly PartsLine[]>,
  hasPart: boolean,
): AsyncGenerator<readonly PartsLine[]> {
  for await (const batch of batches) yield batch.filter(({ part }) => (part !== '') === hasPart)
}

/** Names what a list without columns has no place for. */
function noticeLeftOut({ notice }: Reporter, { lists }: ShownParts): void {
  const without = lists.reduce((sum, { counts }) => sum + counts.rows - counts.lines, 0)
  if (without === 0) return
  const lines = plural(without, 'line without a part number is', 'lines without a part number are')
  const message = `${lines} not in a list of part numbers alone; in .csv and .tsv ${without === 1 ? 'it is' : 'they are'}`
  notice({ level: 'warning', event: 'parts.left-out', message, data: { lines: without } })
}

// What the result shows anyway.
function withoutShown({ notice, progress }: Reporter): Reporter {
  const isShown = (event: string): boolean => event === 'parts.column' || event === 'parts.skipped'
  return { progress, notice: (one) => (isShown(one.event) ? undefined : notice(one)) }
}

/** The absolute path of the clean list, which may be written. */
async function checkedOutput({ world, settings }: Context, name: string): Promise<string> {
  const path = absolutePath(world.cwd, name)
  if (/\.(?:xlsx|xls|ods|html|json)$/i.test(path)) {
    throw new Failure('usage', `--output ${name}: a clean list is text, CSV or TSV`, {
      hint: 'name a file with .txt, .csv or .tsv; --json prints everything that was read',
    })
  }
  const input = settings.operands.find((file) => absolutePath(world.cwd, file) === path)
  if (input !== undefined) {
    throw new Failure('usage', `--output ${name} is one of the lists that are read`, {
      hint: 'name another file',
    })
  }
  await checkFileTarget(world.disk, path, '--output', settings.values.overwrite)
  return path
}

/** What was read, for people: how each list is laid out, its parts, and what is not a part. */
async function* partsText(
  { lists, parts, duplicates }: ShownParts,
  style: Style,
  width: number | undefined,
): AsyncGenerator<string> {
  const look = { style, width: width === undefined ? Number.POSITIVE_INFINITY : width - INDENT.length }
  for (const list of lists) {
    yield style.strong(escapeUnsafe(list.file))
    for (const line of layoutLines(list, look)) yield INDENT + line
    yield ''
    yield* tableText(list, look)
    for (const line of notices(list)) {
      yield `${INDENT}${style.warn(style.mark.warn)} ${cut(line, look.width - 2, look)}`
    }
    yield `${INDENT}${cut(accountOf(list), look.width, look)}`
    yield ''
  }
  const repeated = duplicates === 0 ? '' : `, ${plural(duplicates, 'duplicate')} left out`
  yield `${plural(parts.length, 'part number')}${repeated}`
}

function accountOf({ counts, lacksQuantities }: ShownList): string {
  return `${rowCountsText(counts)}${lacksQuantities ? ', no quantity column' : ''}`
}

const INDENT = '  '

interface Look {
  readonly style: Style
  /** The columns of the terminal beside the indent. */
  readonly width: number
}

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  '\t': 'tabs',
  ',': 'commas',
  ';': 'semicolons',
  '|': 'bars',
  '^': 'carets',
  '~': 'tildes',
  '  ': 'several blanks',
}

function* layoutLines(list: ShownList, look: Look): Generator<string> {
  const { encoding, delimiter, sheet, headingRow, columns } = list
  const format = [
    encoding,
    delimiter === undefined
      ? undefined
      : `columns separated by ${DELIMITER_NAMES[delimiter] ?? escapeUnsafe(delimiter)}`,
    sheet === undefined ? undefined : `sheet "${escapeUnsafe(sheet)}"`,
  ].filter((fact) => fact !== undefined)
  yield cut(format.join(', '), look.width, look)
  if (columns.length === 0) yield 'one part number on each line'
  else {
    const headings = headingRow === undefined ? 'no row of headings' : `headings in row ${headingRow}`
    yield cut([headings, ...unreadPlaces(list.account)].join('; '), look.width, look)
  }
  const cells = columns.map(({ role, column, heading, why, examples }) => {
    const total = role === 'quantity' && list.isTotalQuantity ? '; of the whole product' : ''
    const shown = examples.length === 0 ? '' : ` (${examples.map((value) => escapeUnsafe(value)).join(', ')})`
    const name = cut(escapeUnsafe(heading), look.width / 3, look)
    return [ROLE_NAMES[role] ?? role, `column ${column}`, name, `${why}${total}${shown}`]
  })
  const widths = widthsOf(cells)
  for (const texts of cells) {
    const why = texts.at(-1)!
    const start = `${padded(texts.slice(0, -1), widths)}  `
    yield start + look.style.faint(cut(why, look.width - displayWidth(start), look))
  }
}

const ROLE_NAMES: Readonly<Record<string, string>> = {
  part: 'part number',
  'own part': 'own part number',
}

// The part numbers come last: the others are short.
const TITLES = ['row', 'level', 'quantity', '', 'part number', 'alternates'] as const

/** The lines with part numbers as a table; columns without a value are left out. */
async function* tableText({ lines, counts }: ShownList, look: Look): AsyncGenerator<string> {
  if (counts.lines === 0) return
  let widths = widthsOf([TITLES])
  const isUsed: boolean[] = []
  for await (const batch of linesWith(lines(), true)) {
    const rows = batch.map(cellsOf)
    widths = widthsOf(rows, widths)
    for (const cells of rows) for (const [index, text] of cells.entries()) isUsed[index] ||= text !== ''
  }
  const kept = <T>(cells: readonly T[]): readonly T[] => cells.filter((_, index) => isUsed[index])
  const line = (cells: readonly string[]): string =>
    INDENT + cut(padded(kept(cells), kept(widths)).trimEnd(), look.width, look)
  yield look.style.faint(line(TITLES))
  for await (const batch of linesWith(lines(), true)) for (const one of batch) yield line(cellsOf(one))
  yield ''
}

function cellsOf({ row, part, quantity, unit, level, isFitted, alternates }: PartsLine): readonly string[] {
  return [
    String(row),
    level === null ? '' : String(level),
    quantity === null ? '' : `${quantity}${unit === '' ? '' : ` ${escapeUnsafe(unit)}`}`,
    isFitted ? '' : 'not fitted',
    escapeUnsafe(part),
    escapeUnsafe(alternates.join(', ')),
  ]
}

/** What is no part, and what else the list has. */
function notices({ skippedTexts, otherColumns, otherSheets }: ShownList): readonly string[] {
  const columns = otherColumns.map(
    ({ column, heading, filled }) =>
      `column ${column} "${escapeUnsafe(heading)}" is not read: ${plural(filled, 'part number')}`,
  )
  const sheets = otherSheets.map(
    ({ name, parts }) => `sheet "${escapeUnsafe(name)}" is not read: ${plural(parts, 'part number')}`,
  )
  return [...skippedTexts, ...columns, ...sheets]
}

/** The widest cell of each column. */
function widthsOf(rows: readonly (readonly string[])[], known: readonly number[] = []): readonly number[] {
  const widths = [...known]
  for (const cells of rows) {
    for (const [index, cell] of cells.entries())
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell))
  }
  return widths
}

function padded(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, index) => cell + ' '.repeat(Math.max(0, widths[index]! - displayWidth(cell))))
    .join('  ')
}

function cut(text: string, width: number, { style }: Look): string {
  return Number.isFinite(width) ? cutToWidth(text, Math.max(1, Math.floor(width)), style.mark.ellipsis) : text
}
