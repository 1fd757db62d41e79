import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/cli/run.ts'
import { testWorld } from './world.ts'

export const TOKEN = 'tok-S3CRET-0123456789'

type Overrides = Parameters<typeof testWorld>[0]

/** The output of one run in this process, and its exit code. */
export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stdoutBytes: Buffer
  readonly stderr: string
  readonly slept: readonly number[]
  /** The one JSON object on standard output. */
  readonly json: () => Record<string, unknown>
}

/** Runs the tool in this process, with a token unless `env` has one, and without config or state of earlier runs. */
export async function cli(
  argv: readonly string[],
  { isReaderGone = false, ...overrides }: Overrides & { readonly isReaderGone?: boolean } = {},
): Promise<CliResult> {
  const home = await mkdtemp(join(tmpdir(), 'matdecl-home-'))
  const env = {
    MATDECL_TOKEN: TOKEN,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_DATA_HOME: join(home, 'data'),
    ...overrides?.env,
  }
  try {
    const world = testWorld({ ...overrides, argv, env })
    if (isReaderGone) world.stdout.destroy()
    const code = await run(world)
    return {
      code,
      stdout: world.out.text(),
      stdoutBytes: world.out.bytes(),
      stderr: world.err.text(),
      slept: world.fakeClock.slept,
      json: () => JSON.parse(world.out.text()) as Record<string, unknown>,
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Every path in a directory tree, sorted; hidden ones too. */
export async function tree(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort()
}
