import type { FailedResult } from '../base/failed-result.ts'
import type { World } from '../base/world.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { type Context, openContext } from './context.ts'
import { errorObject, explain, interruptionOr } from './explain.ts'
import type { CommandName } from './options.ts'
import { readOptions } from './read-options.ts'

/** A call of a command from a program. */
export interface Call {
  /** Settles the options; rejects with a Failure when they are wrong. */
  readonly context: () => Promise<Context>
  /** Logs an error and gives the result of the failed call, with what was known by then; without secrets. */
  readonly failedResult: (error: unknown) => FailedResult
}

/** Prepares a call: log lines are objects on the standard error of `world`, nothing is printed. */
export function openCall(
  world: World,
  command: CommandName,
  operands: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Call {
  const facts: Record<string, unknown> = {}
  const choice = { json: false, quiet: false, verbose: 0, logFormat: 'json', noProgress: true } as const
  let terminal = createTerminal(world, {
    ...choice,
    color: 'never',
    noColor: true,
    noInput: true,
    noPager: true,
  })
  return {
    async context() {
      const given = new Map(readOptions(command, options))
      given.set('noPager', [true]).set('logFormat', ['json']).set('noProgress', [true]).set('noInput', [true])
      const context = await openContext(world, { command, operands, afterDashes: [], given }, terminal, facts)
      terminal = context.terminal
      return context
    },
    failedResult(thrown) {
      terminal.stopProgress()
      const error = interruptionOr(world, thrown)
      explain(world, terminal, error)
      const result = { schema: `matdecl.${command}/1`, status: 'failed', error: errorObject(error), ...facts }
      return JSON.parse(terminal.redact(JSON.stringify(result))) as FailedResult
    },
  }
}
