import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { fencesIn } from '../support/markdown-commands.ts'
import { needs } from '../support/programs.ts'
import { createFakeClock } from '../support/world.ts'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'README.md'), 'utf8')
// It would run this file again. CI runs it: the test below.
const NOT_RUN = 'npm test'
const blocks = fencesIn(page)
  .filter(({ notRun }) => notRun === undefined)
  .map(({ text, ...fence }) => ({
    ...fence,
    first: text.split('\n')[0],
    commands: text.split('\n').filter((line) => line !== NOT_RUN),
  }))

const folder = mkdtempSync(join(tmpdir(), 'matdecl-readme-'))
const clone = join(folder, 'clone')
const home = join(folder, 'home')
const prefix = join(folder, 'prefix')
const packed = join(folder, 'packed.txt')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const npmSetting = (name: string): string =>
  execFileSync('npm', ['config', 'get', name], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

// What a new user has, with npm's cache and registry of this machine so that nothing is downloaded twice.
const outside = (): Record<string, string | undefined> => {
  const { HTTPS_PROXY, https_proxy, NO_PROXY, no_proxy, NODE_EXTRA_CA_CERTS } = process.env
  const path = process.env.PATH!.split(delimiter).filter((entry) => !entry.includes('node_modules'))
  return {
    ...{ HTTPS_PROXY, https_proxy, NO_PROXY, no_proxy, NODE_EXTRA_CA_CERTS },
    PATH: [join(prefix, 'bin'), ...path].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    npm_config_prefix: prefix,
    npm_config_cache: npmSetting('cache'),
    npm_config_registry: npmSetting('registry'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  }
}

describe.skipIf(!needs('bash', 'git'))('the commands of README.md, in a fresh clone', () => {
  let env: Record<string, string | undefined>
  // The reader's own service.
  let service: Sandbox

  beforeAll(async () => {
    service = await startSandbox({
      clock: { ...createFakeClock(), nowMs: Date.now, sleep: () => Promise.resolve() },
      token: 'readme-token',
    })
    for (const made of [home, join(prefix, 'lib')]) mkdirSync(made, { recursive: true })
    env = { ...outside(), MATDECL_BASE_URL: service.url, MATDECL_TOKEN: service.token }
    cloneWorkingTree()
    expect(existsSync(join(clone, 'node_modules'))).toBe(false)
    return service.close
  })

  test.each(blocks)('line $line: $first', { timeout: 600_000 }, async ({ commands, exits }) => {
    const { status, output } = await run(commands)
    expect(exits, output).toContain(status)
    expect(output).not.toMatch(/internal|^\s+at /m)
  })

  test('install a program, from the one line that npm pack prints', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const line = `matdecl-${version}.tgz\n`
    expect(readFileSync(packed, 'utf8')).toBe(line)
  })

  test('make the files that they name', () => {
    expect(readdirSync(join(home, '.local/share/matdecl/library'))).toContainEqual(
      expect.stringMatching(/^[\d-]+T\d+Z-1\.zip$/),
    )
    expect(readFileSync(join(clone, 'product.html'), 'utf8')).toContain('BOARD-210')
  })

  test('uninstall what they installed', () => {
    expect(readdirSync(join(prefix, 'bin'))).toEqual([])
    expect(readdirSync(join(prefix, 'lib', 'node_modules'))).toEqual([])
  })

  // A repository with the files of the working tree, committed or not, and a clone of it.
  function cloneWorkingTree(): void {
    const git = (cwd: string, ...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        cwd,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...env, HOME: home },
      })
    const origin = join(folder, 'origin')
    const names = git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
    for (const name of names.split('\0').filter((one) => one !== '' && existsSync(join(root, one))))
      cpSync(join(root, name), join(origin, name))
    git(origin, 'init', '--quiet')
    git(origin, 'add', '--all')
    git(origin, 'commit', '--quiet', '--message', 'everything')
    git(folder, 'clone', '--quiet', origin, clone)
  }

  async function run(commands: readonly string[]): Promise<{ status: number | null; output: string }> {
    const prelude = `set -eo pipefail
npm() { if [ "$1" = pack ]; then command npm "$@" | tee -a '${packed}'; else command npm "$@"; fi; }
`
    const script = `${prelude}${commands.join('\n')}\n`
    const child = spawn('bash', ['--norc', '--noprofile', '-c', script], {
      cwd: clone,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const status = new Promise<number | null>((resolve) => child.once('close', resolve))
    const output = await Promise.all([text(child.stdout), text(child.stderr)])
    return { status: await status, output: output.join('') }
  }
})

test('README.md names the command that runs the tests, and CI runs it', () => {
  const lines = fencesIn(page).flatMap(({ text }) => text.split('\n'))
  expect(lines.filter((line) => line === NOT_RUN)).toHaveLength(1)
  expect(readFileSync(join(root, '.ci', 'run'), 'utf8')).toMatch(/^(?:env -i )?(?:\w+=\S+ )*npm test$/m)
})
