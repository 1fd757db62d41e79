import { isAbsolute, join, win32 } from 'node:path'

export interface FolderFacts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Empty when unknown. */
  readonly homeDir: string
}

interface Convention {
  readonly xdg: { readonly variable: string; readonly folder: string }
  readonly windows: { readonly variable: string; readonly folder: string }
  readonly mac: string
}

const CONFIG: Convention = {
  xdg: { variable: 'XDG_CONFIG_HOME', folder: '.config' },
  windows: { variable: 'APPDATA', folder: 'AppData\\Roaming' },
  mac: 'Library/Preferences',
}
const STATE: Convention = {
  xdg: { variable: 'XDG_STATE_HOME', folder: '.local/state' },
  windows: { variable: 'LOCALAPPDATA', folder: 'AppData\\Local' },
  mac: 'Library/Application Support',
}

const CACHE: Convention = {
  xdg: { variable: 'XDG_CACHE_HOME', folder: '.cache' },
  windows: { variable: 'LOCALAPPDATA', folder: 'AppData\\Local' },
  mac: 'Library/Caches',
}

/** The directory of the config file; undefined when the home directory is unknown. */
export function configFolder(facts: FolderFacts): string | undefined {
  return folderOf(facts, CONFIG)
}

/** The directory of the state between runs; undefined when the home directory is unknown. */
export function stateFolder(facts: FolderFacts): string | undefined {
  return folderOf(facts, STATE)
}

/** The directory of what can be deleted at any time; undefined when the home directory is unknown. On Windows it is in that of the state. */
export function cacheFolder(facts: FolderFacts): string | undefined {
  const folder = folderOf(facts, CACHE)
  return folder !== undefined && facts.platform === 'win32' ? win32.join(folder, 'cache') : folder
}

// XDG Base Directory 0.8 ignores relative paths.
function folderOf(
  { env, platform, homeDir }: FolderFacts,
  { xdg, windows, mac }: Convention,
): string | undefined {
  const chosen = env[xdg.variable]
  if (chosen !== undefined && isAbsolute(chosen)) return join(chosen, 'matdecl')
  if (platform === 'win32') {
    const folder = env[windows.variable]
    if (folder !== undefined && win32.isAbsolute(folder)) return win32.join(folder, 'matdecl')
    return win32.isAbsolute(homeDir) ? win32.join(homeDir, windows.folder, 'matdecl') : undefined
  }
  if (!isAbsolute(homeDir)) return undefined
  return join(homeDir, platform === 'darwin' ? mac : xdg.folder, 'matdecl')
}
