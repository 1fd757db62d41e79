import type { IncomingMessage, ServerResponse } from 'node:http'
import { zipStream } from '../archive/write-zip.ts'
import type { Clock } from '../base/world.ts'
import type { ArchiveSource } from './archive-source.ts'
import type { Fault, Manner, Position } from './faults.ts'
import { parseRange, type Slice } from './range.ts'
import { answerJson, answerText, LOGIN_PAGE, statusMessage } from './responses.ts'
import { breakOff, deliver, gone } from './send.ts'

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
  fault: Fault | undefined,
): Promise<void> {
  const { response, manner } = context
  if (fault !== undefined && (await answerFault(context, fault))) return
  if (source.empty && manner.nothing !== 'empty-zip') return answerNothing(response, manner.nothing)
  await sendArchive(context, source, fault)
}

async function answerFault(
  { request, response, clock, signal }: DownloadContext,
  fault: Fault,
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
  fault: Fault | undefined,
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
