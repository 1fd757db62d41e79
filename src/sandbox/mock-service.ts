import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { cleanText } from '../base/clean-text.ts'
import type { Clock } from '../base/world.ts'
import { archiveFor, type KnownLengths } from './archive-source.ts'
import type { Catalog } from './catalog.ts'
import { answerDownload, type DownloadContext } from './download-response.ts'
import { type FaultPlan, playFaults } from './faults.ts'
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
  readonly faults: FaultPlan
  readonly onRequest: (log: RequestLog) => void
}

interface MockService {
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly requests: RequestCounts
}

const MAX_BODY_BYTES = 16 << 20

/** The operations of the mock service over a catalog. */
export function createMockService(options: MockServiceOptions): MockService {
  const { clock, token, catalog, faults, quota } = options
  const { manner } = faults
  const limits = createLimits(options.ratePerMinute, quota, clock)
  const nextFault = playFaults(faults.steps)
  const lengths: KnownLengths = new Map()
  const requests: RequestCounts = { total: 0, download: 0, legacy: 0, ping: 0, quota: 0 }

  const operations: Readonly<Record<string, Operation>> = {
    '/v2/download': { method: 'GET', count: 'download', answer: download },
    '/v2/ping': { method: 'GET', count: 'ping', answer: ping },
    '/v2/quota': { method: 'GET', count: 'quota', answer: answerQuota },
    '/api/download': { method: 'POST', count: 'legacy', answer: legacy },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s)
    response.once('close', () => {
      gone.abort()
      const status = response.headersSent ? response.statusCode : 0
      options.onRequest({
        method: request.method ?? '',
        path: cleanText(path),
        status,
        complete: response.writableFinished,
      })
    })
    const operation = Object.hasOwn(operations, path) ? operations[path] : undefined
    requests.total += 1
    if (operation !== undefined) requests[operation.count] += 1
    try {
      if (options.latencyMs > 0) await clock.sleep(options.latencyMs, gone.signal)
      if (!isOwnHost(request.headers.host)) refuse(response, 421)
      else if (operation === undefined) refuse(response, 404)
      else if (request.method !== operation.method) refuse(response, 405, { Allow: operation.method })
      else
        await operation.answer(
          { request, response, manner, clock, signal: gone.signal },
          new URLSearchParams(query),
        )
    } catch (error) {
      if (!gone.signal.aborted) failed(response, error)
    }
    request.resume()
  }

  async function download(context: DownloadContext, query: URLSearchParams): Promise<void> {
    const { request, response } = context
    if (!isAuthorized(request)) return refuse(response, 401, { 'WWW-Authenticate': 'Bearer' })
    const headersRefused = refusedHeaders(request)
    if (headersRefused !== undefined) return refuse(response, headersRefused)
    if (manner.maxUrlBytes !== undefined && request.url!.length > manner.maxUrlBytes)
      return refuse(response, 414)
    const search = parseCriteria(query)
    if ('status' in search) return refuse(response, search.status, {}, search.message)
    await allowed(context, search, 'XML')
  }

  async function legacy(context: DownloadContext): Promise<void> {
    const { request, response } = context
    const body = await readBody(request)
    if (body === undefined) return refuse(response, 413)
    const knows = (id: string): boolean => catalog.suppliers.some((supplier) => supplier.id === id)
    const parsed = parseLegacy(body, token, knows)
    if (typeof parsed === 'string') {
      setLimits(response)
      return answerText(response, 200, 'text/plain; charset=utf-8', `${parsed}\n`)
    }
    await allowed(context, parsed.search, parsed.format)
  }

  async function allowed(context: DownloadContext, search: MockSearch, format: 'XML' | 'CSV'): Promise<void> {
    const refused = limits.admit()
    if (refused !== undefined) return refuse(context.response, 429, {}, refused)
    const fault = nextFault()
    if (fault?.kind !== 'status' || fault.status < 400) limits.use()
    setLimits(context.response)
    await answerDownload(context, await archiveFor(catalog, search, format, lengths), fault)
  }

  function ping({ response }: DownloadContext): void {
    setLimits(response)
    answerJson(response, 200, {
      message: 'OK',
      documentation: 'https://sandbox.invalid/documentation',
      status: 'https://status.sandbox.invalid',
    })
  }

  function answerQuota({ request, response }: DownloadContext): void {
    if (!isAuthorized(request)) {
      refuse(response, 401, { 'WWW-Authenticate': 'Bearer' })
      return
    }
    setLimits(response)
    const none = { authorized: false, tier_limit: 0, tier_usage: 0 }
    answerJson(response, 200, {
      company: { name: 'Example Buyer', duns: '999999999' },
      'api:consume': { authorized: true, tier_limit: quota, tier_usage: limits.used() },
      'api:request': none,
      'api:declare': none,
    })
  }

  function refuse(
    response: ServerResponse,
    status: number,
    headers: Readonly<Record<string, string>> = {},
    message = statusMessage(status),
  ): void {
    setLimits(response)
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    answerJson(response, status, { message })
  }

  function setLimits(response: ServerResponse): void {
    for (const [name, value] of Object.entries(limits.headers())) response.setHeader(name, value)
  }

  function isAuthorized(request: IncomingMessage): boolean {
    const [, given] = /^bearer +(\S.*)$/i.exec(request.headers.authorization ?? '') ?? []
    return given === token
  }

  /** Both headers are required by the interface. Unless strict, only wrong ones are refused. */
  function refusedHeaders({ headers }: IncomingMessage): number | undefined {
    const type = headers['content-type']
    if (type === undefined ? manner.strict : !/^application\/json\s*(;|$)/i.test(type)) return 415
    const accept = headers.accept
    if (accept === undefined ? manner.strict : !/application\/(zip|\*)|\*\/\*/i.test(accept)) return 406
    return undefined
  }

  function failed(response: ServerResponse, error: unknown): void {
    if (response.headersSent) response.destroy(error instanceof Error ? error : undefined)
    else refuse(response, 500)
  }

  return { answer, requests }
}

/** A page in a browser can make a name of its own resolve to this machine (DNS rebinding), but neither `localhost` nor an address. */
function isOwnHost(host = 'localhost'): boolean {
  const name = host.replace(/:\d*$/, '')
  return name.toLowerCase() === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0
}

interface Operation {
  readonly method: 'GET' | 'POST'
  readonly count: Exclude<keyof RequestCounts, 'total'>
  readonly answer: (context: DownloadContext, query: URLSearchParams) => void | Promise<void>
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
