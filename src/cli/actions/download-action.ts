import { Failure } from '../../base/failure.ts'
import { USER_AGENT, VERSION } from '../../base/version.ts'
import { type DownloadWish, download } from '../../download/download.ts'
import { isoTime, requestFacts } from '../../download/download-result.ts'
import { type PlaceWish, settlePlace } from '../../download/output-path.ts'
import { askQuota } from '../../http/quota.ts'
import type { CommandRun, Context } from '../context.ts'
import { openService, readAccess, requireBaseUrl, type Target } from '../download/access.ts'
import { showPlan } from '../download/dry-run.ts'
import { finish } from '../download/finish.ts'
import { type Asked, checkAsked, confirmPlan, type Prepared, prepare } from '../download/prepare.ts'
import { checkReport } from '../download/report-step.ts'
import { startRunSignal } from '../download/run-limits.ts'
import { jsonResult } from '../json.ts'
import { limitsOf } from '../operands.ts'

/** Asks the service, saves one verified archive, and then does what else was asked for. */
export const run: CommandRun = async (context) => {
  const { world, settings, terminal } = context
  checkCombinations(context)
  checkReport(context)
  if (!settings.values.sandbox) {
    const asked = await checkAsked(context, undefined)
    return runAgainst(context, { baseUrl: requireBaseUrl(settings), given: undefined }, asked)
  }
  const { serveSandbox } = await import('../../sandbox/sandbox.ts')
  await using sandbox = await serveSandbox(world, { faults: [] })
  terminal.addSecret(sandbox.token)
  const [first] = sandbox.suppliers
  const tip = `the sandbox has supplier ${first?.id} and part ${first?.examples[0]}, among others`
  const asked = await checkAsked(context, tip)
  return await runAgainst(context, { baseUrl: sandbox.url, given: sandbox.token }, asked)
}

async function runAgainst(context: Context, target: Target, asked: Asked): Promise<number> {
  const { world, settings, facts, terminal } = context
  const isMatched = checkReconciliation(settings.values, asked)
  const startedAtMs = world.clock.nowMs()
  const prepared = await prepare(context, target, asked)
  const { plan, criteria, told } = prepared
  if (settings.values.dryRun) {
    await dryRun(context, target, prepared)
    return 0
  }
  facts.request = requestFacts(target.baseUrl, told, prepared.parts.length)
  facts.plan = { requests: plan.requestCount, parts: plan.partCount }
  facts.startedAt = isoTime(startedAtMs)

  const access = await readAccess(context, target, criteria)
  const placeWish = placeWishOf(context)
  const { supplier, format, formatClass, startDate } = told
  const place = await settlePlace(world, placeWish, {
    supplier,
    format,
    formatClass,
    startDate,
    nowMs: startedAtMs,
  })
  await using service = closing(await openService(context, access))
  await confirmPlan(context, plan)
  using timer = startRunSignal(world, settings.values.timeout)
  let exitCode = 0
  const isDone = await download(
    world,
    {
      ...wishOf(context),
      reconcile: isMatched,
      plan,
      service,
      place,
      placeWish,
      apiKey: access.apiKey,
      signal: timer.signal,
    },
    terminal.reporter,
    async (result) => {
      exitCode = await finish(context, { prepared, baseUrl: target.baseUrl, startedAtMs }, result)
    },
  )
  if (!isDone && terminal.choice.json) {
    await terminal.write(jsonResult('download', 'ok', { skipped: true, archive: null, ...facts }))
  }
  return exitCode
}

/** What can not be wished together, told before anything else is looked at. */
function checkCombinations({ settings, terminal }: Context): void {
  const { values } = settings
  if (values.curl && !values.dryRun)
    throw new Failure('usage', '--curl goes with --dry-run', { hint: 'add --dry-run' })
  if (values.output !== '-' || values.dryRun) return
  const other = terminal.choice.json ? '--json' : values.list ? '--list' : undefined
  if (other === undefined) return
  throw new Failure('usage', `${other} and --output - both want standard output`, {
    hint: 'give --output a file',
  })
}

// Whether parts are matched with what comes. A CSV answer has no ProductIDs to match.
function checkReconciliation(
  { noReconcile, failIfMissing, missing }: Context['settings']['values'],
  { criteria }: Asked,
): boolean {
  const why = noReconcile
    ? 'which --no-reconcile skips'
    : criteria.format === 'CSV'
      ? 'which a CSV answer does not tell'
      : undefined
  const other = failIfMissing ? '--fail-if-missing' : missing === undefined ? undefined : '--missing'
  if (why !== undefined && other !== undefined) {
    throw new Failure('usage', `${other} needs to know what was found, ${why}`, {
      hint: 'leave one of them out',
    })
  }
  if (missing !== undefined && /\.(?:xlsx|xls|ods)$/i.test(missing)) {
    throw new Failure('usage', '--missing writes text or a table of text, no workbook', {
      hint: 'name a .txt, .csv or .tsv file',
    })
  }
  return why === undefined
}

function placeWishOf({ settings }: Context): PlaceWish {
  const { output, overwrite, extract, manifest, missing, report } = settings.values
  return {
    output,
    overwrite,
    extract,
    manifest,
    others: [
      ...(missing === undefined ? [] : [{ what: 'missing', path: missing }]),
      ...(report === undefined ? [] : [{ what: 'report', path: report }]),
    ],
  }
}

function wishOf({
  settings,
}: Context): Omit<
  DownloadWish,
  'reconcile' | 'plan' | 'service' | 'place' | 'placeWish' | 'apiKey' | 'signal'
> {
  const { values } = settings
  return {
    limits: limitsOf(settings),
    allowPartial: values.allowPartial,
    ifLocked: values.ifLocked,
    concurrency: values.concurrency,
    retries: values.retries,
    maxWaitMs: values.maxWait,
    ratePerMinute: values.rate,
    userAgent: USER_AGENT,
    tool: `matdecl ${VERSION}`,
  }
}

// The allowance is worth a question where a token is at hand; the plan itself needs none.
async function dryRun(context: Context, target: Target, { plan, criteria }: Prepared): Promise<void> {
  const { world, settings } = context
  const canAsk =
    criteria.api === 'v2' && (target.given !== undefined || context.planSecret('token') !== undefined)
  if (!canAsk || settings.values.curl) return showPlan(context, plan, undefined)
  await using service = closing(await openService(context, await readAccess(context, target, criteria)))
  using patience = startRunSignal(world, settings.values.connectTimeout)
  const quota = await askQuota(service, patience.signal).catch(() => undefined)
  world.interrupt.throwIfAborted()
  await showPlan(context, plan, quota)
}

function closing<T extends { readonly close: () => Promise<void> }>(value: T): T & AsyncDisposable {
  return Object.assign(value, { [Symbol.asyncDispose]: value.close })
}
