import { describe, expect, test } from 'vitest'
import { type ColorFacts, wantsColor, wantsUnicode } from '../../src/terminal/style.ts'

const TERMINAL: ColorFacts = { color: 'auto', noColor: false, env: {}, isTTY: true }

describe('colors of one stream', () => {
  test.each<[string, Partial<ColorFacts>, boolean]>([
    ['a terminal', {}, true],
    ['a pipe', { isTTY: false }, false],
    ['--no-color', { noColor: true, env: { FORCE_COLOR: '1' } }, false],
    ['--color=never', { color: 'never', env: { FORCE_COLOR: '1' } }, false],
    ['--color=always beats NO_COLOR', { color: 'always', env: { NO_COLOR: '1' }, isTTY: false }, true],
    ['NO_COLOR beats FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
    ['an empty NO_COLOR is none', { env: { NO_COLOR: '' } }, true],
    ['NO_COLOR=0 is set all the same', { env: { NO_COLOR: '0' } }, false],
    ['FORCE_COLOR on a pipe', { env: { FORCE_COLOR: '1' }, isTTY: false }, true],
    ['FORCE_COLOR=0', { env: { FORCE_COLOR: '0' } }, false],
    ['CLICOLOR_FORCE on a pipe', { env: { CLICOLOR_FORCE: '1' }, isTTY: false }, true],
    ['CLICOLOR=0', { env: { CLICOLOR: '0' } }, false],
    ['TERM=dumb', { env: { TERM: 'dumb' } }, false],
    ['FORCE_COLOR beats TERM=dumb', { env: { TERM: 'dumb', FORCE_COLOR: '1' } }, true],
  ])('%s', (_, facts, wanted) => {
    expect(wantsColor({ ...TERMINAL, ...facts })).toBe(wanted)
  })
})

test.each([
  [{ LANG: 'C.UTF-8' }, 'linux', true],
  [{ LANG: 'de_DE.utf8' }, 'linux', true],
  [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, 'linux', false],
  [{ LANG: 'de_DE.ISO-8859-1' }, 'linux', false],
  [{}, 'linux', false],
  [{}, 'darwin', true],
  [{ TERM: 'dumb', LANG: 'C.UTF-8' }, 'linux', false],
] as const)('characters beyond ASCII with %j on %s: %s', (env, platform, wanted) => {
  expect(wantsUnicode(env, platform)).toBe(wanted)
})
