import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ArchiveSource } from './archive-source.ts'
import type { Position, ScriptedFault } from './faults.ts'
import { parseRange, type Slice } from './range.ts'
import { answerJson, answerText, LOGIN_PAGE, statusMessage } from './responses.ts'

/** One download request and its response. */
export interface DownloadContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Aborts when the connection ends, on either side. */
  readonly signal: AbortSignal
}

/** Responds to a valid download request with its archive, or with the next fault. */
export async function answerDownload(
  context: DownloadContext,
  source: ArchiveSource,
  fault: ScriptedFault | undefined,
): Promise<void> {
  const { response, signal } = context
  switch (fault?.kind) {
    case 'status':
      return answerStatus(response, fault.status, fault.retryAfter)
    case 'html':
      return answerText(response, 200, 'text/html; charset=utf-8', LOGIN_PAGE)
    case 'reset':
      if (fault.at.bytes === 0) return breakOff(response, 'reset', signal)
  }
  await sendArchive(context, source, fault)
}

function answerStatus(response: ServerResponse, status: number, retryAfter: string | undefined): void {
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter)
  if (status === 204) response.writeHead(204).end()
  else answerJson(response, status, { message: statusMessage(status) })
}

/** Where a response breaks off. */
type Break = Exclude<ScriptedFault, { kind: 'status' | 'html' }>

async function sendArchive(
  { request, response, signal }: DownloadContext,
  source: ArchiveSource,
  fault: Break | undefined,
): Promise<void> {
  const { range } = request.headers
  const counted = range !== undefined || fault?.at.share !== undefined
  const total = counted ? await source.length() : source.knownLength()
  const ifRange = request.headers['if-range']?.toString()
  const slice = total === undefined ? undefined : parseRange(range, ifRange, source.etag, total)
  if (slice === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${total}`)
    return answerJson(response, 416, { message: 'the range is outside of the archive' })
  }
  const length = slice === undefined ? total : slice.end - slice.start
  response.writeHead(slice === undefined ? 200 : 206, headersOf(source, slice, total, length))
  const breakAt = fault && { how: fault.kind, bytes: positionIn(fault.at, length) }
  await deliver(response, sliced(source.open(), slice), breakAt, signal)
}

function headersOf(
  source: ArchiveSource,
  slice: Slice | undefined,
  total: number | undefined,
  length: number | undefined,
): Record<string, string | number> {
  return {
    'Content-Type': 'application/zip',
    'Content-Disposition': 'attachment; filename="declarations.zip"',
    ETag: source.etag,
    'Accept-Ranges': 'bytes',
    ...(length === undefined ? {} : { 'Content-Length': length }),
    ...(slice === undefined ? {} : { 'Content-Range': `bytes ${slice.start}-${slice.end - 1}/${total}` }),
  }
}

function positionIn({ share, bytes }: Position, length: number | undefined): number {
  return share === undefined ? bytes! : Math.floor(share * length!)
}

/** Sends the bytes as fast as the client reads them, and stops when it disconnects. Positions count from the first byte. */
async function deliver(
  response: ServerResponse,
  chunks: AsyncIterable<Buffer>,
  breakAt: { readonly how: Break['kind']; readonly bytes: number } | undefined,
  signal: AbortSignal,
): Promise<void> {
  let sent = 0
  for await (const chunk of chunks) {
    const room = breakAt === undefined ? chunk.length : Math.min(chunk.length, breakAt.bytes - sent)
    if (!response.write(chunk.subarray(0, room))) await once(response, 'drain', { signal })
    sent += room
    if (breakAt !== undefined && room < chunk.length) return breakOff(response, breakAt.how, signal)
  }
  response.end()
}

/** Breaks off a response: the connection is closed (FIN), left open without more data, or reset (RST). */
async function breakOff(response: ServerResponse, how: Break['kind'], signal: AbortSignal): Promise<void> {
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
