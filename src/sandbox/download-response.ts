import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { zipStream } from '../archive/write-zip.ts'
import type { Clock } from '../base/world.ts'
import type { ArchiveSource } from './archive-source.ts'
import type { Manner, Position, ScriptedFault } from './faults.ts'
import { parseRange, type Slice } from './range.ts'
import { answerJson, answerText, LOGIN_PAGE, statusMessage } from './responses.ts'

/** One download request and its response. */
export interface DownloadContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly manner: Manner
  readonly clock: Clock
  /** Aborts when the connection ends, on either side. */
  readonly signal: AbortSignal
}

/** Responds to a valid download request with its archive, or with the next fault. */
export async function answerDownload(
  context: DownloadContext,
  source: ArchiveSource,
  fault: ScriptedFault | undefined,
): Promise<void> {
  const { response, manner } = context
  if (fault !== undefined && (await answerFault(context, fault))) return
  if (source.empty && manner.nothing !== 'empty-zip') return answerNothing(response, manner.nothing)
  await sendArchive(context, source, fault)
}

async function answerFault(
  { request, response, clock, signal }: DownloadContext,
  fault: ScriptedFault,
): Promise<boolean> {
  switch (fault.kind) {
    case 'status':
      answerStatus(response, fault.status, {
        ...(fault.retryAfter === undefined ? {} : { 'Retry-After': fault.retryAfter }),
        ...(fault.retryDateS === undefined
          ? {}
          : { 'Retry-After': new Date(clock.nowMs() + fault.retryDateS * 1000).toUTCString() }),
      })
      return true
    case 'redirect':
      response.writeHead(307, { Location: request.url ?? '/', 'Content-Length': 0 })
      response.end()
      return true
    case 'body':
      await answerBody(response, fault.body)
      return true
    case 'silent':
      await gone(signal)
      return true
    case 'break':
      if (fault.how !== 'reset' || fault.at.bytes !== 0) return false
      await breakOff(response, 'reset', signal)
      return true
    case 'corrupt':
      return false
  }
}

function answerStatus(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (status === 204) response.writeHead(204).end()
  else answerJson(response, status, { message: statusMessage(status) })
}

async function answerBody(
  response: ServerResponse,
  body: 'html' | 'json' | 'empty' | 'empty-zip',
): Promise<void> {
  if (body === 'html') return answerText(response, 200, 'text/html; charset=utf-8', LOGIN_PAGE)
  if (body === 'json') return answerJson(response, 200, { message: statusMessage(404) })
  if (body === 'empty') return answerText(response, 200, 'application/zip', '')
  response.writeHead(200, { 'Content-Type': 'application/zip' })
  for await (const chunk of zipStream([])) response.write(chunk)
  response.end()
}

function answerNothing(response: ServerResponse, nothing: '204' | '404' | 'json'): void {
  if (nothing === '204') response.writeHead(204).end()
  else answerJson(response, nothing === '404' ? 404 : 200, { message: statusMessage(404) })
}

