import { Failure } from '../base/failure.ts'
import { parseJson } from '../base/json-text.ts'
import type { World } from '../base/world.ts'
import { previewBody } from '../http/body-preview.ts'
import { connect } from '../http/open-service.ts'
import { refusal } from '../http/outcome.ts'
import { type RateLimit, readRateLimit } from '../http/rate-limit.ts'
import { readStart } from '../http/service-response.ts'
import type { DoctorOptions } from './doctor-options.ts'

/** Requests to the service that use no allowance, and what the headers of its responses report. */
export interface Session {
  readonly hasToken: boolean
  /**
   * The JSON at a path; undefined for 404, `no token` for a 401 without a token. Any other refusal is a Failure.
   */
  readonly ask: (path: string) => Promise<unknown>
  readonly rateLimit: () => RateLimit | undefined
  readonly clocks: () => Clocks | undefined
  readonly close: () => Promise<void>
}

/** The time of the service and of this machine at the same moment. */
export interface Clocks {
  readonly theirs: number
  readonly ours: number
}

/** Opens a session with the token, where there is one. */
export async function openSession(
  world: World,
  { baseUrl = '', network, secret }: DoctorOptions,
): Promise<Session> {
  // The token check reports its problems.
  const token = await secret.read().catch((error: unknown) => {
    if (error instanceof Failure && error.kind !== 'interrupted') return undefined
    throw error
  })
  const service = await connect(world, { ...network, baseUrl, token })
  let rateLimit: RateLimit | undefined
  let clocks: Clocks | undefined

  async function ask(path: string): Promise<unknown> {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': network.userAgent,
    }
    const answer = await service.send(
      { method: 'GET', url: `${baseUrl}${path}`, headers },
      { signal: world.interrupt },
    )
    const { status, host, foreign, serverDateMs } = answer
    const ours = world.clock.nowMs()
    rateLimit = readRateLimit(answer.headers, serverDateMs, ours) ?? rateLimit
    if (serverDateMs !== undefined) clocks = { theirs: serverDateMs, ours }
    const start = await readStart(answer)
    if (status === 404) return undefined
    if (status === 401 && token === undefined) return 'no token'
    if (status === 200) return readJson(start, host, path, service.redact)
    const { secretSource } = network
    const facts = { status, host, foreign, preview: previewBody(start, service.redact), secretSource }
    throw refusal(facts, service.redact)
  }

  return {
    hasToken: token !== undefined,
    ask,
    rateLimit: () => rateLimit,
    clocks: () => clocks,
    close: () => service.close(),
  }
}

function readJson(start: Uint8Array, host: string, path: string, redact: (text: string) => string): unknown {
  const parsed = parseJson(Buffer.from(start).toString('utf8'))
  if ('value' in parsed) return parsed.value
  const { kind, words } = previewBody(start, redact)
  const shown = words === '' ? '' : `: "${words}"`
  const what = kind === 'html' ? 'a web page' : 'something else'
  throw new Failure('rejected', `${host} answered ${path} with ${what} instead of JSON${shown}`, {
    hint: 'check the service URL; a network that requires a login responds like this too',
    options: ['base-url'],
  })
}
