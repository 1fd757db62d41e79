import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ConfigFile, readConfigFile } from '../../../src/cli/settings/config-file.ts'
import { posixTest } from '../../support/programs.ts'
import { testWorld, withFolder } from '../../support/world.ts'

async function read(text: string, mode = 0o600): Promise<ConfigFile> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, 'c.toml'), text)
    await chmod(join(folder, 'c.toml'), mode)
    return (await readConfigFile(testWorld({ cwd: folder }), 'c.toml'))!
  })
}

const matching = (what: string | RegExp): unknown =>
  typeof what === 'string' ? what : expect.stringMatching(what)

describe('readConfigFile', () => {
  test('gives each value with its line, at the top and in profiles', async () => {
    const file = await read(
      '# rate = 1\nrate = 30\n"base-url" = "https://x"\nstart-date = 2024-01-02\n\n[profiles.ci]\nrate=5\n[profiles."a b"]\n',
    )
    expect([...file.top]).toEqual([
      ['rate', { value: 30, line: 2 }],
      ['base-url', { value: 'https://x', line: 3 }],
      ['start-date', { value: '2024-01-02', line: 4 }],
    ])
    expect([...file.profiles].map(([name, values]) => [name, [...values]])).toEqual([
      ['ci', [['rate', { value: 5, line: 7 }]]],
      ['a b', []],
    ])
  })

  test.each([
    ['[ci]\nrate = 1', "c.toml:1: unknown table 'ci'", 'did you mean [profiles.ci]?'],
    ['\n[profile.ci]\nrate = 1', "c.toml:2: unknown table 'profile'", 'did you mean [profiles.ci]?'],
    ['profiles = 1', 'c.toml:1: profiles must contain tables: write [profiles.NAME]', /configuration\.md/],
    [
      'rate = 1\n[[profiles]]\nrate = 1',
      'c.toml:2: profiles must contain tables: write [profiles.NAME]',
      /configuration\.md/,
    ],
    ['[profiles]\nci = 1', 'c.toml:2: profiles.ci is not a table: write [profiles.ci]', /configuration\.md/],
    ['[profiles.ci]\nprofile = "x"', "c.toml:2: unknown setting 'profile'", /./],
  ])('%j is a mistake with its line', async (text, message, hint) => {
    expect((await read(text)).mistakes).toMatchObject([{ message, hint: matching(hint) }])
  })

  test('every unknown key is a mistake; the others are read', async () => {
    const { mistakes, top } = await read('a = 1\nrate = 30\n[profiles.ci]\nb = 2\n')
    expect(mistakes.map(({ message }) => message)).toEqual([
      "c.toml:1: unknown setting 'a'",
      "c.toml:4: unknown setting 'b'",
    ])
    expect(top.get('rate')?.value).toBe(30)
  })

  test.each([
    ['rate = 1\nrate = 2', /^c\.toml:\d: /, /fix the line/],
    [
      'token-file = "C:\\Users\\me"',
      /^c\.toml:1: .*escape/,
      String.raw`write a Windows path in single quotes: 'C:\Users\me\token.txt'`,
    ],
    ['token-file = "C:\\Xa"', /^c\.toml:1: .*escape/, /single quotes/],
    ['token = "abc\nrate = 1', /^c\.toml:1: a string is not closed on its line/, /fix the line/],
  ])('%j is no TOML', async (text, message, hint) => {
    await expect(read(text)).rejects.toMatchObject({
      kind: 'config',
      message: matching(message),
      hint: matching(hint),
    })
  })

  posixTest('reports that others can read the file', async () => {
    expect((await read('', 0o644)).isExposed).toBe(true)
    expect((await read('', 0o600)).isExposed).toBe(false)
  })
})
