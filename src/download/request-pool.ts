/** One of the requests that may be in flight at once. */
export interface Slot {
  /** The response is complete: the next request may start while this one is verified. */
  readonly release: () => void
  /** Resolves when a slot is free; at once unless it was released. */
  readonly acquire: () => Promise<void>
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
  const waiting: (() => void)[] = []
  let active = 0
  let busy = 0
  return new Promise((resolve, reject) => {
    const pump = (): void => {
      while (busy < most && waiting.length > 0) {
        busy += 1
        waiting.shift()!()
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
    const createSlot = (): Slot => {
      let isHeld = true
      return {
        release() {
          if (!isHeld) return
          isHeld = false
          busy -= 1
          pump()
        },
        async acquire() {
          if (isHeld) return
          isHeld = true
          if (busy < most) busy += 1
          else await new Promise<void>((free) => waiting.push(free))
        },
      }
    }
    const runOne = async (item: T): Promise<void> => {
      const slot = createSlot()
      try {
        await work(item, slot)
      } catch (error) {
        failures.push(error)
      }
      active -= 1
      slot.release()
      pump()
    }
    pump()
  })
}
