import { readdir } from 'node:fs/promises'
import { run } from '../../src/cli/run.ts'
import { testWorld } from './world.ts'

export const TOKEN = 'tok-S3CRET-0123456789'

type Overrides = Parameters<typeof testWorld>[0]

/** What one run in this process left behind. */
export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stdoutBytes: Buffer
  readonly stderr: string
  readonly slept: readonly number[]
  /** The one JSON object on standard output. */
  readonly json: () => Record<string, unknown>
}

/** Runs the tool in this process, through the entry the binary uses, with a token unless `env` says otherwise. */
export async function cli(argv: readonly string[], overrides: Overrides = {}): Promise<CliResult> {
  const env = {
    MATDECL_TOKEN: TOKEN,
    XDG_CONFIG_HOME: '/nonexistent',
    XDG_STATE_HOME: '/nonexistent',
    ...overrides?.env,
  }
  const world = testWorld({ ...overrides, argv, env })
  const code = await run(world)
  return {
    code,
    stdout: world.out.text(),
    stdoutBytes: world.out.bytes(),
    stderr: world.err.text(),
    slept: world.fakeClock.slept,
    json: () => JSON.parse(world.out.text()) as Record<string, unknown>,
  }
}

/** Every path below a folder, sorted; hidden ones too. */
export async function tree(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort()
}
