import * as realDisk from 'node:fs/promises'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/base/failure.ts'
import { run } from '../../../src/cli/run.ts'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import { type CliResult, cli, TOKEN, tree } from '../../support/cli.ts'
import { posixTest } from '../../support/programs.ts'
import { startProxy } from '../../support/proxy.ts'
import { answer, rawServer } from '../../support/raw-server.ts'
import { testService } from '../../support/service.ts'
import { createAuthority, createCertificate } from '../../support/tls.ts'
import { createFakeClock, testWorld, windowsWorld, withFolder } from '../../support/world.ts'

const now = Date.now()
const REAL_CLOCK = { ...createFakeClock(), nowMs: Date.now }

interface CheckObject {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly fix?: string
  readonly code?: string
}

/** Runs `doctor --json` with the right time. */
async function examined(
  argv: readonly string[],
  overrides: Parameters<typeof cli>[1] = {},
): Promise<{ result: CliResult; check: (name: string) => CheckObject; failed: string[] }> {
  const result = await cli(['doctor', '--json', ...argv], { clock: REAL_CLOCK, ...overrides })
  const checks = result.json().checks as CheckObject[]
  return {
    result,
    check: (name) => checks.find((one) => one.name === name)!,
    failed: checks.filter(({ status }) => status === 'fail').map(({ name }) => name),
  }
}

