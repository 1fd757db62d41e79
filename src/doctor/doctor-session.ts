import { Failure } from '../base/failure.ts'
import { parseJson } from '../base/json-text.ts'
import type { World } from '../base/world.ts'
import { previewBody, readStart } from '../http/body-preview.ts'
import { refusal } from '../http/outcome.ts'
import { type RateLimit, readRateLimit } from '../http/rate-headers.ts'
import type { Service } from '../http/service.ts'
import type { DoctorOptions } from './doctor-options.ts'

/** What the service replies: JSON, nothing at that path (404), or a refusal of the token or of a request without one. */
export type Reply =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'no token' }
  | { readonly kind: 'refused'; readonly failure: Failure }

/** Requests to the service that use no allowance, and what the headers of its responses report. */
export interface Session {
  /** Requests a path, once. Any other refusal, and a connection that cannot be opened, is a Failure. */
  readonly ask: (path: string) => Promise<Reply>
  readonly rateLimit: () => RateLimit | undefined
  readonly clocks: () => Clocks | undefined
  readonly close: () => Promise<void>
}

/** The time of the service and of this machine at the same moment. */
export interface Clocks {
  readonly theirs: number
  readonly ours: number
}

/** A session with the token, where there is one; the first request opens the connection. */
export function openSession(world: World, { baseUrl = '', network, secret }: DoctorOptions): Session {
  const replies = new Map<string, Promise<Reply>>()
  let opening: Promise<{ readonly service: Service; readonly token: string | undefined }> | undefined
  let rateLimit: RateLimit | undefined
  let clocks: Clocks | undefined

  async function open(): Promise<{ readonly service: Service; readonly token: string | undefined }> {
    // The token check reports its problems.
    const token = await secret.read().catch((error: unknown) => {
      if (error instanceof Failure && error.kind !== 'interrupted') return undefined
      throw error
    })
    const { openService } = await import('../http/service.ts')
    return { service: await openService(world, { ...network, baseUrl, token }), token }
  }

  async function send(path: string): Promise<Reply> {
    opening ??= open()
    const { service, token } = await opening
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
    if (status === 404) return { kind: 'absent' }
    if (status === 401 && token === undefined) return { kind: 'no token' }
    if (status === 200) return { kind: 'json', value: readJson(start, host, path, service.redact) }
    const { secretSource } = network
    const facts = { status, host, foreign, preview: previewBody(start, service.redact), secretSource }
    const failure = refusal(facts, service.redact)
    if (token !== undefined && !foreign && (status === 401 || status === 403))
      return { kind: 'refused', failure }
    throw failure
  }

  return {
    ask: (path) => {
      const reply = replies.get(path) ?? send(path)
      replies.set(path, reply)
      return reply
    },
    rateLimit: () => rateLimit,
    clocks: () => clocks,
    close: async () => {
      const opened = await opening?.catch(() => undefined)
      await opened?.service.close()
    },
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
