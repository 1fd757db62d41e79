import { describe, expect, test } from 'vitest'
import { runPool, type Slot } from '../../src/download/request-pool.ts'

/** Promises that a test settles one by one. */
function gates(): {
  readonly of: (name: string) => Promise<void>
  readonly open: (name: string) => Promise<void>
} {
  const resolvers = new Map<string, () => void>()
  const promises = new Map<string, Promise<void>>()
  const of = (name: string): Promise<void> => {
    const known = promises.get(name)
    if (known !== undefined) return known
    const made = new Promise<void>((resolve) => resolvers.set(name, resolve))
    promises.set(name, made)
    return made
  }
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }
  return {
    of,
    async open(name) {
      void of(name)
      resolvers.get(name)!()
      await settle()
    },
  }
}

/** Takes the items of a list in turn. */
function list<T>(...items: T[]): () => T | undefined {
  return () => items.shift()
}

describe('a pool', () => {
  test('begins items in order, as many as there are slots', async () => {
    const begun: number[] = []
    const gate = gates()
    const done = runPool(list<number>(1, 2, 3, 4), 2, async (item) => {
      begun.push(item)
      await gate.of(String(item))
    })
    expect(begun).toEqual([1, 2])
    await gate.open('2')
    expect(begun).toEqual([1, 2, 3])
    for (const name of ['1', '3', '4']) await gate.open(name)
    await done
  })

  test('starts the next item when a slot is released, with at most twice as many items as slots', async () => {
    const begun: number[] = []
    const gate = gates()
    const done = runPool(list<number>(1, 2, 3), 1, async (item, slot) => {
      begun.push(item)
      void slot.release()
      await gate.of(String(item))
    })
    expect(begun).toEqual([1, 2])
    await gate.open('1')
    expect(begun).toEqual([1, 2, 3])
    await gate.open('2')
    await gate.open('3')
    await done
  })

  test('lets an item back into a slot before it begins another', async () => {
    const steps: string[] = []
    const gate = gates()
    const slots = new Map<number, Slot>()
    const done = runPool(list<number>(1, 2, 3), 1, async (item, slot) => {
      steps.push(`begin ${item}`)
      slots.set(item, slot)
      if (item === 1) {
        void slot.release()
        await gate.of('again')
        await slot.acquire()
        steps.push('1 is back')
      }
      await gate.of(String(item))
    })
    expect(steps).toEqual(['begin 1', 'begin 2'])
    await gate.open('again')
    expect(steps).toHaveLength(2)
    await gate.open('2')
    expect(steps).toEqual(['begin 1', 'begin 2', '1 is back'])
    await gate.open('1')
    expect(steps.at(-1)).toBe('begin 3')
    await gate.open('3')
    await done
  })

  test('lets a complete response be verified while another request waits for the rate limit', async () => {
    const gate = gates()
    const slots = new Map<number, Slot>()
    const verified: number[] = []
    const done = runPool(list<number>(1, 2, 3), 2, async (item, slot) => {
      slots.set(item, slot)
      await gate.of(`answer ${item}`)
      await slot.release()
      verified.push(item)
    })
    slots.get(1)!.sent()
    await gate.open('answer 1')
    expect(verified).toEqual([])
    // The third waits for the rate limit, and the second is sent after that.
    slots.get(3)!.held()
    slots.get(2)!.sent()
    await gate.open('answer 2')
    expect(verified).toEqual([1, 2])
    await gate.open('answer 3')
    await done
  })

  test('asks again for an item when one is done', async () => {
    const begun: number[] = []
    const items = [1, 2, 3]
    let isBusy = false
    const takeAlone = (): number | undefined => (isBusy ? undefined : items.shift())
    await runPool(takeAlone, 3, async (item) => {
      isBusy = true
      begun.push(item)
      await Promise.resolve()
      isBusy = false
    })
    expect(begun).toEqual([1, 2, 3])
  })

  test('after a failure begins nothing, waits for what is under way, and rejects with the first', async () => {
    const begun: number[] = []
    const gate = gates()
    let isSettled = false
    const done = runPool(list<number>(1, 2, 3), 2, async (item) => {
      begun.push(item)
      await gate.of(String(item))
      throw new Error(`failed ${item}`)
    }).finally(() => {
      isSettled = true
    })
    done.catch(() => undefined)
    await gate.open('2')
    expect(isSettled).toBe(false)
    await gate.open('1')
    await expect(done).rejects.toThrow('failed 2')
    expect(begun).toEqual([1, 2])
  })

  test('of nothing is done', async () => {
    await expect(runPool(list<number>(), 4, async () => undefined)).resolves.toBeUndefined()
  })
})
