import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service with one archive that sends as much of it as it is told to, from any byte on. */
export interface RangeService extends AsyncDisposable {
  readonly url: string
  /** The `Range` of each request, undefined for the whole. */
  readonly ranges: readonly (string | undefined)[]
  /** The bytes of all responses. */
  readonly sentBytes: () => number
  /** Resolves when the response that is in progress has stopped. */
  readonly stopped: () => Promise<void>
}

interface RangeOptions {
  /** Sends the bytes before this one, then nothing more; undefined sends all. */
  readonly holdAt?: (request: number) => number | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: (request: number) => number | undefined
  /** A proxy in between strips `Range`: the service sends the whole. */
  readonly isStripped?: boolean
}

/** Strong entity tag, ranges accepted. */
export const STRONG = { ETag: '"v1"', 'Accept-Ranges': 'bytes' }

export async function rangeService(
  archive: () => Buffer,
  {
    holdAt = () => undefined,
    headers = STRONG,
    status = () => undefined,
    isStripped = false,
  }: RangeOptions = {},
): Promise<RangeService> {
  const ranges: (string | undefined)[] = []
  let sent = 0
  let stop = (): void => undefined
  let held = new Promise<void>((resolve) => {
    stop = resolve
  })
  const server = createServer((request, response) => {
    if (!/download/.test(request.url ?? '')) return void response.writeHead(404).end()
    const number = ranges.length
    ranges.push(request.headers.range)
    const refusal = status(number)
    if (refusal !== undefined) return void response.writeHead(refusal).end()
    answer(number, request.headers.range, String(request.headers['if-range']), response)
  })
  function answer(
    number: number,
    range: string | undefined,
    ifRange: string,
    response: ServerResponse,
  ): void {
    const body = archive()
    const isRest = range !== undefined && ifRange === headers.ETag && !isStripped
    const start = isRest ? Number(/bytes=(\d+)-/.exec(range)![1]) : 0
    response.writeHead(isRest ? 206 : 200, {
      ...headers,
      'Content-Type': 'application/zip',
      'Content-Length': body.length - start,
      ...(isRest ? { 'Content-Range': `bytes ${start}-${body.length - 1}/${body.length}` } : {}),
    })
    const end = Math.max(start, holdAt(number) ?? body.length)
    sent += end - start
    response.write(body.subarray(start, end), () => {
      if (end === body.length) response.end()
      stop()
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ranges,
    sentBytes: () => sent,
    async stopped() {
      await held
      held = new Promise<void>((resolve) => {
        stop = resolve
      })
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
