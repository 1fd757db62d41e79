import { constants, createInflateRaw } from 'node:zlib'
import type { Declared } from './inflate.ts'
import { checkWhole, deflateError, inflateWhole, trailingError, WHOLE_BYTES } from './inflate.ts'

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

/** One zlib state, used again and again. */
export interface Binding {
  /** Inflates all of `packed` into `output[0, room)`: how many bytes were written, how many packed ones were left over. */
  readonly run: (packed: Buffer, output: Buffer, room: number) => BindingResult
  readonly close: () => void
}

export interface BindingResult {
  readonly written: number
  readonly unread: number
  readonly fault: { readonly message: string; readonly code: string } | undefined
}

/** What Node's zlib streams are built on, the same from Node 10 to 24. */
interface Handle {
  onerror: (message: string, errno: number, code: string) => void
  readonly writeSync: (
    flush: number,
    input: Buffer,
    inputOffset: number,
    inputLength: number,
    output: Buffer,
    outputOffset: number,
    outputLength: number,
  ) => void
  readonly reset: () => void
}

/** The binding, if this Node has it as it is known and it inflates a sample rightly. */
export function openBinding(): Binding | undefined {
  const stream = createInflateRaw()
  const { _handle: handle, _writeState: state } = stream as unknown as {
    readonly _handle?: Partial<Handle> | null
    readonly _writeState?: unknown
  }
  const isKnown =
    typeof handle?.writeSync === 'function' &&
    typeof handle.reset === 'function' &&
    typeof handle.onerror === 'function' &&
    state instanceof Uint32Array &&
    state.length === 2
  const binding = isKnown ? wrap(handle as Handle, state, () => stream.destroy()) : undefined
  if (binding !== undefined && isRight(binding)) return binding
  stream.destroy()
  return undefined
}

function wrap(handle: Handle, state: Uint32Array, close: () => void): Binding {
  let fault: BindingResult['fault']
  // The stream's own handler would close it.
  handle.onerror = (message, _errno, code) => {
    fault = { message, code }
  }
  return {
    close,
    run: (packed, output, room) => {
      fault = undefined
      handle.reset()
      handle.writeSync(constants.Z_FINISH, packed, 0, packed.length, output, 0, room)
      // What is left of the room, and of the input; not told after a fault.
      return fault === undefined
        ? { written: room - state[0]!, unread: state[1]!, fault }
        : { written: 0, unread: 0, fault }
    },
  }
}

/** Tries the binding on data that is whole, followed by more, cut, and none, twice. */
function isRight(binding: Binding): boolean {
  const [sample, output] = [Buffer.from([0x4b, 0x4c, 0x4a, 0x06, 0x00, 0x78]), Buffer.alloc(8)]
  try {
    for (let round = 0; round < 2; round += 1) {
      const whole = binding.run(sample.subarray(0, 5), output, 8)
      if (whole.fault !== undefined || whole.written !== 3 || whole.unread !== 0) return false
      if (output.toString('latin1', 0, 3) !== 'abc') return false
      if (binding.run(sample, output, 8).unread !== 1) return false
      if (binding.run(sample.subarray(0, 5), output, 2).written !== 2) return false
      if (binding.run(sample.subarray(0, 3), output, 8).fault?.code !== 'Z_BUF_ERROR') return false
      if (binding.run(Buffer.from([0xff]), output, 8).fault?.code !== 'Z_DATA_ERROR') return false
    }
    return true
  } catch {
    return false
  }
}
