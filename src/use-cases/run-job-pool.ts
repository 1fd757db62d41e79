/**
 * Works through a list, at most `concurrency` items at once and in order; what an item resolves with is done next. After a
 * failure nothing further is begun, what is under way is waited for, and the first failure is what the call rejects with.
 */
export function runPool<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<readonly T[]>,
): Promise<void> {
  const first: T[] = []
  const failures: unknown[] = []
  let next = 0
  let active = 0
  return new Promise((resolve, reject) => {
    const pump = (): void => {
      while (failures.length === 0 && active < Math.max(1, concurrency)) {
        if (first.length === 0 && next >= items.length) break
        const item = first.length > 0 ? first.shift()! : items[next++]!
        active += 1
        void runOne(item)
      }
      if (active > 0) return
      if (failures.length > 0) reject(failures[0])
      else resolve()
    }
    const runOne = async (item: T): Promise<void> => {
      try {
        first.unshift(...(await work(item)))
      } catch (error) {
        failures.push(error)
      }
      active -= 1
      pump()
    }
    pump()
  })
}
