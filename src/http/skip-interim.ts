import type { Socket } from 'node:net'

const LONGEST_INTERIM_BYTES = 16 * 1024
const STATUS_BYTES = 'HTTP/1.1 100'.length

/**
 * Makes this socket pass over every interim answer (1xx but 101) before the real one. HTTP allows a server to send them
 * unasked (RFC 9110 §15.2); undici calls a `100 Continue` a bad response. Returns the function to call when the next
 * answer is awaited.
 */
export function skipInterim(socket: Socket): () => void {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket)
  let held: Buffer | undefined
  let awaiting = true

  socket.read = (size?: number) => {
    const chunk = read(size)
    if (!awaiting || chunk === null) return chunk
    const seen = held ? Buffer.concat([held, chunk]) : chunk
    const rest = afterInterim(seen)
    held = rest === undefined ? seen : undefined
    if (rest === undefined || rest.length === 0) return null
    awaiting = false
    return rest
  }

  return () => {
    awaiting = true
    held = undefined
  }
}

// Undefined while it can't be told yet; empty when only interim answers came.
function afterInterim(bytes: Buffer): Buffer | undefined {
  let rest = bytes
  while (rest.length > 0) {
    const start = rest.toString('latin1', 0, STATUS_BYTES)
    if (start.length < STATUS_BYTES) return 'HTTP/1.x 1xx'.startsWith(masked(start)) ? undefined : rest
    if (!/^HTTP\/1\.\d 1\d\d/.test(start) || start.endsWith(' 101')) return rest
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return rest.length > LONGEST_INTERIM_BYTES ? rest : undefined
    rest = rest.subarray(end + 4)
  }
  return rest
}

function masked(start: string): string {
  return start
    .replace(/^(HTTP\/1\.)\d/, '$1x')
    .replace(/( 1)(\d{0,2})$/, (_, one: string, digits: string) => one + 'x'.repeat(digits.length))
}
