/** Requests that are about to be sent go before the verification of responses, so that the service works in the meantime. */
export interface SendPriority {
  /** A request is about to be sent. */
  readonly begin: (request: object) => void
  /** It was sent, or will not be. */
  readonly end: (request: object) => void
  /** The next request has to wait for the rate limit, and those behind it too. */
  readonly held: () => void
  /** Resolves when no request is about to be sent. */
  readonly idle: () => Promise<void>
}

export function createSendPriority(): SendPriority {
  const sending = new Set<object>()
  let waiting: (() => void)[] = []
  let isHeld = false

  function admit(): void {
    const admitted = waiting
    waiting = []
    for (const resolve of admitted) resolve()
  }

  return {
    begin: (request) => {
      sending.add(request)
    },
    end(request) {
      if (!sending.delete(request)) return
      isHeld = false
      if (sending.size === 0) admit()
    },
    held() {
      isHeld = true
      admit()
    },
    idle: () =>
      isHeld || sending.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
