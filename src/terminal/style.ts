import { Chalk } from 'chalk'

/** The styles of one stream; without colors every function returns its text unchanged. */
export interface Style {
  readonly hasColor: boolean
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly name: (text: string) => string
  readonly mark: {
    readonly good: string
    readonly bad: string
    readonly warn: string
    readonly ellipsis: string
  }
}

/** Builds the styles of one stream. Color is never the only difference: the marks differ too. */
export function createStyle(hasColor: boolean, hasUnicode: boolean): Style {
  const chalk = new Chalk({ level: hasColor ? 1 : 0 })
  return {
    hasColor,
    strong: (text) => chalk.bold(text),
    faint: (text) => chalk.dim(text),
    good: (text) => chalk.green(text),
    bad: (text) => chalk.red(text),
    warn: (text) => chalk.yellow(text),
    name: (text) => chalk.cyan(text),
    mark: hasUnicode
      ? { good: '✓', bad: '✗', warn: '!', ellipsis: '…' }
      : { good: 'ok', bad: 'x', warn: '!', ellipsis: '~' },
  }
}

/** The options about output. */
export interface OutputChoice {
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: number
  readonly logFormat: 'text' | 'json'
  readonly noProgress: boolean
  readonly color: 'auto' | 'always' | 'never'
  readonly noColor: boolean
  readonly noInput: boolean
}

/** What decides whether a stream gets colors. */
export interface ColorFacts {
  readonly color: 'auto' | 'always' | 'never'
  readonly noColor: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTTY: boolean
}

/**
 * Whether one stream gets colors, by the first of these that says so: the options, NO_COLOR (not empty, see no-color.org),
 * FORCE_COLOR and CLICOLOR_FORCE (not 0), CLICOLOR=0, TERM=dumb, and whether it is a terminal.
 */
export function wantsColor({ color, noColor, env, isTTY }: ColorFacts): boolean {
  if (noColor || color === 'never') return false
  if (color === 'always') return true
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  for (const name of ['FORCE_COLOR', 'CLICOLOR_FORCE']) {
    const value = env[name]
    if (value !== undefined && value !== '') return value !== '0' && value !== 'false'
  }
  if (env.CLICOLOR === '0' || env.TERM === 'dumb') return false
  return isTTY
}

/** Whether to print characters beyond ASCII: in a UTF-8 locale, on Windows and macOS, but not with TERM=dumb. */
export function wantsUnicode(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): boolean {
  if (env.TERM === 'dumb') return false
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  if (platform === 'win32' || platform === 'darwin') return true
  return /utf-?8/i.test(locale)
}

/** True for a variable that is set, and not to 0 or false. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}
