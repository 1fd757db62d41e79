import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One request as received. */
export interface SeenRequest {
  readonly method: string
  /** The request target, not decoded. */
  readonly target: string
  /** Names and values as sent, in order. */
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** The response of the service; a function gets the request and may write the response. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

export type Answerer = (
  request: SeenRequest,
  index: number,
  response: ServerResponse,
) => Reply | undefined | Promise<Reply | undefined>

/** A test service on loopback: it responds to downloads as configured, and to everything else with 404. */
export interface TestService extends AsyncDisposable {
  readonly url: string
  /** Downloads only. */
  readonly requests: readonly SeenRequest[]
  /** All requests, ping and quota included. */
  readonly all: readonly SeenRequest[]
}

/** Starts the service. `answer` gets each download; it returns undefined if it has written the response. */
export async function testService(answer: Reply | Answerer): Promise<TestService> {
  const requests: SeenRequest[] = []
  const all: SeenRequest[] = []
  const server = createServer({ maxHeaderSize: 1 << 20 }, (request, response) => {
    void handle(request, response)
  })
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '')
    const seen = {
      method: request.method ?? '',
      target: request.url ?? '',
      rawHeaders: request.rawHeaders,
      body,
    }
    all.push(seen)
    if (!/^\/[^?]*download/.test(seen.target)) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"no such resource"}')
      return
    }
    requests.push(seen)
    const reply = typeof answer === 'function' ? await answer(seen, requests.length - 1, response) : answer
    if (reply === undefined) return
    const content = Buffer.from(reply.body ?? '')
    response.writeHead(reply.status ?? 200, {
      'Content-Type': 'application/zip',
      'Content-Length': content.length,
      ...reply.headers,
    })
    response.end(content)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    all,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The options of a download of two parts from there, each by a request of its own. */
export function twoRequests(url: string, output: string): string[] {
  return ['--base-url', url, '--part', 'A', '--part', 'B', '--batch-size', '1', '-o', output]
}
