/** What one of several requests at once tells the others. */
export interface Slot {
  /** Resolves when the request may be sent: at once unless its slot was released. */
  readonly acquire: () => Promise<void>
  /** The request was sent. */
  readonly sent: () => void
  /** The request has to wait for the rate limit, and those behind it too. */
  readonly held: () => void
  /**
   * The response is complete: the next request may start. Resolves when no request is about to be sent, so that the service works while
   * this response is verified.
   */
  readonly release: () => Promise<void>
}

/**
 * Processes the items that `take` returns: at most `slots` of them hold a slot, and at most twice as many are in progress. `take` is
 * called again, after undefined too, whenever a slot is released or an item is done; the call resolves when all are done and it
 * returns undefined. After a failure no item is taken, those in progress are awaited, and the call rejects with the first failure.
 */
export function runPool<T>(
  take: () => T | undefined,
  slots: number,
  work: (item: T, slot: Slot) => Promise<void>,
): Promise<void> {
  const most = Math.max(1, slots)
  const failures: unknown[] = []
  const withoutSlot: (() => void)[] = []
  let verifications: (() => void)[] = []
  let active = 0
  let busy = 0
  let toSend = 0
  /** Requests that wait for the rate limit. */
  let held = 0

  function admitVerifications(): void {
    const admitted = verifications
    verifications = []
    for (const resolve of admitted) resolve()
  }

  function createSlot(): Slot {
    let hasSlot = true
    let isToSend = true
    let isHeld = false
    toSend += 1
    const slot: Slot = {
      async acquire() {
        if (hasSlot) return
        hasSlot = true
        if (busy < most) busy += 1
        else await new Promise<void>((resolve) => withoutSlot.push(resolve))
      },
      sent() {
        if (isHeld) held -= 1
        isHeld = false
        if (!isToSend) return
        isToSend = false
        toSend -= 1
        if (toSend === 0) admitVerifications()
      },
      held() {
        if (!isHeld) held += 1
        isHeld = true
        admitVerifications()
      },
      async release() {
        if (hasSlot) {
          hasSlot = false
          busy -= 1
          pump()
        }
        slot.sent()
        if (held === 0 && toSend > 0) await new Promise<void>((resolve) => verifications.push(resolve))
      },
    }
    return slot
  }

  let pump = (): void => undefined

  async function runOne(item: T): Promise<void> {
    const slot = createSlot()
    try {
      await work(item, slot)
    } catch (error) {
      failures.push(error)
    }
    active -= 1
    void slot.release()
    pump()
  }

  return new Promise((resolve, reject) => {
    pump = () => {
      while (busy < most && withoutSlot.length > 0) {
        busy += 1
        withoutSlot.shift()!()
      }
      while (failures.length === 0 && busy < most && active < 2 * most) {
        const item = take()
        if (item === undefined) break
        active += 1
        busy += 1
        void runOne(item)
      }
      if (active > 0) return
      if (failures.length > 0) reject(failures[0])
      else resolve()
    }
    pump()
  })
}
