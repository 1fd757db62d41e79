import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CliResult, cli, TOKEN, tree } from '../../support/cli.ts'
import { idsXml } from '../../support/declarations.ts'
import { type Answerer, type Reply, type TestService, testService } from '../../support/service.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: idsXml('A') }])
const JSON_TYPE = { 'Content-Type': 'application/json' }

interface Ended {
  readonly result: CliResult
  readonly service: TestService
  readonly files: readonly string[]
}

interface Facts {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly isTTY?: boolean
  readonly prepare?: (folder: string) => Promise<unknown>
}

/** Runs `download` in a fresh directory against a service that responds so; nothing else is in the directory but what `prepare` made. */
async function ended(
  reply: Reply | Answerer,
  { argv = ['--part', 'A'], env = {}, isTTY = false, prepare }: Facts = {},
): Promise<Ended> {
  return withFolder(async (folder) => {
    await prepare?.(folder)
    await using service = await testService(reply)
    const result = await cli(['download', '--base-url', service.url, '-o', 'out.zip', '--json', ...argv], {
      cwd: folder,
      env,
      isTTY,
    })
    return { result, service, files: await tree(folder) }
  })
}

/** After every failure: the code, its name in the JSON, nothing in the directory, no token anywhere. */
function expectFailure(
  { result, files }: Ended,
  code: number,
  name: string,
  filesBefore: readonly string[] = [],
): void {
  expect(result.json()).toMatchObject({
    schema: 'matdecl.download/1',
    status: 'failed',
    error: { code: name, exitCode: code },
  })
  expect(result.code).toBe(code)
  expect(files).toEqual(filesBefore)
  expect(result.stderr).toMatch(/^matdecl: error: /m)
  expect(result.stdout + result.stderr).not.toContain(TOKEN)
}

describe('2, usage: nothing is sent', () => {
  test.each<[string, string[]]>([
    ['no criteria', []],
    ['a blank part', ['--part', ' ']],
    ['a control character', ['--part', 'a\u0001']],
    ['a date that is none', ['--part', 'A', '--start-date', '2026-02-30']],
    ['a v1 word', ['--part', 'A', '--format', 'XML']],
    ['an unknown option', ['--part', 'A', '--no-such-thing']],
    ['a token on the command line', ['--part', 'A', `--token=${TOKEN}`]],
    ['an operand', ['A']],
    ['a list that is not there', ['--parts-file', 'no.csv']],
    ['an output given twice', ['--part', 'A', '-o', 'other.zip']],
    ['an unknown placeholder', ['--part', 'A', '--manifest', '--missing']],
    ['a certificate file that is not there', ['--part', 'A', '--ca-file', 'no.pem']],
    ['--fail-if-missing with a CSV response', ['--part', 'A', '--fail-if-missing', '--query', 'format=CSV']],
    ['--missing with a CSV response', ['--part', 'A', '--missing', 'm.txt', '--query', 'format=CSV']],
    ['--missing as a workbook', ['--part', 'A', '--missing', 'm.xlsx']],
    ['a part that does not fit into the address', ['--part', 'A', '--max-url-length', '60']],
    ['a plan that is too large', ['--part', 'A', '--part', 'B', '--batch-size', '1', '--max-requests', '1']],
  ])('%s', async (_, argv) => {
    const end = await ended({ body: ARCHIVE }, { argv })
    expectFailure(end, 2, 'usage')
    expect(end.service.all).toEqual([])
  })

  test('mistakes in the parts and in the criteria are reported together', async () => {
    const argv = ['--part', ' ', '--parts-file', 'no.csv', '--format', 'XML', '--supplier', ' ']
    const end = await ended({ body: ARCHIVE }, { argv })
    expectFailure(end, 2, 'usage')
    expect(end.result.json()).toMatchObject({
      error: {
        message: '4 mistakes in the request',
        problems: [
          expect.stringContaining("'XML'"),
          expect.stringContaining('--supplier'),
          expect.stringContaining('part " " is blank'),
          expect.stringContaining('no.csv'),
        ],
      },
    })
  })

  test('an archive on a terminal', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const result = await cli(['--base-url', service.url, '--part', 'A', '-o', '-'], {
        cwd: folder,
        isTTY: true,
      })
      expect(result).toMatchObject({ code: 2, stdout: '' })
      expect(result.stderr).toContain('not written to a terminal')
      expect(service.all).toEqual([])
    })
  })
})

