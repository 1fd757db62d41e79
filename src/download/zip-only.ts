import { PREVIEW_BYTES, previewBody, startsLikeZip } from '../http/body-preview.ts'
import { Fault } from '../http/fault.ts'
import { notAnArchive } from '../http/refusal.ts'
import type { Service } from '../http/service.ts'
import type { ServiceResponse } from '../http/service-response.ts'

const SIGNATURE_BYTES = 4

/**
 * The body of a 200 once it has started like a ZIP archive; otherwise throws a Fault (`rejected`, not retried) that quotes it.
 */
export async function zipOnly(
  service: Service,
  response: ServiceResponse,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const chunks = response.body[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  try {
    while (start.length < PREVIEW_BYTES) {
      const { done, value } = await chunks.next()
      if (done) break
      start = Buffer.concat([start, value])
      if (start.length >= SIGNATURE_BYTES && startsLikeZip(start)) return continued(start, chunks)
    }
  } catch (error) {
    // Even a truncated page is not an archive.
    if (start.length < SIGNATURE_BYTES || signal.aborted) throw error
  }
  if (start.length < SIGNATURE_BYTES && startsLikeZip(start)) return continued(start, chunks)
  await chunks.return?.()
  throw notZip(service, response, start)
}

async function* continued(start: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start
  yield* { [Symbol.asyncIterator]: () => chunks }
}

function notZip(service: Service, response: ServiceResponse, start: Uint8Array): Fault {
  const { kind, message, ...advice } = notAnArchive({
    status: response.status,
    host: response.host,
    foreign: response.foreign,
    preview: previewBody(start.subarray(0, PREVIEW_BYTES), service.redact),
    contentType: response.headers['content-type'],
  })
  return new Fault(kind, 'never', service.redact(message), { ...advice, httpStatus: response.status })
}
