import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, TestRunner, test } from 'vitest'

const isWindows = process.platform === 'win32'

/** A test about permission bits, links, pipes or other facts of POSIX; skipped on Windows. */
export const posixTest = test.skipIf(isWindows)
/** Tests about such facts. */
export const posixDescribe = describe.skipIf(isWindows)

declare module 'vitest' {
  interface TaskMeta {
    /** Programs that tests of this file need, and that are not installed: the reporter names them. */
    missingPrograms?: string[]
  }
}

/** True when all these programs are on the PATH; with `CI=true` a missing one is an error, so that CI skips no test. */
export function needs(...programs: readonly string[]): boolean {
  const missing = programs.filter((program) => !isInstalled(program))
  if (missing.length === 0) return true
  if (process.env.CI === 'true') throw new Error(`CI has no ${missing.join(', ')}: .ci/run installs it`)
  const file = TestRunner.getCurrentSuite()?.file
  if (file !== undefined) file.meta.missingPrograms = [...(file.meta.missingPrograms ?? []), ...missing]
  return false
}

function isInstalled(program: string): boolean {
  return pathOf(program) !== undefined
}

/** The path of a program. Servers are in directories that are not on the PATH of every user. */
export function pathOf(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin']
  return folders
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}