describe('3, config: nothing is sent', () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['no token', { MATDECL_TOKEN: '' }, 'MATDECL_TOKEN'],
    ['a token that is none', { MATDECL_TOKEN: `${TOKEN}\nX-Evil: 1` }, 'more than one line'],
    [
      'a token file that is not there',
      { MATDECL_TOKEN: '', MATDECL_TOKEN_FILE: '/no/such/file' },
      'does not exist',
    ],
    ['a bad address in the environment', { MATDECL_RATE: 'often' }, 'MATDECL_RATE'],
    ['a certificate file that is not there', { MATDECL_CA_FILE: '/no/such.pem' }, '/no/such.pem'],
    ['a config file that is not there', { MATDECL_CONFIG: '/no/such.toml' }, '/no/such.toml'],
  ])('%s', async (_, env, words) => {
    const end = await ended({ body: ARCHIVE }, { env })
    expectFailure(end, 3, 'config')
    expect(end.result.stderr).toContain(words)
    expect(end.service.all).toEqual([])
  })

  test('a missing address is reported after mistakes in the request itself', async () => {
    for (const argv of [
      ['--part', 'A', '--format', 'XML'],
      ['--supplier', ' '],
      ['--part', 'A', '--since', 'x'],
    ]) {
      expect((await cli([...argv, '--json'])).json()).toMatchObject({ error: { code: 'usage' } })
    }
  })

  test('no address', async () => {
    await withFolder(async (folder) => {
      const result = await cli(['--part', 'A', '--json'], { cwd: folder })
      expect(result.code).toBe(3)
      expect(result.stderr).toContain('--base-url')
      expect(await tree(folder)).toEqual([])
    })
  })
})

describe('4 and 5: the service rejects the request, which is sent once', () => {
  test.each<[number, string, number]>([
    [401, 'auth', 4],
    [403, 'auth', 4],
    [400, 'rejected', 5],
    [404, 'rejected', 5],
    [415, 'rejected', 5],
    [422, 'rejected', 5],
    [418, 'rejected', 5],
  ])('%s is %s', async (status, name, code) => {
    const end = await ended({ status, headers: JSON_TYPE, body: `{"message":"no \\u001b[31m${TOKEN} way"}` })
    expectFailure(end, code, name)
    expect(end.result.json()).toMatchObject({ error: { httpStatus: status } })
    expect(end.result.stderr).toContain('way')
    expect(end.result.stderr).not.toContain('\u001b')
    expect(end.service.requests).toHaveLength(1)
  })

  test.each<[string, Reply, string]>([
    [
      'a web page',
      { headers: { 'Content-Type': 'text/html' }, body: '<html><title>Sign in</title></html>' },
      'Sign in',
    ],
    ['JSON', { headers: JSON_TYPE, body: '{"message":"No API key supplied"}' }, 'No API key supplied'],
    ['nothing', { body: '' }, 'empty'],
    ['text', { headers: { 'Content-Type': 'text/plain' }, body: 'service is\u202e closed' }, 'service is'],
  ])('a 200 that is %s', async (_, reply, words) => {
    const end = await ended(reply)
    expectFailure(end, 5, 'rejected')
    expect(end.result.stderr).toContain(words)
    expect(end.result.stderr).toContain('200')
    expect(end.result.stderr).not.toContain('\u202e')
    expect(end.service.requests).toHaveLength(1)
  })
})

