import type { Answer } from '../http/answer.ts'
import { notAnArchive } from '../http/answer-refusal.ts'
import { PREVIEW_BYTES, previewBody, startsLikeZip } from '../http/body-preview.ts'
import { Fault } from '../http/fault.ts'
import type { Service } from '../http/service.ts'

// The length of a ZIP signature.
const MARK_BYTES = 4

/** Streams the body of a 200 if it starts like a ZIP; else throws a Fault (`rejected`, not retried) with its type and first words. */
export async function* zipOnly(
  service: Service,
  answer: Answer,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const start: Uint8Array[] = []
  let bytes = 0
  let decided: 'zip' | 'other' | undefined
  try {
    for await (const chunk of answer.body) {
      if (decided === 'zip') {
        yield chunk
        continue
      }
      start.push(chunk)
      bytes += chunk.length
      if (decided === undefined && bytes >= MARK_BYTES) {
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
  else throw notZip(service, answer, head)
}

function notZip(service: Service, answer: Answer, start: Uint8Array): Fault {
  const { kind, message, ...advice } = notAnArchive({
    status: answer.status,
    host: answer.host,
    foreign: answer.foreign,
    preview: previewBody(start.subarray(0, PREVIEW_BYTES)),
    contentType: answer.headers['content-type'],
  })
  return new Fault(kind, 'never', service.redact(message), { ...advice, httpStatus: answer.status })
}
