/** The result of `work`, or a rejection with the reason of `signal` as soon as it aborts. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
