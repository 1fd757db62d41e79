import { checkCriteria } from '../../domain/criteria.ts'
import { type Plan, planCost, planRequests } from '../../domain/plan.ts'
import type { Criteria } from '../../domain/request.ts'
import { formatCount, plural } from '../../domain/units.ts'
import { Failure } from '../../failure.ts'
import { readParts } from '../../use-cases/read-parts.ts'
import type { Context } from '../context.ts'
import type { Settings, Source } from '../settings/settings.ts'

/** What is asked for, checked and packed into requests; nothing has been sent. */
export interface Prepared {
  readonly criteria: Criteria
  readonly parts: readonly string[]
  readonly duplicates: number
  readonly plan: Plan
}

/** From settings to a plan. Every mistake in the criteria is told at once, before anything is sent. */
export async function prepare(context: Context, baseUrl: string): Promise<Prepared> {
  const { world, settings, terminal } = context
  const { values } = settings
  const asked = await readAskedParts(context)
  const checked = checkCriteria(
    {
      api: 'v2',
      format: values.format,
      formatClass: values.formatClass,
      supplier: values.supplier,
      startDate: values.startDate,
      since: undefined,
      query: values.query,
      parts: asked.parts,
    },
    world.clock.nowMs(),
  )
  if ('problems' in checked) throw criteriaFailure(checked.problems)
  for (const notice of checked.notices) terminal.reporter.notice(notice)
  const { criteria } = checked
  const plan = planRequests(baseUrl, criteria, [{ parts: asked.parts, startDate: criteria.startDate }], {
    maxUrlLength: values.maxUrlLength,
    batchSize: values.batchSize,
  })
  checkPlanSize(plan, values.maxRequests)
  return { criteria, parts: asked.parts, duplicates: asked.duplicates, plan }
}

/** The address of the service; `config` when nothing names one. */
export function requireBaseUrl(settings: Settings): string {
  const { baseUrl } = settings.values
  if (baseUrl !== undefined) return baseUrl
  throw new Failure('config', 'there is no address of the service', {
    hint: 'give --base-url, set MATDECL_BASE_URL or put base-url = "https://…" into the settings file; matdecl download --sandbox needs none',
  })
}

/** How a source is named in a message. */
export function sourceName(source: Source): string {
  return source.kind === 'default' ? 'the default' : source.where
}

async function readAskedParts({
  world,
  settings,
  terminal,
}: Context): Promise<{ parts: readonly string[]; duplicates: number }> {
  const { values, operands, afterDashes } = settings
  if (operands.length > 0) {
    throw new Failure('usage', `download does not take '${operands[0]}'`, {
      hint: 'part numbers go behind --part, into a --parts-file, or after --',
    })
  }
  const parts = [...values.part, ...afterDashes]
  if (parts.length === 0 && values.partsFile.length === 0) return { parts: [], duplicates: 0 }
  return readParts(
    world,
    { parts, files: values.partsFile, column: values.partsColumn, strict: values.strictParts },
    terminal.reporter,
  )
}

function criteriaFailure(problems: readonly { readonly message: string; readonly hint: string }[]): Failure {
  const [first] = problems
  if (problems.length === 1) return new Failure('usage', first!.message, { hint: first!.hint })
  return new Failure('usage', `${plural(problems.length, 'mistake')} in what is asked for`, {
    problems: problems.map(({ message, hint }) => `${message}: ${hint}`),
    hint: 'nothing was sent',
  })
}

function checkPlanSize(plan: Plan, maxRequests: number | undefined): void {
  if (maxRequests === undefined || plan.requestCount <= maxRequests) return
  const { requests } = planCost(plan, Number.POSITIVE_INFINITY)
  throw new Failure(
    'usage',
    `the plan has ${formatCount(requests)} requests, more than the ${formatCount(maxRequests)} of --max-requests`,
    {
      hint: 'ask for fewer parts, allow longer addresses with --max-url-length, or raise --max-requests; --dry-run shows the plan',
    },
  )
}
