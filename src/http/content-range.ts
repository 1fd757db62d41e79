/** `Content-Range: bytes 500-999/1000`; the total is undefined for `/*`. */
interface ContentRange {
  readonly start: number
  readonly end: number
  readonly total: number | undefined
}

/** Where a transfer resumes, and what the response must match. */
export interface ResumePoint {
  readonly start: number
  /** A strong entity tag, quotes included. */
  readonly etag: string
  readonly total: number | undefined
}

type Headers = Readonly<Record<string, string>>

/** Reads a `Content-Range` of bytes (RFC 9110 14.4); undefined when it is invalid. */
export function parseContentRange(value: string | undefined): ContentRange | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(value?.trim() ?? '')
  if (!match) return undefined
  const [start, end] = [Number(match[1]), Number(match[2])]
  const total = match[3] === '*' ? undefined : Number(match[3])
  return end < start || (total !== undefined && end >= total) ? undefined : { start, end, total }
}

/** The total in a 416's `Content-Range: bytes *\/1000`, or undefined. */
export function parseUnsatisfiedTotal(value: string | undefined): number | undefined {
  const match = /^bytes \*\/(\d{1,15})$/i.exec(value?.trim() ?? '')
  return match ? Number(match[1]) : undefined
}

/** A strong entity tag, quotes included (RFC 9110 8.8.3). */
const STRONG_TAG = /^"[\x21\x23-\x7e]*"$/

/** The entity tag for resuming a body, if it is strong and the server accepts byte ranges. */
export function resumableTag(headers: Headers): string | undefined {
  const etag = headers.etag?.trim()
  if (!etag || !STRONG_TAG.test(etag)) return undefined
  return /(?:^|[\s,])bytes(?:$|[\s,])/i.test(headers['accept-ranges'] ?? '') ? etag : undefined
}

/** The request headers that resume at `point`, unless the content has changed (RFC 9110 13.1.5). */
export function rangeHeaders(point: ResumePoint): Headers {
  return { Range: `bytes=${point.start}-`, 'If-Range': point.etag }
}

/** True when a response has another entity tag than the body that is to be resumed; a weak one of the same content is the same. */
export function isOtherContent({ etag }: ResumePoint, headers: Headers): boolean {
  const other = headers.etag?.trim().replace(/^W\//, '')
  return other !== undefined && other !== etag
}

/** Why a 206 does not resume at `point`, or undefined when it does: start, total and validator must match. */
export function rangeMismatch(point: ResumePoint, headers: Headers): string | undefined {
  if (/^multipart\//i.test(headers['content-type'] ?? '')) return 'it has several parts'
  const range = parseContentRange(headers['content-range'])
  if (!range) return 'it has no valid Content-Range'
  if (range.start !== point.start)
    return `it starts at byte ${range.start}, byte ${point.start} was requested`
  if (point.total !== undefined && range.total !== undefined && range.total !== point.total) {
    return `the size is now ${range.total} bytes, it was ${point.total}`
  }
  if (headers.etag !== undefined && headers.etag.trim() !== point.etag) return 'the content has changed'
  const length = headers['content-length']
  if (length !== undefined && Number(length) !== range.end - range.start + 1)
    return `its ${length} bytes are not those of its Content-Range`
  return undefined
}
