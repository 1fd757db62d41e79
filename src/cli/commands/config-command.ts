import { Failure } from '../../base/failure.ts'
import { nearest } from '../../base/nearest.ts'
import { initConfig } from '../config/init.ts'
import { showPaths } from '../config/path.ts'
import { showConfig } from '../config/show.ts'
import type { CommandRun } from '../context.ts'
import { takeOperands } from '../operands.ts'

const ACTIONS: Readonly<Record<string, CommandRun>> = { show: showConfig, path: showPaths, init: initConfig }

/** The settings: shown, located, or begun. */
export const run: CommandRun = async (context) => {
  const [action = ''] = takeOperands(context.settings)
  const runAction = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (runAction !== undefined) return runAction(context)
  const near = nearest(action, Object.keys(ACTIONS))
  throw new Failure('usage', `config does not know '${action}'`, {
    hint: near === undefined ? `it knows ${Object.keys(ACTIONS).join(', ')}` : `did you mean ${near}?`,
  })
}
