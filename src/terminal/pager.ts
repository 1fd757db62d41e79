import { displayWidth } from '../base/clean-text.ts'
import { plainWords, shellWords } from '../base/shell-words.ts'
import type { PagerProcess, World } from '../base/world.ts'
import type { OutputChoice } from './style.ts'

/** A program that shows text page by page. */
interface PagerCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Where a user named it; undefined for the default one, which may be missing. */
  readonly source: string | undefined
}

/** Where a result goes that may be longer than the screen. */
interface PagedOutput {
  readonly write: (text: string) => Promise<void>
  /** Writes what is held back, or waits until the user has left the pager. */
  readonly end: () => Promise<void>
}

interface PagedOptions {
  readonly command: PagerCommand
  readonly columns: number
  readonly rows: number
  /** Writes to the terminal itself. */
  readonly write: (text: string) => Promise<void>
  /** Called before the pager takes the screen. */
  readonly onPager: () => void
  /** Called when the pager that a user named does not start. */
  readonly onMissing: (message: string) => void
}

/** The default: quits when all is on one screen, keeps colors, and leaves the text on the screen. */
const LESS = 'FRX'

/** The pager for a terminal with `rows`; undefined where text is to be written as it is. */
export function choosePager(
  { env, stdout, host }: Pick<World, 'env' | 'stdout' | 'host'>,
  { json, noPager, pager }: Pick<OutputChoice, 'json' | 'noPager' | 'pager'>,
): PagerCommand | undefined {
  if (stdout.isTTY !== true || !stdout.rows || env.TERM === 'dumb' || json || noPager) return undefined
  const source = pager !== undefined ? '--pager' : env.PAGER === undefined ? undefined : 'PAGER'
  const text = pager ?? env.PAGER ?? 'less'
  // A backslash of a Windows path is no escape.
  const split = host.platform === 'win32' ? { words: plainWords(text) } : shellWords(text)
  const [program = '', ...args] = 'words' in split ? split.words : []
  return program === '' || program === 'cat' ? undefined : { program, args, source }
}

/** Output that starts the pager once it is longer than the screen. If the pager does not start, the output is written without it. */
export function createPagedOutput(
  { startPager, env }: Pick<World, 'startPager' | 'env'>,
  { command, columns, rows, write, onPager, onMissing }: PagedOptions,
): PagedOutput {
  const { program, args, source } = command
  let held = ''
  let lines = 0
  let isPlain = false
  let pager: PagerProcess | undefined

  async function release(): Promise<void> {
    const text = held
    held = ''
    if (text !== '') await (pager === undefined ? write(text) : pager.write(text))
  }

  async function start(): Promise<void> {
    onPager()
    try {
      pager = await startPager(program, args, env.LESS === undefined ? { LESS } : {})
    } catch {
      isPlain = true
      if (source !== undefined) onMissing(`the pager '${program}' of ${source} cannot be started`)
    }
  }

  return {
    async write(text) {
      held += text
      if (pager === undefined && !isPlain) {
        lines += screenLines(text, columns)
        // The prompt of the shell has a line too.
        if (lines < rows) return
        await start()
      }
      await release()
    },
    async end() {
      await release()
      await pager?.end()
    },
  }
}

function screenLines(text: string, columns: number): number {
  const ends = text.split('\n')
  const last = ends.pop() === '' ? 0 : 1
  return ends.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), last)
}
