import { Failure } from '../../base/failure.ts'
import { TONE_SIGNS } from '../../report/document.ts'
import { BINARY_FORMATS, openFormatter } from '../../report/formats/choose-format.ts'
import type { ReportShape } from '../../report/formats/formatter.ts'
import { type TextLook, textFormatter } from '../../report/formats/text.ts'
import { type WriteRows, writeFormatted } from '../../report/write-report.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { Context } from '../context.ts'
import { hasReportFile } from './run-report.ts'

/** Writes the rows to standard output: in the requested format, else as a table on a terminal, by `writePaged`, and CSV in a pipe. */
export async function rowsToStdout(
  { terminal, settings }: Context,
  shape: ReportShape,
  writePaged: (text: string) => Promise<void>,
): Promise<WriteRows> {
  const { outputFormat, order } = settings.values
  if (outputFormat === undefined && terminal.isOutTTY) {
    const look = terminalLook(terminal, terminal.columns ?? 80)
    const format = textFormatter(shape, look, order)
    return (report) => writeFormatted(report, format, (piece) => writePaged(String(piece)))
  }
  const name = outputFormat ?? 'csv'
  if (BINARY_FORMATS.has(name) && terminal.isOutTTY && !hasReportFile({ settings })) {
    throw new Failure('usage', `${name} output is not printed on a terminal`, {
      hint: 'redirect standard output, or write a file',
      options: ['output'],
    })
  }
  const format = await openFormatter(name, shape)
  return (report) =>
    writeFormatted(report, format, (piece) =>
      typeof piece === 'string' ? terminal.write(piece) : terminal.writeBytes(piece),
    )
}

/** Throws `usage` when a format is requested and the rows are returned as an object. */
export function refuseFormat({ settings }: Context): void {
  const { outputFormat } = settings.values
  if (outputFormat === undefined) return
  throw new Failure('usage', `the rows are in a JSON object, not in the format ${outputFormat}`, {
    hint: 'leave the format out, or write a file',
    options: ['output'],
  })
}

/** How documents look on standard output; lines are as wide as `width`, or as long as they are. */
export function terminalLook({ out }: Pick<Terminal, 'out'>, width: number | undefined): TextLook {
  const hasUnicode = out.mark.good === '✓'
  const { good, bad, warn } = out.mark
  return {
    width,
    heading: out.strong,
    name: out.strong,
    tone: (tone, text) => (tone === 'none' ? out.faint : tone === 'fair' ? out.name : out[tone])(text),
    signs: hasUnicode ? TONE_SIGNS : { good, fair: good, warn, bad, none: '-' },
    ellipsis: out.mark.ellipsis,
    plain: (text) => (hasUnicode ? text : text.replace(/[→·]/g, (character) => ASCII[character]!)),
  }
}

const ASCII: Readonly<Record<string, string>> = { '→': '->', '·': '|' }
