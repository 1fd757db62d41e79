import { cleanText } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { withOptions } from '../../base/notice.ts'
import { ResourceStack } from '../../base/resource-stack.ts'
import { shellQuote } from '../../base/shell-words.ts'
import { formatCount, plural } from '../../base/units.ts'
import { Plan } from '../../download/plan.ts'
import type { PartsRead } from '../../parts/read-parts.ts'
import { FORMATS, formatOf } from '../../report/formats/choose-format.ts'
import type { ProductList } from '../../report/lines.ts'
import { type CriteriaProblem, checkCriteria } from '../../request/check-criteria.ts'
import type { Criteria } from '../../request/request.ts'
import { startOfPeriod } from '../../request/since.ts'
import { isListName } from '../command.ts'
import type { Context } from '../context.ts'
import { isListed, listOptions, oneNumber, type WarningFields, warningFields } from '../parts-lists.ts'
import { openSandbox, type ServiceTarget, serviceTarget } from './access.ts'

/** The parts and criteria of a run, checked. */
interface CheckedRequest {
  readonly criteria: Criteria
  readonly parts: readonly string[]
  readonly duplicates: number
  /** The lines of the lists, if a report is requested, and the parts that are in none. */
  readonly products: readonly ProductList[]
  /** The lists that the parts were read from. */
  readonly lists: PartsRead['lists']
  /** What looks wrong in them. */
  readonly warned: WarningFields | undefined
}

/** A run that may start: everything is checked and packed into requests, nothing has been sent. */
export interface Prepared extends CheckedRequest {
  readonly target: ServiceTarget
  readonly plan: Plan
  /** Whether parts are matched with the ProductIDs of the archive. */
  readonly reconcile: boolean
}

/** Checks the options, reads the parts, checks the criteria and plans the requests. `held` gets the sandbox, where it is the service. */
export async function prepareDownload(context: Context, held: ResourceStack): Promise<Prepared> {
  const { values } = context.settings
  checkDownloadOptions(context)
  const sandbox = values.sandbox ? await openSandbox(context, held) : undefined
  const requested = await readRequested(context, sandbox?.tip)
  const target = sandbox ?? serviceTarget(context)
  const { criteria, parts } = requested
  const { baseUrl } = target
  const reconcile = mustReconcile(values, criteria) && parts.length > 0
  const { maxUrlLength, batchSize, since } = values
  const startDate =
    since === undefined ? criteria.startDate : startOfPeriod(since, context.world.clock.nowMs())
  const plan = new Plan(baseUrl, { ...criteria, startDate }, { parts }, { maxUrlLength, batchSize })
  checkPlanSize(plan, values.maxRequests)
  return { ...requested, target, plan, reconcile }
}

// Replaces parts that could not be read, so that the criteria are still checked.
const UNREAD = { parts: ['-'], duplicates: 0, products: [], lists: [], warned: undefined }

/** Reads the parts and checks the criteria; every mistake in them is reported at once. */
export async function readRequested(context: Context, tip: string | undefined): Promise<CheckedRequest> {
  const { world, settings, terminal } = context
  const read = await readPartNumbers(context).catch((error: unknown) => {
    if (isFailure(error) && error.kind === 'usage') return error
    throw error
  })
  const { parts, duplicates, products, lists, warned } = isFailure(read) ? UNREAD : read
  const checked = checkCriteria({ ...settings.values, parts }, world.clock.nowMs())
  if ('problems' in checked) throw criteriaFailure(read, checked.problems, tip)
  if (isFailure(read)) throw read
  if (settings.values.since !== undefined) startOfPeriod(settings.values.since, world.clock.nowMs())
  for (const notice of checked.notices) terminal.reporter.notice(notice)
  return { criteria: checked.criteria, parts, duplicates, products, lists, warned }
}