describe('6 and 7: not now', () => {
  test('a wait beyond --max-wait ends the run and says when to come back', async () => {
    const end = await ended(
      { status: 429, headers: { 'Retry-After': '3600' } },
      { argv: ['--part', 'A', '--max-wait', '1m'] },
    )
    expectFailure(end, 6, 'limited')
    expect(end.result.json()).toMatchObject({ error: { retryAt: expect.stringMatching(/^\d{4}-/) } })
    expect(end.service.requests).toHaveLength(1)
  })

  test('a service that is unavailable gets one request and --retries more', async () => {
    const end = await ended({ status: 503 }, { argv: ['--part', 'A', '--retries', '2'] })
    expectFailure(end, 7, 'unavailable')
    expect(end.service.requests).toHaveLength(3)
    expect(end.result.slept.length).toBeGreaterThanOrEqual(2)
  })

  test.each([408, 425])(
    '%i that stays is the service’s trouble, no verdict on the request',
    async (status) => {
      const end = await ended({ status }, { argv: ['--part', 'A', '--retries', '1'] })
      expectFailure(end, 7, 'unavailable')
      expect(end.service.requests).toHaveLength(2)
    },
  )

  test('an archive that is damaged in every attempt is named once per line', async () => {
    const whole = zip([{ name: 'a.xml', data: '<MainDeclaration/>' }])
    const body = Buffer.from(whole)
    body[32] = body[32]! ^ 1
    const end = await ended({ body }, { argv: ['--part', 'A', '--retries', '1'] })
    expect(end.result.code).toBe(8)
    expect(end.result.stderr).toContain('request 1 of 1: the archive: ')
    expect(end.result.stderr).not.toContain('request 1 of 1: request')
  })

  test('nobody listens', async () => {
    await withFolder(async (folder) => {
      const result = await cli(['--base-url', 'http://127.0.0.1:1', '--part', 'A', '--retries', '1'], {
        cwd: folder,
      })
      expect(result).toMatchObject({ code: 7, stdout: '' })
      expect(await tree(folder)).toEqual([])
    })
  })

  test('a service that comes back is waited for', async () => {
    const end = await ended((_, index) => (index < 2 ? { status: 503 } : { body: ARCHIVE }))
    expect(end.result.code).toBe(0)
    expect(end.service.requests).toHaveLength(3)
    expect(end.files).toEqual(['out.zip'])
  })
})

describe('8: an archive that is not safe', () => {
  test.each<[string, Buffer]>([
    ['a wrong checksum', zip([{ name: 'a.xml', data: 'x', central: { crc32: 1 }, local: { crc32: 1 } }])],
    ['a name that leaves the directory', zip([{ name: '../a.xml', data: 'x' }])],
  ])('%s', async (_, body) => {
    const end = await ended({ body }, { argv: ['--part', 'A', '--retries', '1', '-x'] })
    expectFailure(end, 8, 'archive')
  })
})

