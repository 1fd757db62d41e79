import { describe, expect, test } from 'vitest'
import { cacheFolder, configFolder, stateFolder } from '../../src/fs/app-folders.ts'

describe('the directories of the program', () => {
  test.each<[NodeJS.Platform, Record<string, string>, string, string | undefined, string | undefined]>([
    ['linux', {}, '/home/u', '/home/u/.config/matdecl', '/home/u/.local/state/matdecl'],
    ['linux', { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, '/home/u', '/c/matdecl', '/s/matdecl'],
    ['linux', { XDG_CONFIG_HOME: 'c' }, '/home/u', '/home/u/.config/matdecl', '/home/u/.local/state/matdecl'],
    ['linux', { XDG_STATE_HOME: '/s' }, '', undefined, '/s/matdecl'],
    [
      'darwin',
      {},
      '/Users/u',
      '/Users/u/Library/Preferences/matdecl',
      '/Users/u/Library/Application Support/matdecl',
    ],
    [
      'win32',
      { APPDATA: 'C:\\a', LOCALAPPDATA: 'relative' },
      'C:\\Users\\u',
      'C:\\a\\matdecl',
      'C:\\Users\\u\\AppData\\Local\\matdecl',
    ],
    ['win32', {}, '', undefined, undefined],
  ])('on %s with %j and home %j', (platform, env, homeDir, config, state) => {
    const facts = { platform, env, homeDir }
    expect([configFolder(facts), stateFolder(facts)]).toEqual([config, state])
  })

  test.each<[NodeJS.Platform, Record<string, string>, string, string | undefined]>([
    ['linux', {}, '/home/u', '/home/u/.cache/matdecl'],
    ['linux', { XDG_CACHE_HOME: '/k' }, '', '/k/matdecl'],
    ['linux', { XDG_CACHE_HOME: 'k' }, '/home/u', '/home/u/.cache/matdecl'],
    ['linux', {}, '', undefined],
    ['darwin', {}, '/Users/u', '/Users/u/Library/Caches/matdecl'],
    ['win32', { LOCALAPPDATA: 'C:\\l' }, 'C:\\Users\\u', 'C:\\l\\matdecl\\cache'],
    ['win32', {}, '', undefined],
  ])('of the cache on %s with %j and home %j', (platform, env, homeDir, cache) => {
    expect(cacheFolder({ platform, env, homeDir })).toBe(cache)
  })
})
