import { expect } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { run } from '../../src/cli/run.ts'
import { testWorld } from './world.ts'

/** A running `matdecl sandbox`. */
export interface Serving extends AsyncDisposable {
  readonly url: string
  readonly token: string
  readonly suppliers: readonly { readonly id: string; readonly parts: number }[]
  readonly stderr: () => string
  /** Ends the command as Ctrl-C does and gives its exit code. */
  readonly stop: () => Promise<number>
}

/** Runs `matdecl sandbox --json` until it is stopped. */
export async function serving(argv: readonly string[], cwd?: string): Promise<Serving> {
  const world = testWorld({
    argv: ['sandbox', '--json', ...argv],
    env: { XDG_CONFIG_HOME: '/nonexistent' },
    ...(cwd === undefined ? {} : { cwd }),
  })
  const ended = run(world)
  const early = await Promise.race([ended, waitFor(() => world.out.text().includes('\n'))])
  if (typeof early === 'number') throw new Error(`exit ${early}: ${world.err.text()}`)
  const started = JSON.parse(world.out.text())
  const stop = (): Promise<number> => {
    world.stop(new Failure('interrupted', 'stopped', { exitCode: 130 }))
    return ended
  }
  return {
    ...started,
    stderr: () => world.err.text(),
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

/** Waits until something is so. */
export async function waitFor(isThere: () => boolean): Promise<void> {
  await expect.poll(isThere).toBe(true)
}
