import { parseFaults } from '../sandbox/faults.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/server.ts'
import type { World } from '../world.ts'

/** What the user wants the miniature service to be like. */
export interface SandboxWish
  extends Pick<
    SandboxOptions,
    'port' | 'token' | 'parts' | 'latencyMs' | 'ratePerMinute' | 'quota' | 'onRequest'
  > {
  readonly faults: readonly string[]
}

/** Starts the miniature service on loopback. Mistakes in the catalogue or the faults are `usage` failures. */
export async function serveSandbox(world: World, { faults, ...options }: SandboxWish): Promise<Sandbox> {
  return startSandbox({ ...options, clock: world.clock, faults: parseFaults(faults.join(' ')) })
}
