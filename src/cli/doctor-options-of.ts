import { isFailure } from '../base/failure.ts'
import type { DoctorOptions } from '../doctor/doctor.ts'
import { absolutePath } from '../fs/output-target.ts'
import type { Context } from './context.ts'
import { connectionOptions } from './download/access.ts'
import { defaultConfigPath } from './settings/config-file.ts'
import { describeOrigin, type SecretPlan, secretLabel, secretNameOf } from './settings/secret.ts'

const MAX_RESPONSE_MS = 15_000

/** The mock service in this process. */
export interface SandboxAccess {
  readonly url: string
  readonly token: string
}

/** What the checks need, from the settings; with a sandbox, its URL and token instead. A `token` alone replaces the one of the settings. */
export function doctorOptionsOf(context: Context, instead: Partial<SandboxAccess> = {}): DoctorOptions {
  const { world, settings, settingsFailure } = context
  const { values } = settings
  return {
    settings: {
      path: settings.configPath,
      usualPath: defaultConfigPath(world),
      profile: values.profile,
      failure: settingsFailure,
    },
    isSandbox: instead.url !== undefined,
    api: values.api,
    baseUrl: instead.url ?? values.baseUrl,
    secret: secretOf(context, instead),
    secretFiles: instead.token === undefined ? secretFilesOf(context) : [],
    network: {
      ...connectionOptions(context),
      responseTimeoutMs: MAX_RESPONSE_MS,
      stallTimeoutMs: MAX_RESPONSE_MS,
      secretSource: secretOrigin(context, instead),
    },
  }
}

function secretOf(context: Context, { url, token }: Partial<SandboxAccess>): DoctorOptions['secret'] {
  const key = secretNameOf(context.settings)
  const name = secretLabel(key)
  if (token !== undefined) {
    const source = url === undefined ? 'the input' : 'the mock service'
    return { name, source, read: () => Promise.resolve(token) }
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

function secretOrigin(context: Context, { token }: Partial<SandboxAccess>): string | undefined {
  const plan = token === undefined ? planOf(context) : undefined
  return plan && describeOrigin(plan)
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
    return context.planSecret(secretNameOf(context.settings))
  } catch (error) {
    if (isFailure(error)) return undefined
    throw error
  }
}
