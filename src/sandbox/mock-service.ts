import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { cleanText } from '../base/clean-text.ts'
import type { Clock } from '../base/world.ts'
import { archiveFor, type KnownLengths } from './archive-source.ts'
import type { Catalog } from './catalog.ts'
import { answerDownload, type DownloadContext } from './download-response.ts'
import { type FaultStep, playFaults } from './faults.ts'
import { parseLegacy } from './legacy.ts'
import { createLimits } from './limits.ts'
import { type MockSearch, parseCriteria } from './query.ts'
import { answerJson, answerText, statusMessage } from './responses.ts'

/** The number of requests for each operation, refused ones included. */
export interface RequestCounts {
  total: number
  download: number
  legacy: number
  ping: number
  quota: number
}

/** One completed request, without its query, which may be confidential. */
export interface RequestLog {
  readonly method: string
  readonly path: string
  /** The status of the response; 0 for none. */
  readonly status: number
  /** False when the connection ended early. */
  readonly complete: boolean
}

interface MockServiceOptions {
  readonly clock: Clock
  readonly token: string
  readonly catalog: Catalog
  readonly latencyMs: number
  readonly ratePerMinute: number
  readonly quota: number
  readonly faults: readonly FaultStep[]
  readonly onRequest: (log: RequestLog) => void
}

const MAX_BODY_BYTES = 16 << 20

interface Operation {
  readonly method: 'GET' | 'POST'
  readonly count: Exclude<keyof RequestCounts, 'total'>
  readonly answer: (context: DownloadContext, query: URLSearchParams) => void | Promise<void>
}

/** The operations of the mock service over a catalog. */
export class MockService {
  readonly requests: RequestCounts = { total: 0, download: 0, legacy: 0, ping: 0, quota: 0 }
  readonly #options: MockServiceOptions
  readonly #limits: ReturnType<typeof createLimits>
  readonly #nextFault: ReturnType<typeof playFaults>
  readonly #lengths: KnownLengths = new Map()
  readonly #operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
    [
      '/v2/download',
      { method: 'GET', count: 'download', answer: (context, query) => this.#download(context, query) },
    ],
    ['/v2/ping', { method: 'GET', count: 'ping', answer: ({ response }) => this.#ping(response) }],
    ['/v2/quota', { method: 'GET', count: 'quota', answer: (context) => this.#quota(context) }],
    ['/api/download', { method: 'POST', count: 'legacy', answer: (context) => this.#legacy(context) }],
  ])

  constructor(options: MockServiceOptions) {
    this.#options = options
    this.#limits = createLimits(options.ratePerMinute, options.quota, options.clock)
    this.#nextFault = playFaults(options.faults)
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, latencyMs, onRequest } = this.#options
    const gone = new AbortController()
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s)
    response.once('close', () => {
      gone.abort()
      const status = response.headersSent ? response.statusCode : 0
      onRequest({
        method: request.method ?? '',
        path: cleanText(path),
        status,
        complete: response.writableFinished,
      })
    })
    const operation = this.#operations.get(path)
    this.requests.total += 1
    if (operation !== undefined) this.requests[operation.count] += 1
    try {
      if (latencyMs > 0) await clock.sleep(latencyMs, gone.signal)
      if (!isOwnHost(request.headers.host)) this.#refuse(response, 421)
      else if (operation === undefined) this.#refuse(response, 404)
      else if (request.method !== operation.method) this.#refuse(response, 405, { Allow: operation.method })
      else await operation.answer({ request, response, signal: gone.signal }, new URLSearchParams(query))
    } catch (error) {
      if (gone.signal.aborted) return
      if (response.headersSent) response.destroy(error instanceof Error ? error : undefined)
      else this.#refuse(response, 500)
    } finally {
      request.resume()
    }
  }

  async #download(context: DownloadContext, query: URLSearchParams): Promise<void> {
    const { request, response } = context
    if (!this.#isAuthorized(request)) return this.#refuse(response, 401, { 'WWW-Authenticate': 'Bearer' })
    const headersRefused = refusedHeaders(request)
    if (headersRefused !== undefined) return this.#refuse(response, headersRefused)
    const search = parseCriteria(query)
    if ('status' in search) return this.#refuse(response, search.status, {}, search.message)
    await this.#archive(context, search, 'XML')
  }

  async #legacy(context: DownloadContext): Promise<void> {
    const { request, response } = context
    const { catalog, token } = this.#options
    const body = await readBody(request)
    if (body === undefined) return this.#refuse(response, 413)
    const knows = (id: string): boolean => catalog.suppliers.some((supplier) => supplier.id === id)
    const parsed = parseLegacy(body, token, knows)
    if (typeof parsed === 'string') {
      this.#setLimits(response)
      return answerText(response, 200, 'text/plain; charset=utf-8', `${parsed}\n`)
    }
    await this.#archive(context, parsed.search, parsed.format)
  }

  /** Answers a valid request, if the limits allow it. */
  async #archive(context: DownloadContext, search: MockSearch, format: 'XML' | 'CSV'): Promise<void> {
    const refused = this.#limits.admit()
    if (refused !== undefined) return this.#refuse(context.response, 429, {}, refused)
    const fault = this.#nextFault()
    if (fault?.kind !== 'status' || fault.status < 400) this.#limits.use()
    this.#setLimits(context.response)
    const archive = await archiveFor(this.#options.catalog, search, format, this.#lengths)
    await answerDownload(context, archive, fault)
  }

  #ping(response: ServerResponse): void {
    this.#setLimits(response)
    answerJson(response, 200, {
      message: 'OK',
      documentation: 'https://sandbox.invalid/documentation',
      status: 'https://status.sandbox.invalid',
    })
  }

  #quota({ request, response }: DownloadContext): void {
    if (!this.#isAuthorized(request)) {
      this.#refuse(response, 401, { 'WWW-Authenticate': 'Bearer' })
      return
    }
    this.#setLimits(response)
    const none = { authorized: false, tier_limit: 0, tier_usage: 0 }
    answerJson(response, 200, {
      company: { name: 'Example Buyer', duns: '999999999' },
      'api:consume': { authorized: true, tier_limit: this.#options.quota, tier_usage: this.#limits.used() },
      'api:request': none,
      'api:declare': none,
    })
  }

  #refuse(
    response: ServerResponse,
    status: number,
    headers: Readonly<Record<string, string>> = {},
    message = statusMessage(status),
  ): void {
    this.#setLimits(response)
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    answerJson(response, status, { message })
  }

  #setLimits(response: ServerResponse): void {
    for (const [name, value] of Object.entries(this.#limits.headers())) response.setHeader(name, value)
  }

  #isAuthorized(request: IncomingMessage): boolean {
    const [, given] = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '') ?? []
    return given === this.#options.token
  }
}

/** Both headers are required by the interface. Only wrong ones are refused. */
function refusedHeaders({ headers }: IncomingMessage): number | undefined {
  const { 'content-type': type = 'application/json', accept = '*/*' } = headers
  if (!/^application\/json\s*(;|$)/i.test(type)) return 415
  return /application\/(zip|\*)|\*\/\*/i.test(accept) ? undefined : 406
}

/** A page in a browser can make a name of its own resolve to this machine (DNS rebinding), but neither `localhost` nor an address. */
function isOwnHost(host = 'localhost'): boolean {
  const name = host.replace(/:\d*$/, '')
  return name.toLowerCase() === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0
}

/** Undefined for a body that is too large. The connection stays open for the response. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
