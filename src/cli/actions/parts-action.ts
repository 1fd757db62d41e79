import { escapeUnsafe } from '../../base/clean-text.ts'
import { cutToWidth, displayWidth } from '../../base/display-width.ts'
import { Failure } from '../../base/failure.ts'
import type { Reporter } from '../../base/notice.ts'
import { plural } from '../../base/units.ts'
import { absolutePath, checkFileTarget } from '../../fs/output-target.ts'
import { writeResultFile } from '../../fs/result-file.ts'
import { type PartsResult, type ReadListResult, showParts } from '../../parts/parts-result.ts'
import { cleanList } from '../../parts/write-list.ts'
import type { Style } from '../../terminal/style.ts'
import type { CommandRun, Context } from '../context.ts'
import { jsonPieces } from '../json.ts'
import { takeOperands } from '../operands.ts'
import { listOptions } from '../parts-lists.ts'

/** Shows what is read from parts lists, and writes it as a clean list. */
export const run: CommandRun = async (context) => {
  const { world, settings, terminal } = context
  const { listOutput, overwrite } = settings.values
  const output = listOutput === undefined ? undefined : absolutePath(world.cwd, listOutput)
  if (output !== undefined) await checkOutput(context, output)
  const input = { ...listOptions(settings.values), parts: [], files: takeOperands(settings) }
  const result = await showParts(world, input, withoutShown(terminal.reporter))
  if (output !== undefined) await writeResultFile(world, output, [cleanList(result, output)], { overwrite })
  if (terminal.choice.json) {
    for (const piece of jsonPieces(result)) await terminal.write(piece)
  } else if (output !== undefined) await terminal.write(`${escapeUnsafe(listOutput!)}\n`)
  else {
    await terminal.page(async (write) => {
      for (const text of partsText(result, terminal.out, terminal.columns)) await write(`${text}\n`)
    })
  }
  return 0
}

// What the result shows anyway.
function withoutShown({ notice, progress }: Reporter): Reporter {
  const isShown = (event: string): boolean => event === 'parts.column' || event === 'parts.skipped'
  return { progress, notice: (one) => (isShown(one.event) ? undefined : notice(one)) }
}

async function checkOutput({ world, settings }: Context, path: string): Promise<void> {
  if (/\.(?:xlsx|xls|ods|html|json)$/i.test(path)) {
    throw new Failure('usage', `--output ${settings.values.listOutput}: a clean list is text, CSV or TSV`, {
      hint: 'name a file with .txt, .csv or .tsv; --json prints everything that was read',
    })
  }
  await checkFileTarget(world.disk, path, '--output', settings.values.overwrite)
}

const TITLES = { row: 'row', part: 'part number', quantity: 'quantity', level: 'level', notes: '' } as const

/** What was read, for people: how each list is laid out, its parts, and what is not a part. */
export function* partsText(
  { lists, parts, duplicates }: PartsResult,
  style: Style,
  width: number | undefined,
): Generator<string> {
  for (const list of lists) {
    yield style.strong(escapeUnsafe(list.file))
    for (const line of layoutLines(list)) yield cutTo(width, `  ${line}`, style)
    yield ''
    for (const line of tableLines(list)) yield cutTo(width, `  ${line}`, style)
    if (list.rows.length > 0) yield ''
    for (const line of skippedLines(list)) yield cutTo(width, `  ${style.mark.warn} ${line}`, style)
    if (list.skipped.length > 0) yield ''
  }
  const repeated = duplicates === 0 ? '' : `, ${plural(duplicates, 'duplicate')} left out`
  yield `${plural(parts.length, 'part number')}${repeated}`
}

function* layoutLines(list: ReadListResult): Generator<string> {
  const { encoding, delimiter, sheet, headingRow, columns } = list
  const names: Readonly<Record<string, string>> = {
    '\t': 'tabs',
    ',': 'commas',
    ';': 'semicolons',
    '|': 'bars',
  }
  const format = [
    encoding,
    delimiter === undefined ? undefined : `columns separated by ${names[delimiter] ?? delimiter}`,
    sheet === undefined ? undefined : `sheet "${escapeUnsafe(sheet)}"`,
  ].filter((fact) => fact !== undefined)
  yield format.join(', ')
  if (columns.length === 0) yield 'one part number on each line'
  else yield headingRow === undefined ? 'no row of headings' : `headings in row ${headingRow}`
  const labels = columns.map(({ role }) => (role === 'part' ? 'part number' : role))
  const label = Math.max(0, ...labels.map((text) => text.length))
  const heading = Math.max(0, ...columns.map((column) => displayWidth(column.heading)))
  for (const [index, { column, heading: name, why }] of columns.entries()) {
    const total = labels[index] === 'quantity' && list.isTotalQuantity ? '; of the whole product' : ''
    yield `${labels[index]!.padEnd(label)}  column ${String(column).padEnd(3)} ${padded(name, heading)}  ${why}${total}`
  }
}

/** The rows with part numbers as a table; columns without a value are left out. */
function* tableLines({ rows }: ReadListResult): Generator<string> {
  const cells = rows.map(({ row, part, quantity, unit, level, isFitted }) => ({
    row: String(row),
    part: escapeUnsafe(part),
    quantity: quantity === null ? '' : `${quantity}${unit === '' ? '' : ` ${escapeUnsafe(unit)}`}`,
    level: level === null ? '' : String(level),
    notes: isFitted ? '' : 'not fitted',
  }))
  if (cells.length === 0) return
  const keys = (Object.keys(TITLES) as (keyof typeof TITLES)[]).filter((key) =>
    cells.some((one) => one[key] !== ''),
  )
  const widths = keys.map((key) =>
    cells.reduce((most, one) => Math.max(most, displayWidth(one[key])), TITLES[key].length),
  )
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => padded(text, widths[index]!))
      .join('  ')
      .trimEnd()
  yield line(keys.map((key) => TITLES[key]))
  for (const one of cells) yield line(keys.map((key) => one[key]))
}

const MOST_ROWS = 12

function skippedLines({ skipped }: ReadListResult): readonly string[] {
  return skipped.map(({ kind, count, rows, values }) => {
    const what = kind === 'no part number' ? plural(count, 'row') : plural(count, kind)
    const rest = rows.length > MOST_ROWS ? ' …' : ''
    const named = `${rows.length === 1 ? 'row' : 'rows'} ${rows.slice(0, MOST_ROWS).join(', ')}${rest}`
    if (kind === 'no part number') return `${what} without a part number: ${named}`
    const shown = values.slice(0, 5).map((value) => escapeUnsafe(value.slice(0, 40)))
    return `${what} skipped: ${named}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`
  })
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

function cutTo(width: number | undefined, line: string, style: Style): string {
  return width === undefined ? line : cutToWidth(line, width, style.mark.ellipsis)
}
