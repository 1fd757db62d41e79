import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import type { ProgramLimits, ProgramResult } from './base/world.ts'

const MAX_STDERR = 4096
/** How long to wait for the rest of it when the program has ended: a process that it started may hold it open. */
const STDERR_REST_MS = 200

/** Runs a program for `World.runProgram`; `interrupt` is the signal that stops the run. */
export function runProgram(
  program: string,
  args: readonly string[],
  { timeMs, outputBytes, mayAsk = false }: ProgramLimits,
  interrupt: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    interrupt.throwIfAborted()
    const hasGroups = process.platform !== 'win32'
    const child = spawn(programPath(program, env, process.platform), args, {
      env: childEnv(env, process.platform),
      stdio: ['ignore', 'pipe', mayAsk ? 'inherit' : 'pipe'],
      shell: false,
      windowsHide: true,
      // A process group of its own, so that the processes it starts can be killed with it.
      detached: hasGroups,
    })
    const chunks: Buffer[] = []
    let bytes = 0
    let exceeded: keyof ProgramLimits | undefined
    const stop = (limit?: keyof ProgramLimits): void => {
      exceeded ??= limit
      kill(child, hasGroups)
      // Another process may hold the other end.
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    const onInterrupt = (): void => {
      reject(interrupt.reason)
      stop()
    }
    const timer = setTimeout(() => stop('timeMs'), timeMs)
    interrupt.addEventListener('abort', onInterrupt, { once: true })
    let rest: NodeJS.Timeout | undefined
    const settle = (): void => {
      clearTimeout(timer)
      clearTimeout(rest)
      interrupt.removeEventListener('abort', onInterrupt)
    }
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > outputBytes) stop('outputBytes')
      else chunks.push(chunk)
    })
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(0, MAX_STDERR)
    })
    child.once('error', (error) => {
      settle()
      reject(error)
    })
    child.once('exit', () => {
      rest = setTimeout(() => child.stderr?.destroy(), STDERR_REST_MS)
    })
    child.once('close', (exitCode, signal) => {
      settle()
      const stdout = Buffer.concat(chunks).toString('utf8')
      const how = { ...(signal === null ? {} : { signal }), ...(exceeded === undefined ? {} : { exceeded }) }
      resolve({ exitCode, stdout, stderr, ...how })
    })
  })
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * The path of a program for `spawn`. A bare name is looked for in the absolute directories of PATH alone: never in the working directory,
 * where an archive may have been extracted, and which Windows searches first. Throws ENOENT when it is not there.
 */
export function programPath(
  program: string,
  env: Env,
  platform: NodeJS.Platform,
  isProgram: (path: string) => boolean = platform === 'win32' ? isFile : isExecutable,
): string {
  const isWindows = platform === 'win32'
  if ((isWindows ? /[\\/:]/ : /\//).test(program)) return program
  const { delimiter, isAbsolute, join, extname } = isWindows ? win32 : posix
  const directories = (env.PATH ?? (isWindows ? '' : '/usr/local/bin:/usr/bin:/bin')).split(delimiter)
  const extensions = (env.PATHEXT || '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';')
  const isComplete = !isWindows || extensions.includes(extname(program).toLowerCase())
  const names = isComplete ? [program] : extensions.map((extension) => `${program}${extension}`)
  for (const entry of directories) {
    const directory = isWindows ? entry.replace(/^"(.*)"$/, '$1') : entry
    if (!isAbsolute(directory) || program === '') continue
    const found = names.map((name) => join(directory, name)).find(isProgram)
    if (found !== undefined) return found
  }
  throw Object.assign(new Error(`${program} is in no directory of PATH`), { code: 'ENOENT' })
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}

// The Command Prompt, as in `["cmd", "/c", "az", …]`, then does not look in the working directory either.
function childEnv(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): NodeJS.ProcessEnv {
  return platform === 'win32' ? { ...env, NoDefaultCurrentDirectoryInExePath: '1' } : env
}

function kill(child: ChildProcess, hasGroup: boolean): void {
  try {
    if (hasGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
