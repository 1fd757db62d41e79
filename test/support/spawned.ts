import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { toolCommand } from './tool-command.ts'

/** What a run of the built tool came to. */
export interface Spawned {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface SpawnOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Gets the process as soon as it runs. */
  readonly onStart?: (child: ChildProcess) => void
}

/** Runs the built tool as a user does, with nothing in its environment but `PATH` and what is given. */
export async function spawnTool(args: readonly string[], options: SpawnOptions): Promise<Spawned> {
  const { cwd, env = {}, input, onStart } = options
  const tool = toolCommand()
  const child = spawn(tool.program, [...tool.args, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onStart?.(child)
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }
}