describe('doctor', () => {
  test('--sandbox passes every check, one line each, and leaves nothing behind', async () => {
    await withFolder(async (folder) => {
      const env = { MATDECL_TOKEN: '', XDG_STATE_HOME: join(folder, 'state') }
      const { code, stdout, stderr } = await cli(['doctor', '--sandbox'], {
        cwd: folder,
        clock: REAL_CLOCK,
        env,
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const names = [
        'node',
        'settings',
        'address',
        'token',
        'state folder',
        'disk',
        'proxy',
        'dns',
        'connect',
        'tls',
      ]
      for (const name of [...names, 'ping', 'quota', 'rate limit', 'clock']) {
        expect(stdout).toMatch(new RegExp(`^ok ${name} +\\S`, 'm'))
      }
      expect(stdout).toContain('100,000 of 100,000 requests left this year')
      expect(await tree(folder)).toEqual([])
      expect((await cli(['doctor', '--sandbox', '-q'], { clock: REAL_CLOCK, env })).stdout).toBe('')
    })
  })

  test('sends only requests that use no allowance, and shows only the source of the token', async () => {
    await using sandbox = await startSandbox({ clock: REAL_CLOCK, token: TOKEN })
    const { result, check } = await examined(['--base-url', sandbox.url, '-vv'])
    expect(result.code).toBe(0)
    expect(result.json()).toMatchObject({ schema: 'matdecl.doctor/1', status: 'ok' })
    expect(check('token')).toMatchObject({ status: 'pass', message: 'found a token in MATDECL_TOKEN' })
    expect(sandbox.requests).toEqual({ total: 2, download: 0, legacy: 0, ping: 1, quota: 1 })
    expect(result.stdout + result.stderr).not.toContain(TOKEN)
  })

  test('without settings reports what is missing and how to set it', async () => {
    const { result, check, failed } = await examined([], {
      env: { MATDECL_TOKEN: '', XDG_STATE_HOME: '', XDG_CONFIG_HOME: '' },
    })
    expect(result.code).toBe(3)
    expect(failed).toEqual(['address', 'token'])
    expect(check('address').fix).toContain('MATDECL_BASE_URL')
    expect(check('token')).toMatchObject({
      code: 'config',
      message: 'there is no token (HOME is not set, so no config file was read)',
    })
    expect(check('state folder')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('HOME is not set'),
    })
    expect(result.json()).toMatchObject({ status: 'failed', error: { code: 'config', exitCode: 3 } })
    expect(result.stderr).toMatch(
      /^matdecl: error: address: the service URL is not set; 2 of 15 checks failed\n {2}hint: /,
    )
  })

  test('runs the other checks when the settings are broken', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'c.toml'), 'rate = 5\nbase-uri = "https://api.example.com"\n')
      await using sandbox = await startSandbox({ clock: REAL_CLOCK, token: TOKEN })
      const argv = ['--config', 'c.toml', '--base-url', sandbox.url]
      const { result, check, failed } = await examined(argv, { cwd: folder })
      expect(result.code).toBe(3)
      expect(failed).toEqual(['settings'])
      expect(check('settings')).toMatchObject({
        message: "c.toml:2: unknown setting 'base-uri'",
        fix: 'did you mean base-url?',
      })
      expect(check('quota').status).toBe('pass')
      const variable = await examined(['--base-url', sandbox.url], {
        env: { MATDECL_CONNECT_TIMEOUT: 'soon' },
      })
      expect(variable.failed).toEqual(['settings'])
      expect(variable.check('settings').message).toContain('MATDECL_CONNECT_TIMEOUT')
    })
  })

  test('checks settings of download too', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'c.toml'), 'rate = "fast"\n')
      const inFile = await examined(['--config', 'c.toml', '--sandbox'], { cwd: folder })
      expect({ code: inFile.result.code, failed: inFile.failed }).toEqual({ code: 3, failed: ['settings'] })
      expect(inFile.check('settings')).toMatchObject({
        message: 'c.toml:1: invalid value "fast" for rate: expected a whole number from 1 to 100,000',
        fix: 'matdecl download --help lists the options',
      })
      const variable = await examined(['--sandbox'], { cwd: folder, env: { MATDECL_RETRIES: 'many' } })
      expect({ code: variable.result.code, failed: variable.failed }).toEqual({
        code: 3,
        failed: ['settings'],
      })
    })
  })

  test('a mistake in a flag is a usage error', async () => {
    expect((await cli(['doctor', '--base-url', 'ftp://x'])).code).toBe(2)
    expect((await cli(['doctor', 'extra'])).code).toBe(2)
  })

  test('reports a secret that others can read, with the chmod to run', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'the token'), TOKEN, { mode: 0o600 })
      await writeFile(join(folder, 'c.toml'), 'token-file = "the token"\n', { mode: 0o644 })
      const argv = ['--config', 'c.toml', '--sandbox']
      const own = ['--config', 'c.toml']
      const env = { MATDECL_TOKEN: '' }
      const good = await examined(own, { cwd: folder, env })
      expect(good.check('file modes')).toMatchObject({ status: 'pass' })
      expect(good.check('token').message).toBe(
        'found a token in c.toml:1: token-file; nothing has checked it',
      )
      const { disk, syncDisk, host } = windowsWorld()
      const windows = await examined(own, { cwd: folder, env, disk, syncDisk, host })
      expect(windows.check('file modes')).toMatchObject({
        status: 'skip',
        message: expect.stringMatching(/^not checked: who can read .*the token/),
      })
      await chmod(join(folder, 'the token'), 0o640)
      const bad = await examined(own, { cwd: folder, env })
      expect(bad.check('file modes')).toMatchObject({
        status: 'fail',
        code: 'config',
        fix: `run: chmod 600 '${join(folder, 'the token')}'`,
      })
      expect((await examined(argv, { cwd: folder, env })).check('file modes').status).toBe('skip')
      const away = await examined(own, { cwd: folder, env: { ...env, MATDECL_TOKEN_FILE: '/no/such/file' } })
      expect(away.check('file modes').status).toBe('skip')
      expect(away.check('token').status).toBe('fail')
      await writeFile(join(folder, 'd.toml'), `token = "${TOKEN}"\n`, { mode: 0o644 })
      const inside = await examined(['--config', 'd.toml'], { cwd: folder, env })
      expect(inside.check('file modes').fix).toBe(`run: chmod 600 ${join(folder, 'd.toml')}`)
      expect(inside.result.stdout + inside.result.stderr).not.toContain(TOKEN)
    })
  })

  test('runs a token command once, and reports its failure', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'c.toml'), 'token-command = "keeper show"\n')
      await using sandbox = await startSandbox({ clock: REAL_CLOCK, token: TOKEN })
      const calls: string[] = []
      const runProgram = (program: string) => {
        calls.push(program)
        return Promise.resolve({ exitCode: 0, stdout: `${TOKEN}\nmore`, stderr: '' })
      }
      const argv = ['--config', 'c.toml', '--base-url', sandbox.url]
      const env = { MATDECL_TOKEN: '' }
      expect((await examined(argv, { cwd: folder, env, runProgram })).result.code).toBe(0)
      expect(calls).toEqual(['keeper'])
      const runFailing = () => Promise.resolve({ exitCode: 2, stdout: '', stderr: '' })
      const { result, failed, check } = await examined(argv, { cwd: folder, env, runProgram: runFailing })
      expect(result.code).toBe(3)
      expect(failed).toEqual(['token'])
      expect(check('quota')).toMatchObject({ status: 'skip', message: expect.stringContaining('token') })
    })
  })

  test('a token that the service refuses is exit 4, with one line that says so', async () => {
    await using sandbox = await startSandbox({ clock: REAL_CLOCK, token: 'another' })
    const { result, check, failed } = await examined(['--base-url', sandbox.url])
    expect(result.code).toBe(4)
    expect(failed).toEqual(['token'])
    const names = (result.json().checks as CheckObject[]).map(({ name }) => name)
    expect(names.filter((name) => name === 'token')).toHaveLength(1)
    expect(check('token')).toMatchObject({ code: 'auth', message: expect.stringContaining('401') })
    expect(check('token').fix).toContain('MATDECL_TOKEN')
    expect(check('quota')).toMatchObject({
      status: 'skip',
      message: 'the service responds, but refuses the token',
    })
    expect(result.stdout).not.toContain('found a token')
    expect(sandbox.requests).toMatchObject({ total: 2, ping: 1, quota: 1 })
    expect(result.stdout + result.stderr).not.toContain(TOKEN)
  })

  test.each([401, 403])('a ping that refuses the token with %d fails the token too', async (status) => {
    const server = await rawServer(({ path }, socket) =>
      socket.write(path === '/v2/ping' ? answer(status, [], '{"message":"no"}') : answer(404, [], '')),
    )
    const { result, check, failed } = await examined(['--base-url', server.url])
    await server.close()
    expect({ code: result.code, failed }).toEqual({ code: 4, failed: ['token'] })
    expect(check('ping').status).toBe('skip')
  })

  test('a service that refuses requests without a token is not blamed on one', async () => {
    const server = await rawServer((_, socket) => socket.write(answer(403, [], '{"message":"no"}')))
    const { check, failed } = await examined(['--base-url', server.url], { env: { MATDECL_TOKEN: '' } })
    await server.close()
    expect(failed).toEqual(['token', 'ping'])
    expect(check('token').message).toContain('there is no token')
    expect(check('quota')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('requires a token'),
    })
  })

  test('a failed ping does not fail the token', async () => {
    const server = await rawServer((_, socket) => socket.write(answer(500, [], '')))
    const { check, failed } = await examined(['--base-url', server.url])
    await server.close()
    expect(failed).toEqual(['ping', 'quota'])
    expect(check('token')).toMatchObject({
      status: 'pass',
      message: 'found a token in MATDECL_TOKEN; nothing has checked it',
    })
  })

  test.each([
    ['is absent', 404, ''],
    ['says nothing of an allowance', 200, '{"message":"OK"}'],
  ])('a ping that succeeds says nothing of the token where the quota %s', async (_, status, body) => {
    const server = await rawServer(({ path }, socket) =>
      socket.write(path === '/v2/ping' ? answer(200, [], '{"message":"OK"}') : answer(status, [], body)),
    )
    const { check } = await examined(['--base-url', server.url])
    await server.close()
    expect(check('ping').status).toBe('pass')
    expect(check('token').message).toBe('found a token in MATDECL_TOKEN; nothing has checked it')
  })

  test.each([
    ['{"message":"down for maintenance"}', ': down for maintenance'],
    ['[]', ''],
  ])('a ping that does not say OK is no pass: %s', async (body, said) => {
    const server = await rawServer(({ path }, socket) =>
      socket.write(path === '/v2/ping' ? answer(200, [], body) : answer(404, [], '')),
    )
    const { check } = await examined(['--base-url', server.url])
    await server.close()
    expect(check('ping')).toMatchObject({
      status: 'skip',
      message: `the service responds, but does not say that it is well${said}`,
    })
  })

  test('a refusal that says when to come back is exit 6 with that time; a 204 is no archive', async () => {
    const server = await rawServer(({ path }, socket) =>
      socket.write(path === '/v2/ping' ? answer(429, ['Retry-After: 3600'], '') : answer(204, [], '')),
    )
    const { result, check, failed } = await examined(['--base-url', server.url])
    await server.close()
    expect({ code: result.code, failed }).toEqual({ code: 6, failed: ['ping', 'quota'] })
    expect(check('ping').fix).toMatch(/^try again at \d{4}-\d\d-\d\dT/)
    expect(check('quota').message).toContain('responded to /v2/quota with something else instead of JSON')
  })

  test('the sandbox ignores search criteria of the config file', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'c.toml'), 'api = "v1"\nsupplier = "123456789"\n')
      const { result, check } = await examined(['--sandbox', '--config', 'c.toml'], { cwd: folder })
      expect(result.code).toBe(0)
      expect(check('ping').status).toBe('pass')
    })
  })

  test('a used-up allowance is exit 6', async () => {
    await using sandbox = await startSandbox({ clock: REAL_CLOCK, token: TOKEN, quota: 0 })
    const { result, check } = await examined(['--base-url', sandbox.url])
    expect(result.code).toBe(6)
    expect(check('quota')).toMatchObject({ message: '0 of 0 requests left this year', code: 'limited' })
  })

  test('a token that may not download is exit 4', async () => {
    const quota = { 'api:consume': { authorized: false, tier_limit: 100, tier_usage: 0 } }
    const server = await rawServer(({ path }, socket) =>
      socket.write(answer(200, [], JSON.stringify(path === '/v2/quota' ? quota : { message: 'OK' }))),
    )
    const { result, check } = await examined(['--base-url', server.url])
    await server.close()
    expect(result.code).toBe(4)
    expect(check('quota')).toMatchObject({ code: 'auth' })
  })

  test('a service without ping and quota passes, and its clock is checked', async () => {
    await using service = await testService({ status: 500 })
    const { result, check, failed } = await examined(['--base-url', service.url])
    expect({ code: result.code, failed }).toEqual({ code: 0, failed: [] })
    for (const name of ['ping', 'quota', 'rate limit']) expect(check(name).status).toBe('skip')
    expect(check('clock').status).toBe('pass')
    expect(service.requests).toEqual([])
  })

  test.each([
    ['ahead', 3_600_000],
    ['behind', -3_600_000],
  ])('a clock that is an hour %s is reported', async (word, offMs) => {
    await using sandbox = await startSandbox({ clock: REAL_CLOCK, token: TOKEN })
    const clock = { ...createFakeClock(), nowMs: () => Date.now() + offMs }
    const { result, check, failed } = await examined(['--base-url', sandbox.url], { clock })
    expect({ code: result.code, failed }).toEqual({ code: 3, failed: ['clock'] })
    expect(check('clock').message).toMatch(new RegExp(`this machine's clock is (?:1 h|59 min).* ${word}`))
  })

  test('v1 has its own secret, and neither ping nor quota', async () => {
    await using sandbox = await startSandbox({ clock: REAL_CLOCK })
    const argv = ['--api', 'v1', '--base-url', sandbox.url]
    const { result, check } = await examined(argv, { env: { MATDECL_API_KEY: 'key-S3CRET' } })
    expect(result.code).toBe(0)
    expect(check('API key').message).toBe('found an API key in MATDECL_API_KEY; nothing has checked it')
    expect(check('ping')).toMatchObject({ status: 'skip', message: 'v1 has none' })
    expect(sandbox.requests.total).toBe(0)
    expect(result.stdout).not.toContain('S3CRET')
  })
})