describe('9: the disk, before anything is sent', () => {
  test('the output exists, and keeps its bytes', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'out.zip'), 'mine')
      await using service = await testService({ body: ARCHIVE })
      const result = await cli(['--base-url', service.url, '--part', 'A', '-o', 'out.zip'], { cwd: folder })
      expect(result).toMatchObject({ code: 9, stdout: '' })
      expect(result.stderr).toContain('--overwrite')
      expect(service.all).toEqual([])
      expect(await readFile(join(folder, 'out.zip'), 'utf8')).toBe('mine')
    })
  })

  test('a failed run with --overwrite leaves the old file whole', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'out.zip'), 'mine')
      await using service = await testService({ status: 401 })
      const result = await cli(['--base-url', service.url, '--part', 'A', '-o', 'out.zip', '--overwrite'], {
        cwd: folder,
      })
      expect(result.code).toBe(4)
      expect(await readFile(join(folder, 'out.zip'), 'utf8')).toBe('mine')
      expect(await tree(folder)).toEqual(['out.zip'])
    })
  })

  test.each<[string, string[], string[]]>([
    ['the extract target exists', ['--part', 'A', '-x'], ['out']],
    ['the named extract target exists', ['--part', 'A', '-x', 'taken'], ['taken']],
    ['the manifest exists', ['--part', 'A', '--manifest', 'taken'], ['taken']],
    ['the list of missing parts exists', ['--part', 'A', '--missing', 'taken'], ['taken']],
  ])('%s', async (_, argv, before) => {
    const end = await ended({ body: ARCHIVE }, { argv, prepare: (folder) => mkdir(join(folder, before[0]!)) })
    expectFailure(end, 9, 'io', before)
    expect(end.service.all).toEqual([])
  })

  test('a file where a directory is needed', async () => {
    const end = await ended(
      { body: ARCHIVE },
      {
        argv: ['--part', 'A', '--manifest', 'file/m.json'],
        prepare: (folder) => writeFile(join(folder, 'file'), ''),
      },
    )
    expectFailure(end, 9, 'io', ['file'])
    expect(end.service.all).toEqual([])
  })
})

