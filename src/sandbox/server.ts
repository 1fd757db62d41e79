import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failure, systemCode } from '../base/failure.ts'
import type { Clock } from '../base/world.ts'
import { type Catalog, madeUpCatalog, type SupplierSummary } from './catalog.ts'
import { type FaultPlan, NO_FAULTS } from './faults.ts'
import { createService, type RequestCounts, type RequestLog } from './mock-service.ts'

export interface SandboxOptions {
  readonly clock: Clock
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined
  /** Made up unless given; v1 takes it as its API key. */
  readonly token?: string | undefined
  /** Instead of the made-up catalogue. */
  readonly catalog?: Catalog | undefined
  /** How many parts the made-up catalogue has; 240 unless given. */
  readonly parts?: number | undefined
  readonly latencyMs?: number | undefined
  /** 100 unless given. */
  readonly ratePerMinute?: number | undefined
  /** Requests a year; 100,000 unless given. */
  readonly quota?: number | undefined
  readonly faults?: FaultPlan | undefined
  /** Told of each request when its answer has ended. */
  readonly onRequest?: ((log: RequestLog) => void) | undefined
}

/** A running miniature service. */
export interface Sandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without a version. */
  readonly url: string
  readonly token: string
  readonly suppliers: readonly SupplierSummary[]
  /** Counts of what was asked so far; they go on counting. */
  readonly requests: RequestCounts
  /** Stops listening and ends every connection. */
  readonly close: () => Promise<void>
}

/** Starts the service on 127.0.0.1 and resolves when it listens. A port that can't be had is a `usage` failure. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const token = options.token ?? `sandbox-${randomBytes(12).toString('hex')}`
  const catalog = options.catalog ?? madeUpCatalog(options.parts ?? 240)
  const service = createService({
    clock: options.clock,
    token,
    catalog,
    latencyMs: options.latencyMs ?? 0,
    ratePerMinute: options.ratePerMinute ?? 100,
    quota: options.quota ?? 100_000,
    faults: options.faults ?? NO_FAULTS,
    onRequest: options.onRequest ?? (() => undefined),
  })
  const server = createServer(
    { maxHeaderSize: 4 << 20 },
    (request: IncomingMessage, response: ServerResponse) => {
      void service.answer(request, response)
    },
  )
  await listen(server, options.port ?? 0)
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    suppliers: catalog.suppliers,
    requests: service.requests,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (cause) {
    const reason = systemCode(cause) === 'EADDRINUSE' ? 'something else listens there' : systemCode(cause)
    throw new Failure('usage', `can not listen on 127.0.0.1:${port}: ${reason ?? 'it is refused'}`, {
      hint: 'take another --port, or leave it out for a free one',
      cause,
    })
  }
}
