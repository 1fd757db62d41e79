import { PREVIEW_BYTES, previewBody, startsLikeZip } from '../http/body-preview.ts'
import { Fault } from '../http/fault.ts'
import { notAnArchive } from '../http/refusal.ts'
import type { Service } from '../http/service.ts'
import type { ServiceResponse } from '../http/service-response.ts'

const SIGNATURE_BYTES = 4

/** Streams the body of a 200 if it starts like a ZIP archive; otherwise throws a Fault (`rejected`, not retried) that quotes it. */
export async function* zipOnly(
  service: Service,
  response: ServiceResponse,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const start: Uint8Array[] = []
  let bytes = 0
  let decided: 'zip' | 'other' | undefined
  try {
    for await (const chunk of response.body) {
      if (decided === 'zip') {
        yield chunk
        continue
      }
      start.push(chunk)
      bytes += chunk.length
      if (decided === undefined && bytes >= SIGNATURE_BYTES) {
        const head = Buffer.concat(start)
        decided = startsLikeZip(head) ? 'zip' : 'other'
        if (decided === 'zip') yield head
      }
      if (decided === 'other' && bytes >= PREVIEW_BYTES) break
    }
  } catch (error) {
    // Even a truncated page is not an archive.
    if (decided !== 'other' || signal.aborted) throw error
  }
  if (decided === 'zip') return
  const head = Buffer.concat(start)
  if (decided === undefined && startsLikeZip(head)) yield head
  else throw notZip(service, response, head)
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
