import { constants, createInflateRaw } from 'node:zlib'

/** One zlib state of raw deflate data, used again and again, on the calling thread. */
export interface Binding {
  /** Inflates all of `packed`, new data, into `output[0, room)`: how many bytes were written, how many packed ones were left over. */
  readonly run: (packed: Buffer, output: Buffer, room: number) => BindingResult
  /** New data begins with the next `step`. */
  readonly reset: () => void
  /**
   * Goes on with `input` from `start`: fills `output` as far as the input reaches. With `isLast` nothing comes after it, and data
   * that has not ended by then is a fault, told once there is room left in `output`.
   */
  readonly step: (input: Buffer, start: number, isLast: boolean, output: Buffer) => BindingResult
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
  const inflate = (
    flush: number,
    input: Buffer,
    start: number,
    output: Buffer,
    room: number,
  ): BindingResult => {
    fault = undefined
    handle.writeSync(flush, input, start, input.length - start, output, 0, room)
    // What is left of the room, and of the input; not told after a fault.
    return fault === undefined
      ? { written: room - state[0]!, unread: state[1]!, fault }
      : { written: 0, unread: 0, fault }
  }
  return {
    close,
    reset: () => handle.reset(),
    run: (packed, output, room) => {
      handle.reset()
      return inflate(constants.Z_FINISH, packed, 0, output, room)
    },
    step: (input, start, isLast, output) =>
      inflate(isLast ? constants.Z_FINISH : constants.Z_NO_FLUSH, input, start, output, output.length),
  }
}

/** Tries the binding on data that is whole, followed by more, cut, none, and in pieces, twice. */
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
      binding.reset()
      const first = binding.step(sample.subarray(0, 3), 0, false, output)
      const second = binding.step(sample.subarray(0, 5), 3, true, output.subarray(first.written))
      if (first.unread !== 0 || second.fault !== undefined || first.written + second.written !== 3)
        return false
      if (output.toString('latin1', 0, 3) !== 'abc') return false
    }
    return true
  } catch {
    return false
  }
}
