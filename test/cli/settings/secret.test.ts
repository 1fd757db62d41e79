import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Notice } from '../../../src/base/notice.ts'
import type { World } from '../../../src/base/world.ts'
import type { ConfigFile, FileValue } from '../../../src/cli/settings/config-file.ts'
import { planSecret, readSecret, type SecretPlan, takeEnvSecrets } from '../../../src/cli/settings/secret.ts'
import { posixTest } from '../../support/programs.ts'
import { testWorld, withFolder } from '../../support/world.ts'

const level = (values: Readonly<Record<string, unknown>>): ReadonlyMap<string, FileValue> =>
  new Map(Object.entries(values).map(([key, value], index) => [key, { value, line: index + 1 }]))

const file = (
  top: Readonly<Record<string, unknown>>,
  night: Readonly<Record<string, unknown>> = {},
): ConfigFile => ({
  path: '/c/config.toml',
  top: level(top),
  profiles: new Map([['night', level(night)]]),
  mistakes: [],
  isExposed: false,
})

test('secrets leave the environment of the process', () => {
  const forgotten: string[] = []
  const world = testWorld({
    env: { MATDECL_TOKEN: 't', MATDECL_API_KEY: ' ', OTHER: 'x' },
    forgetEnv: (name) => void forgotten.push(name),
  })
  expect([...takeEnvSecrets(world)]).toEqual([['MATDECL_TOKEN', 't']])
  expect(forgotten.sort()).toEqual(['MATDECL_API_KEY', 'MATDECL_TOKEN'])
})

describe('planSecret', () => {
  const all = file({ 'token-file': 't.txt', token: 'top' }, { token: 'night' })
  const variables = { MATDECL_TOKEN_FILE: '/e.txt' }

  test.each([
    ['the variable', { MATDECL_TOKEN: 't' }, variables, all, 'night', 'value', 't', 'MATDECL_TOKEN'],
    ['the _FILE variable', {}, variables, all, 'night', 'file', '/e.txt', 'MATDECL_TOKEN_FILE'],
    ['the profile', {}, {}, all, 'night', 'value', 'night', '/c/config.toml:1: token'],
    ['the top of the file', {}, {}, all, undefined, 'value', 'top', '/c/config.toml:2: token'],
    [
      'the file beside it',
      {},
      {},
      file({ 'token-file': 't.txt' }),
      undefined,
      'file',
      join('/c', 't.txt'),
      '/c/config.toml:1: token-file',
    ],
    [
      'a command',
      {},
      {},
      file({ token: '', 'token-command': ['pass', 'x'] }),
      undefined,
      'command',
      ['pass', 'x'],
      '/c/config.toml:2: token-command',
    ],
  ] as const)('%s comes first', (_, taken, env, config, profile, how, text, where) => {
    const secrets = new Map(Object.entries(taken))
    expect(planSecret('token', testWorld({ env }), secrets, config, profile)).toMatchObject({
      how,
      text,
      source: { where },
    })
  })

  test('is undefined without a source', () => {
    expect(planSecret('api-key', testWorld(), new Map(), all, 'night')).toBeUndefined()
  })

  test('a value that is no string is refused and not printed', () => {
    const plan = (): unknown => planSecret('token', testWorld(), new Map(), file({ token: 12345 }), undefined)
    expect(plan).toThrow(/config\.toml:1: token must be a string in quotes$/)
    expect(plan).not.toThrow(/12345/)
  })
})

