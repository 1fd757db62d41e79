import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from './programs.ts'

/** A program that writes ZIP archives. */
export interface ZipWriter {
  readonly title: string
  /** The file in `ARCHIVES` that it made. */
  readonly archive: string
  readonly program: string
  /** False for one that CI does not install: only its archive is tested. */
  readonly isRunByTests: boolean
  /** A shell command that runs in the directory to be packed; $OUT is the archive, $PROGRAMS a directory of programs. */
  readonly command: string
  /** A shell command that prints the version; it fails where the writer is not installed. */
  readonly versionCommand: string
  /** The version that made the archive. */
  readonly version: string
}

const folder = join(import.meta.dirname, 'writers')

/** Archives of `SOURCE_FILES` by each writer, made by `writers/make.mjs`. */
export const ARCHIVES = join(folder, 'archives')

export const WRITERS = JSON.parse(readFileSync(join(folder, 'writers.json'), 'utf8')) as readonly ZipWriter[]

/** Text by path; there is an empty directory `sub/empty` too, which some writers leave out. */
export const SOURCE_FILES = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as Readonly<
  Record<string, string>
>

/** True when the writer with its libraries is installed; with `CI=true` a missing one is an error. */
export function canRun({ title, program, versionCommand }: ZipWriter): boolean {
  if (!needs('sh', program)) return false
  try {
    sh(versionCommand, process.cwd(), {})
    return true
  } catch {
    if (process.env.CI === 'true') throw new Error(`CI has no ${title}: .ci/run installs it`)
    return false
  }
}

/** Packs the directory `source` into the archive `out`. */
export function makeArchive({ command }: ZipWriter, source: string, out: string): void {
  sh(command, source, { OUT: out, PROGRAMS: join(folder, 'programs') })
}

function sh(command: string, cwd: string, more: Readonly<Record<string, string>>): void {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', LC_ALL: 'C.UTF-8', ...more }
  execFileSync('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'ignore', 'ignore'] })
}
