import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { absolutePath } from '../../fs/output-target.ts'
import type { Context } from '../context.ts'

/** How long to wait for the opener to fail. Some run until their window is closed. */
const LIMITS = { timeMs: 3_000, outputBytes: 0, isLeftRunning: true } as const

/** Throws `usage` when a report is to be opened and there will be no file. */
export function checkOpen({ settings }: Context): void {
  const { open, reportOutput } = settings.values
  if (!open || (reportOutput !== undefined && reportOutput !== '-')) return
  throw new Failure('usage', '--open needs a file to open', { hint: 'add -o report.html' })
}

/** Opens the file of a report with the default program of the system, if requested. A failure is only a warning, because the report was written. */
export async function openReport({ world, settings, terminal }: Context): Promise<void> {
  const { open, reportOutput } = settings.values
  if (!open) return
  const [program, ...args] = openerOf(world.host.platform)
  const path = absolutePath(world.cwd, reportOutput!)
  const problem = await world.runProgram(program, [...args, path], LIMITS).then(
    ({ exitCode }) => (exitCode === null || exitCode === 0 ? '' : `${program} exited with code ${exitCode}`),
    (error: NodeJS.ErrnoException) => {
      if (error.code === undefined) throw error
      return error.code === 'ENOENT' ? `${program} is not installed` : `${program}: ${error.code}`
    },
  )
  if (problem !== '') {
    const message = `cannot open ${escapeUnsafe(reportOutput!)}: ${problem}`
    terminal.reporter.notice({ level: 'warning', event: 'report.not-opened', message })
  }
}

/** The program that opens a file as a double click does, with its first arguments. None of them goes through a shell. */
function openerOf(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler']
  return ['xdg-open']
}
