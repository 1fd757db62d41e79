import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { cleanText } from '../base/clean-text.ts'
import { isFailure, systemCode } from '../base/failure.ts'
import { SIGNATURE_BYTES, startsLikeZip } from '../base/file-signatures.ts'
import type { ServiceResponse } from './exchange.ts'
import { Fault, networkFault } from './outcome.ts'

type Bytes = AsyncIterable<Uint8Array>

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
/** More of them, one over the other, are an attack. */
const MOST_ENCODINGS = 3
// Words for a body as it is; `chunked` and the lengths of `aws-chunked` are no encoding of the archive.
const PLAIN: readonly string[] = ['', 'identity', 'none', 'chunked']

/** How servers on the way have encoded a body, in order, although the request allowed it to none. */
export function encodingsOf(headers: ServiceResponse['headers']): string[] {
  return `${headers['content-encoding'] ?? ''},${headers['transfer-encoding'] ?? ''}`
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !PLAIN.includes(name))
}

/**
 * The body of a response as the service has sent it. A compressed body is decoded, as asking again would use allowance again; one that is
 * a ZIP archive in spite of what its headers say is taken as it is. Throws a Fault for any other encoding.
 */
export async function decodedBody(
  response: ServiceResponse,
  redact: (text: string) => string,
): Promise<{
  readonly body: Bytes
  /** Undefined when it is not known. */
  readonly totalBytes: number | undefined
  readonly isDecoded: boolean
}> {
  const asSent = { body: response.body, totalBytes: response.contentLength, isDecoded: false }
  const encodings = encodingsOf(response.headers)
  if (encodings.length === 0) return asSent
  const { start, body } = await peeked(response.body)
  if (startsLikeZip(start)) return { ...asSent, body }
  const decoders = encodings.toReversed().map((name) => DECODERS[name])
  if (decoders.length <= MOST_ENCODINGS && decoders.every((make) => make !== undefined))
    return { body: decoded(response.host, body, decoders), totalBytes: undefined, isDecoded: true }
  response.abandon()
  throw wrongEncoding(response, redact)
}

/** The fault for an encoding that cannot be undone. */
function wrongEncoding(
  { host, status, headers }: Pick<ServiceResponse, 'host' | 'status' | 'headers'>,
  redact: (text: string) => string,
): Fault {
  const name = cleanText(redact(encodingsOf(headers).join(', ')), 60)
  return new Fault(
    'archive',
    'once',
    `${host} encoded the response (${name}) although the request did not allow it`,
    {
      httpStatus: status,
      hint: 'a proxy or gateway changes responses; report it to the provider',
    },
  )
}

/** The first bytes of a body, and the whole of it. */
export async function peeked(body: Bytes): Promise<{ readonly start: Buffer; readonly body: Bytes }> {
  const chunks = body[Symbol.asyncIterator]()
  let start: Buffer = Buffer.alloc(0)
  while (start.length < SIGNATURE_BYTES) {
    const { done, value } = await chunks.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (start.length > 0) yield start
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { start, body: whole() }
}

async function* decoded(
  host: string,
  body: Bytes,
  decoders: readonly (() => NodeJS.ReadWriteStream)[],
): AsyncGenerator<Uint8Array> {
  const streams = decoders.map((make) => make())
  // The loop throws the error.
  pipeline([Readable.from(body, { objectMode: false }), ...streams], () => undefined)
  try {
    for await (const chunk of streams.at(-1)!) yield chunk as Uint8Array
  } catch (error) {
    if (isFailure(error)) throw error
    const isCut = systemCode(error) === 'Z_BUF_ERROR'
    throw networkFault(
      isCut ? 'always' : 'once',
      `the compressed transfer from ${host} is damaged or was cut short`,
      {
        cause: error,
        again: {},
        hint: 'if it persists, report it to the provider',
      },
    )
  }
}
