import { setTimeout as sleep } from 'node:timers/promises'
import type { MessagePort, Worker } from 'node:worker_threads'
import { Failure, type FailureDetails, type FailureKind, isFailure, systemCode } from '../base/failure.ts'

/** A worker thread that returns one result per task, after any number of messages. */
export interface WorkerThread<Task, Note, Answer> {
  /** Gives it a task; one at a time. Rejects with what the work threw, or when the thread is gone. */
  readonly ask: (task: Task, onNote?: (note: Note) => void) => Promise<Answer>
  /**
   * Ends it, and rejects further tasks. A short task is finished first: Node aborts the whole process when a thread is terminated
   * while it creates an inflater. Resolves when the thread has ended.
   */
  readonly end: () => Promise<unknown>
  /** Terminates it immediately; for a thread that inflates nothing. */
  readonly terminate: () => Promise<unknown>
}

/** How long a task may take after `end`. One for small entries takes a few milliseconds; a large one creates its inflater first. */
const GRACE_MS = 500

type Reply<Note, Answer> =
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: SentError }

interface Asked<Note, Answer> {
  readonly onNote: ((note: Note) => void) | undefined
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** A worker of `startWorker` whose file calls `serveTasks`. */
export function threadOf<Task, Note, Answer>(worker: Worker): WorkerThread<Task, Note, Answer> {
  let asked: Asked<Note, Answer> | undefined
  let lost: Error | undefined
  let current: Promise<unknown> = Promise.resolve()
  const lose = (error: Error): void => {
    lost ??= error
    asked?.reject(lost)
  }
  worker.once('error', lose)
  worker.once('exit', () => lose(new Error('a worker thread ended unexpectedly')))
  worker.on('message', (reply: Reply<Note, Answer>) => {
    if (reply.kind === 'note') asked?.onNote?.(reply.note)
    else if (reply.kind === 'answer') asked?.resolve(reply.answer)
    else asked?.reject(received(reply.error))
  })
  return {
    ask(task, onNote) {
      if (lost !== undefined) return Promise.reject(lost)
      const answer = new Promise<Answer>((resolve, reject) => {
        asked = { onNote, resolve, reject }
        worker.postMessage(task)
      })
      current = answer.catch(() => undefined)
      return answer
    },
    async end() {
      lost ??= new Error('a worker thread was ended')
      const grace = new AbortController()
      await Promise.race([
        current,
        sleep(GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined),
      ])
      grace.abort()
      return worker.terminate()
    },
    terminate: () => worker.terminate(),
  }
}

/** True for the error of a thread that never started, because the system gives no more. */
export function isThreadMissing(error: unknown): boolean {
  return systemCode(error) === 'ERR_WORKER_INIT_FAILED'
}

/** In the worker: does each task that comes through `port`, one after the other. */
export function serveTasks<Task, Note, Answer>(
  port: Pick<MessagePort, 'on' | 'postMessage'>,
  work: (task: Task, note: (note: Note) => void) => Promise<Answer>,
): void {
  const reply = (message: Reply<Note, Answer>): void => port.postMessage(message)
  port.on('message', (task: Task) => {
    work(task, (note) => reply({ kind: 'note', note })).then(
      (answer) => reply({ kind: 'answer', answer }),
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
  return new Failure(kind, message, { ...details, ...(hint === undefined ? {} : { hint }) })
}
