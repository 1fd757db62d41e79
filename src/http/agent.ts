import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { Agent } from 'undici'
import { type ConnectOptions, openConnection, targetOf } from './connector.ts'
import { authority, proxyFor } from './proxy.ts'

const bytesReadBefore = new WeakMap<Error, number>()

/** True when the connection of this error had received bytes before. */
export function wasReused(error: unknown): boolean {
  return error instanceof Error && (bytesReadBefore.get(error) ?? 0) > 0
}

/**
 * undici's agent, with connections opened through the proxy of each origin. undici's timeouts are off: they are coarse, and count
 * the time in which the process was suspended.
 */
export function createAgent(
  options: ConnectOptions,
  proxies: Parameters<typeof proxyFor>[1],
  signal: AbortSignal,
): Agent {
  async function open(protocol: string, hostname: string, port: string): Promise<Socket> {
    const host = authority(hostname, Number(port) || (protocol === 'https:' ? 443 : 80))
    const url = new URL(`${protocol}//${host}`)
    return openConnection(targetOf(url, proxyFor(url, proxies)), options, signal)
  }
  return new Agent({
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
    connect: ({ protocol, hostname, port }, done) => {
      open(protocol, hostname, port).then(
        (socket) => done(null, new PausableConnection(socket) as unknown as Socket),
        (error: Error) => done(error, null),
      )
    },
  })
}

/**
 * A connection whose end and errors reach undici only once it has read everything before them and asks for more. undici 7 throws an
 * uncatchable AssertionError when a connection ends while a body waits for its reader: `docs/decisions/connection-end.md`.
 */
class PausableConnection extends Duplex {
  readonly #socket: Socket
  #end: { readonly error: Error | undefined } | undefined
  /** The last read returned nothing, so undici is not paused. */
  #isAwaited = false
  #isWanted = false

  constructor(socket: Socket) {
    super({
      allowHalfOpen: false,
      readableHighWaterMark: socket.readableHighWaterMark,
      writableHighWaterMark: socket.writableHighWaterMark,
    })
    this.#socket = socket
    const ended = (error?: Error): void => {
      this.#end ??= { error }
      this.#forward()
      this.#settle()
    }
    socket.on('readable', () => this.#forward())
    socket.once('error', ended).once('end', () => ended())
    // Later errors are of no interest, and must not end the process.
    socket.once('close', () => ended()).on('error', () => undefined)
    this.once('error', (error) => bytesReadBefore.set(error, socket.bytesRead))
  }

  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  ref(): this {
    this.#socket.ref()
    return this
  }

  unref(): this {
    this.#socket.unref()
    return this
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size)
    if (size === 0) return chunk
    this.#isAwaited = chunk === null
    this.#settle()
    return chunk
  }

  override _read(): void {
    this.#isWanted = true
    this.#forward()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    // An error is an event of the socket.
    this.#socket.write(chunk, () => done())
  }

  override _final(done: () => void): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  #forward(): void {
    while (this.#isWanted) {
      const chunk: Buffer | null = this.#socket.read()
      if (chunk === null) return
      this.#isWanted = this.push(chunk)
    }
  }

  #settle(): void {
    if (this.#end === undefined || !this.#isAwaited || this.readableLength > 0) return
    if (this.#end.error) this.destroy(this.#end.error)
    else this.push(null)
  }
}
