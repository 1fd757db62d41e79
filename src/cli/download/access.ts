import { Failure, isFailure } from '../../base/failure.ts'
import type { ResourceStack } from '../../base/resource-stack.ts'
import { formatCount, formatDuration, plural } from '../../base/units.ts'
import { USER_AGENT } from '../../base/version.ts'
import type { World } from '../../base/world.ts'
import type { LearnedLength } from '../../download/request-queue.ts'
import { absolutePath, fitDescriptors } from '../../fs/output-target.ts'
import { sharedRateKey } from '../../http/admission.ts'
import { proxySecrets } from '../../http/proxy.ts'
import type { Service } from '../../http/service.ts'
import type { Criteria } from '../../request/request.ts'
import type { Context } from '../context.ts'
import type { Settings } from '../settings/settings.ts'

declare const WebAssembly: { readonly Memory: new (size: { readonly initial: number }) => object }

/** Where requests go, and with which secret. */
interface Access {
  readonly baseUrl: string
  /** v2 only. */
  readonly token: string | undefined
  /** Reads the token again, where its source is a file or a command. */
  readonly readTokenAgain: (() => Promise<string>) | undefined
  /** v1 only. */
  readonly apiKey: string | undefined
  /** Where the secret comes from, in words. */
  readonly secretSource: string | undefined
  /** The sandbox of this process: never proxied. */
  readonly isSandbox: boolean
}

/** Every sandbox is the same service, whatever its port. */
export const SANDBOX_ADDRESS = 'sandbox'

/** Where requests go; no secret has been read. */
export interface ServiceTarget {
  readonly baseUrl: string
  /** The address in what is remembered. */
  readonly address: string
  /** The sandbox's own token. */
  readonly sandboxToken: string | undefined
  /** What the sandbox has, for a request without criteria or without a match. */
  readonly tip?: string
}

/** Starts the sandbox in this process; it ends with `held`. */
export async function openSandbox({ world, terminal }: Context, held: ResourceStack): Promise<ServiceTarget> {
  const { serveSandbox } = await import('../../sandbox/sandbox.ts')
  const sandbox = held.use(await serveSandbox(world, { faults: [] }))
  sandbox.unref()
  const { url, token, suppliers } = sandbox
  terminal.secrets.add(token)
  const [first] = suppliers
  const tip = `the sandbox has supplier ${first?.id} and part ${first?.examples[0]}, among others`
  return { baseUrl: url, address: SANDBOX_ADDRESS, sandboxToken: token, tip }
}

/** The service of the settings; `config` when they have none. */
export function serviceTarget({ settings, planSecret }: Context): ServiceTarget {
  const { values, configPath } = settings
  const { baseUrl } = values
  if (baseUrl !== undefined) return { baseUrl, address: baseUrl, sandboxToken: undefined }
  const hasSecret = planSecret('token') !== undefined || planSecret('api-key') !== undefined
  if (configPath === undefined && !hasSecret) {
    throw new Failure('config', 'not set up yet: there is no service URL and no token', {
      hint: 'run: matdecl login; without an account, add --sandbox',
    })
  }
  throw new Failure('config', 'the service URL is not set', {
    hint: `use --base-url, set MATDECL_BASE_URL, or put base-url = "https://…" into ${configPath ?? 'the config file'}${hasSecret ? '' : ', and the token beside it'}; to try it without one, add --sandbox`,
  })
}

/** Reads the one secret that these criteria need. */
export async function readAccess(
  context: Context,
  target: ServiceTarget,
  { api }: Pick<Criteria, 'api'>,
): Promise<Access> {
  const name = api === 'v2' ? 'token' : 'api-key'
  const found = target.sandboxToken === undefined ? await context.readSecret(name) : undefined
  const secret = target.sandboxToken ?? found?.value
  const mayChange = name === 'token' && found !== undefined && context.planSecret(name)?.how !== 'value'
  return {
    baseUrl: target.baseUrl,
    token: api === 'v2' ? secret : undefined,
    readTokenAgain: mayChange ? async () => (await context.readSecret(name)).value : undefined,
    apiKey: api === 'v1' ? secret : undefined,
    secretSource: found?.origin,
    isSandbox: target.sandboxToken !== undefined,
  }
}

/** How to connect by the settings. The secrets of the proxy are redacted from then on. */
export function connectionOptions({ world, settings, terminal }: Context) {
  const { values } = settings
  const path = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : absolutePath(world.cwd, file)
  for (const secret of proxySecrets({ env: world.env, explicit: values.proxy })) terminal.secrets.add(secret)
  return {
    secrets: terminal.secrets,
    userAgent: USER_AGENT,
    connectTimeoutMs: values.connectTimeout,
    responseTimeoutMs: values.responseTimeout,
    stallTimeoutMs: values.stallTimeout,
    proxy: values.proxy,
    proxySource: proxySource(settings),
    caFile: path(values.caFile),
    clientCert: path(values.clientCert),
    clientKey: path(values.clientKey),
    clientKeyPasswordFile: path(values.clientKeyPasswordFile),
    reporter: terminal.reporter,
  }
}

