import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { PagerProcess } from './base/world.ts'

/**
 * Starts a pager for `World.startPager`. Ctrl-C is the pager's while it runs; another signal that stops the run, which `interrupt`
 * tells, ends the pager, so that it restores the terminal.
 */
export async function runPager(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  interrupt: AbortSignal,
): Promise<PagerProcess> {
  const child = spawn(program, args, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    shell: false,
  })
  await once(child, 'spawn')
  const handlers = process.listeners('SIGINT')
  const ignore = (): void => undefined
  process.removeAllListeners('SIGINT').on('SIGINT', ignore)
  const stop = (): void => void child.kill('SIGTERM')
  interrupt.addEventListener('abort', stop, { once: true })
  if (interrupt.aborted) stop()
  let isOver = false
  // Its end, or that of its input, is no error: there is nobody to write for.
  child.stdin.on('error', () => {
    isOver = true
  })
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      isOver = true
      interrupt.removeEventListener('abort', stop)
      process.off('SIGINT', ignore)
      for (const handler of handlers) process.on('SIGINT', handler)
      resolve()
    })
  })
  return {
    write: (text) =>
      isOver
        ? Promise.resolve()
        : Promise.race([closed, new Promise<void>((resolve) => child.stdin.write(text, () => resolve()))]),
    end: () => {
      child.stdin.end()
      return closed
    },
  }
}
