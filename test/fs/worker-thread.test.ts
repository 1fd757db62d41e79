import { EventEmitter } from 'node:events'
import { MessageChannel, type Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { isThreadMissing, serveTasks, threadOf } from '../../src/fs/worker-thread.ts'

const channels: MessageChannel[] = []

afterEach(() => {
  for (const { port1 } of channels.splice(0)) port1.close()
})

/** A thread whose work is done here, across a real channel: what passes it is cloned. */
function threadThat(work: (task: string, note: (note: number) => void) => Promise<string>) {
  const channel = new MessageChannel()
  channels.push(channel)
  serveTasks(channel.port2, work)
  const ended = new EventEmitter()
  const worker = Object.assign(channel.port1, {
    once: ended.once.bind(ended),
    terminate: async () => ended.emit('exit', 1),
  })
  return { thread: threadOf<string, number, string>(worker as unknown as Worker), ended }
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
    expect(await thread.ask('one', (each) => notes.push(each))).toBe('ONE')
    expect(await thread.ask('two', (each) => notes.push(each * 10))).toBe('TWO')
    expect(notes).toEqual([1, 2, 10, 20])
  })

  test('finishes its task before it ends, and takes no other', async () => {
    const [begun, goOn] = [gate(), gate()]
    const { thread, ended } = threadThat(async (task, note) => {
      note(1)
      await goOn.opened
      return task
    })
    const steps: string[] = []
    ended.once('exit', () => steps.push('ended'))
    const answer = thread.ask('task', () => begun.open()).then((text) => steps.push(text))
    await begun.opened
    const end = thread.end()
    await expect(thread.ask('other')).rejects.toThrow('a worker thread was ended')
    goOn.open()
    await Promise.all([answer, end])
    expect(steps).toEqual(['task', 'ended'])
  })

  test('is terminated with the task that it is at', async () => {
    const { thread } = threadThat(() => new Promise(() => undefined))
    const answer = thread.ask('task')
    answer.catch(() => undefined)
    await thread.terminate()
    await expect(answer).rejects.toThrow('ended unexpectedly')
  })

  test('passes on a Failure with its hint and details', async () => {
    const { thread } = threadThat(async () => {
      throw new Failure('archive', 'a.zip: changed', { hint: 'run it again', file: 'a.zip' })
    })
    const error = await thread.ask('task', () => undefined).catch((thrown: unknown) => thrown)
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
    await expect(thread.ask('task', () => undefined)).rejects.toMatchObject({
      message: 'full',
      code: 'ENOSPC',
    })
    expect(await thread.ask('task', () => undefined)).toBe('done')
  })

  test('that has ended rejects a task that takes too long', async () => {
    const { thread } = threadThat(() => new Promise(() => undefined))
    const asked = thread.ask('task', () => undefined)
    await Promise.all([expect(asked).rejects.toThrow('a worker thread was ended'), thread.end()])
  })

  test('that the system cannot start is distinguished from one that failed', async () => {
    const { thread, ended } = threadThat(() => new Promise(() => undefined))
    const asked = thread.ask('task', () => undefined).catch((error: unknown) => error)
    ended.emit('error', Object.assign(new Error('no thread'), { code: 'ERR_WORKER_INIT_FAILED' }))
    expect(isThreadMissing(await asked)).toBe(true)
    expect(isThreadMissing(new Error('broken'))).toBe(false)
  })
})
