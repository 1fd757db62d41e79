import * as realDisk from 'node:fs/promises'
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import { cli, TOKEN, tree } from '../../support/cli.ts'
import { answer, rawServer } from '../../support/raw-server.ts'
import { createFakeClock, windowsWorld, withFolder } from '../../support/world.ts'

type Run = (argv: readonly string[], overrides?: Parameters<typeof cli>[1]) => ReturnType<typeof cli>

/** Runs with an empty home, and without a token in the environment. */
async function withHome(body: (config: string, run: Run) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const config = join(folder, 'matdecl')
    await mkdir(config)
    const run: Run = (argv, overrides) =>
      cli(argv, {
        cwd: folder,
        ...overrides,
        env: { MATDECL_TOKEN: '', XDG_CONFIG_HOME: folder, ...overrides?.env },
      })
    await body(config, run)
  })
}

const write = (path: string, text: string) => writeFile(path, text, { mode: 0o600 })

describe('login', () => {
  test('checks the token with the service, saves it, and names its file in a new config file', async () => {
    await using service = await startSandbox({ clock: createFakeClock(), port: 0, token: TOKEN })
    await withHome(async (config, run) => {
      const { code, stdout, stderr } = await run(['login', '--base-url', service.url], {
        stdinText: ` Bearer ${TOKEN}\n`,
      })
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${config}/token\n` })
      expect(stderr).toContain('the service accepts the token')
      expect(`${stdout}${stderr}`).not.toContain(TOKEN)
      expect(await readFile(join(config, 'token'), 'utf8')).toBe(`${TOKEN}\n`)
      expect((await stat(join(config, 'token'))).mode & 0o777).toBe(0o600)
      expect(await readFile(join(config, 'config.toml'), 'utf8')).toMatch(
        /^# .+\nbase-url = "http:\/\/127\.0\.0\.1:\d+"\ntoken-file = "token"\n$/,
      )
      expect((await stat(join(config, 'config.toml'))).mode & 0o777).toBe(0o600)
      const plan = await run(['--supplier', '100200300', '-o', 'a.zip'])
      expect(plan.code).toBe(0)
    })
  })

  test('masks the token in whatever else it prints, a path with the token in its name too', async () => {
    await withFolder(async (folder) => {
      const env = { MATDECL_TOKEN: '', XDG_CONFIG_HOME: join(folder, TOKEN) }
      const { code, stderr } = await cli(['login'], { cwd: folder, env, stdinText: `${TOKEN}\n` })
      expect(code).toBe(0)
      expect(stderr).toContain('config.toml: token-file saved')
      expect(stderr).not.toContain(TOKEN)
    })
  })

  test('saves both for a profile that is new, beside those that there are', async () => {
    await using service = await startSandbox({ clock: createFakeClock(), port: 0, token: TOKEN })
    await withHome(async (config, run) => {
      const before =
        'base-url = "https://top.example.com"\ntoken-file = "token"\n\n[profiles.other]\nquiet = true'
      await write(join(config, 'config.toml'), before)
      await write(join(config, 'token'), 'token-of-the-top-0123\n')
      const argv = ['login', '--profile', 'the lab', '--base-url', service.url]
      const { code, stdout, stderr } = await run(argv, { stdinText: TOKEN })
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${config}/token-the%20lab\n` })
      expect(stderr).toContain('config.toml, profile the lab: base-url and token-file saved')
      expect(await readFile(join(config, 'config.toml'), 'utf8')).toBe(
        `${before}\n[profiles."the lab"]\nbase-url = "${service.url}"\ntoken-file = "token-the%20lab"\n`,
      )
      expect(await readFile(join(config, 'token'), 'utf8')).toBe('token-of-the-top-0123\n')
      expect((await run(['--profile', 'the lab', '--part', 'HA-6A', '-o', 'a.zip'])).code).toBe(0)
      expect((await run([...argv.slice(0, 3)], { stdinText: TOKEN })).code).toBe(0)
      expect((await readFile(join(config, 'config.toml'), 'utf8')).match(/the lab/g)).toHaveLength(1)
      expect((await run(['logout', '--profile', 'the lab'])).code).toBe(0)
      expect(await tree(config)).toEqual(['config.toml', 'token'])
      expect((await run(['doctor', '--profile', 'typo'])).stderr).toContain("unknown profile 'typo'")
    })
  })

  test('creates the config file that is named, which other commands do not', async () => {
    await using service = await startSandbox({ clock: createFakeClock(), port: 0, token: TOKEN })
    await withHome(async (config, run) => {
      const path = join(config, 'ci', 'lab.toml')
      const argv = ['--config', path, '--base-url', service.url]
      const before = await run(['--part', 'HA-6A', ...argv])
      expect(before.stderr).toContain('create it with matdecl login, or name another: --config')
      expect((await run(['login', ...argv], { stdinText: TOKEN })).code).toBe(0)
      expect(await tree(config)).toEqual(['ci', 'ci/lab.toml', 'ci/token'])
      expect((await run(['--part', 'HA-6A', '-o', 'a.zip', '--config', path])).code).toBe(0)
    })
  })

  test('replaces the address that the file has; one from the environment stays there', async () => {
    await using service = await startSandbox({ clock: createFakeClock(), port: 0, token: TOKEN })
    await withHome(async (config, run) => {
      const path = join(config, 'config.toml')
      await write(
        path,
        '# mine\nbase-url = "https://old.example.com" # old\ntoken-file = "token"\nrate = 30\n',
      )
      const env = { MATDECL_BASE_URL: service.url }
      expect((await run(['login'], { stdinText: TOKEN, env })).code).toBe(0)
      expect(await readFile(path, 'utf8')).toContain('"https://old.example.com" # old')
      expect((await run(['login', '--base-url', service.url], { stdinText: TOKEN })).code).toBe(0)
      expect(await readFile(path, 'utf8')).toBe(
        `# mine\nbase-url = "${service.url}"\ntoken-file = "token"\nrate = 30\n`,
      )
    })
  })

  test('leaves a file alone whose lines it cannot change, and gives the lines', async () => {
    await withHome(async (config, run) => {
      const text = 'base-url = """\nhttps://old.example.com"""\n'.replace('\n', '')
      await write(join(config, 'config.toml'), `${text}profiles.a = { quiet = true }\n`)
      const argv = ['login', '--profile', 'a', '--base-url', 'http://127.0.0.1:1']
      const result = await run(argv, { stdinText: TOKEN })
      expect(result).toMatchObject({ code: 3, stdout: '' })
      expect(result.stderr).toContain(
        'hint: write there, then run the same command again: [profiles.a] / base-url = "http://127.0.0.1:1" / token-file = "token-a"',
      )
      expect(await readFile(join(config, 'config.toml'), 'utf8')).toBe(
        `${text}profiles.a = { quiet = true }\n`,
      )
    })
  })

  test.each([
    [404, 'no', 'the service has no /v2/ping and no /v2/quota'],
    [405, 'no', 'the service has no /v2/ping and no /v2/quota'],
    [200, '<html>Welcome</html>', 'responded to /v2/quota with a web page instead of JSON'],
    [200, '', 'responded to /v2/quota with something else instead of JSON'],
    [200, '{"hello":1}', 'the service responds, but its /v2/quota is not understood'],
  ])(
    'logs in to a service that has nothing to check with (%i %j), and says so',
    async (status, body, why) => {
      const service = await rawServer((_, socket) => socket.write(answer(status, [], body)))
      await withHome(async (config, run) => {
        const { code, stderr, stdout } = await run(['login', '--base-url', service.url], { stdinText: TOKEN })
        expect({ code, stdout }).toEqual({ code: 0, stdout: `${config}/token\n` })
        expect(stderr).toContain('the token was not checked: ')
        expect(stderr).toContain(why)
        expect(stderr).not.toContain('accepts')
        expect(await tree(config)).toEqual(['config.toml', 'token'])
      })
      await service.close()
    },
  )

  test.each([
    [true, 'the service accepts the token\n'],
    [false, 'the service accepts the token, but does not let it download: ask the provider for that\n'],
  ])('believes the allowance, also without a ping (authorized: %s)', async (authorized, words) => {
    const quota = JSON.stringify({ 'api:consume': { authorized, tier_limit: 5, tier_usage: 1 } })
    const service = await rawServer(({ path }, socket) =>
      socket.write(path === '/v2/quota' ? answer(200, [], quota) : answer(404, [], '')),
    )
    await withHome(async (_, run) => {
      const { code, stderr } = await run(['login', '--base-url', service.url], { stdinText: TOKEN })
      expect([code, stderr]).toEqual([0, expect.stringContaining(words)])
    })
    await service.close()
  })

  test('reads address and token from standard input, a line each', async () => {
    await using service = await startSandbox({ clock: createFakeClock(), port: 0, token: TOKEN })
    await withHome(async (config, run) => {
      const { code, stderr } = await run(['login'], { stdinText: `${service.url}/v2/\n${TOKEN}\n` })
      expect(code).toBe(0)
      expect(stderr).toContain('the service accepts the token')
      expect(await readFile(join(config, 'config.toml'), 'utf8')).toContain(`base-url = "${service.url}"\n`)
      expect(await readFile(join(config, 'token'), 'utf8')).toBe(`${TOKEN}\n`)
    })
    await withHome(async (config, run) => {
      await write(join(config, 'config.toml'), 'base-url = "https://top.example.com"\n')
      const stdinText = `${service.url}\n${TOKEN}\n`
      expect((await run(['login', '--profile', 'lab'], { stdinText })).code).toBe(0)
      expect(await readFile(join(config, 'config.toml'), 'utf8')).toContain(
        `[profiles.lab]\nbase-url = "${service.url}"\n`,
      )
    })
    await withHome(async (config, run) => {
      const result = await run(['login'], { stdinText: `http://example.com\n${TOKEN}\n` })
      expect(result).toMatchObject({ code: 2, stdout: '' })
      expect(result.stderr).toContain('unencrypted')
      expect(await tree(config)).toEqual([])
    })
  })

  test('on Windows saves a new token where it does not roam, and a known one where it is', async () => {
    await using service = await startSandbox({ clock: createFakeClock(), port: 0, token: TOKEN })
    await withHome(async (config, run) => {
      const state = join(config, '..', 'local')
      const { disk, syncDisk, host } = windowsWorld()
      const windows = { disk, syncDisk, host, stdinText: TOKEN, env: { XDG_STATE_HOME: state } }
      const first = await run(['login', '--base-url', service.url], windows)
      expect(first).toMatchObject({ code: 0, stdout: `${state}/matdecl/token\n` })
      expect(await readFile(join(config, 'config.toml'), 'utf8')).toMatch(
        /^token-file = "\.\.\/local\/matdecl\/token"\n/m,
      )
      expect((await run(['--supplier', '100200300', '-o', 'a.zip'], windows)).code).toBe(0)
      await write(join(config, 'config.toml'), `base-url = "${service.url}"\ntoken-file = "token"\n`)
      const second = await run(['login'], windows)
      expect(second).toMatchObject({ code: 0, stdout: `${config}/token\n` })
      await write(join(config, '..', 'other.toml'), '')
      const named = await run(['login', '--config', 'other.toml', '--base-url', service.url], windows)
      expect(named.stdout).toBe(`${join(config, '..')}/token\n`)
    })
  })

  test('writes nothing when the service refuses the token', async () => {
    await using service = await startSandbox({
      clock: createFakeClock(),
      port: 0,
      token: 'another-token-0123456789',
    })
    await withHome(async (config, run) => {
      const result = await run(['login', '--base-url', service.url], { stdinText: TOKEN })
      expect(result).toMatchObject({ code: 4, stdout: '' })
      expect(result.stderr).not.toContain(TOKEN)
      expect(result.stderr).toContain('hint: the token was not saved; paste it again')
      expect(await tree(config)).toEqual([])
    })
  })

  test('saves the token unchecked when the service cannot be reached, or is not known', async () => {
    await withHome(async (config, run) => {
      const { code, stderr } = await run(['login', '--base-url', 'http://127.0.0.1:1'], { stdinText: TOKEN })
      expect(code).toBe(0)
      expect(stderr).toContain('the token was not checked')
      expect(await readFile(join(config, 'token'), 'utf8')).toBe(`${TOKEN}\n`)
    })
    await withHome(async (_, run) => {
      const result = await run(['login', '--json'], { stdinText: TOKEN })
      expect(result.json()).toMatchObject({ schema: 'matdecl.login/1', status: 'ok', checked: false })
      expect(result.stderr).toContain('the service URL is not set')
    })
  })

  test('does not show a typed token that the service repeats in its refusal', async () => {
    const service = await rawServer(({ headers }, socket) => {
      const body = JSON.stringify({ message: `bad token: ${headers.authorization}` })
      socket.write(answer(401, ['Content-Type: application/json'], body))
    })
    await withHome(async (config, run) => {
      const { code, stdout, stderr } = await run(['login', '--base-url', service.url, '-vv'], {
        stdinText: TOKEN,
      })
      expect([code, stdout]).toEqual([4, ''])
      expect(stderr).toContain('bad token')
      expect(stderr).not.toContain(TOKEN)
      expect(await tree(config)).toEqual([])
    })
    await service.close()
  })

  test('writes to the file that the settings name, and leaves the settings alone', async () => {
    await withHome(async (config, run) => {
      const text = 'token-file = "secrets/mine"\n'
      await write(join(config, 'config.toml'), text)
      expect((await run(['login'], { stdinText: TOKEN })).stdout).toBe(`${config}/secrets/mine\n`)
      expect(await readFile(join(config, 'config.toml'), 'utf8')).toBe(text)
    })
  })

  test('adds two lines to a config file that has none, also behind a link', async () => {
    await withHome(async (config, run) => {
      await write(join(config, 'real.toml'), '# mine\n[profiles.night]\nquiet = true\n')
      await symlink('real.toml', join(config, 'config.toml'))
      const argv = ['login', '--base-url', 'http://127.0.0.1:1']
      expect((await run(argv, { stdinText: TOKEN })).code).toBe(0)
      expect(await readFile(join(config, 'real.toml'), 'utf8')).toBe(
        'base-url = "http://127.0.0.1:1"\ntoken-file = "token"\n# mine\n[profiles.night]\nquiet = true\n',
      )
      expect((await run(['config', 'show', '--json'])).code).toBe(0)
    })
  })

  test.each([
    ['a variable', 'unset MATDECL_TOKEN', '', { MATDECL_TOKEN: TOKEN }],
    ['a line of the config file', 'remove that line', `token = "${TOKEN}"\n`, {}],
    ['a command', 'remove that line', 'token-command = ["pass", "show"]\n', {}],
  ])('refuses to write a file that %s overrides', async (_, hint, text, env) => {
    await withHome(async (config, run) => {
      await write(join(config, 'config.toml'), text)
      const result = await run(['login'], { stdinText: 'other-token-0123456789', env })
      expect(result).toMatchObject({ code: 3, stdout: '' })
      expect(result.stderr).toContain(hint)
      expect(result.stderr).not.toContain(TOKEN)
      expect(await tree(config)).toEqual(['config.toml'])
    })
  })

  test.each([
    ['', 'is empty'],
    ['two words', 'contains whitespace'],
    ['one\ntwo', 'has more than one line'],
    ['a'.repeat(70_000), 'more than 64 KiB'],
  ])('refuses what is no token', async (text, reason) => {
    await withHome(async (config, run) => {
      const { code, stderr } = await run(['login'], { stdinText: text })
      expect(code).toBeGreaterThan(1)
      expect(stderr).toContain(reason)
      expect(await tree(config)).toEqual([])
    })
  })

  test('a file that cannot be written is a failure whose hint names an option that there is', async () => {
    await withHome(async (config, run) => {
      const open: typeof realDisk.open = (path, ...rest) =>
        String(path).includes('token')
          ? Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }))
          : realDisk.open(path, ...rest)
      const result = await run(['login'], { stdinText: TOKEN, disk: { ...realDisk, open } })
      expect(result).toMatchObject({ code: 9, stdout: '' })
      expect(result.stderr).toMatch(/permission denied \(EACCES\)\n.*: --config\n/)
      expect(result.stderr).not.toContain(TOKEN)
      expect(await tree(config)).toEqual([])
    })
  })

  test('on a terminal asks for the address and, without echo, for the token', async () => {
    await using service = await startSandbox({ clock: createFakeClock(), port: 0, token: TOKEN })
    await withHome(async (config, run) => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true })
      stdin.write(`123456789\n${service.url}/v2/download\n${TOKEN}\n`)
      const { code, stderr } = await run(['login'], { isTTY: true, stdin })
      expect(code).toBe(0)
      expect(stderr).toMatch(
        /URL of the service[\s\S]*invalid URL[\s\S]*URL of the service[\s\S]*token for 127\.0\.0\.1:\d+ \(not shown\):/,
      )
      expect(stderr).toContain('the service accepts the token')
      expect(stderr).not.toContain(TOKEN)
      expect(await readFile(join(config, 'token'), 'utf8')).toBe(`${TOKEN}\n`)
      expect(await readFile(join(config, 'config.toml'), 'utf8')).toContain(`base-url = "${service.url}"\n`)
    })
  })

  test('an address typed wrong is not saved: one that cannot be reached, and three that are none', async () => {
    await withHome(async (config, run) => {
      for (const [typed, code] of [
        [`http://127.0.0.1:1\n${TOKEN}\n`, 7],
        [`\nftp://a.example\n123\n${TOKEN}\n`, 2],
      ] as const) {
        const stdin = Object.assign(new PassThrough(), { isTTY: true })
        stdin.write(typed)
        const result = await run(['login'], { isTTY: true, stdin })
        expect(result).toMatchObject({ code, stdout: '' })
        expect(result.stderr).toMatch(/nothing was (?:saved|written)/)
        expect(result.stderr).not.toContain(TOKEN)
        expect(await tree(config)).toEqual([])
      }
    })
  })

  test('without prompts, on a terminal, it says how to pipe the token in', async () => {
    await withHome(async (_, run) => {
      const ended = Object.assign(new PassThrough(), { isTTY: true })
      ended.end()
      const left = await run(['login'], { isTTY: true, stdin: ended })
      expect(left).toMatchObject({ code: 2, stdout: '' })
      expect(left.stderr).toContain('nothing was written')
      const refused = await run(['login', '--no-input'], { isTTY: true, stdin: ended })
      expect(refused).toMatchObject({ code: 2, stdout: '' })
    })
  })
})

describe('logout', () => {
  test('deletes the token file, and nothing else', async () => {
    await withHome(async (config, run) => {
      await run(['login'], { stdinText: TOKEN })
      const { code, stdout, stderr } = await run(['logout'])
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${config}/token\n` })
      expect(stderr).toContain('stays valid until the service revokes it')
      expect(await tree(config)).toEqual(['config.toml'])
      const again = await run(['logout', '--json'])
      expect(again.json()).toMatchObject({ schema: 'matdecl.logout/1', removed: false })
      expect(again.stderr).toContain('there is no token file')
    })
  })
})
