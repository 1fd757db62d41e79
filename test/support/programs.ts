import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** True when all these programs are on the PATH; with `CI=true` a missing one is an error, so that CI skips no test. */
export function needs(...programs: readonly string[]): boolean {
  const missing = programs.filter((program) => !isInstalled(program))
  if (missing.length === 0) return true
  if (process.env.CI === 'true') throw new Error(`CI has no ${missing.join(', ')}: .ci/run installs it`)
  return false
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
