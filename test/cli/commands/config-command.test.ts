import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, TOKEN } from '../../support/cli.ts'
import { withFolder } from '../../support/world.ts'

const CONFIG = `base-url = "https://top.example.com"
rate = 30
stall-timeout = "90s"
max-size = "1GiB"
token = "${TOKEN}-in-file"
proxy = "http://someone:hunter2secret@proxy.example.com:3128"
query = ["signature=abcdef123456", "lang=en"]

[profiles.night]
rate = 10
quiet = false
`

async function withConfig<T>(body: (folder: string, env: Record<string, string>) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const home = join(folder, 'xdg', 'matdecl')
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'config.toml'), CONFIG, { mode: 0o600 })
    return body(folder, {
      XDG_CONFIG_HOME: join(folder, 'xdg'),
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_DATA_HOME: join(folder, 'data'),
      MATDECL_TOKEN: '',
    })
  })
}

describe('config show', () => {
  test('lists every setting with its value and source', async () => {
    await withConfig(async (folder, env) => {
      const { code, stdout } = await cli(['config', 'show', '--profile', 'night'], {
        cwd: folder,
        env: { ...env, MATDECL_RETRIES: '2' },
      })
      expect(code).toBe(0)
      const line = (name: string): string =>
        stdout.split('\n').find((one) => one.startsWith(`${name} `)) ?? ''
      expect(line('base-url')).toMatch(/^base-url +https:\/\/top\.example\.com +.*config\.toml:1: base-url$/)
      expect(line('rate')).toMatch(/ 10 +.*config\.toml:\d+: rate$/)
      expect(line('retries')).toMatch(/ 2 +MATDECL_RETRIES$/)
      expect(line('stall-timeout')).toMatch(/ 90s +/)
      expect(line('max-size')).toMatch(/ 1 GiB +/)
      expect(line('connect-timeout')).toMatch(/ 10s +default$/)
      expect(line('max-wait')).toMatch(/ 5m +default$/)
    })
  })

  test('takes the options of other commands, which override everything; path and init do not', async () => {
    await withConfig(async (folder, env) => {
      const options = { cwd: folder, env: { ...env, MATDECL_RATE: '20', MATDECL_FORMAT: '1752B' } }
      const argv = ['--rate=5', '--profile', 'night', '-x', '--part', '-7', '--fail-on', 'svhc']
      const { settings } = (await cli(['config', 'show', '--json', ...argv], options)).json()
      expect(settings).toMatchObject({
        rate: { value: 5, source: 'flag', where: '--rate' },
        part: { value: ['-7'], source: 'flag' },
        extract: { value: true, source: 'flag' },
        'fail-on': { value: 'svhc', source: 'flag' },
        format: { value: '1752B', source: 'environment' },
        quiet: { value: false, source: 'profile' },
      })
      expect((await cli(['config', 'show', '--rate', 'soon'], options)).code).toBe(2)
      const path = await cli(['config', 'path', '--rate', '5'], options)
      expect({ code: path.code, stdout: path.stdout }).toEqual({ code: 2, stdout: '' })
    })
  })

  test('--json lists every option: null when unset, sizes in bytes, durations in seconds', async () => {
    await withConfig(async (folder, env) => {
      const { json } = await cli(['config', 'show', '--json', '--profile=night'], { cwd: folder, env })
      const path = join(folder, 'xdg', 'matdecl', 'config.toml')
      expect(json()).toMatchObject({
        schema: 'matdecl.config/1',
        status: 'ok',
        path,
        profile: 'night',
        settings: {
          'base-url': { value: 'https://top.example.com', source: 'file', where: `${path}:1: base-url` },
          rate: { value: 10, source: 'profile' },
          'stall-timeout': { value: 90 },
          'max-size': { value: 1024 ** 3 },
          'client-key': { value: null, source: 'default' },
          overwrite: { value: false, source: 'default' },
        },
        secrets: { token: { value: '****', source: 'file' }, 'api-key': { value: null } },
      })
    })
  })

  test('shows only the source of a secret, and neither reads its file nor runs its command', async () => {
    await withConfig(async (folder, env) => {
      const shown = await cli(['config', 'show'], { cwd: folder, env })
      expect(shown.stdout).toMatch(/^token +\*\*\*\* +.*config\.toml:5: token$/m)
      expect(shown.stdout).toContain('http://****@proxy.example.com:3128')
      const json = await cli(['config', 'show', '--json', '-vv'], { cwd: folder, env })
      for (const text of [shown.stdout, shown.stderr, json.stdout, json.stderr]) {
        expect(text).not.toMatch(/S3CRET|hunter2|abcdef123456/)
      }
      await writeFile(join(folder, 'c.toml'), 'token-command = ["no-such-program", "--key", "hush"]\n')
      const named = await cli(['config', 'show', '--config', 'c.toml'], { cwd: folder, env })
      expect(named.code).toBe(0)
      expect(named.stdout).toMatch(/^token +\*\*\*\* +c\.toml:1: token-command$/m)
      expect(named.stdout).not.toContain('hush')
      const variable = await cli(['config', 'show'], {
        cwd: folder,
        env: { ...env, MATDECL_TOKEN_FILE: '/no/such/file' },
      })
      expect(variable.stdout).toMatch(/^token +\*\*\*\* +MATDECL_TOKEN_FILE$/m)
    })
  })

  test('reports rules and periods in the file that no command would accept', async () => {
    await withFolder(async (cwd) => {
      const toml = 'fail-on = "failed,not-complient"\n[profiles.a]\nfail-on = "svhc"\nsince = "7x"\n'
      await writeFile(join(cwd, 'c.toml'), toml)
      const shown = await cli(['config', 'show', '--config', 'c.toml', '--profile', 'a'], { cwd })
      expect(shown).toMatchObject({ code: 3, stdout: '' })
      expect(shown.stderr).toContain(
        'c.toml:1: fail-on: unknown rule "not-complient"; did you mean not-compliant?',
      )
      expect(shown.stderr).toContain('c.toml:4: since: invalid period "7x"')
      const run = await cli(['report', 'x.zip', '--config', 'c.toml', '--json'], { cwd })
      expect(run.json().error).toMatchObject({ code: 'config', file: 'c.toml', line: 1 })
      const flag = await cli(['config', 'show', '--fail-on', 'svch'], { cwd })
      expect(flag.code).toBe(2)
      expect(flag.stderr).toContain('matdecl: error: unknown rule "svch"\n  hint: did you mean svhc?')
    })
  })

  test('reports a mistake in the file with its line', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'c.toml'), 'rate = 5\nbase-uri = "x"\n')
      const { code, stdout, stderr } = await cli(['config', 'show', '--config', 'c.toml'], { cwd: folder })
      expect(code).toBe(3)
      expect(stdout).toBe('')
      expect(stderr).toContain("c.toml:2: unknown setting 'base-uri'")
      expect(stderr).toContain('did you mean base-url?')
    })
  })
})