describe('readSecret', () => {
  const plan = (how: SecretPlan['how'], text: SecretPlan['text']): SecretPlan => ({
    how,
    text,
    source: { kind: 'file', where: 'W' },
  })
  const silent = (): void => undefined

  test.each([
    ['pass show token', ['pass', 'show', 'token']],
    [`'my pass' "a b"c`, ['my pass', 'a bc']],
    [
      ['a b', '$HOME'],
      ['a b', '$HOME'],
    ],
  ])('runs %j without a shell and takes the first line', async (text, words) => {
    const ran: string[][] = []
    const world = testWorld({
      runProgram: async (program, args) => {
        ran.push([program, ...args])
        return { exitCode: 0, stdout: 'tok\r\nuser: me\n', stderr: '' }
      },
    })
    expect((await readSecret('token', world, plan('command', text), 'matdecl login', silent))?.value).toBe(
      'tok',
    )
    expect(ran).toEqual([words])
  })

  test.each([
    ['timeMs', 'W: x did not end within 30 s and was stopped'],
    ['outputBytes', 'W: x printed more than 64 KiB and was stopped'],
  ] as const)('a command that exceeds its limit of %s is a config failure', async (exceeded, message) => {
    const world = testWorld({
      runProgram: async (_program, _args, limits) => {
        expect(limits).toEqual({ timeMs: 30_000, outputBytes: 65_536, mayAsk: false })
        return { exitCode: null, stdout: 'half-a-token', stderr: '', exceeded }
      },
    })
    await expect(
      readSecret('token', world, plan('command', 'x'), 'matdecl login', silent),
    ).rejects.toMatchObject({
      kind: 'config',
      message,
    })
  })

  test.each([
    ['an empty command', plan('command', ' '), /^W is empty$/],
    ['a command that fails', plan('command', 'x'), /^W: x exited with code 3$/],
    [
      'a file that is missing',
      plan('file', '/nothing/there'),
      /^the secret file \/nothing\/there \(from W\) does not exist$/,
    ],
    ['two lines', plan('value', 'to\nken'), /^the token from W /],
    [
      'a line of a shell',
      plan('value', 'MATDECL_TOKEN=to\nken\n'),
      /^the token from W has the name MATDECL_TOKEN before its value: keep only the value$/,
    ],
  ])('%s is a config failure without the secret', async (_, from, message) => {
    const world = testWorld({ runProgram: async () => ({ exitCode: 3, stdout: 'to\nken', stderr: '' }) })
    const error: unknown = await readSecret('token', world, from, 'matdecl login', silent).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ kind: 'config', message: expect.stringMatching(message) })
    expect((error as Error).message).not.toContain('ken\n')
  })

  test('a command that fails and prints a secret to standard error alone does not show it', async () => {
    const secret = 'eyJhbGciOiJIUzI1NiJ9.e30.Et9H'
    const runProgram = async () => ({ exitCode: 1, stdout: '', stderr: `vault: sealed: ${secret}\n` })
    const failed = readSecret(
      'token',
      testWorld({ runProgram }),
      plan('command', 'x'),
      'matdecl login',
      silent,
    )
    await expect(failed).rejects.toThrow(/^W: x exited with code 1: vault: sealed: \*\*\*$/)
  })

  test.each([
    [
      'win32',
      'the command runs without a shell: set it to a program on the PATH, or the path of one, and its arguments; for a .cmd or .bat file, set it to ["cmd", "/c", "az", …]',
    ],
    [
      'linux',
      'the command runs without a shell: set it to a program on the PATH, or the path of one, and its arguments',
    ],
  ] as const)('a program that cannot be started has a hint for %s', async (platform, hint) => {
    const runProgram = () => Promise.reject(Object.assign(new Error(), { code: 'ENOENT' }))
    const world = testWorld({ runProgram, host: { ...testWorld().host, platform } })
    await expect(
      readSecret('token', world, plan('command', 'az token'), 'matdecl login', silent),
    ).rejects.toMatchObject({ kind: 'config', message: 'W: az cannot be run (ENOENT)', hint })
  })

  test('a path in which TOML read an escape is refused with a hint to single quotes', () => {
    const broken = file({ 'token-file': 'C:\temp\new' })
    expect(() => planSecret('token', testWorld(), new Map(), broken, undefined)).toThrow(
      expect.objectContaining({
        message: '/c/config.toml:1: token-file contains a control character',
        hint: expect.stringContaining('in single quotes'),
      }),
    )
  })

  test('a command that fails says why, without its secret, and asks only on a terminal', async () => {
    const asked: (boolean | undefined)[] = []
    const runProgram: World['runProgram'] = async (_program, _args, { mayAsk }) => {
      asked.push(mayAsk)
      return {
        exitCode: null,
        signal: 'SIGTERM',
        stdout: 'secret-token',
        stderr: 'one\nno secret-token here\n',
      }
    }
    for (const isTTY of [false, true]) {
      const world = testWorld({ runProgram, isTTY })
      await expect(readSecret('token', world, plan('command', 'x'), 'matdecl login', silent)).rejects.toThrow(
        'W: x was ended by SIGTERM: no *** here',
      )
    }
    expect(asked).toEqual([false, true])
  })

  posixTest('warns when others can read the file', () =>
    withFolder(async (folder) => {
      const path = join(folder, "it's")
      await writeFile(path, 'tok\n', { mode: 0o644 })
      const notices: Notice[] = []
      const secret = await readSecret('token', testWorld(), plan('file', path), 'matdecl login', (notice) =>
        notices.push(notice),
      )
      expect(secret?.value).toBe('tok')
      expect(notices).toMatchObject([{ level: 'warning', event: 'secret.exposed' }])
      expect(notices[0]!.message).toContain(`chmod 600 '${folder}/it'\\''s'`)
    }),
  )
})
