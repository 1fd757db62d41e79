import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, isFailure } from '../../base/failure.ts'
import { withOptions } from '../../base/option-names.ts'
import { formatCount } from '../../base/units.ts'
import { USER_AGENT } from '../../base/version.ts'
import type { Check } from '../../doctor/doctor-check.ts'
import type { DoctorOptions } from '../../doctor/doctor-options.ts'
import { absolutePath } from '../../fs/output-target.ts'
import type { CommandDefinition } from '../command-definition.ts'
import type { Context } from '../context.ts'
import { proxySource } from '../download/access.ts'
import { jsonResult } from '../json.ts'
import { defaultConfigPath } from '../settings/config-file.ts'
import { originOf, type SecretName, type SecretPlan } from '../settings/secret.ts'

export const doctorCommand: CommandDefinition = {
  name: 'doctor',
  summary: 'diagnose settings, token, network, service, allowance, clock and disk, and suggest fixes',
  operands: [],
  description:
    'Prints one line for each thing a download needs: passed, failed with a suggested fix, or skipped with the reason. Downloads nothing and uses no allowance. Exits with the code of the first failed check.',
  examples: [
    { line: 'matdecl doctor', does: 'check that everything is ready' },
    { line: 'matdecl doctor --profile nightly --quiet', does: 'in a cron job: print only failures' },
    { line: 'matdecl doctor --sandbox', does: 'try it, without account or settings' },
  ],
  action: { run },
}

const MAX_RESPONSE_MS = 15_000
const NAME_WIDTH = 12

/** Checks everything a download needs, one line each. Exits with the code of the first failed check. */
async function run(context: Context): Promise<number> {
  if (!context.settings.values.sandbox) return runWith(context, undefined)
  const { serveSandbox } = await import('../../sandbox/sandbox.ts')
  await using sandbox = await serveSandbox(context.world, { faults: [] })
  context.terminal.addSecret(sandbox.token)
  return await runWith(context, sandbox)
}

interface SandboxAccess {
  readonly url: string
  readonly token: string
}

async function runWith(context: Context, sandbox: SandboxAccess | undefined): Promise<number> {
  const { world, terminal, facts } = context
  const { runChecks } = await import('../../doctor/doctor.ts')
  const checks: Check[] = []
  for await (const check of runChecks(world, optionsOf(context, sandbox))) {
    checks.push(check)
    await show(context, check)
  }
  facts.checks = checks.map(({ kind, fix, options, ...check }) => ({
    ...check,
    ...(fix === undefined ? {} : { fix: withOptions(fix, options), mend: withOptions(fix, options) }),
    ...(kind === undefined ? {} : { code: kind }),
  }))
  const failed = checks.filter(({ status }) => status === 'fail')
  const [first] = failed
  if (first !== undefined) {
    const others =
      failed.length === 1 ? '' : `; ${formatCount(failed.length)} of ${checks.length} checks failed`
    throw new Failure(first.kind!, `${first.name}: ${first.message}${others}`, {
      ...(first.fix === undefined ? {} : { hint: first.fix }),
      ...(first.options === undefined ? {} : { options: first.options }),
    })
  }
  if (terminal.choice.json) await terminal.write(jsonResult('doctor', 'ok', facts))
  return 0
}

function optionsOf(context: Context, sandbox: SandboxAccess | undefined): DoctorOptions {
  const { world, settings, terminal, settingsFailure } = context
  const { values } = settings
  const path = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : absolutePath(world.cwd, file)
  return {
    settings: {
      path: settings.configPath,
      usualPath: defaultConfigPath(world),
      profile: values.profile,
      failure: settingsFailure,
    },
    isSandbox: sandbox !== undefined,
    api: values.api,
    baseUrl: sandbox?.url ?? values.baseUrl,
    secret: secretOf(context, sandbox),
    secretFiles: sandbox === undefined ? secretFilesOf(context) : [],
    network: {
      secrets: [],
      userAgent: USER_AGENT,
      connectTimeoutMs: values.connectTimeout,
      responseTimeoutMs: MAX_RESPONSE_MS,
      stallTimeoutMs: MAX_RESPONSE_MS,
      proxy: values.proxy,
      proxySource: proxySource(settings),
      secretSource: secretOrigin(context, sandbox),
      caFile: path(values.caFile),
      clientCert: path(values.clientCert),
      clientKey: path(values.clientKey),
      reporter: terminal.reporter,
    },
  }
}

async function show({ terminal }: Context, { name, status, message, fix, options }: Check): Promise<void> {
  if (terminal.choice.json || (terminal.choice.quiet && status !== 'fail')) return
  const { good, bad, faint, mark } = terminal.out
  const signs = { pass: good(mark.good), fail: bad(mark.bad), skip: faint('-') }
  const gap = ' '.repeat(Math.max(0, mark.good.length - (status === 'pass' ? mark.good : mark.bad).length))
  const text = `${name.padEnd(NAME_WIDTH)}  ${escapeUnsafe(message)}`
  const line = `${signs[status]}${gap} ${status === 'skip' ? faint(text) : text}\n`
  const fixLine =
    fix === undefined ? '' : `${' '.repeat(NAME_WIDTH + 4)}fix: ${escapeUnsafe(withOptions(fix, options))}\n`
  await terminal.write(`${line}${fixLine}`)
}

function secretOf(context: Context, sandbox: SandboxAccess | undefined): DoctorOptions['secret'] {
  const key = secretName(context)
  const name = key === 'token' ? 'token' : 'API key'
  if (sandbox !== undefined) {
    return { name, source: 'the mock service', read: () => Promise.resolve(sandbox.token) }
  }
  const source = planOf(context)?.source
  let read: Promise<string> | undefined
  return {
    name,
    source: source === undefined || source.kind === 'default' ? undefined : source.where,
    // A command may prompt its user: it runs once.
    read: () => {
      read ??= context.readSecret(key).then(({ value }) => value)
      return read
    },
  }
}

function secretOrigin(context: Context, sandbox: SandboxAccess | undefined): string | undefined {
  const plan = sandbox === undefined ? planOf(context) : undefined
  return plan && originOf(plan)
}

function secretFilesOf(context: Context): readonly string[] {
  const { world, settings } = context
  const plan = planOf(context)
  if (plan?.how === 'file') return [absolutePath(world.cwd, String(plan.text))]
  const isInSettings = plan?.how === 'value' && plan.source.kind !== 'environment'
  return isInSettings && settings.configPath !== undefined
    ? [absolutePath(world.cwd, settings.configPath)]
    : []
}

// A secret of the wrong type is reported where it is read.
function planOf(context: Context): SecretPlan | undefined {
  try {
    return context.planSecret(secretName(context))
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}

function secretName({ settings }: Context): SecretName {
  return settings.values.api === 'v1' ? 'api-key' : 'token'
}
