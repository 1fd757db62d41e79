import { Failure } from '../../base/failure.ts'
import { FORMAT_HINT, formatOf } from '../../report/formats/choose-format.ts'
import type { Criteria } from '../../request/request.ts'
import type { Context } from '../context.ts'

type Values = Context['settings']['values']

/** Refuses options of a download that contradict each other, before anything else is checked. */
export function checkDownloadOptions({ settings: { values }, terminal }: Context): void {
  if (values.curl && !values.dryRun)
    throw new Failure('usage', '--curl requires --dry-run', { hint: 'add --dry-run' })
  const { report } = values
  if (report !== undefined && formatOf(report) === undefined) {
    throw new Failure('usage', `--report ${report}: unknown file extension`, {
      hint: FORMAT_HINT,
    })
  }
  if (values.output !== '-' || values.dryRun) return
  const other = terminal.choice.json ? '--json' : values.list ? '--list' : undefined
  if (other === undefined) return
  throw new Failure('usage', `${other} and --output - both need standard output`, {
    hint: 'give --output a file',
  })
}

/** Whether parts are matched with the ProductIDs of the archive, which a CSV answer does not have. */
export function mustReconcile(
  { noReconcile, failIfMissing, missing }: Pick<Values, 'noReconcile' | 'failIfMissing' | 'missing'>,
  { format }: Criteria,
): boolean {
  const why = noReconcile
    ? 'which --no-reconcile skips'
    : format === 'CSV'
      ? 'which a CSV response does not tell'
      : undefined
  const other = failIfMissing ? '--fail-if-missing' : missing === undefined ? undefined : '--missing'
  if (why !== undefined && other !== undefined) {
    throw new Failure('usage', `${other} needs to know which parts were found, ${why}`, {
      hint: 'leave out one of them',
    })
  }
  if (missing !== undefined && /\.(?:xlsx|xls|ods)$/i.test(missing)) {
    throw new Failure('usage', '--missing writes text, CSV or TSV, not a workbook', {
      hint: 'name a .txt, .csv or .tsv file',
    })
  }
  return why === undefined
}