describe('config path', () => {
  test('prints the paths of the config file and the state, each with its label', async () => {
    await withConfig(async (folder, env) => {
      const { code, stdout } = await cli(['config', 'path'], { cwd: folder, env })
      expect(code).toBe(0)
      expect(stdout).toBe(
        `config   ${folder}/xdg/matdecl/config.toml\nlibrary  ${folder}/data/matdecl/library\nstate    ${folder}/state/matdecl\n`,
      )
      const { json } = await cli(['config', 'path', '--json'], { cwd: folder, env })
      expect(json()).toEqual({
        schema: 'matdecl.config/1',
        status: 'ok',
        config: { path: `${folder}/xdg/matdecl/config.toml`, exists: true },
        library: { path: `${folder}/data/matdecl/library`, exists: false },
        state: { path: `${folder}/state/matdecl`, exists: false },
      })
    })
  })

  test('without a home directory there is no state and no library', async () => {
    await withConfig(async (folder, configEnv) => {
      const options = { cwd: folder, env: { ...configEnv, XDG_STATE_HOME: '', XDG_DATA_HOME: '' } }
      expect((await cli(['config', 'path'], options)).stdout.split('\n')).toHaveLength(2)
      expect((await cli(['config', 'path', '--json'], options)).json()).not.toHaveProperty('state')
      expect((await cli(['config', 'path', '--json'], options)).json()).not.toHaveProperty('library')
    })
  })

  test('works when the file is broken, and honors --config and MATDECL_CONFIG', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'c.toml'), '[[[')
      const flag = await cli(['config', 'path', '--config', 'c.toml'], { cwd: folder })
      expect(flag.stdout.split('\n')[0]).toBe(`config   ${join(folder, 'c.toml')}`)
      const variable = await cli(['config', 'path'], { cwd: folder, env: { MATDECL_CONFIG: '/x/y.toml' } })
      expect(variable.stdout.split('\n')[0]).toBe('config   /x/y.toml')
    })
  })

  test('without HOME names the missing variable', async () => {
    const { code, stdout, stderr } = await cli(['config', 'path'], {
      env: { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' },
    })
    expect(code).toBe(3)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/HOME is not set[\s\S]*XDG_CONFIG_HOME/)
  })
})
