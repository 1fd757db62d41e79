import { setTimeout as sleep } from 'node:timers/promises'
import type { MessagePort, Worker } from 'node:worker_threads'
import { Failure, type FailureDetails, type FailureKind, isFailure, systemCode } from '../base/failure.ts'

/** A worker thread that returns one result per task, after any number of messages. */
export interface WorkerThread<Task, Note, Result> {
  /** Gives it a task; one at a time. Rejects with what the work threw, or when the thread is gone. */
  readonly run: (task: Task, onNote?: (note: Note) => void) => Promise<Result>
  /**
   * Ends it, and rejects further tasks. Its task stops at the next note. A thread closes its own port: Node 20 aborts the whole
   * process when a thread is terminated while V8 compiles for it, or while it creates an inflater. Resolves when it has ended.
   */
  readonly end: () => Promise<void>
}

/** How long a task may take after `end` until it is terminated. */
const GRACE_MS = 500

/** What is sent to a thread. */
type Order<Task> = { readonly kind: 'task'; readonly task: Task } | { readonly kind: 'end' }

type Reply<Note, Result> =
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: SentError }

interface Pending<Note, Result> {
  readonly onNote: ((note: Note) => void) | undefined
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** A worker of `startWorker` whose file calls `serveTasks`. */
export function threadOf<Task, Note, Result>(worker: Worker): WorkerThread<Task, Note, Result> {
  let pending: Pending<Note, Result> | undefined
  let lost: Error | undefined
  let current: Promise<unknown> = Promise.resolve()
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const send = (order: Order<Task>): void => worker.postMessage(order)
  const lose = (error: Error): void => {
    lost ??= error
    pending?.reject(lost)
  }
  worker.once('error', lose)
  worker.once('messageerror', lose)
  worker.once('exit', () => lose(new Error('a worker thread ended without a result')))
  worker.on('message', (reply: Reply<Note, Result>) => {
    if (reply.kind === 'note') pending?.onNote?.(reply.note)
    else if (reply.kind === 'result') pending?.resolve(reply.result)
    else pending?.reject(received(reply.error))
  })
  return {
    run(task, onNote) {
      if (lost !== undefined) return Promise.reject(lost)
      const result = new Promise<Result>((resolve, reject) => {
        pending = { onNote, resolve, reject }
        send({ kind: 'task', task })
      })
      current = result.catch(() => undefined)
      return result
    },
    async end() {
      lost ??= new Error('a worker thread was ended')
      send({ kind: 'end' })
      const grace = new AbortController()
      const isLong = await Promise.race([
        current.then(() => false),
        sleep(GRACE_MS, true, { signal: grace.signal }).catch(() => false),
      ])
      grace.abort()
      if (isLong) await worker.terminate()
      await exited
    },
  }
}

/** True for the error of a thread that never started, because the system gives no more. */
export function isThreadMissing(error: unknown): boolean {
  return systemCode(error) === 'ERR_WORKER_INIT_FAILED'
}

/**
 * In the worker: does each task that comes through `port`, one after the other, until the thread is to end. During a task the port does
 * not keep the thread alive: one that nothing settles any more ends its thread, and with it the task.
 */
export function serveTasks<Task, Note, Result>(
  port: Pick<MessagePort, 'on' | 'postMessage' | 'close' | 'ref' | 'unref'>,
  work: (task: Task, note: (note: Note) => void) => Promise<Result>,
): void {
  let current: Promise<void> = Promise.resolve()
  let isEnding = false
  const reply = (message: Reply<Note, Result>): void => port.postMessage(message)
  const passNote = (note: Note): void => {
    if (isEnding) throw new Error('a worker thread was ended')
    reply({ kind: 'note', note })
  }
  port.on('message', (order: Order<Task>) => {
    if (order.kind === 'end') {
      isEnding = true
      void current.then(() => port.close())
      return
    }
    port.unref()
    current = work(order.task, passNote)
      .finally(() => port.ref())
      .then(
        (result) => reply({ kind: 'result', result }),
        (error: unknown) => reply({ kind: 'failed', error: sent(error) }),
      )
  })
}

/** The parts of an error that can be sent between threads. */
interface SentError {
  readonly message: string
  readonly stack: string | undefined
  readonly code: string | undefined
  readonly failure:
    | { readonly kind: FailureKind; readonly hint: string | undefined; readonly details: FailureDetails }
    | undefined
}

function sent(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  if (!isFailure(error)) return { message, stack, code: systemCode(error), failure: undefined }
  const { kind, hint, details } = error
  return { message, stack, code: undefined, failure: { kind, hint, details } }
}

function received({ message, stack, code, failure }: SentError): Error {
  if (failure === undefined) return Object.assign(new Error(message), { stack, code })
  const { kind, hint, details } = failure
  return new Failure(kind, message, { ...details, hint })
}
