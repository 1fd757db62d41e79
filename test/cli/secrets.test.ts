import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { type CliResult, cli } from '../support/cli.ts'
import { JWT, pieceOf } from '../support/secret-pieces.ts'
import { type Reply, testService } from '../support/service.ts'
import { IS_SOAK, sweep } from '../support/soak.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

// Characters that JSON, URLs and base64 all write differently.
const SECRET = 'S3cr3t/+=~"%&token-9876543210'
const FORMS = [
  SECRET,
  encodeURIComponent(SECRET),
  JSON.stringify(SECRET).slice(1, -1),
  Buffer.from(SECRET).toString('base64').replace(/=+$/, ''),
]
const ARCHIVE = zip([{ name: 'a.xml', data: '<MainDeclaration/>' }])

const ECHOES: readonly (readonly [string, Reply])[] = [
  ['an archive', { body: ARCHIVE }],
  ['nothing', { status: 204 }],
  [
    'the token in a header',
    {
      headers: { 'X-Echo': encodeURIComponent(SECRET), ETag: `"${encodeURIComponent(SECRET)}"` },
      body: ARCHIVE,
    },
  ],
  ['the token in a message', { status: 401, body: JSON.stringify({ message: `token ${SECRET} is bad` }) }],
  ['the token in a page', { headers: { 'Content-Type': 'text/html' }, body: `<title>${SECRET}</title>` }],
  ['the token in text', { headers: { 'Content-Type': 'text/plain' }, body: SECRET }],
  [
    'the token in base64',
    { status: 403, body: JSON.stringify({ message: Buffer.from(SECRET).toString('base64') }) },
  ],
  [
    'the token in a redirect',
    { status: 302, headers: { Location: `http://127.0.0.1:1/?token=${encodeURIComponent(SECRET)}` } },
  ],
  ['the token in an entry name', { body: zip([{ name: `../${SECRET.replaceAll('/', '')}`, data: 'x' }]) }],
  ['a broken archive', { body: ARCHIVE.subarray(0, 40) }],
  ['a fault', { status: 500, body: JSON.stringify({ message: `stack: Bearer ${SECRET}` }) }],
]

const STYLES: readonly (readonly string[])[] = [['-vv'], ['--json'], ['-vv', '--log-format', 'json']]

/** Everything that a run said or left: its streams, and every file in the directory but those that held the secret before. */
async function leftovers(folder: string, result: CliResult, given: readonly string[]): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = await Promise.all(
    files
      .filter((file) => !given.includes(file))
      .map(async (file) => `${file}\n${await readFile(file, 'latin1')}`),
  )
  return [result.stdout, result.stderr, ...texts].join('\n')
}

function expectNoSecret(text: string): void {
  for (const form of FORMS) expect(text).not.toContain(form)
}

describe('a download never shows the token', () => {
  for (const [name, reply] of ECHOES) {
    test.each(STYLES)(`answered with ${name}: %s %s %s`, async (...style) => {
      await withFolder(async (folder) => {
        await using service = await testService(reply)
        const result = await cli(
          [
            'download',
            '--base-url',
            service.url,
            '--part',
            'A',
            '-o',
            'o.zip',
            '-x',
            '--manifest',
            '--since',
            '7d',
            '--retries',
            '1',
            ...style.filter(Boolean),
          ],
          {
            cwd: folder,
            env: { MATDECL_TOKEN: ` Bearer ${SECRET}\n`, XDG_STATE_HOME: join(folder, 'state') },
          },
        )
        expect(service.requests.length).toBeGreaterThan(0)
        expect(service.requests[0]!.rawHeaders).toContain(`Bearer ${SECRET}`)
        expectNoSecret(await leftovers(folder, result, []))
      })
    })
  }
})

