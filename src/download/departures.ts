/** Requests that are about to be sent go before the verification of answers: the service then works meanwhile. */
export interface Departures {
  /** A request is about to be sent. */
  readonly begin: (request: object) => void
  /** It was sent, or will not be. */
  readonly gone: (request: object) => void
  /** The next request has to wait for the rate limit, and those behind it too. */
  readonly held: () => void
  /** Resolves when no request is about to be sent. */
  readonly clear: () => Promise<void>
}

export function createDepartures(): Departures {
  const leaving = new Set<object>()
  let waiting: (() => void)[] = []
  let isHeld = false

  function admit(): void {
    const admitted = waiting
    waiting = []
    for (const resolve of admitted) resolve()
  }

  return {
    begin: (request) => {
      leaving.add(request)
    },
    gone(request) {
      if (!leaving.delete(request)) return
      isHeld = false
      if (leaving.size === 0) admit()
    },
    held() {
      isHeld = true
      admit()
    },
    clear: () =>
      isHeld || leaving.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
