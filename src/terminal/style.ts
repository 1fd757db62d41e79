import { Chalk } from 'chalk'

/** How words of one stream are dressed; without colour every function returns its text as it is. */
export interface Style {
  readonly hasColor: boolean
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly name: (text: string) => string
  readonly mark: { readonly good: string; readonly bad: string; readonly warn: string }
}

/** The style of one stream. Meaning is never in colour alone: the marks differ too. */
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
    mark: hasUnicode ? { good: '✓', bad: '✗', warn: '!' } : { good: 'ok', bad: 'x', warn: '!' },
  }
}
