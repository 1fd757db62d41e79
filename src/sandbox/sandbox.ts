import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failure, systemCode } from '../base/failure.ts'
import { calendarDate } from '../base/units.ts'
import type { Clock, World } from '../base/world.ts'
import { type Catalog, catalogOn, madeUpCatalog, type SupplierSummary } from './catalog.ts'
import { defaultCatalog } from './default-catalog.ts'
import { type FaultStep, parseFaults } from './faults.ts'
import { MockService, type RequestCounts, type RequestLog } from './mock-service.ts'

export interface SandboxOptions {
  readonly clock: Clock
  /** 0, the default, is any free port. */
  readonly port?: number | undefined
  /** Random by default. In v1 it is the API key. */
  readonly token?: string | undefined
  /** Replaces the made-up catalog. */
  readonly catalog?: Catalog | undefined
  /** How many families the made-up catalog has. By default it has 240, and the parts of the special supplier. */
  readonly parts?: number | undefined
  /** The day on which the service starts, `YYYY-MM-DD`: it has no declaration that was approved later. */
  readonly date?: string | undefined
  readonly latencyMs?: number | undefined
  /** 100 by default. */
  readonly ratePerMinute?: number | undefined
  /** Requests a year; 100,000 by default. */
  readonly quota?: number | undefined
  readonly faults?: readonly FaultStep[] | undefined
  /** Called after each response. */
  readonly onRequest?: ((log: RequestLog) => void) | undefined
}

/** The options as given by a user: faults as text. */
interface SandboxSettings extends Omit<SandboxOptions, 'clock' | 'catalog' | 'faults'> {
  readonly faults: readonly string[]
}

/** A running mock service. */
export interface Sandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without a version. */
  readonly url: string
  readonly token: string
  readonly suppliers: readonly SupplierSummary[]
  /** The requests so far; live. */
  readonly requests: RequestCounts
  /** From now on it keeps no process alive that waits for nothing else. */
  readonly unref: () => void
  /** Stops listening and closes every connection. */
  readonly close: () => Promise<void>
}

/** Starts the mock service with a user's settings. Mistakes in the faults are `usage` failures. */
export async function serveSandbox(world: World, { faults, ...options }: SandboxSettings): Promise<Sandbox> {
  return startSandbox({ ...options, clock: world.clock, faults: parseFaults(faults.join(' ')) })
}

/** Starts the mock service on 127.0.0.1 and resolves when it listens. A port that cannot be used is a `usage` failure. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const token = options.token ?? `sandbox-${randomBytes(12).toString('hex')}`
  const { date, parts } = options
  const whole = options.catalog ?? (parts === undefined ? defaultCatalog() : madeUpCatalog(parts))
  const catalog = date === undefined ? whole : catalogOn(whole, date)
  const clock = date === undefined ? options.clock : clockFrom(options.clock, date)
  const service = new MockService({
    clock,
    token,
    catalog,
    latencyMs: options.latencyMs ?? 0,
    ratePerMinute: options.ratePerMinute ?? 100,
    quota: options.quota ?? 100_000,
    faults: options.faults ?? [],
    onRequest: options.onRequest ?? (() => undefined),
  })
  const server = createServer({ maxHeaderSize: 4 << 20 }, (request, response) => {
    if (date !== undefined) response.setHeader('Date', new Date(clock.nowMs()).toUTCString())
    void service.answer(request, response)
  })
  await listen(server, options.port ?? 0)
  const close = async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    suppliers: catalog.suppliers,
    requests: service.requests,
    unref: () => void server.unref(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A clock that begins on this day, at the present time of day. */
function clockFrom(clock: Clock, day: string): Clock {
  const aheadMs = Date.parse(day) - Date.parse(calendarDate(clock.nowMs()))
  return { ...clock, nowMs: () => clock.nowMs() + aheadMs }
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((listening, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        listening()
      })
    })
  } catch (cause) {
    const code = systemCode(cause)
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : (code ?? 'it is refused')
    throw new Failure('usage', `cannot listen on 127.0.0.1:${port}: ${reason}`, {
      hint: 'choose another port, or leave it out for a free one',
      options: ['port'],
      cause,
    })
  }
}
