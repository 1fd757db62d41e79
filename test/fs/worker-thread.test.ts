import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { isThreadMissing, threadOf } from '../../src/fs/worker-thread.ts'
import { inProcessWorker } from '../support/in-process-worker.ts'

function threadThat(
  work: (task: string, note: (note: number) => void) => Promise<string>,
  onTerminate?: () => void,
  onIdle?: (keepsAlive: boolean) => void,
) {
  const worker = inProcessWorker(work, onTerminate, onIdle)
  return { worker, thread: threadOf<string, number, string>(worker) }
}

function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

describe('a worker thread', () => {
  test('gives one result for each task, after its notes', async () => {
    const { thread } = threadThat(async (task, note) => {
      note(1)
      note(2)
      return task.toUpperCase()
    })
    const notes: number[] = []
    expect(await thread.run('one', (each) => notes.push(each))).toBe('ONE')
    expect(await thread.run('two', (each) => notes.push(each * 10))).toBe('TWO')
    expect(notes).toEqual([1, 2, 10, 20])
  })

  test('finishes its task before it ends, and takes no other', async () => {
    const [begun, goOn] = [gate(), gate()]
    const { thread, worker } = threadThat(async (task, note) => {
      note(1)
      await goOn.opened
      return task
    })
    const steps: string[] = []
    worker.once('exit', () => steps.push('ended'))
    const result = thread.run('task', () => begun.open()).then((text) => steps.push(text))
    await begun.opened
    const end = thread.end()
    await expect(thread.run('other')).rejects.toThrow('a worker thread was ended')
    goOn.open()
    await Promise.all([result, end])
    expect(steps).toEqual(['task', 'ended'])
  })

  test('stops its task at the next note', async () => {
    const [begun, goOn] = [gate(), gate()]
    let terminated = 0
    const { thread } = threadThat(
      async (_task, note) => {
        note(1)
        for (let next = 2; ; next++) {
          await goOn.opened
          note(next)
          // A turn of the event loop, as inflating takes.
          await new Promise((resolve) => setImmediate(resolve))
        }
      },
      () => (terminated += 1),
    )
    const result = thread.run('task', () => begun.open())
    result.catch(() => undefined)
    await begun.opened
    const end = thread.end()
    goOn.open()
    await expect(result).rejects.toThrow('a worker thread was ended')
    await end
    expect(terminated).toBe(0)
  })

  test('ends twice, and after it is gone', async () => {
    const { thread } = threadThat(async (task) => task)
    expect(await thread.run('task')).toBe('task')
    await Promise.all([thread.end(), thread.end()])
    await thread.end()
    await expect(thread.run('other')).rejects.toThrow('a worker thread was ended')
  })

  test('passes on a Failure with its hint and details', async () => {
    const { thread } = threadThat(async () => {
      throw new Failure('archive', 'a.zip: changed', { hint: 'run it again', file: 'a.zip' })
    })
    const error = await thread.run('task', () => undefined).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({ kind: 'archive', hint: 'run it again', details: { file: 'a.zip' } })
  })

  test('passes on a system error with its code, and works on', async () => {
    let count = 0
    const { thread } = threadThat(async () => {
      count += 1
      if (count === 1) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      return 'done'
    })
    await expect(thread.run('task', () => undefined)).rejects.toMatchObject({
      message: 'full',
      code: 'ENOSPC',
    })
    expect(await thread.run('task', () => undefined)).toBe('done')
  })

  test('is kept alive between tasks, and during one only by its work', async () => {
    const alive: boolean[] = []
    const { thread } = threadThat(
      async (task, note) => {
        note(alive.length)
        if (task === 'broken') throw new Error('broken')
        return task
      },
      undefined,
      (keepsAlive) => alive.push(keepsAlive),
    )
    const seen: number[] = []
    expect(await thread.run('task', (count) => seen.push(count))).toBe('task')
    expect(alive).toEqual([false, true])
    await expect(thread.run('broken', (count) => seen.push(count))).rejects.toThrow('broken')
    expect(alive).toEqual([false, true, false, true])
    expect(seen).toEqual([1, 3])
  })

  test('that ends, or whose message cannot be read, fails its task', async () => {
    for (const [event, value] of [
      ['exit', 0],
      ['messageerror', new Error('not readable')],
    ] as const) {
      const { thread, worker } = threadThat(() => new Promise(() => undefined))
      const running = thread.run('task')
      worker.emit(event, value)
      await expect(running).rejects.toThrow(event === 'exit' ? 'ended without a result' : 'not readable')
    }
  })

  test('is terminated when its task takes too long', async () => {
    let terminated = 0
    const { thread } = threadThat(
      () => new Promise(() => undefined),
      () => (terminated += 1),
    )
    const running = thread.run('task', () => undefined)
    await Promise.all([expect(running).rejects.toThrow('a worker thread was ended'), thread.end()])
    expect(terminated).toBe(1)
  })

  test('that the system cannot start is distinguished from one that failed', async () => {
    const { thread, worker } = threadThat(() => new Promise(() => undefined))
    const running = thread.run('task', () => undefined).catch((error: unknown) => error)
    worker.emit('error', Object.assign(new Error('no thread'), { code: 'ERR_WORKER_INIT_FAILED' }))
    expect(isThreadMissing(await running)).toBe(true)
    expect(isThreadMissing(new Error('broken'))).toBe(false)
  })
})
