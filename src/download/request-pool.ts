/** A place among the requests that are under way at once. */
export interface Lane {
  /** The request has been answered: the next one may start while its answer is looked at. */
  readonly leave: () => void
  /** Resolves when there is a place again; at once while it was not left. */
  readonly enter: () => Promise<void>
}

/**
 * Works through a list, at most `lanes` items in their lanes at once and twice as many altogether, begun in order; what an item resolves
 * with is done next. After a failure nothing further is begun, what is under way is waited for, and the first failure is what the
 * call rejects with.
 */
export function runPool<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T, lane: Lane) => Promise<readonly T[]>,
): Promise<void> {
  const most = Math.max(1, lanes)
  const first: T[] = []
  const failures: unknown[] = []
  const waiting: (() => void)[] = []
  let next = 0
  let active = 0
  let busy = 0
  return new Promise((resolve, reject) => {
    const pump = (): void => {
      while (busy < most && waiting.length > 0) {
        busy += 1
        waiting.shift()!()
      }
      while (failures.length === 0 && busy < most && active < 2 * most) {
        if (first.length === 0 && next >= items.length) break
        const item = first.length > 0 ? first.shift()! : items[next++]!
        active += 1
        busy += 1
        void runOne(item)
      }
      if (active > 0) return
      if (failures.length > 0) reject(failures[0])
      else resolve()
    }
    const createLane = (): Lane => {
      let isIn = true
      return {
        leave() {
          if (!isIn) return
          isIn = false
          busy -= 1
          pump()
        },
        async enter() {
          if (isIn) return
          isIn = true
          if (busy < most) busy += 1
          else await new Promise<void>((free) => waiting.push(free))
        },
      }
    }
    const runOne = async (item: T): Promise<void> => {
      const lane = createLane()
      try {
        first.unshift(...(await work(item, lane)))
      } catch (error) {
        failures.push(error)
      }
      active -= 1
      lane.leave()
      pump()
    }
    pump()
  })
}
