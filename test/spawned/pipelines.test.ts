import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { fencesIn } from '../support/markdown-commands.ts'
import { needs } from '../support/programs.ts'
import { makeRelease, type ReleaseServer, serveRelease } from '../support/release-server.ts'
import { parseYaml } from '../support/yaml.mjs'

const root = join(import.meta.dirname, '..', '..')
const TOKEN = 'token-of-the-pipeline'
const NAME = 'matdecl-0.1.0-linux-x64'
const EXAMPLE_URL = 'https://downloads.example.com/matdecl/v0.1.0'
const ZEROS = '0'.repeat(64)

// The keys that GitHub documents for a composite action.
const actionSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1).max(125),
  inputs: z.record(
    z.string().regex(/^[a-z_][a-z0-9_-]*$/),
    z.strictObject({ description: z.string(), required: z.boolean(), default: z.string().optional() }),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({
    using: z.literal('composite'),
    steps: z.array(
      z.strictObject({
        id: z.string(),
        shell: z.literal('bash'),
        env: z.record(z.string(), z.string()),
        run: z.string(),
      }),
    ),
  }),
})

const stepSchema = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  env: z.record(z.string(), z.string()).optional(),
})
const workflowSchema = z.strictObject({
  jobs: z.record(
    z.string(),
    z.strictObject({
      'runs-on': z.string(),
      permissions: z.record(z.string(), z.enum(['read', 'write', 'none'])),
      steps: z.array(stepSchema),
    }),
  ),
})
const gitlabSchema = z.record(
  z.string(),
  z.strictObject({
    image: z.string(),
    variables: z.record(z.string(), z.string()),
    script: z.array(z.string()),
    cache: z.strictObject({ key: z.string(), paths: z.array(z.string()), when: z.literal('always') }),
    artifacts: z.strictObject({
      when: z.enum(['always', 'on_success', 'on_failure']),
      paths: z.array(z.string()),
      reports: z.strictObject({ junit: z.string() }),
    }),
  }),
)

const page = readFileSync(join(root, 'docs', 'ci.md'), 'utf8')
const exampleIn = (heading: string): string => fencesIn(page.split(`## ${heading}\n`)[1]!)[0]!.text
const readAction = () => actionSchema.parse(parseYaml(readFileSync(join(root, 'action.yml'), 'utf8')))

const top = mkdtempSync(join(tmpdir(), 'matdecl-pipelines-'))
const ARM_NAME = NAME.replace('x64', 'arm64')
const isReady = needs('bash', 'curl', 'tar', 'gzip', 'sha256sum')
const releases = new Map<string, ReturnType<typeof makeRelease>>()
beforeAll(() => {
  for (const name of isReady ? [NAME, ARM_NAME] : []) releases.set(name, makeRelease(top, name))
})
afterAll(() => rmSync(top, { recursive: true, force: true }))

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(top, 'job-'))
})

const serve = (redirects?: Readonly<Record<string, string>>): Promise<ReleaseServer> =>
  serveRelease(
    top,
    Object.fromEntries([...releases].map(([name, { archive }]) => [`/v0.1.0/${name}.tar.gz`, archive])),
    redirects,
  )

