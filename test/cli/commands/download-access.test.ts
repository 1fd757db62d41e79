import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { startProxy } from '../../support/proxy.ts'
import { testService } from '../../support/service.ts'
import { createAuthority } from '../../support/tls.ts'
import { withFolder } from '../../support/world.ts'

const ASK = ['download', '--part', 'A', '-o', 'a.zip', '--retries', '0']

describe('a rejected token is named by its source', () => {
  test.each([
    ['a variable', { MATDECL_TOKEN: 'tok-one' }, '', 'check MATDECL_TOKEN: the token may have expired'],
    [
      'a file of a variable',
      { MATDECL_TOKEN: '', MATDECL_TOKEN_FILE: 'token.txt' },
      '',
      'check the file token.txt (MATDECL_TOKEN_FILE): the token',
    ],
    [
      'the config file',
      { MATDECL_TOKEN: '' },
      'token = "tok-three"',
      /check \S+config\.toml:1: token: the token/,
    ],
    [
      'a command',
      { MATDECL_TOKEN: '' },
      'token-command = ["pass", "show", "secret/name"]',
      /check the output of pass \(\S+config\.toml:1: token-command\): the token/,
    ],
  ])('%s', (_, env, config, hint) =>
    withFolder(async (folder) => {
      await using service = await testService({ status: 401, body: '' })
      await writeFile(join(folder, 'token.txt'), 'tok-two\n', { mode: 0o600 })
      await writeFile(join(folder, 'config.toml'), config, { mode: 0o600 })
      const argv = [...ASK, '--base-url', service.url, '--config', join(folder, 'config.toml')]
      const runProgram = async () => ({ exitCode: 0, stdout: 'tok-four\n', stderr: '' })
      const run = await cli(argv, { cwd: folder, env, runProgram })
      expect(run.code, run.stderr).toBe(4)
      expect(run.stderr).toMatch(hint)
      expect(run.stderr).not.toMatch(/tok-|secret\/name/)
      expect(service.requests).toHaveLength(1)
    }),
  )
})

describe('a proxy', () => {
  test.each([
    ['HTTPS_PROXY', []],
    ['MATDECL_PROXY', []],
    ['the proxy option', ['--proxy']],
  ])('from %s that refuses its login is called by it', (source, option) =>
    withFolder(async (folder) => {
      const proxy = await startProxy({ login: 'user:right' })
      const address = proxy.url.replace('http://', 'http://user:wr0ng@')
      const argv = [
        ...ASK,
        '--base-url',
        'https://service.test',
        ...option.flatMap((flag) => [flag, address]),
      ]
      const run = await cli(argv, { cwd: folder, env: option.length > 0 ? {} : { [source]: address } })
      await proxy.close()
      expect(run.code, run.stderr).toBe(4)
      expect(run.stderr).toContain(`(from ${source}) refused the login (status 407)`)
      expect(run.stderr).toContain(`check the user name and the password in ${source}`)
      expect(run.stderr.includes('--proxy')).toBe(option.length > 0)
      expect(run.stderr).not.toContain('wr0ng')
      expect(run.stderr).not.toContain('in flight')
      expect(proxy.asked).toHaveLength(1)
    }),
  )

  test.each([
    ['HTTPS_PROXY', 3],
    ['MATDECL_PROXY', 3],
  ])('from %s that is invalid is a setting, with any other option', (name, code) =>
    withFolder(async (folder) => {
      await writeFile(join(folder, 'ca.pem'), (await createAuthority('test')).cert)
      for (const more of [[], ['--ca-file', 'ca.pem']]) {
        const argv = [...ASK, '--base-url', 'https://service.test', ...more]
        const run = await cli(argv, { cwd: folder, env: { [name]: 'socks5://10.0.0.1:1080' } })
        expect(run.code, run.stderr).toBe(code)
        expect(run.stderr).toContain(`the proxy from ${name} is a SOCKS proxy`)
        expect(run.stderr).not.toContain('--ca-file')
      }
    }),
  )

  test('from a variable is listed by config show, without its password', async () => {
    const env = {
      https_proxy: 'http://user:s3cret@proxy.example:3128',
      MATDECL_BASE_URL: 'https://service.test',
    }
    const shown = await cli(['config', 'show'], { env })
    expect(shown.stdout).toMatch(/^proxy +http:\/\/\S*\*{4}\S*proxy\.example:3128\S* +https_proxy$/m)
    expect(shown.stdout).not.toContain('s3cret')
    const json = await cli(['config', 'show', '--json'], { env })
    expect(json.json().settings).toMatchObject({ proxy: { source: 'environment', where: 'https_proxy' } })
    const local = await cli(['config', 'show'], { env: { ...env, MATDECL_BASE_URL: 'http://localhost:1' } })
    expect(local.stdout).not.toMatch(/^proxy/m)
    const exempt = await cli(['config', 'show'], { env: { ...env, NO_PROXY: 'service.test' } })
    expect(exempt.stdout).not.toMatch(/^proxy/m)
  })
})
