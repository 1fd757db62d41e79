import type * as fsPromises from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import type { Worker } from 'node:worker_threads'

/** Time from outside. Whatever decides gets a number passed in; whatever waits calls `sleep`. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: () => number
  /** A clock that never jumps; only differences mean anything. */
  readonly monotonicMs: () => number
  /** Resolves after `ms` milliseconds (clamped to what a timer can hold), rejects with the signal's reason when it aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls `tick` every `ms` milliseconds until the returned function is called; never keeps the process alive. */
  readonly every: (ms: number, tick: () => void) => () => void
}

/** The file-system calls the tool makes, narrow enough that a test can make any of them fail. */
export type Disk = Pick<
  typeof fsPromises,
  | 'access'
  | 'chmod'
  | 'link'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'readFile'
  | 'realpath'
  | 'rename'
  | 'rm'
  | 'rmdir'
  | 'stat'
  | 'statfs'
  | 'unlink'
  | 'utimes'
>

export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }
export type InputStream = Readable & { readonly isTTY?: boolean }

/** The worker threads of the tool, by name; each is an entry of the build. */
export type WorkerName = 'hash-worker' | 'inflate-worker' | 'declarations-worker'

/** Everything outside the process's own memory. `main` builds the real one, tests build theirs. */
export interface World {
  /** Arguments after the script's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Takes a secret out of the environment, so that no child process gets it. */
  readonly forgetEnv: (name: string) => void
  /** The working directory. Throws `io` when it no longer exists. */
  readonly cwd: () => string
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly clock: Clock
  /** A number in [0, 1). */
  readonly random: () => number
  readonly disk: Disk
  /** Aborts, with a Failure of kind `interrupted` as reason, when the user or the system asks the run to stop. */
  readonly interrupt: AbortSignal
  readonly startWorker: (name: WorkerName, workerData: unknown) => Worker
  /** Runs a program without a shell and collects what it prints; rejects when it can not be started. */
  readonly runProgram: (
    program: string,
    args: readonly string[],
  ) => Promise<{ readonly exitCode: number | null; readonly stdout: string }>
  readonly host: {
    readonly pid: number
    readonly name: string
    readonly platform: NodeJS.Platform
    readonly homeDir: string
    readonly nodeVersion: string
    readonly cores: number
    /** The bits that a new file does not get. */
    readonly umask: number
    /** Where temporary files go. */
    readonly tempDir: string
  }
}
