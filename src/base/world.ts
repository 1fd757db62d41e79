import type * as fs from 'node:fs'
import type * as fsPromises from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import type { Worker } from 'node:worker_threads'

/** Time. Pure code gets numbers instead. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: () => number
  /** A clock that never jumps, for measuring differences. */
  readonly monotonicMs: () => number
  /** Resolves after `ms` milliseconds (at most the maximum of a timer); rejects with the signal's reason. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls `tick` every `ms` milliseconds until the returned function is called; does not keep the process alive. */
  readonly every: (ms: number, tick: () => void) => () => void
}

/** What distinguishes the file system of a platform from that of POSIX. */
interface DiskRules {
  /**
   * True for the calls of Windows, as `fs/platform-disk.ts` adapts them: no `/proc`, no sync of directories, and other rules for
   * names.
   */
  readonly isWindows?: boolean
  /** Flags that open a file only where no other process has it open or locked; undefined where the system has none. */
  readonly exclusiveFlags?: number
}

/** The calls of the file system in use; tests make any of them fail. */
export type Disk = DiskRules &
  Pick<
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

/** Synchronous calls for many short ones: one promise per call is several times slower. Tests can make them fail too. */
export type SyncDisk = DiskRules &
  Pick<
    typeof fs,
    | 'chmodSync'
    | 'closeSync'
    | 'fchmodSync'
    | 'fstatSync'
    | 'fsyncSync'
    | 'futimesSync'
    | 'linkSync'
    | 'lstatSync'
    | 'mkdirSync'
    | 'openSync'
    | 'readdirSync'
    | 'readFileSync'
    | 'readSync'
    | 'renameSync'
    | 'rmdirSync'
    | 'statSync'
    | 'unlinkSync'
    | 'writeSync'
  >

export type OutputStream = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
}
export type InputStream = Readable & { readonly isTTY?: boolean }

/** The worker threads; each is an entry of the build. */
export type WorkerName = 'hash-worker' | 'inflate-worker' | 'declarations-worker'

/** What a program may take. */
export interface ProgramLimits {
  readonly timeMs: number
  readonly outputBytes: number
  /** Gives it this process's standard error, for its questions; otherwise the start of what it prints there is returned. */
  readonly mayAsk?: boolean
}

/** How a program ended. */
export interface ProgramResult {
  readonly exitCode: number | null
  readonly stdout: string
  /** At most 4 KiB. */
  readonly stderr: string
  /** The signal that ended it. */
  readonly signal?: string
  /** The limit it was killed for. */
  readonly exceeded?: keyof ProgramLimits
}

/** Everything outside the process. `main` creates the real one, tests create their own. */
export interface World {
  /** Arguments after the name of the script. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Removes a secret from the environment, so that no child process inherits it. */
  readonly forgetEnv: (name: string) => void
  /** Lets lookups of names that begin from now on give up after about this time, where the system can; not those of other programs. */
  readonly limitLookups: (limitMs: number) => void
  /** The working directory. Throws `io` when it no longer exists. */
  readonly cwd: () => string
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly clock: Clock
  /** A number in [0, 1). */
  readonly random: () => number
  readonly disk: Disk
  readonly syncDisk: SyncDisk
  /** Aborts when a signal stops the run; its reason is a Failure of kind `interrupted`. */
  readonly interrupt: AbortSignal
  readonly startWorker: (name: WorkerName) => Worker
  /**
   * Runs a program without a shell and returns its output. Beyond a limit, and when a signal stops the run, it is killed with the
   * processes that it started. Rejects when it cannot be started, or with the reason of the signal.
   */
  readonly runProgram: (
    program: string,
    args: readonly string[],
    limits: ProgramLimits,
  ) => Promise<ProgramResult>
  readonly host: {
    readonly pid: number
    /** The effective user; undefined on platforms without user IDs. */
    readonly uid: number | undefined
    readonly name: string
    readonly platform: NodeJS.Platform
    readonly homeDir: string
    readonly nodeVersion: string
    readonly cores: number
    /** Permission bits that new files do not get. */
    readonly umask: number
    /** The directory for temporary files. */
    readonly tempDir: string
  }
}
