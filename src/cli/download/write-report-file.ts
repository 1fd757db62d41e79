import { escapeUnsafe } from '../../base/clean-text.ts'
import { plural } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import type { Download } from '../../download/download.ts'
import type { DownloadResult } from '../../download/download-result.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { plainText } from '../../report/document.ts'
import { FORMATS, formatOf } from '../../report/formats/choose-format.ts'
import { PLAIN_LOOK, sectionLines } from '../../report/formats/text.ts'
import type { ReferenceTables } from '../../report/regulations/reference-tables.ts'
import { report } from '../../report/report.ts'
import { productSection } from '../../report/report-document.ts'
import { openReportFile, writeFormatted } from '../../report/write-report.ts'
import type { Context } from '../context.ts'
import type { Prepared } from './prepare.ts'

/** Writes the `--report` file about the archive, with a row for each requested part that was not found. */
export async function writeReportFile(
  { world, settings, terminal }: Context,
  path: string,
  { products, warned }: Prepared,
  { archive, account, output }: Download,
  tables: ReferenceTables | undefined,
): Promise<NonNullable<DownloadResult['report']>> {
  const unknown = account?.unknown ?? []
  const shape = {
    kind: 'parts',
    nowMs: world.clock.nowMs(),
    version: VERSION,
    about: [
      ['source', escapeUnsafe(output.shown)],
      ...(unknown.length === 0 ? [] : [['not known', unknownText(unknown)] as const]),
    ],
    hasLines: settings.values.partsFile.length > 0,
    warned,
  } as const
  await using file = await openReportFile(world, absolutePath(world.cwd, path), {
    what: '--report',
    overwrite: output.overwrite,
    reporter: terminal.reporter,
  })
  const format = FORMATS[formatOf(path, '--report', FORMATS)]
  await using work = report(
    world,
    {
      // Rows name the archive as the user did.
      sources: archive === undefined ? [] : [output.shown === '-' ? archive.path : output.shown],
      limits: settings.limits,
      substances: format.hasBothTables === true,
      substancesOptional: true,
      tables,
      lists: account === undefined ? undefined : products,
      unknownParts: unknown,
    },
    terminal.reporter,
  )
  await writeFormatted(work, await format.open(shape), file.write)
  const { counts, products: judged = [] } = await work.summary()
  const bytes = await file.publish()
  const listed = judged.filter(({ hasQuantities }) => hasQuantities)
  const rollup = judged.length === 1 ? listed[0]?.rollup : undefined
  if (listed.length > 0) {
    terminal.saySummary('report.rollup', sectionLines(listed.map(productSection), PLAIN_LOOK))
  }
  return { path, bytes, counts: { ...counts }, ...(rollup === undefined ? {} : { rollup: { ...rollup } }) }
}

function unknownText(parts: readonly string[]): string {
  const names = plainText([{ parts, count: parts.length }])
  return `${plural(parts.length, 'requested part')} whose request failed: ${escapeUnsafe(names)}`
}
