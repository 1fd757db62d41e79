import type { Declared } from './inflate.ts'
import { checkWhole, deflateError, inflateWhole, trailingError, WHOLE_BYTES } from './inflate.ts'
import type { Binding } from './inflate-binding.ts'
import { openBinding } from './inflate-binding.ts'

/** Inflates small entries one after the other. */
export interface WholeInflater {
  /** Like `inflateWhole`; the bytes are good until the next call. */
  readonly inflate: (packed: Buffer, declared: Declared) => Buffer
  readonly close: () => void
}

/**
 * An inflater that keeps one zlib state and one buffer for all entries. Half the time of `inflateRawSync` for a small entry goes
 * into making and dropping a stream and its buffers; zlib itself only needs a reset. Node does not document the binding below
 * its streams, so it is tried first, and where it is not as expected every entry is inflated by `inflateWhole`.
 */
export function createWholeInflater(open: () => Binding | undefined = openBinding): WholeInflater {
  const binding = open()
  if (binding === undefined) return { inflate: inflateWhole, close: () => undefined }
  let output = Buffer.allocUnsafeSlow(FIRST_BYTES)
  const inflate = (packed: Buffer, declared: Declared): Buffer => {
    if (declared.method === 'stored') return checkWhole(packed, declared)
    // One spare byte shows what unpacks to more than it says.
    const room = declared.bytes + 1
    if (output.length < room) {
      output = Buffer.allocUnsafeSlow(Math.min(WHOLE_BYTES + 1, Math.max(room, output.length * 2)))
    }
    const { written, unread, fault } = binding.run(packed, output, room)
    if (fault !== undefined && written <= declared.bytes) throw deflateError(fault.code, fault.message)
    const bytes = checkWhole(output.subarray(0, written), declared)
    if (unread > 0) throw trailingError(unread)
    return bytes
  }
  return { inflate, close: binding.close }
}

const FIRST_BYTES = 128 * 1024
