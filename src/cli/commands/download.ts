import { partsAsList } from '../../domain/accounting.ts'
import { isoTime, manifestObject, requestFacts } from '../../domain/download-result.ts'
import { plural } from '../../domain/units.ts'
import { Failure } from '../../failure.ts'
import { absolutePath } from '../../storage/output-target.ts'
import { appendToFile, writeResultFile } from '../../storage/result-file.ts'
import { crcText } from '../../terminal/listing.ts'
import { type Downloaded, download } from '../../use-cases/download.ts'
import { checkPlace, type Place, type PlaceWish, settlePlace } from '../../use-cases/download-place.ts'
import { extractArchive } from '../../use-cases/extract-archive.ts'
import { connect, type Service } from '../../use-cases/open-service.ts'
import { askQuota } from '../../use-cases/quota.ts'
import { USER_AGENT, VERSION } from '../../version.ts'
import type { CommandRun, Context } from '../context.ts'
import { showPlan } from '../download/dry-run.ts'
import { type Prepared, prepare, requireBaseUrl } from '../download/prepare.ts'
import { startRunSignal } from '../download/run-limits.ts'
import { type Ending, resultFacts, saySummary, summaryMarkdown, writeResult } from '../download/tell.ts'
import { jsonPieces } from '../json.ts'
import { limitsOf } from '../operands.ts'

/** Where requests go and with what secret. */
interface Access extends AsyncDisposable {
  readonly baseUrl: string
  readonly token: string | undefined
}

/** Asks the service, saves one verified archive, and then does what else was asked for. */
export const run: CommandRun = async (context) => {
  const { world, settings } = context
  checkCombinations(context)
  if (settings.values.sandbox) {
    const { serveSandbox } = await import('../../use-cases/serve-sandbox.ts')
    await using sandbox = await serveSandbox(world, { faults: [] })
    context.terminal.addSecret(sandbox.token)
    return await runWith(context, {
      baseUrl: sandbox.url,
      token: sandbox.token,
      [Symbol.asyncDispose]: sandbox.close,
    })
  }
  return runWith(context, undefined)
}

async function runWith(context: Context, sandbox: Access | undefined): Promise<number> {
  const { world, settings, terminal, facts } = context
  const startedAtMs = world.clock.nowMs()
  const baseUrl = sandbox?.baseUrl ?? requireBaseUrl(settings)
  const prepared = await prepare(context, baseUrl)
  const { plan, criteria } = prepared
  if (settings.values.dryRun) {
    await dryRun(context, baseUrl, prepared, sandbox)
    return 0
  }
  facts.request = requestFacts(baseUrl, criteria, prepared.parts.length)
  facts.plan = { requests: plan.requestCount, parts: plan.partCount }
  facts.startedAt = isoTime(startedAtMs)

  const token = sandbox?.token ?? (await context.readSecret('token')).value
  const placeWish = placeWishOf(context)
  const place = await settlePlace(world, placeWish, {
    supplier: criteria.supplier,
    format: criteria.format,
    formatClass: criteria.formatClass,
    startDate: criteria.startDate,
    nowMs: startedAtMs,
  })
  await checkPlace(world, place, placeWish)
  using timer = startRunSignal(world, settings.values.timeout)
  const service = await open(context, baseUrl, token)
  let exitCode = 0
  try {
    sayStart(context, prepared, baseUrl)
    await download(
      world,
      {
        plan,
        service,
        place,
        placeWish,
        limits: limitsOf(settings),
        reconcile: !settings.values.noReconcile && plan.partCount > 0,
        userAgent: USER_AGENT,
        apiKey: undefined,
        retries: settings.values.retries,
        maxWaitMs: settings.values.maxWait,
        ratePerMinute: settings.values.rate,
        signal: timer.signal,
      },
      terminal.reporter,
      async (result) => {
        exitCode = await finish(context, prepared, place, result, baseUrl, startedAtMs)
      },
    )
  } finally {
    await service.close()
  }
  return exitCode
}

