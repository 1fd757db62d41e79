import type { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { SecretName, SecretPlan } from './settings/secret.ts'
import type { Secret, Settings } from './settings/settings.ts'

/** What a command works with. */
export interface Context {
  readonly world: World
  readonly settings: Settings
  readonly terminal: Terminal
  /** What is wrong with the settings, where a command goes on all the same; its settings are then the flags alone. */
  readonly settingsFailure: Failure | undefined
  /** Where a secret would come from; nothing is read yet. */
  readonly planSecret: (name: SecretName) => SecretPlan | undefined
  /** Reads a secret and hides it everywhere from then on; `config` when there is none or it can't be used. */
  readonly readSecret: (name: SecretName) => Promise<Secret>
  /** Facts for the JSON result, also when the run fails later. */
  readonly facts: Record<string, unknown>
}

/** One command: from its context to the exit code. Results go to `terminal.write`; errors are thrown. */
export type CommandRun = (context: Context) => Promise<number>
