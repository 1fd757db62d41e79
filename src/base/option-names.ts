/** A hint with the options that help, as typed: `raise the timeout: --connect-timeout`. */
export function withOptions(text: string, options: readonly string[] | undefined): string {
  if (options === undefined || options.length === 0) return text
  return `${text}: ${options.map((name) => `--${name}`).join(', ')}`
}
