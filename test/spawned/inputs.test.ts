import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ended, runBinary, start } from '../support/binary.ts'
import { needs, posixDescribe } from '../support/programs.ts'
import { toolCommand } from '../support/tool-command.ts'
import { withFolder } from '../support/world.ts'

const TOKEN = 'secret-token-of-the-inputs'
const ASKING = ['--base-url', 'https://localhost:9', '--part', 'A']

const INPUTS: readonly (readonly [what: string, argv: readonly string[], env: Record<string, string>])[] = [
  ['a parts list', ['--sandbox', '--parts-file', 'input'], {}],
  ['a CSV list', ['--sandbox', '--parts-file', 'input.csv'], {}],
  ['the config file', ['config', 'show', '--config', 'input'], {}],
  ['a token file', ASKING, { MATDECL_TOKEN_FILE: 'input' }],
  ['a CA file', [...ASKING, '--ca-file', 'input'], { MATDECL_TOKEN: TOKEN }],
  ['a client certificate', [...ASKING, '--client-cert', 'input'], { MATDECL_TOKEN: TOKEN }],
  [
    'more authorities',
    ASKING,
    { MATDECL_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: '/nothing', SSL_CERT_FILE: 'input' },
  ],
  ['a request to migrate', ['migrate', 'input'], {}],
]

function isOpen(pid: number, path: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === path
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== 'linux')('a pipe without a writer', () => {
  test.each(INPUTS)('as %s is waited for until a signal comes', (_what, argv, env) =>
    withFolder(async (folder) => {
      const name = argv.find((word) => word.startsWith('input')) ?? 'input'
      execFileSync('mkfifo', [join(folder, name)])
      const child = start(argv, { cwd: folder, env: { HOME: folder, ...env } })
      const end = ended(child)
      while (child.exitCode === null && !isOpen(child.pid!, join(folder, name))) await delay(10)
      child.kill('SIGTERM')
      const { code, stdout, stderr } = await end
      expect([code, stdout], stderr).toEqual([143, ''])
      expect(stderr).toContain('stopped by SIGTERM')
      expect(await readdir(folder)).toEqual([name])
    }),
  )

  test.each([
    ['an archive', ['list', 'input']],
    ['a source of a report', ['report', 'input']],
    ['a workbook', ['--sandbox', '--parts-file', 'input.xlsx']],
  ])('as %s is refused', (_what, argv) =>
    withFolder(async (folder) => {
      execFileSync('mkfifo', [join(folder, argv.at(-1)!)])
      const { code, stdout, stderr } = await runBinary(argv, { cwd: folder, env: { HOME: folder } })
      expect([code, stdout], stderr).toEqual([2, ''])
      expect(stderr).toMatch(/not a regular file|neither a file nor|is a pipe/)
    }),
  )
})

posixDescribe('an endless device', () => {
  test.each(INPUTS.filter(([what]) => !['a CSV list', 'more authorities'].includes(what)))(
    'as %s is refused',
    (_what, argv, env) =>
      withFolder(async (folder) => {
        const zero = (word: string): string => (word === 'input' ? '/dev/zero' : word)
        const { code, stdout, stderr } = await runBinary(argv.map(zero), {
          cwd: folder,
          env: Object.fromEntries(
            Object.entries({ HOME: folder, ...env }).map(([key, value]) => [key, zero(value)]),
          ),
        })
        expect(code, stderr).toBeOneOf([2, 3])
        expect(stdout).toBe('')
        expect(stderr).toContain('/dev/zero')
        expect(stderr).toContain('is neither a regular file nor a pipe')
      }),
  )
})

describe('process substitution', () => {
  test.skipIf(!needs('bash'))('works for lists, settings and tokens', () =>
    withFolder(async (folder) => {
      const { program, args } = toolCommand()
      await writeFile(join(folder, 'parts.txt'), 'A1\nB2\n')
      const line = `MATDECL_TOKEN_FILE=<(echo ${TOKEN}) "$@" download --config <(echo 'base-url = "https://localhost:9"') --parts-file <(cat parts.txt) --dry-run --json`
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', line, 'bash', program, ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder },
      })
      expect(JSON.parse(stdout)).toMatchObject({
        parts: 2,
        requests: [{ url: 'https://localhost:9/v2/download?format=1752A&partNumbers[]=A1&partNumbers[]=B2' }],
      })
    }),
  )
})