/** Opens the connection pool by the settings; nothing is sent. */
export async function connectService(context: Context, access: Access): Promise<Service> {
  const { world, settings } = context
  const connection = connectionOptions(context)
  // undici needs it, and would fail in a promise that nobody handles.
  void new WebAssembly.Memory({ initial: 1 })
  // A plan does not need undici, the largest package.
  const { openService } = await import('../../http/service.ts')
  const service = openService(world, {
    ...connection,
    baseUrl: access.baseUrl,
    token: access.token,
    readTokenAgain: access.readTokenAgain,
    proxy: access.isSandbox ? '' : connection.proxy,
    secretSource: access.secretSource,
  })
  return service.catch((error: unknown) => {
    throw asFlagMistake(error, settings)
  })
}

/** The variable or the config key of the proxy setting; undefined when the option was given. */
function proxySource({ sources }: Settings): string | undefined {
  const { proxy } = sources
  return proxy === undefined || proxy.kind === 'flag' || proxy.kind === 'default' ? undefined : proxy.where
}

// A certificate file named by a flag is a mistake in the flags, not in the settings.
function asFlagMistake(error: unknown, { sources }: Settings): unknown {
  const files = {
    'ca-file': sources.caFile,
    'client-cert': sources.clientCert,
    'client-key': sources.clientKey,
    'client-key-password-file': sources.clientKeyPasswordFile,
  }
  const named = isFailure(error) ? (error.details.options ?? []) : []
  const isFromFlag = Object.entries(files).some(([name, one]) => named.includes(name) && one?.kind === 'flag')
  if (!isFailure(error) || error.kind !== 'config' || !isFromFlag) return error
  return error.with({ kind: 'usage', cause: error })
}

/** The signal that ends a run: the user's, or the end of `--timeout`. */
interface RunSignal extends Disposable {
  readonly signal: AbortSignal
}

/** Starts the clock of `--timeout`, when there is one; its end is a Failure of kind `unavailable`. */
export function startRunSignal(world: World, timeoutMs: number | undefined): RunSignal {
  if (timeoutMs === undefined) return { signal: world.interrupt, [Symbol.dispose]: () => undefined }
  // Only when it is over does the process end.
  world.limitLookups(timeoutMs)
  const timer = new AbortController()
  const done = new AbortController()
  world.clock.sleep(timeoutMs, done.signal).then(
    () =>
      timer.abort(
        new Failure('unavailable', `the run took longer than ${formatDuration(timeoutMs)} (--timeout)`, {
          hint: 'raise the limit if it was too short',
        }),
      ),
    () => undefined,
  )
  return {
    signal: AbortSignal.any([world.interrupt, timer.signal]),
    [Symbol.dispose]: () => done.abort(new Error('the run is over')),
  }
}

// For responses that have begun when the run has to end.
const LONGEST_FINISH_MS = 30_000

/** How requests are sent, by the settings. */
export function requestSettings({ settings }: Context, { baseUrl, token, apiKey, isSandbox }: Access) {
  const { concurrency, retries, maxWait, rate, stallTimeout } = settings.values
  const secret = isSandbox ? undefined : (token ?? apiKey)
  return {
    limits: settings.limits,
    concurrency,
    retries,
    maxWaitMs: maxWait,
    finishMs: Math.min(stallTimeout, LONGEST_FINISH_MS),
    ratePerMinute: rate,
    rateKey: secret === undefined ? undefined : sharedRateKey(baseUrl, secret),
    userAgent: USER_AGENT,
  }
}

/** The context of a run with so many requests at most, as its limit on open files allows. */
export async function fitOpenFiles(
  context: Context,
  requestCount = context.settings.values.concurrency,
): Promise<Context> {
  const { settings, terminal } = context
  const wanted = Math.min(settings.values.concurrency, Math.max(1, requestCount))
  const { world, connections: concurrency } = await fitDescriptors(context.world, wanted)
  if (concurrency < wanted) {
    const message = `the limit on open files (ulimit -n) allows ${plural(concurrency, 'request')} at once instead of ${wanted}`
    const data = { concurrency, wanted }
    terminal.reporter.notice({ level: 'info', event: 'run.fewer-connections', message, data })
  }
  return { ...context, world, settings: { ...settings, values: { ...settings.values, concurrency } } }
}

/** How the next run need not send the requests that were refused as too long; undefined when none was. */
export function lengthAdvice(
  { accepted, refused }: LearnedLength = { accepted: 0, refused: 0 },
  api: Criteria['api'],
): string | undefined {
  if (accepted === 0) return undefined
  return api === 'v1'
    ? `the service refused requests with ${formatCount(refused)} parts: next time use --batch-size ${accepted}`
    : `the service refused URLs of ${formatCount(refused)} bytes: next time use --max-url-length ${accepted}`
}