async function readPartNumbers({
  world,
  settings,
  terminal,
}: Context): Promise<Omit<CheckedRequest, 'criteria'>> {
  const { values, sources, operands, afterDashes } = settings
  if (operands.length > 0) {
    throw new Failure('usage', `${settings.command} does not take '${operands[0]}'`, {
      hint: isListName(operands[0]!)
        ? `for a parts list: --parts-file ${cleanText(shellQuote(operands[0]!), 200)}`
        : 'give part numbers with --part, in a --parts-file, or after --',
    })
  }
  // Those after -- replace the parts of variables and the config file, as the option does.
  const isReplaced = afterDashes.length > 0 && sources.part?.kind !== 'flag'
  const parts = [...(isReplaced ? [] : values.part), ...afterDashes]
  noticeCommas(values.part, terminal)
  if (parts.length === 0 && values.partsFile.length === 0)
    return { parts: [], duplicates: 0, products: [], lists: [], warned: undefined }
  const { openParts, readParts } = await import('../../parts/read-parts.ts')
  const wanted = { ...listOptions(values), parts, files: values.partsFile }
  if (values.report === undefined) {
    const read = await readParts(world, wanted, terminal.reporter)
    return { ...read, products: [], warned: warningFields(read) }
  }
  const { plainList, readLines } = await import('../../report/lines.ts')
  await using open = new ResourceStack()
  const read = await openParts(world, { ...wanted, bom: true }, terminal.reporter, open)
  const own = parts.length === 0 ? [] : [plainList('requested parts', parts)]
  return { ...read, products: [...own, ...(await readLines(read))], warned: warningFields(read) }
}

// Part numbers with commas exist; a list in one option does not.
function noticeCommas(parts: readonly string[], { reporter }: Context['terminal']): void {
  const listed = parts.find(isListed)
  if (listed === undefined) return
  reporter.notice({ level: 'warning', event: 'parts.comma', message: oneNumber(listed) })
}

export function criteriaFailure(
  read: unknown,
  problems: readonly CriteriaProblem[],
  tip: string | undefined,
): Failure {
  const [first] = problems
  const ofParts = isFailure(read) ? (read.details.problems ?? [read.message]) : []
  const count = problems.length + ofParts.length
  if (count === 1) {
    const { message, ...help } = first!
    // The tip helps if there are no criteria; other mistakes have their own hints.
    return new Failure('usage', message, tip === undefined || !isAboutNothing(first!) ? help : { hint: tip })
  }
  return new Failure('usage', `${plural(count, 'mistake')} in the request`, {
    problems: [
      ...problems.map(({ message, hint, options }) => withOptions(`${message}: ${hint}`, options)),
      ...ofParts,
    ],
    hint: 'nothing was sent',
  })
}

function isAboutNothing({ options = [] }: CriteriaProblem): boolean {
  return options.includes('supplier') && options.includes('part')
}

export function checkPlanSize(plan: Pick<Plan, 'requestCount'>, maxRequests: number | undefined): void {
  if (maxRequests === undefined || plan.requestCount <= maxRequests) return
  throw new Failure(
    'usage',
    `the plan has ${formatCount(plan.requestCount)} requests, more than --max-requests ${formatCount(maxRequests)} allows`,
    {
      hint: 'request fewer parts, allow longer URLs with --max-url-length, or raise --max-requests; --dry-run prints the plan',
    },
  )
}

type Values = Context['settings']['values']

/** Refuses options of a download that contradict each other, before anything else is checked. */
function checkDownloadOptions({ settings: { values }, terminal }: Context): void {
  const { report } = values
  if (report !== undefined) formatOf(report, '--report', FORMATS)
  if (values.output !== '-' || values.dryRun) return
  const other = terminal.choice.json ? '--json' : values.list ? '--list' : undefined
  if (other === undefined) return
  throw new Failure('usage', `${other} and --output - both need standard output`, {
    hint: 'give --output a file',
  })
}

/** Whether parts are matched with the ProductIDs of the archive: a CSV response has none. */
function mustReconcile(
  { failIfMissing, missing }: Pick<Values, 'failIfMissing' | 'missing'>,
  { format }: Criteria,
): boolean {
  const other = failIfMissing ? '--fail-if-missing' : missing === undefined ? undefined : '--missing'
  if (format === 'CSV' && other !== undefined) {
    throw new Failure(
      'usage',
      `${other} needs to know which parts were found, which a CSV response does not tell`,
      {
        hint: 'leave out one of them',
      },
    )
  }
  if (missing !== undefined && /\.(?:xlsx|xls|ods)$/i.test(missing)) {
    throw new Failure('usage', '--missing writes text, CSV or TSV, not a workbook', {
      hint: 'name a .txt, .csv or .tsv file',
    })
  }
  return format !== 'CSV'
}
