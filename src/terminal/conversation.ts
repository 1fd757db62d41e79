import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'

/** Asks a question; resolves with the typed line, trimmed, or '' at the end of input (Ctrl-D). */
export type Ask = (question: string) => Promise<string>

/**
 * Prompts on standard error and reads answers from standard input. Input is echoed: never ask for a secret. Ctrl-C and
 * signals reject with the interruption.
 */
export async function converse<T>(world: World, body: (ask: Ask) => Promise<T>): Promise<T> {
  const { createInterface } = await import('node:readline')
  const reader = createInterface({ input: world.stdin, output: world.stderr })
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
    wake()
  })
  reader.once('SIGINT', () => interrupt(new Failure('interrupted', 'stopped by SIGINT')))
  reader.once('close', () => {
    isOver = true
    wake()
  })

  const ask: Ask = async (question) => {
    if (!isOver) {
      reader.setPrompt(`${question} `)
      reader.prompt()
    }
    while (typed.length === 0 && !isOver && interruption === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    if (interruption !== undefined) {
      world.stderr.write('\n')
      throw interruption
    }
    return typed.shift()?.trim() ?? ''
  }

  try {
    return await body(ask)
  } finally {
    world.interrupt.removeEventListener('abort', onAbort)
    reader.close()
  }
}
