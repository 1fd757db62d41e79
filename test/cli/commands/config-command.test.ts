import * as realDisk from 'node:fs/promises'
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/base/failure.ts'
import { run } from '../../../src/cli/run.ts'
import { starterConfig } from '../../../src/cli/starter-config.ts'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import { cli, TOKEN, tree } from '../../support/cli.ts'
import { createFakeClock, testWorld, withFolder } from '../../support/world.ts'

const REAL_CLOCK = { ...createFakeClock(), nowMs: Date.now }

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

describe('config init', () => {
  test('writes a commented file with mode 0600 to the default path', async () => {
    await withFolder(async (folder) => {
      const env = { XDG_CONFIG_HOME: join(folder, 'deep', 'xdg'), MATDECL_TOKEN: TOKEN }
      const { code, stdout, stderr } = await cli(['config', 'init'], { cwd: folder, env })
      const path = join(folder, 'deep', 'xdg', 'matdecl', 'config.toml')
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${path}\n` })
      expect(stderr).toContain('matdecl doctor')
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      expect((await stat(join(folder, 'deep', 'xdg', 'matdecl'))).mode & 0o777).toBe(0o700)
      expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700)
      const text = await readFile(path, 'utf8')
      expect(text).not.toContain(TOKEN)
      expect(parse(text)).toEqual({})
      expect((await cli(['config', 'show'], { cwd: folder, env })).code).toBe(0)
      expect(await tree(folder)).toEqual([
        'deep',
        'deep/xdg',
        'deep/xdg/matdecl',
        'deep/xdg/matdecl/config.toml',
        'deep/xdg/matdecl/matdecl-config.schema.json',
      ])
    })
  })

  test('ignores a permissive umask, and writes the values of flags', async () => {
    await withFolder(async (folder) => {
      const before = process.umask(0)
      const argv = [
        'config',
        'init',
        '--config',
        'c.toml',
        '--base-url',
        'https://api.example.com/v2/',
        '--json',
      ]
      const { json } = await cli(argv, { cwd: folder }).finally(() => process.umask(before))
      expect(json()).toEqual({ schema: 'matdecl.config/1', status: 'ok', path: join(folder, 'c.toml') })
      expect((await stat(join(folder, 'c.toml'))).mode & 0o777).toBe(0o600)
      expect(parse(await readFile(join(folder, 'c.toml'), 'utf8'))).toEqual({
        'base-url': 'https://api.example.com',
      })
    })
  })

  test('warns of a supplier that is no DUNS number, and writes it', async () => {
    await withFolder(async (folder) => {
      const init = (supplier: string, file: string): ReturnType<typeof cli> =>
        cli(['config', 'init', '--config', file, '--supplier', supplier], { cwd: folder })
      const odd = await init('ACME', 'a.toml')
      expect(odd.code).toBe(0)
      expect(odd.stderr).toContain("warning: supplier 'ACME' is not a nine-digit DUNS number")
      expect(parse(await readFile(join(folder, 'a.toml'), 'utf8'))).toEqual({ supplier: 'ACME' })
      expect((await init('123456789', 'b.toml')).stderr).not.toContain('warning')
    })
  })

  test('refuses an existing file, also a broken one or a dangling link, without --overwrite', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'c.toml'), 'not toml [')
      await symlink('nowhere', join(folder, 'link.toml'))
      for (const name of ['c.toml', 'link.toml']) {
        const { code, stdout, stderr } = await cli(['config', 'init', '--config', name], { cwd: folder })
        expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
        expect(stderr).toMatch(new RegExp(`${name} exists\\n.*--overwrite`))
      }
      expect(await readFile(join(folder, 'c.toml'), 'utf8')).toBe('not toml [')
      expect(await tree(folder)).toEqual(['c.toml', 'link.toml'])
      await chmod(join(folder, 'c.toml'), 0o644)
      const again = await cli(['config', 'init', '--config', 'c.toml', '--overwrite'], { cwd: folder })
      expect(again.code).toBe(0)
      expect((await stat(join(folder, 'c.toml'))).mode & 0o777).toBe(0o600)
    })
  })

  test('reports why it cannot write, and leaves nothing', async () => {
    await withFolder(async (folder) => {
      const open: typeof realDisk.open = () =>
        Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }))
      const { code, stdout, stderr } = await cli(['config', 'init', '--config', 'c.toml'], {
        cwd: folder,
        disk: { ...realDisk, open },
      })
      expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
      expect(stderr).toMatch(/c\.toml: permission denied \(EACCES\)\n.*--config/)
      expect(await tree(folder)).toEqual([])
    })
  })

  const typed = (text: string) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    stdin.write(text)
    return stdin
  }
  const init = (folder: string, text: string, env: Record<string, string> = { MATDECL_TOKEN: '' }) =>
    cli(['config', 'init', '--config', 'c.toml'], {
      cwd: folder,
      isTTY: true,
      stdin: typed(text),
      env,
      clock: REAL_CLOCK,
    })

  test('on a terminal asks for URL and supplier, and again after an invalid answer', async () => {
    await withFolder(async (folder) => {
      const answers =
        '123456789\nhttp://far.example.com\nhttps://api.example.com/v2\nhttps://x.example\n123456789\n\n'
      const { code, stdout, stderr } = await init(folder, answers)
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${folder}/c.toml\n` })
      expect(stderr).toContain('that is a number; expected a URL that starts with https://')
      expect(stderr).toContain('http: would send the token unencrypted')
      expect(stderr).toContain('that is a URL; expected a supplier number')
      expect(stderr).toContain('save the token with: matdecl login')
      expect(parse(await readFile(join(folder, 'c.toml'), 'utf8'))).toEqual({
        'base-url': 'https://api.example.com',
        supplier: '123456789',
        'token-file': 'token',
      })
      expect(await tree(folder)).toEqual(['c.toml', 'matdecl-config.schema.json'])
    })
  })

  test.each([
    ['api.example.com', '', 'https://api.example.com'],
    ['api.example.com:8443/v2', 'y', 'https://api.example.com:8443'],
    ['localhost:8402', 'yes', 'http://localhost:8402'],
  ])('completes %s with its scheme', async (answer, reply, url) => {
    await withFolder(async (folder) => {
      const { code, stderr } = await init(folder, `${answer}\n${reply}\n\n\n`)
      expect(code, stderr).toBe(0)
      expect(stderr).toContain('that has no scheme')
      expect(stderr).toContain(`use ${url}? [Y/n]`)
      expect(parse(await readFile(join(folder, 'c.toml'), 'utf8'))).toMatchObject({ 'base-url': url })
    })
  })

  test('asks again after a scheme was not wanted', async () => {
    await withFolder(async (folder) => {
      const { stderr } = await init(folder, 'api.example.com\nn\nhttps://other.example.com\n\n\n')
      expect(stderr).toContain('use https://api.example.com? [Y/n]')
      const written = parse(await readFile(join(folder, 'c.toml'), 'utf8'))
      expect(written).toMatchObject({ 'base-url': 'https://other.example.com' })
    })
  })

  test.each(['two words', 'user:secret@api.example.com', 'ftp://api.example.com', 'api.example.com?x=1'])(
    'offers no scheme for %s',
    async (answer) => {
      await withFolder(async (folder) => {
        const { stderr } = await init(folder, `${answer}\n\n\n\n`)
        expect(stderr).toContain('invalid URL')
        expect(stderr).not.toContain('[Y/n]')
      })
    },
  )

  test('saves the token in a separate file, without showing it', async () => {
    await withFolder(async (folder) => {
      const { code, stdout, stderr } = await init(folder, `\n\nbad token\nBearer ${TOKEN}\n`)
      expect(code).toBe(0)
      expect(stderr).toContain('the token contains whitespace')
      expect(`${stdout}${stderr}`).not.toContain(TOKEN)
      expect(await readFile(join(folder, 'token'), 'utf8')).toBe(`${TOKEN}\n`)
      expect((await stat(join(folder, 'token'))).mode & 0o777).toBe(0o600)
      expect(await readFile(join(folder, 'c.toml'), 'utf8')).not.toContain(TOKEN)
    })
  })

  test('does not ask for a token that the environment overrides', async () => {
    await withFolder(async (folder) => {
      const { stderr } = await init(folder, '\n\n', { MATDECL_TOKEN: TOKEN })
      expect(stderr).toContain('the token comes from MATDECL_TOKEN')
      expect(stderr).not.toContain('not shown')
    })
  })

  test('offers to check everything, with the file just written', async () => {
    await using service = await startSandbox({ clock: createFakeClock(), port: 0, token: TOKEN })
    await withFolder(async (folder) => {
      const { code, stdout, stderr } = await init(folder, `${service.url}\n\n${TOKEN}\ny\n`)
      expect(code, stdout + stderr).toBe(0)
      // Lines break where the path of the directory makes them too long.
      expect(stdout.replace(/\s+/g, ' ')).toMatch(/token found a token in \S*c\.toml.*token-file/)
      expect(stdout).toMatch(/ping +/)
    })
  })

  test('gives up after three invalid answers, and leaves nothing', async () => {
    await withFolder(async (folder) => {
      const { code, stderr } = await init(folder, '1\n2\n3\n')
      expect(code).toBe(2)
      expect(stderr).toContain('enter a URL such as https://api.example.com')
      expect(await tree(folder)).toEqual([])
    })
  })

  test('begins with the schema for editors, which describes the file', async () => {
    await withFolder(async (folder) => {
      await cli(['config', 'init', '--config', 'c.toml'], { cwd: folder })
      const [first] = (await readFile(join(folder, 'c.toml'), 'utf8')).split('\n')
      expect(first).toBe('#:schema ./matdecl-config.schema.json')
      const schema = JSON.parse(await readFile(join(folder, 'matdecl-config.schema.json'), 'utf8'))
      expect(schema.properties).toHaveProperty('base-url')
    })
  })

  test.each([
    ['--no-input', ['--no-input'], {}],
    ['CI', [], { CI: 'true' }],
    ['--json', ['--json'], {}],
  ])('asks nothing with %s', async (_, argv, env) => {
    await withFolder(async (folder) => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true })
      const { code } = await cli(['config', 'init', '--config', 'c.toml', ...argv], {
        cwd: folder,
        isTTY: true,
        stdin,
        env,
      })
      expect(code).toBe(0)
      expect(parse(await readFile(join(folder, 'c.toml'), 'utf8'))).toEqual({})
    })
  })

  test.each([
    ['the first question', ''],
    ['the offer of a scheme', 'api.example.com\n'],
    ['the second question', 'https://api.example.com\n'],
    ['the question for the token', 'https://api.example.com\n123456789\n'],
  ])('the end of input at %s leaves no file', async (_, text) => {
    await withFolder(async (folder) => {
      const stdin = typed(text)
      stdin.end()
      const { code, stdout, stderr } = await cli(['config', 'init', '--config', 'c.toml'], {
        cwd: folder,
        isTTY: true,
        stdin,
        env: { MATDECL_TOKEN: '' },
      })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('nothing was written; run the same command again')
      expect(await tree(folder)).toEqual([])
    })
  })

  test('leaving the last question keeps the complete answers', async () => {
    await withFolder(async (folder) => {
      const stdin = typed(`https://api.example.com\n\n${TOKEN}\n`)
      const env = { MATDECL_TOKEN: '' }
      const argv = ['config', 'init', '--config', 'c.toml']
      const world = testWorld({ argv, cwd: folder, isTTY: true, stdin, env })
      const running = run(world)
      await expect.poll(() => world.err.text()).toContain('check everything')
      world.stop(new Failure('interrupted', 'stopped by SIGINT'))
      expect(await running).toBe(130)
      expect(world.err.text()).toContain('the answers are saved; check them with: matdecl doctor --config')
      expect(await tree(folder)).toEqual(['c.toml', 'matdecl-config.schema.json', 'token'])
      expect(await readFile(join(folder, 'token'), 'utf8')).toBe(`${TOKEN}\n`)
    })
  })

  test.each([
    ['nothing', '\n\n\n', '', ['edit C and set base-url', 'then save L', 'then check D']],
    ['the URL', 'https://api.example.com\n\n\n', '', ['save L', 'then check D']],
    ['the token', `\n\n${TOKEN}\n`, '', ['edit C and set base-url', 'then check D']],
    ['the URL, and the token is in a variable', 'https://api.example.com\n\n', TOKEN, ['check D']],
  ])('after an answer with %s it lists what is left to do', async (_, text, token, steps) => {
    await withFolder(async (folder) => {
      const { stderr } = await init(folder, text, { MATDECL_TOKEN: token })
      const words: Readonly<Record<string, string>> = {
        C: `${folder}/c.toml`,
        L: 'the token with: matdecl login --config c.toml',
        D: 'everything with: matdecl doctor --config c.toml',
      }
      const lines = steps.map((step) => step.replace(/\b[CLD]\b/, (name) => words[name]!))
      expect(stderr.trimEnd().split('\n').slice(-steps.length)).toEqual(lines)
    })
  })

  test('an interruption while it prompts leaves no file', async () => {
    await withFolder(async (folder) => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true })
      const world = testWorld({
        argv: ['config', 'init', '--config', 'c.toml'],
        cwd: folder,
        isTTY: true,
        stdin,
      })
      const running = run(world)
      stdin.write('https://api.example.com\n')
      await expect.poll(() => world.err.text()).toContain('supplier')
      world.stop(new Failure('interrupted', 'stopped by SIGINT'))
      expect(await running).toBe(130)
      expect(await tree(folder)).toEqual([])
    })
  })
})

describe('the starter file', () => {
  test('is valid with every setting uncommented', async () => {
    await withFolder(async (folder) => {
      const settings = starterConfig({})
        .split('\n')
        .flatMap((line) => /^# ((?:[a-z][a-z0-9-]* = |\[profiles\.).*)$/.exec(line)?.[1] ?? [])
      expect(settings.length).toBeGreaterThan(40)
      await writeFile(join(folder, 'c.toml'), settings.join('\n'))
      const { code, stderr } = await cli(['config', 'show', '--config', 'c.toml', '--json'], { cwd: folder })
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
    })
  })
})

test('an unknown command of config is a usage error with a suggestion', async () => {
  const { code, stderr } = await cli(['config', 'sho'])
  expect(code).toBe(2)
  expect(stderr).toContain('did you mean matdecl config show?')
  const alone = await cli(['config'])
  expect(alone.code).toBe(2)
  expect(alone.stderr).toContain('expected one of show, path, init')
})