describe('12: nothing, where something was needed', () => {
  test.each<[string, Reply]>([
    ['204', { status: 204 }],
    ['an archive without entries', { body: zip([]) }],
  ])('%s with --fail-if-empty', async (_, reply) => {
    expectFailure(await ended(reply, { argv: ['--part', 'A', '--fail-if-empty'] }), 12, 'missing')
  })

  test.each<[string, Reply]>([
    ['204', { status: 204 }],
    ['an archive without entries', { body: zip([]) }],
  ])('%s without it is a success with a message, where parts have a start date', async (_, reply) => {
    const { result, files } = await ended(reply, { argv: ['--part', 'A', '--start-date', '2026-01-01'] })
    expect(result.json()).toMatchObject({
      status: 'empty',
      archive: null,
      missingParts: ['A'],
      foundParts: 0,
    })
    expect(result.code).toBe(0)
    expect(result.stderr).toContain('no match')
    expect(files).toEqual([])
  })

  test('--fail-if-missing names what is missing and keeps what came', async () => {
    const parts = ['--part', 'A', '--part', 'B', '--fail-if-missing']
    const { result, files } = await ended({ body: ARCHIVE }, { argv: parts })
    expect(result.json()).toMatchObject({ status: 'failed', error: { code: 'missing' }, missingParts: ['B'] })
    expect(result.code).toBe(12)
    expect(files).toEqual(['out.zip'])
    expect(result.json()).toMatchObject({ error: { hint: '--missing FILE writes them to a list' } })
    const argv = [...parts, '--missing', 'gone.txt']
    const listed = await ended({ body: ARCHIVE }, { argv })
    expect(listed.result.json()).toMatchObject({
      error: { exitCode: 12, hint: 'they are listed in gone.txt' },
    })
    expect(listed.files).toEqual(['gone.txt', 'out.zip'])
  })

  test.each<[string, Reply, readonly string[], string, string]>([
    [
      '204',
      { status: 204 },
      ['out.zip'],
      '',
      'check what is read with matdecl parts bom.csv; --parts-column',
    ],
    ['other parts', { body: zip([{ name: 'a.xml', data: idsXml('C') }]) }, [], '', 'matdecl parts bom.csv'],
    [
      'no ProductID',
      { body: zip([{ name: 'a.xml', data: '<r/>' }]) },
      [],
      ': its declarations have no ',
      'bom',
    ],
    [
      'a near match',
      { body: zip([{ name: 'a.xml', data: idsXml('a 1') }]) },
      [],
      '',
      "'a 1' is in the archive",
    ],
  ])('no part of a list is found, without a start date: %s', async (_, reply, gone, why, hint) => {
    const prepare = (folder: string) => writeFile(join(folder, 'bom.csv'), 'Item,MPN\n1,A-1\n2,B-2\n')
    for (const others of [[], ['--quiet'], ['--fail-if-empty', '--fail-if-missing']]) {
      const { result, files } = await ended(reply, { argv: ['--parts-file', 'bom.csv', ...others], prepare })
      const message = `none of the 2 requested parts, read from column "MPN" of bom.csv, was found${why}`
      expect(result.json()).toMatchObject({
        status: 'failed',
        error: {
          code: 'missing',
          exitCode: 12,
          message: expect.stringContaining(message),
          hint: expect.stringContaining(hint),
        },
        foundParts: 0,
        missingParts: ['A-1', 'B-2'],
      })
      expect(result.stderr).toContain(`matdecl: error: ${message}`)
      expect(result.code).toBe(12)
      expect(files).toEqual(['bom.csv', 'out.zip'].filter((name) => !gone.includes(name)))
      expect(result.stderr.match(/of bom\.csv, was found/g)).toHaveLength(1)
    }
    // With a start date, nothing may just be new.
    const dated = await ended(reply, {
      argv: ['--parts-file', 'bom.csv', '--start-date', '2026-01-01'],
      prepare,
    })
    expect(dated.result.code).toBe(0)
  })

  test('a list in one --part is not found, and how it is written', async () => {
    const { result } = await ended({ status: 204 }, { argv: ['--part', 'A1,B 2,C3', '--quiet'] })
    expect(result.json()).toMatchObject({
      error: {
        exitCode: 12,
        message: "the requested part 'A1,B 2,C3' was not found",
        hint: "--part 'A1,B 2,C3' is one part number, commas included; for several: --part A1 --part 'B 2' …",
      },
    })
  })

  test('what is not known is not missing: a CSV response, and a request that failed', async () => {
    const csv = await ended({ body: ARCHIVE }, { argv: ['--part', 'X', '--query', 'format=CSV'] })
    expect(csv.result.code).toBe(0)
    const reply: Answerer = ({ target }) => ({ status: target.includes('=X') ? 204 : 400 })
    const argv = ['--part', 'X', '--part', 'Y', '--batch-size', '1', '--allow-partial']
    expect((await ended(reply, { argv })).result.code).toBe(10)
  })

  test('an empty response beside a request that failed is not taken for the response to all', async () => {
    const reply: Answerer = ({ target }) => ({ status: target.includes('=A') ? 204 : 400 })
    const argv = ['--part', 'A', '--part', 'B', '--batch-size', '1', '--allow-partial']
    const { result } = await ended(reply, { argv })
    expect(result.code).toBe(10)
    expect(result.stderr).toMatch(/no match: the service has nothing \(204\); .* \(2 requests, 1 failed, /)
    const failed = await ended(reply, { argv: [...argv, '--fail-if-empty'] })
    expect(failed.result.json()).toMatchObject({
      error: {
        exitCode: 12,
        message:
          'the service has no declarations for 1 of 2 requests, and the others failed (--fail-if-empty)',
      },
    })
  })

  test('--fail-if-missing tells missing parts from those whose request failed', async () => {
    const reply: Answerer = (request, _index, response) => {
      if (/=A/.test(request.target)) response.writeHead(200).end(ARCHIVE)
      else response.writeHead(500).end()
    }
    const parts = ['--part', 'A', '--part', 'B', '--part', 'A2']
    const argv = [...parts, '--fail-if-missing', '--missing', 'gone.txt']
    const { result } = await ended(reply, {
      argv: [...argv, '--allow-partial', '--batch-size', '1', '--retries', '0'],
    })
    expect(result.json()).toMatchObject({
      error: {
        exitCode: 12,
        message: '1 requested part not found, and 1 unknown because its request failed (--fail-if-missing)',
        hint: 'the missing ones are listed in gone.txt',
      },
    })
  })
})
