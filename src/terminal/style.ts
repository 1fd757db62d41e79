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