/** What cannot be wished together, told before anything else is looked at. */
function checkCombinations({ settings, terminal }: Context): void {
  const { values } = settings
  if (values.curl && !values.dryRun) {
    throw new Failure('usage', '--curl goes with --dry-run', { hint: 'add --dry-run' })
  }
  if (values.output !== '-' || values.dryRun) return
  if (terminal.choice.json) {
    throw new Failure('usage', '--json and --output - both want standard output', {
      hint: 'give --output a file',
    })
  }
  if (values.list) {
    throw new Failure('usage', '--list and --output - both want standard output', {
      hint: 'give --output a file',
    })
  }
}

function placeWishOf({ settings }: Context): PlaceWish {
  const { output, overwrite, extract, manifest, missing } = settings.values
  return {
    output,
    overwrite,
    extract,
    manifest,
    others: missing === undefined ? [] : [{ what: 'missing', path: missing }],
  }
}

function open({ world, settings, terminal }: Context, baseUrl: string, token: string): Promise<Service> {
  const { values } = settings
  return connect(world, {
    baseUrl,
    token,
    secrets: [],
    userAgent: USER_AGENT,
    connectTimeoutMs: values.connectTimeout,
    responseTimeoutMs: values.responseTimeout,
    stallTimeoutMs: values.stallTimeout,
    proxy: values.proxy,
    caFile: values.caFile === undefined ? undefined : absolutePath(world.cwd, values.caFile),
    clientCert: values.clientCert === undefined ? undefined : absolutePath(world.cwd, values.clientCert),
    clientKey: values.clientKey === undefined ? undefined : absolutePath(world.cwd, values.clientKey),
    reporter: terminal.reporter,
  })
}

function sayStart({ terminal }: Context, { plan }: Prepared, baseUrl: string): void {
  const { host } = new URL(baseUrl)
  const what = plan.partCount === 0 ? '' : ` for ${plural(plan.partCount, 'part')}`
  terminal.reporter.notice({
    level: 'info',
    event: 'download.started',
    message: `asking ${host}${what} in ${plural(plan.requestCount, 'request')}`,
    data: { requests: plan.requestCount, parts: plan.partCount },
  })
}

async function dryRun(
  context: Context,
  baseUrl: string,
  { plan }: Prepared,
  sandbox: Access | undefined,
): Promise<void> {
  const { world, settings } = context
  // The allowance is worth a question where a token is at hand; the plan itself needs none.
  const hasToken = sandbox !== undefined || context.planSecret('token') !== undefined
  if (!hasToken || settings.values.curl) return showPlan(context, plan, undefined)
  const token = sandbox?.token ?? (await context.readSecret('token')).value
  const service = await open(context, baseUrl, token)
  try {
    using patience = startRunSignal(world, settings.values.connectTimeout)
    const quota = await askQuota(service, patience.signal).catch(() => undefined)
    world.interrupt.throwIfAborted()
    await showPlan(context, plan, quota)
  } finally {
    await service.close()
  }
}

async function finish(
  context: Context,
  prepared: Prepared,
  place: Place,
  result: Downloaded,
  baseUrl: string,
  startedAtMs: number,
): Promise<number> {
  const { world, settings, terminal, facts } = context
  const status = result.archive === undefined ? 'empty' : 'ok'
  const extracted = await extractIfAsked(context, place, result)
  const finishedAtMs = world.clock.nowMs()
  const ending: Ending = {
    result,
    prepared,
    place,
    extracted,
    status,
    seconds: (finishedAtMs - startedAtMs) / 1000,
  }
  Object.assign(facts, resultFacts(ending, settings.values.list), { finishedAt: isoTime(finishedAtMs) })
  await writeFiles(context, ending, baseUrl, startedAtMs, finishedAtMs)
  if (place.shown === '-' && result.archive !== undefined) await pour(context, result.archive.path)
  await writeResult(context, ending)
  terminal.stopProgress()
  saySummary(context, ending)
  await writeStepSummary(context, ending)
  refuseGaps(context, ending)
  if (terminal.choice.json) {
    for (const piece of jsonPieces({ schema: 'matdecl.download/1', status, ...facts }))
      await terminal.write(piece)
  }
  return 0
}

