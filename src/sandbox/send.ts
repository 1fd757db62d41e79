import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Clock } from '../base/world.ts'
import type { Slice } from './range.ts'

/** How the bytes of a response are sent; positions count from its first byte. */
export interface Delivery {
  readonly slice: Slice | undefined
  readonly flipAt?: number | undefined
  readonly breakAt?: { readonly how: 'truncate' | 'stall' | 'reset'; readonly bytes: number } | undefined
  readonly bytesPerSecond?: number | undefined
}

/** Sends the bytes as fast as the client reads them, and stops when it disconnects. */
export async function deliver(
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
export async function breakOff(
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
export async function gone(signal: AbortSignal): Promise<void> {
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
