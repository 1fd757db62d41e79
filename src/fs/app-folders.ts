import { isAbsolute, join, win32 } from 'node:path'

/** What decides where a program keeps its own files. */
export interface PlaceFacts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Empty when there is none. */
  readonly homeDir: string
}

/**
 * The folder of the settings file: `$XDG_CONFIG_HOME/matdecl` when that is absolute (XDG Base Directory 0.8 says to ignore it
 * otherwise), else the platform's own place. Undefined when nothing says where home is.
 */
export function configFolder(facts: PlaceFacts): string | undefined {
  return place(
    facts,
    'XDG_CONFIG_HOME',
    '.config',
    'APPDATA',
    ['AppData', 'Roaming'],
    ['Library', 'Preferences'],
  )
}

/** The folder of what is remembered between runs: `$XDG_STATE_HOME/matdecl`, else the platform's own place. */
export function stateFolder(facts: PlaceFacts): string | undefined {
  return place(
    facts,
    'XDG_STATE_HOME',
    '.local/state',
    'LOCALAPPDATA',
    ['AppData', 'Local'],
    ['Library', 'Application Support'],
  )
}

function place(
  { env, platform, homeDir }: PlaceFacts,
  xdgVariable: string,
  xdgDefault: string,
  windowsVariable: string,
  windowsDefault: readonly string[],
  macDefault: readonly string[],
): string | undefined {
  const xdg = env[xdgVariable]
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'matdecl')
  if (platform === 'win32') {
    const folder = env[windowsVariable]
    if (folder !== undefined && win32.isAbsolute(folder)) return win32.join(folder, 'matdecl')
    return win32.isAbsolute(homeDir) ? win32.join(homeDir, ...windowsDefault, 'matdecl') : undefined
  }
  if (!isAbsolute(homeDir)) return undefined
  return platform === 'darwin'
    ? join(homeDir, ...macDefault, 'matdecl')
    : join(homeDir, xdgDefault, 'matdecl')
}