describe('a download never shows a piece of a token that a shortened message echoes', () => {
  const shownPiece = pieceOf(JWT)

  test.each(STYLES)('%s %s %s', async (...style) => {
    const echoes = Array.from({ length: sweep(4, 16) }, (_, index) => '.'.repeat(index * 20))
    for (const before of echoes) {
      await withFolder(async (folder) => {
        const body = JSON.stringify({ message: `${before} ${JWT} is no token` })
        await using service = await testService({ status: 401, headers: { 'X-Request-Id': JWT }, body })
        const line = ['--base-url', service.url, '--part', 'A', '-o', 'o.zip', ...style.filter(Boolean)]
        const result = await cli(line, { cwd: folder, env: { MATDECL_TOKEN: JWT } })
        expect(result.code).toBe(4)
        expect(service.requests[0]!.rawHeaders).toContain(`Bearer ${JWT}`)
        const text = await leftovers(folder, result, [])
        expect(shownPiece(text), `${before.length}: ${text}`).toBeUndefined()
      })
    }
  })
})

describe('no command shows a secret, whatever its source', () => {
  const lines: readonly (readonly string[])[] = [
    ...COMMANDS.filter(({ name }) => name !== 'sandbox').map(({ name }) => [name]),
    ...COMMANDS.filter(({ name }) => name !== 'sandbox').map(({ name }) => [name, 'a.zip']),
    ['list', 'none.zip'],
    ['verify', 'a.zip', 'none.zip'],
    ['extract', 'a.zip', 'new'],
    ['config', 'show'],
    ['config', 'path'],
    ['migrate', 'v1.json'],
    ['doctor', '--sandbox'],
    ['download', '--part', 'A', '--dry-run'],
    ['download', '--sandbox', '--supplier', '100200300', '-o', 's.zip', '--manifest'],
    ['download', `--token=${SECRET}`],
    ['download', '--tokn', SECRET],
    ['download', '--base-url', `https://me:${encodeURIComponent(SECRET)}@api.example.com`, '--part', 'A'],
    [
      'download',
      '--proxy',
      `http://me:${encodeURIComponent(SECRET)}@127.0.0.1:1`,
      '--part',
      'A',
      '--retries',
      '0',
    ],
  ].filter(([name]) => COMMANDS.some((command) => command.name === name))

  // In the suite each line in one of the styles.
  const styled = lines.flatMap((line, index) =>
    STYLES.filter((_, at) => IS_SOAK || at === index % STYLES.length).map((style) => [[...line, ...style]]),
  )

  test.each(styled)('%j', async (line) => {
    await withFolder(async (folder) => {
      const config = join(folder, 'config.toml')
      const file = join(folder, 'token')
      const request = join(folder, 'v1.json')
      await writeFile(join(folder, 'a.zip'), ARCHIVE)
      await writeFile(config, `token = ${JSON.stringify(SECRET)}\napi-key = ${JSON.stringify(SECRET)}\n`, {
        mode: 0o600,
      })
      await writeFile(file, `${SECRET}\n`, { mode: 0o644 })
      await writeFile(request, JSON.stringify({ apikey: SECRET, format: 'XML', supplier: '123456789' }))
      const places: Readonly<Record<string, string>>[] = [
        { MATDECL_TOKEN: SECRET, MATDECL_API_KEY: SECRET },
        { MATDECL_TOKEN: '', MATDECL_TOKEN_FILE: file, MATDECL_API_KEY_FILE: file },
        { MATDECL_TOKEN: '', MATDECL_CONFIG: config },
      ]
      for (const env of places) {
        const result = await cli([...line, '--no-input'], {
          cwd: folder,
          env: { XDG_STATE_HOME: join(folder, 'state'), ...env },
        })
        expect(result.stdout + result.stderr).not.toContain('internal error')
        expectNoSecret(await leftovers(folder, result, [config, file, request]))
      }
    })
  })
})

test('a secret in a broken config file is not printed', async () => {
  await withFolder(async (folder) => {
    const config = join(folder, 'config.toml')
    for (const text of [
      `token = "${SECRET}`,
      `token = ["${SECRET.replaceAll('"', '')}"]`,
      `tokn = '${SECRET}'`,
    ]) {
      await writeFile(config, text)
      const result = await cli(
        ['download', '--part', 'A', '--base-url', 'https://api.example.com', '--config', config, '-vv'],
        {
          cwd: folder,
          env: { MATDECL_TOKEN: '' },
        },
      )
      expect(result.code).toBe(3)
      expectNoSecret(result.stderr)
      expect(result.stderr).not.toContain('S3cr3t')
    }
  })
})
