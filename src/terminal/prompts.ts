import { Writable } from 'node:stream'
import { Failure } from '../base/failure.ts'
import type { OutputStream, World } from '../base/world.ts'

/** Asks a question; resolves with the typed line, trimmed, or undefined at the end of input (Ctrl-D). A secret is not echoed. */
export type Ask = (question: string, how?: { readonly isSecret: boolean }) => Promise<string | undefined>

/** The failure for input that ended before an answer that is needed. */
export function inputEnded(): Failure {
  return new Failure('usage', 'the input ended before the last answer', {
    again: { notes: ['nothing was written'] },
  })
}

/** Prompts on standard error and reads answers from standard input. Ctrl-C and signals reject with the interruption. */
export async function converse<T>(world: World, body: (ask: Ask) => Promise<T>): Promise<T> {
  const { createInterface } = await import('node:readline')
  const screen = createScreen(world.stderr)
  // Without a history, in which a secret would remain.
  const reader = createInterface({ input: world.stdin, output: screen.stream, historySize: 0 })
  const typed: string[] = []
  let isOver = false
  let interruption: unknown
  let wake: () => void = () => undefined
  const interrupt = (reason: unknown): void => {
    interruption ??= reason
    wake()
  }
  const onAbort = (): void => interrupt(world.interrupt.reason)
  world.interrupt.addEventListener('abort', onAbort, { once: true })
  if (world.interrupt.aborted) onAbort()
  reader.on('line', (line) => {
    typed.push(line)
    // What was typed ahead may be a secret.
    screen.hide(true)
    wake()
  })
  // A signal ends the input with an error, and so does a terminal that is gone.
  reader.on('error', () => reader.close())
  reader.once('SIGINT', () => interrupt(new Failure('interrupted', 'stopped by Ctrl-C', { again: {} })))
  reader.once('close', () => {
    isOver = true
    wake()
  })

  const ask: Ask = async (question, { isSecret } = { isSecret: false }) => {
    screen.hide(false)
    if (!isOver) {
      reader.setPrompt(`${question} `)
      reader.prompt()
      screen.hide(isSecret)
    }
    while (typed.length === 0 && !isOver && interruption === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    screen.hide(false)
    if (isSecret) world.stderr.write('\n')
    if (interruption !== undefined) {
      world.stderr.write('\n')
      throw interruption
    }
    const line = typed.shift()?.trim()
    if (line === undefined && !isSecret) world.stderr.write('\n')
    return line
  }

  try {
    return await body(ask)
  } finally {
    world.interrupt.removeEventListener('abort', onAbort)
    reader.close()
  }
}

/** A stream to the terminal that drops what is written while input is hidden: readline echoes every key through it. */
function createScreen(terminal: OutputStream): {
  readonly stream: Writable
  readonly hide: (isHidden: boolean) => void
} {
  let isHidden = false
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      if (!isHidden) terminal.write(chunk)
      done()
    },
  })
  return {
    stream: Object.assign(stream, { isTTY: terminal.isTTY, columns: terminal.columns }),
    hide: (next) => {
      isHidden = next
    },
  }
}
