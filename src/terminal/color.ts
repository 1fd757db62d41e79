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