async function sendArchive(
  { request, response, manner, clock, signal }: DownloadContext,
  source: ArchiveSource,
  fault: ScriptedFault | undefined,
): Promise<void> {
  const at = fault?.kind === 'break' || fault?.kind === 'corrupt' ? fault.at : undefined
  const range = manner.noRange ? undefined : request.headers.range
  const counted = range !== undefined || at?.share !== undefined
  const total = counted ? await source.length() : source.knownLength()
  const ifRange = request.headers['if-range']?.toString()
  const slice = total === undefined ? undefined : parseRange(range, ifRange, source.etag, total)
  if (slice === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${total}`)
    return answerJson(response, 416, { message: 'the range is outside of the archive' })
  }
  const length = slice === undefined ? total : slice.end - slice.start
  response.writeHead(slice === undefined ? 200 : 206, headersOf(source, manner, slice, total, length))
  await deliver(
    response,
    source.open(),
    {
      slice,
      flipAt: fault?.kind === 'corrupt' ? positionIn(fault.at, length) : undefined,
      breakAt: fault?.kind === 'break' ? { how: fault.how, bytes: positionIn(fault.at, length) } : undefined,
      bytesPerSecond: manner.bytesPerSecond,
    },
    clock,
    signal,
  )
}

function headersOf(
  source: ArchiveSource,
  manner: Manner,
  slice: Slice | undefined,
  total: number | undefined,
  length: number | undefined,
): Record<string, string | number> {
  return {
    'Content-Type': 'application/zip',
    'Content-Disposition': 'attachment; filename="declarations.zip"',
    ...(manner.noRange ? {} : { ETag: source.etag, 'Accept-Ranges': 'bytes' }),
    ...(length === undefined || manner.noLength ? {} : { 'Content-Length': length }),
    ...(slice === undefined ? {} : { 'Content-Range': `bytes ${slice.start}-${slice.end - 1}/${total}` }),
  }
}

function positionIn({ share, bytes }: Position, length: number | undefined): number {
  return share === undefined ? bytes! : Math.floor(share * length!)
}

/** How the bytes of a response are sent; positions count from its first byte. */
interface Delivery {
  readonly slice: Slice | undefined
  readonly flipAt?: number | undefined
  readonly breakAt?: { readonly how: 'truncate' | 'stall' | 'reset'; readonly bytes: number } | undefined
  readonly bytesPerSecond?: number | undefined
}

/** Sends the bytes as fast as the client reads them, and stops when it disconnects. */
async function deliver(
  response: ServerResponse,
  chunks: AsyncIterable<Buffer>,
  delivery: Delivery,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const { breakAt, bytesPerSecond } = delivery
  let sent = 0
  for await (const chunk of sliced(chunks, delivery.slice)) {
    for (const piece of pieces(chunk, bytesPerSecond)) {
      const room = breakAt === undefined ? piece.length : Math.min(piece.length, breakAt.bytes - sent)
      const written = flipped(piece.subarray(0, room), (delivery.flipAt ?? -1) - sent)
      if (!response.write(written)) await once(response, 'drain', { signal })
      sent += room
      if (breakAt !== undefined && room < piece.length) {
        await breakOff(response, breakAt.how, signal)
        return
      }
      if (bytesPerSecond !== undefined) await clock.sleep((room / bytesPerSecond) * 1000, signal)
    }
  }
  response.end()
}

/** Breaks off a response: the connection is closed (FIN), left open without more data, or reset (RST). */
async function breakOff(
  response: ServerResponse,
  how: 'truncate' | 'stall' | 'reset',
  signal: AbortSignal,
): Promise<void> {
  const { socket } = response
  if (how === 'stall') {
    response.flushHeaders()
    await gone(signal)
  } else if (how === 'truncate') {
    response.flushHeaders()
    socket?.destroySoon()
  } else {
    if (response.headersSent) await new Promise((resolve) => socket?.write('', resolve))
    socket?.resetAndDestroy()
  }
}

/** Resolves when the connection has ended. */
async function gone(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

async function* sliced(chunks: AsyncIterable<Buffer>, slice: Slice | undefined): AsyncGenerator<Buffer> {
  if (slice === undefined) {
    yield* chunks
    return
  }
  let position = 0
  for await (const chunk of chunks) {
    const piece = chunk.subarray(Math.max(0, slice.start - position), Math.max(0, slice.end - position))
    position += chunk.length
    if (piece.length > 0) yield piece
    if (position >= slice.end) return
  }
}

function* pieces(chunk: Buffer, bytesPerSecond: number | undefined): Generator<Buffer> {
  const size = bytesPerSecond === undefined ? chunk.length : Math.max(1, Math.floor(bytesPerSecond / 10))
  for (let start = 0; start < chunk.length; start += size) yield chunk.subarray(start, start + size)
}

function flipped(piece: Buffer, at: number): Buffer {
  if (at < 0 || at >= piece.length) return piece
  const copy = Buffer.from(piece)
  copy[at]! ^= 0xff
  return copy
}
