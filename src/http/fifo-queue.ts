import { orAborted } from './watchdog.ts'

/** A first-in, first-out queue that admits one caller at a time. */
export interface FifoQueue {
  /** Resolves when it is the caller's turn; every such call needs a `leave`. Rejects with the reason of the signal. */
  readonly enter: (signal: AbortSignal, options: { readonly isFirst: boolean }) => Promise<void>
  readonly leave: () => void
}

export function createFifoQueue(): FifoQueue {
  const waiting: (() => void)[] = []
  let isServing = false

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else isServing = false
  }

  async function enter(signal: AbortSignal, { isFirst }: { readonly isFirst: boolean }): Promise<void> {
    signal.throwIfAborted()
    if (!isServing) {
      isServing = true
      return
    }
    let serve = (): void => undefined
    const served = new Promise<void>((resolve) => {
      serve = resolve
    })
    waiting[isFirst ? 'unshift' : 'push'](serve)
    try {
      await orAborted(served, signal)
    } catch (error) {
      const at = waiting.indexOf(serve)
      if (at < 0) leave()
      else waiting.splice(at, 1)
      throw error
    }
  }

  return { enter, leave }
}
