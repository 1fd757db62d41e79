/** A range of bytes from `start` up to, but not including, `end`. */
export interface Slice {
  readonly start: number
  readonly end: number
}

/**
 * Reads a `Range` header for `total` bytes (RFC 9110, 14.2): one slice, `unsatisfiable`, or undefined where it must be ignored
 * (several ranges, other units, an `If-Range` for another version).
 */
export function parseRange(
  range: string | undefined,
  ifRange: string | undefined,
  etag: string,
  total: number,
): Slice | 'unsatisfiable' | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/.exec(range)
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const [, from, to] = match
  if (from === '') {
    const length = Math.min(Number(to), total)
    return length === 0 ? 'unsatisfiable' : { start: total - length, end: total }
  }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return undefined
  if (start >= total) return 'unsatisfiable'
  return { start, end: to === '' ? total : Math.min(Number(to) + 1, total) }
}
