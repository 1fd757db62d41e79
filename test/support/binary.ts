import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { toolCommand } from './tool-command.ts'

export interface SpawnOptions {
  readonly cwd?: string
  /** The complete environment except PATH. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

export interface Spawned {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts the built program. */
export function start(argv: readonly string[], { cwd, env = {} }: SpawnOptions = {}): ChildProcess {
  const { program, args } = toolCommand()
  return spawn(program, [...args, ...argv], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Waits for a started program to end, with its output. */
export async function ended(child: ChildProcess): Promise<Spawned> {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve([code, signal]))
    }),
  ])
  return { code, signal, stdout, stderr }
}

/** Runs the built program to its end. */
export function runBinary(argv: readonly string[], options: SpawnOptions = {}): Promise<Spawned> {
  const child = start(argv, options)
  child.stdin!.on('error', () => undefined)
  child.stdin!.end(options.input ?? '')
  return ended(child)
}