describe('doctor on the connection', () => {
  test('a refused connection is exit 7 and skips what needs one', async () => {
    const port = await freePort()
    const { result, check, failed } = await examined(['--base-url', `http://127.0.0.1:${port}`])
    expect({ code: result.code, failed }).toEqual({ code: 7, failed: ['connect'] })
    expect(check('connect').message).toBe(`127.0.0.1:${port} refused the connection`)
    expect(check('ping')).toMatchObject({ status: 'skip', message: 'no connection' })
  })

  test('an unresolved name is exit 7 within the timeout', async () => {
    const argv = ['--base-url', 'https://no-such-host.invalid', '--connect-timeout', '2s']
    const { result, check } = await examined(argv)
    expect(result.code).toBe(7)
    expect(check('dns')).toMatchObject({ status: 'fail', code: 'unavailable' })
    expect(check('dns').fix).toContain('HTTPS_PROXY')
    expect(check('connect')).toMatchObject({ status: 'skip', message: 'no address' })
    expect(check('connect').status).toBe('skip')
    expect(check('tls').status).toBe('skip')
  })

  test('a host that accepts and sends nothing times out', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const argv = ['--base-url', `https://127.0.0.1:${port}`, '--connect-timeout', '300ms']
    const { result, check, failed } = await examined(argv, { hasSocketTimeouts: true })
    server.close()
    expect({ code: result.code, failed }).toEqual({ code: 7, failed: ['tls'] })
    expect(check('tls').message).toContain('within 0.3 s')
  })

  test('TLS is shown with the expiry of the certificate', async () => {
    const authority = await createAuthority('Example Authority')
    const notAfter = new Date(now + 40 * 86_400_000)
    await withTlsService(await createCertificate({ authority, notAfter }), async (url) => {
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'ca.pem'), authority.cert)
        const { result, check } = await examined(['--base-url', url, '--ca-file', 'ca.pem'], { cwd: folder })
        expect(result.code).toBe(0)
        const day = notAfter.toISOString().slice(0, 10)
        expect(check('tls').message).toMatch(
          new RegExp(`^TLSv1\\.3, certificate by Example Authority, expires ${day}, in (39|40) days$`),
        )
        const missing = await examined(['--base-url', url, '--ca-file', 'no.pem'], { cwd: folder })
        expect(missing.failed).toEqual(['tls'])
        expect(missing.result.code).toBe(3)
      })
    })
  })

  test('a certificate of an unknown authority, and one that expired, are exit 7 with a fix', async () => {
    const authority = await createAuthority('Example Authority')
    await withTlsService(await createCertificate({ authority }), async (url) => {
      const { result, check, failed } = await examined(['--base-url', url])
      expect({ code: result.code, failed }).toEqual({ code: 7, failed: ['tls'] })
      expect(check('tls')).toMatchObject({
        message: expect.stringContaining('has an unknown issuer ("Example Authority")'),
        fix: expect.stringContaining('--ca-file'),
      })
    })
    const expired = await createCertificate({ authority, notBefore: new Date(0), notAfter: new Date(1e12) })
    await withTlsService(expired, async (url) => {
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'ca.pem'), authority.cert)
        const { check } = await examined(['--base-url', url, '--ca-file', 'ca.pem'], { cwd: folder })
        expect(check('tls').message).toContain('expired on 2001-09-09')
      })
    })
  })

  test('disabled TLS checks are refused', async () => {
    const authority = await createAuthority('Example Authority')
    await withTlsService(await createCertificate({ authority }), async (url) => {
      const { check } = await examined(['--base-url', url], { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })
      expect(check('tls')).toMatchObject({ status: 'fail', code: 'config' })
    })
  })

  test('the proxy is shown with its source and without its password', async () => {
    const certificate = await createCertificate({ names: ['service.test'] })
    await withTlsService(certificate, async (url) => {
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'ca.pem'), certificate.cert)
        const proxy = await startProxy({ login: 'me:hushhush' })
        const HTTPS_PROXY = proxy.url.replace('http://', 'http://me:hushhush@')
        const service = `https://service.test:${new URL(url).port}`
        const argv = ['--base-url', service, '--ca-file', 'ca.pem', '-vv']
        const { result, check } = await examined(argv, { cwd: folder, env: { HTTPS_PROXY } })
        expect(result.code).toBe(0)
        expect(check('proxy').message).toBe(`127.0.0.1:${proxy.port}, from HTTPS_PROXY`)
        expect(check('connect').message).toBe(`the proxy, 127.0.0.1, port ${proxy.port}`)
        expect(proxy.asked).toHaveLength(2)
        expect(result.stdout + result.stderr).not.toMatch(/hushhush|aHVzaGh1c2/)
        const wrong = await examined(argv, { cwd: folder, env: { HTTPS_PROXY: proxy.url } })
        expect(wrong.result.code).toBe(4)
        const unreadable = await examined(['--base-url', url, '--proxy', 'socks5://x:1'])
        expect(unreadable.failed).toEqual(['proxy'])
        await proxy.close()
      })
    })
  })
})