async function extractIfAsked(
  { world, settings, terminal }: Context,
  place: Place,
  { archive }: Downloaded,
): Promise<Ending['extracted']> {
  if (archive === undefined || place.extractPath === undefined) return undefined
  const { overwrite, extract } = settings.values
  const extracted = await extractArchive(world, archive.path, place.extractPath, {
    limits: limitsOf(settings),
    overwrite,
    include: [],
    exclude: [],
    flat: false,
    reporter: terminal.reporter,
    signal: world.interrupt,
  })
  const shown = typeof extract === 'string' ? extract : shownBeside(place)
  return { ...extracted, shown }
}

function shownBeside(place: Place): string {
  const stem = place.shown.replace(/\.zip$/i, '')
  return stem === place.shown ? `${place.shown}.extracted` : stem
}

async function writeFiles(
  { world, settings }: Context,
  { result, prepared, place }: Ending,
  baseUrl: string,
  startedAtMs: number,
  finishedAtMs: number,
): Promise<void> {
  const { overwrite, missing } = settings.values
  const options = { overwrite, unique: String(world.host.pid) }
  const { account, archive } = result
  if (missing !== undefined) {
    const path = absolutePath(world.cwd, missing)
    await writeResultFile(world.disk, path, [partsAsList(account?.missing ?? [])], options)
  }
  if (place.manifestPath === undefined) return
  const manifest = manifestObject({
    version: VERSION,
    request: requestFacts(baseUrl, prepared.criteria, prepared.parts.length),
    parts: prepared.parts,
    requests: result.requests,
    archive:
      archive === undefined
        ? undefined
        : {
            name: place.shown,
            bytes: archive.bytes,
            sha256: archive.sha256,
            entries: archive.entries.map(({ name, bytes, crc32 }) => ({
              name,
              bytes,
              crc32: crcText(crc32),
            })),
          },
    accounting:
      account === undefined
        ? undefined
        : { foundParts: account.foundCount, missingParts: account.missing, unknownParts: account.unknown },
    startedAtMs,
    finishedAtMs,
    serverDateMs: result.serverDateMs,
  })
  await writeResultFile(
    world.disk,
    place.manifestPath,
    [`${JSON.stringify(manifest, undefined, 2)}\n`],
    options,
  )
}

async function pour({ world, terminal }: Context, path: string): Promise<void> {
  const handle = await world.disk.open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(1 << 20)
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return
      await terminal.writeBytes(buffer.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}

async function writeStepSummary({ world, terminal }: Context, ending: Ending): Promise<void> {
  const path = world.env.GITHUB_STEP_SUMMARY
  if (world.env.GITHUB_ACTIONS !== 'true' || path === undefined || path === '') return
  await appendToFile(world.disk, path, terminal.redact(summaryMarkdown(ending)))
}

function refuseGaps({ settings }: Context, { result }: Ending): void {
  const { failIfEmpty, failIfMissing } = settings.values
  if (failIfEmpty && result.archive === undefined) {
    throw new Failure('missing', 'the service has nothing for this request (--fail-if-empty)', {
      hint: 'check the supplier, the parts and the start date',
    })
  }
  const missing = (result.account?.missing.length ?? 0) + (result.account?.unknown.length ?? 0)
  if (failIfMissing && missing > 0) {
    throw new Failure('missing', `${plural(missing, 'part')} asked for and not found (--fail-if-missing)`, {
      hint: '--missing FILE writes them as a list',
    })
  }
}
