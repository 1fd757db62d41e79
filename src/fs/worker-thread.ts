import type { MessagePort, Worker } from 'node:worker_threads'
import { Failure, type FailureDetails, type FailureKind, isFailure, systemCode } from '../base/failure.ts'

/** A worker thread that returns one result per task, after any number of messages. */
export interface WorkerThread<Task, Note, Answer> {
  /** Gives it a task; one at a time. Rejects with what the work threw, or when the thread is gone. */
  readonly ask: (task: Task, onNote?: (note: Note) => void) => Promise<Answer>
  /** Terminates it immediately; resolves when it has ended. */
  readonly end: () => Promise<unknown>
}

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
    ask: (task, onNote) =>
      new Promise((resolve, reject) => {
        if (lost !== undefined) {
          reject(lost)
          return
        }
        asked = { onNote, resolve, reject }
        worker.postMessage(task)
      }),
    end: () => worker.terminate(),
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
