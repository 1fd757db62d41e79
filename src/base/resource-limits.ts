import { Failure, systemCode } from './failure.ts'

const MEMORY_CODES = [
  'ENOMEM',
  'ERR_WORKER_OUT_OF_MEMORY',
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_BUFFER_TOO_LARGE',
]
// V8 and WebAssembly have no codes.
const MEMORY_WORDS = /out of memory|allocation failed|could not allocate|cannot allocate|bad_alloc/i

/**
 * The `io` Failure for an error that says that this process may not have more memory, address space, files or threads; undefined
 * for any other error. That is a limit of the environment, not a bug.
 */
export function scarceResource(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const code = systemCode(error) ?? ''
  const isThread = code === 'ERR_WORKER_INIT_FAILED'
  if (['EMFILE', 'ENFILE'].includes(code) || (isThread && /\bE[MN]FILE\b/.test(error.message))) {
    return new Failure('io', 'too many open files', {
      cause: error,
      hint: 'raise the limit (ulimit -n), or use fewer connections',
      options: ['concurrency'],
    })
  }
  if (isThread) {
    return new Failure('io', 'no more threads can be started', {
      cause: error,
      hint: 'raise the limit on processes (ulimit -u) or on memory (ulimit -v)',
    })
  }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || /heap out of memory|heap limit/i.test(error.message)) {
    return new Failure('io', 'out of memory: a thread reached the limit of its heap', {
      cause: error,
      hint: 'raise the limit (NODE_OPTIONS=--max-old-space-size=MEBIBYTES), or use smaller inputs',
    })
  }
  const isWasm = error.message.includes('WebAssembly') || /wasm memory/i.test(error.message)
  if (isWasm && MEMORY_WORDS.test(error.message)) {
    return new Failure('io', 'out of address space: WebAssembly memory cannot be reserved', {
      cause: error,
      hint: 'raise the limit (ulimit -v unlimited): it needs about 10 GiB of addresses, not of memory',
    })
  }
  if (MEMORY_CODES.includes(code) || (error.name === 'RangeError' && MEMORY_WORDS.test(error.message))) {
    return new Failure('io', 'out of memory', {
      cause: error,
      hint: 'raise the memory limit (ulimit -v, or that of the container), or use fewer connections',
      options: ['concurrency'],
    })
  }
  return undefined
}
