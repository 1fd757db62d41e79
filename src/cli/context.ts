import type { Command } from 'commander'
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
  /** What is wrong with the settings, for a command that runs anyway; its settings are then the flags alone. */
  readonly settingsFailure: Failure | undefined
  /** Where a secret would come from; reads nothing. */
  readonly planSecret: (name: SecretName) => SecretPlan | undefined
  /** Reads a secret, which is redacted from then on; `config` when there is none or it is invalid. */
  readonly readSecret: (name: SecretName) => Promise<Secret>
  /** Fields of the JSON result, also when the run fails later. */
  readonly facts: Record<string, unknown>
}

/**
 * Runs a command to its exit code. Results go to `terminal.write`; errors are thrown. `program` is for what is generated from
 * the command line itself.
 */
export type CommandRun = (context: Context, program: () => Command) => Promise<number>
