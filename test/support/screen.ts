import { type ChildProcess, spawn } from 'node:child_process'
import xterm from '@xterm/headless'
import { toolCommand } from './tool-command.ts'

/** The tool in a pseudo-terminal, and its screen. */
export interface Session extends AsyncDisposable {
  /** The lines of the screen, without trailing spaces and empty lines at the end. */
  readonly lines: () => string[]
  readonly isCursorVisible: () => boolean
  /** Resolves when the screen meets a condition. */
  readonly shows: (condition: (lines: readonly string[]) => boolean) => Promise<void>
  readonly type: (keys: string) => void
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
}

/** Starts the tool in a terminal of 60 columns; needs the program `script` of util-linux. */
export function startSession(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Session {
  const terminal = new xterm.Terminal({ cols: 60, rows: 24, allowProposedApi: true })
  let isCursorVisible = true
  for (const final of ['h', 'l']) {
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (params) => {
      if (params.includes(25)) isCursorVisible = final === 'h'
      return false
    })
  }
  const lines = (): string[] => {
    const { active } = terminal.buffer
    const all = Array.from({ length: active.length }, (_, row) =>
      active.getLine(row)!.translateToString(true),
    )
    return all.slice(0, all.findLastIndex((line) => line !== '') + 1)
  }
  const { program, args } = toolCommand()
  const command = [program, ...args, ...argv].map((word) => `'${word}'`).join(' ')
  const child: ChildProcess = spawn(
    'script',
    ['-qefc', `stty cols 60 rows 24; exec ${command}`, '/dev/null'],
    {
      cwd,
      env: { PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const waiting = new Set<() => void>()
  child.stdout!.on('data', (bytes: Buffer) => {
    terminal.write(bytes, () => {
      for (const check of waiting) check()
    })
  })
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => terminal.write('', () => resolve(code))),
  )
  return {
    lines,
    isCursorVisible: () => isCursorVisible,
    shows: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition(lines())) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    type: (keys) => child.stdin!.write(keys),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}