describe('doctor checks this machine', () => {
  test('wraps long lines on a terminal below their beginning', async () => {
    await withFolder(async (cwd) => {
      const env = { XDG_CONFIG_HOME: join(cwd, 'config') }
      const { stdout } = await cli(['doctor', '--no-color'], { cwd, env, isTTY: true, columns: 60 })
      expect(stdout).toMatch(/settings {6}no config file\n {17}\S/)
    })
  })

  test.each([
    ['a disk with no room', { statfs: () => Promise.resolve({ bavail: 10, bsize: 4096 }) }, 'disk', 9],
    [
      'a state directory that is not writable',
      { open: () => Promise.reject(Object.assign(new Error(''), { code: 'EROFS' })) },
      'state folder',
      9,
    ],
  ])('%s is reported', async (_, calls, name, code) => {
    await withFolder(async (folder) => {
      const { result, failed, check } = await examined(['--sandbox'], {
        cwd: folder,
        env: { XDG_STATE_HOME: folder },
        disk: { ...realDisk, ...calls } as typeof realDisk,
      })
      expect({ code: result.code, failed }).toEqual({ code, failed: [name] })
      expect(check(name).fix).not.toBe('')
    })
  })

  test('a file in place of the state directory is reported', async () => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'state'))
      await writeFile(join(folder, 'state', 'matdecl'), '')
      const env = { XDG_STATE_HOME: join(folder, 'state') }
      const { failed, check } = await examined(['--sandbox'], { cwd: folder, env })
      expect(failed).toEqual(['state folder'])
      expect(check('state folder').fix).toBe('choose another path with XDG_STATE_HOME')
    })
  })

  posixTest('a state directory that another user can change is reported', async () => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'matdecl'))
      await chmod(join(folder, 'matdecl'), 0o777)
      const { failed, check } = await examined(['--sandbox'], {
        cwd: folder,
        env: { XDG_STATE_HOME: folder },
      })
      expect(failed).toEqual(['state folder'])
      expect(check('state folder').message).toContain('another user can change it')
    })
  })

  test('a deleted working directory and an old Node are reported together', async () => {
    const world = testWorld({
      argv: ['doctor', '--sandbox', '--json'],
      clock: REAL_CLOCK,
      env: { XDG_CONFIG_HOME: '/nonexistent' },
    })
    const host = { ...world.host, nodeVersion: '18.19.1' }
    const cwd = (): string => {
      throw new Failure('io', 'the current directory no longer exists')
    }
    expect(await run({ ...world, host, cwd })).toBe(3)
    const { checks } = JSON.parse(world.out.text()) as { checks: CheckObject[] }
    const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name)
    expect(failed).toEqual(['node', 'disk'])
  })

  test('an interruption ends it with the code of the signal', async () => {
    const world = testWorld({ argv: ['doctor', '--sandbox'], env: { XDG_CONFIG_HOME: '/nonexistent' } })
    world.stop(new Failure('interrupted', 'stopped by SIGTERM', { exitCode: 143 }))
    expect(await run(world)).toBe(143)
    expect(world.out.text()).toBe('')
  })
})

async function withTlsService(
  identity: { readonly cert: string; readonly key: string },
  body: (url: string) => Promise<void>,
): Promise<void> {
  const server = createHttpsServer(identity, (_, response) => {
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"no such resource"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await body(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