describe.skipIf(!isReady)('action.yml', () => {
  test('has the keys of a composite action, and no place for a token', () => {
    const action = readAction()
    expect(Object.keys(action.inputs)).toEqual(['version', 'sha256', 'url'])
    expect(Object.values(action.inputs).every(({ required }) => required)).toBe(true)
    expect(JSON.stringify(action)).not.toMatch(/token|secrets\.|GITHUB_ENV|cache/i)
  })

  test('gets inputs through variables: no expression is pasted into the script', () => {
    const [step] = readAction().runs.steps
    expect(step!.run).not.toContain('${{')
    const inputs = Object.values(step!.env).map((value) => /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1])
    expect(inputs).toEqual(Object.keys(readAction().inputs))
  })

  test.each([
    ['X64', NAME],
    ['ARM64', ARM_NAME],
  ])('installs the release for Linux on %s', async (arch, name) => {
    await using server = await serve()
    const { sha256 } = releases.get(name)!
    const got = await act(
      { VERSION: '0.1.0', SHA256: sha256, RELEASES: `${server.url}/v0.1.0/`, RUNNER_ARCH: arch },
      server,
    )
    expect(got).toMatchObject({ code: 0, output: 'stand-in --version\n' })
    expect(got.path).toMatch(new RegExp(`^${folder}/temp/matdecl-\\w+/${name}\n$`))
    expect(got.outputs).toBe(`path=${got.path.trimEnd()}/matdecl\n`)
    expect(existsSync(`${got.path.trimEnd()}/matdecl`)).toBe(true)
    expect(readdirSync(join(got.path.trimEnd(), '..'))).toEqual([name])
  })

  const good = () => ({ VERSION: '0.1.0', SHA256: releases.get(NAME)!.sha256, RUNNER_ARCH: 'X64' })
  test.each([
    ['another checksum', { SHA256: ZEROS }, 'does not have the expected sha256', 1],
    ['a checksum in capitals', { SHA256: 'A'.repeat(64) }, 'invalid sha256', 0],
    ['no checksum', { SHA256: '' }, 'invalid sha256', 0],
    ['no version', { VERSION: '' }, 'invalid version', 0],
    ['a version with a path', { VERSION: '0.1.0/../..' }, 'invalid version', 0],
    ['a version with a command', { VERSION: '0.1.0\n::set-output name=path::/tmp/x' }, 'invalid version', 0],
    [
      'a version that was never released',
      { VERSION: '9.9.9' },
      'could not download matdecl-9.9.9-linux-x64',
      1,
    ],
    ['a runner without a release', { RUNNER_OS: 'macOS' }, 'no release for macOS on X64', 0],
  ])('%s: fails and leaves nothing', async (_, change, message, requests) => {
    await using server = await serve()
    const got = await act({ ...good(), RELEASES: `${server.url}/v0.1.0`, ...change }, server)
    expect(got).toMatchObject({ code: 1, path: '', outputs: '' })
    expect(got.output).toContain(`::error title=matdecl::`)
    expect(got.output).toContain(message)
    expect(got.output).not.toMatch(/stand-in|^::set-output/m)
    expect(readdirSync(join(folder, 'temp'))).toEqual([])
    expect(server.requests.length).toBe(requests)
  })

  test('neither sends a request nor follows a redirect to a server without encryption', async () => {
    await using server = await serve({ [`/away/${NAME}.tar.gz`]: `http://127.0.0.1:9/${NAME}.tar.gz` })
    for (const url of [`${server.url}/away`, server.url.replace('https', 'http')]) {
      const got = await act({ ...good(), RELEASES: url }, server)
      expect(got).toMatchObject({ code: 1, path: '', outputs: '' })
      expect(readdirSync(join(folder, 'temp'))).toEqual([])
    }
    expect(server.requests).toEqual([`/away/${NAME}.tar.gz`])
  })

  /** Runs the script of the action as a runner does, with its environment. */
  async function act(env: Readonly<Record<string, string>>, { caFile }: ReleaseServer) {
    mkdirSync(join(folder, 'temp'), { recursive: true })
    const files = { GITHUB_PATH: join(folder, 'path'), GITHUB_OUTPUT: join(folder, 'output') }
    for (const file of Object.values(files)) writeFileSync(file, '')
    const script = join(folder, 'step.sh')
    writeFileSync(script, readAction().runs.steps[0]!.run)
    const runner = { RUNNER_OS: 'Linux', RUNNER_TEMP: join(folder, 'temp'), ...files }
    const ran = await bash(['--noprofile', '--norc', '-e', '-o', 'pipefail', script], {
      ...runner,
      CURL_CA_BUNDLE: caFile,
      ...env,
    })
    return {
      ...ran,
      path: readFileSync(files.GITHUB_PATH, 'utf8'),
      outputs: readFileSync(files.GITHUB_OUTPUT, 'utf8'),
    }
  }
})

describe.skipIf(!isReady)('docs/ci.md', () => {
  test('GitHub Actions: the workflow gives the action what it requires, and the token to one step', () => {
    const { jobs } = workflowSchema.parse(parseYaml(exampleIn('GitHub Actions')))
    const { steps, permissions } = Object.values(jobs)[0]!
    expect(permissions).toEqual({ contents: 'read' })
    const install = steps.findIndex(({ uses }) => uses === 'OWNER/matdecl@COMMIT')
    expect(Object.keys(steps[install]!.with!)).toEqual(Object.keys(readAction().inputs))
    expect(Object.values(steps[install]!.with!).every((value) => typeof value === 'string')).toBe(true)
    const withToken = steps.filter((step) => JSON.stringify(step).includes('secrets.'))
    expect(withToken.map(({ run }) => run?.split(' ')[0])).toEqual(['matdecl'])
    expect(steps.findIndex(({ run }) => run?.startsWith('matdecl'))).toBeGreaterThan(install)
  })

  test('GitLab CI: installs the release with the checksum', async () => {
    await using server = await serve()
    const got = await install(gitlabInstall(), server, releases.get(NAME)!.sha256)
    expect(got).toMatchObject({ code: 0 })
    expect(got.output).toMatch(/OK\nstand-in check bom\.csv --supplier 123456789 .*\n$/)
    expect(got.output).not.toContain(TOKEN)
  })

  test('GitLab CI: another checksum stops the job before anything is unpacked', async () => {
    await using server = await serve()
    const got = await install(gitlabInstall(), server, ZEROS)
    expect(got.code).not.toBe(0)
    expect(got.output).toContain('FAILED')
    expect(got.output).not.toContain('stand-in')
    expect(readdirSync(folder)).toEqual(['release.tar.gz'])
  })

  function gitlabInstall() {
    const { compliance } = gitlabSchema.parse(parseYaml(exampleIn('GitLab CI')))
    return {
      env: compliance!.variables,
      script: compliance!.script.join('\n'),
    }
  }

  async function install(
    { env, script }: ReturnType<typeof gitlabInstall>,
    server: ReleaseServer,
    sha256: string,
  ) {
    expect(env).toMatchObject({ RELEASE: NAME, RELEASE_SHA256: ZEROS, RELEASE_URL: EXAMPLE_URL })
    const here = { RELEASE_SHA256: sha256, RELEASE_URL: `${server.url}/v0.1.0` }
    // A runner runs the lines with -e.
    return bash(['-ec', script], { ...env, ...here, MATDECL_TOKEN: TOKEN, CURL_CA_BUNDLE: server.caFile })
  }
})

// Not a synchronous spawn: the server is in this process.
async function bash(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn('bash', args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { code, output: `${stdout}${stderr}` }
}
