import { describe, expect, test } from 'vitest'
import { cli, TOKEN, tree } from '../../support/cli.ts'
import { testService } from '../../support/service.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: '<P><ProductID itemNumber="A"/></P>' }])
const KEY = 'key-S3CRET-9876543210'
const env = { MATDECL_TOKEN: '', MATDECL_API_KEY: KEY }

describe('the legacy request', () => {
  test('is a POST whose body has all criteria as texts, and no bearer header', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const argv = [
        '--api',
        'v1',
        '--base-url',
        service.url,
        '--format',
        'XML',
        '--format-class',
        'checkDthenC',
        '--supplier',
        '100200300,200300400',
        '--part',
        'A',
        '--part',
        'B,2',
        '--start-date',
        '2026-01-31',
        '-o',
        'x.zip',
        '--json',
      ]
      const result = await cli(argv, { cwd: folder, env })
      expect(result.json()).toMatchObject({
        status: 'ok',
        request: { api: 'v1', format: 'XML' },
        foundParts: 1,
        missingParts: ['B,2'],
      })
      const [request] = service.requests
      expect(request).toMatchObject({ method: 'POST', target: '/api/download' })
      expect(JSON.parse(request!.body)).toEqual({
        apikey: KEY,
        format: 'XML',
        formatClass: 'checkDthenC',
        supplier: '100200300,200300400',
        partNumbers: '"A","B,2"',
        startdate: '2026-01-31',
      })
      expect(request!.rawHeaders.map((word) => word.toLowerCase())).not.toContain('authorization')
      expect(result.stdout + result.stderr).not.toContain(KEY)
      expect(await tree(folder)).toEqual(['x.zip'])
    })
  })

  test('may ask for everything', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: ARCHIVE })
      const result = await cli(['--api', 'v1', '--base-url', service.url, '-o', 'x.zip'], {
        cwd: folder,
        env,
      })
      expect(result.code).toBe(0)
      expect(JSON.parse(service.requests[0]!.body)).toEqual({ apikey: KEY, format: 'XML' })
    })
  })

  test('needs an API key, not the token', async () => {
    const argv = ['--api', 'v1', '--base-url', 'https://old.example.com', '--part', 'A']
    const result = await cli(argv, { env: { MATDECL_TOKEN: TOKEN } })
    expect(result).toMatchObject({ code: 3, stdout: '' })
    expect(result.stderr).toContain('MATDECL_API_KEY')
  })

  test('has its own plan: one address', async () => {
    const argv = ['--api', 'v1', '--base-url', 'https://old.example.com', '--part', 'A', '-n']
    expect((await cli([...argv, '--json'], { env })).json()).toMatchObject({
      requests: [{ url: 'https://old.example.com/api/download', parts: ['A'] }],
      parts: 1,
    })
  })

  test.each([
    ['a v2 format', ['--format', '1752A']],
    ['a query parameter', ['--query', 'a=b']],
    ['a part with a quote', ['--part', 'a"b']],
  ])('%s is refused before anything is sent', async (_, argv) => {
    await using service = await testService({ body: ARCHIVE })
    const result = await cli(['--api', 'v1', '--base-url', service.url, '--part', 'A', ...argv], { env })
    expect([result.code, service.all.length]).toEqual([2, 0])
  })
})

describe('the legacy service', () => {
  test('refuses in text under 200, which is shown and not retried', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({
        headers: { 'Content-Type': 'text/plain' },
        body: 'Supplier DUNS numbers "1" do not exist',
      })
      const result = await cli(['--api', 'v1', '--base-url', service.url, '--supplier', '1', '-o', 'x.zip'], {
        cwd: folder,
        env,
      })
      expect(result.code).toBe(5)
      expect(result.stderr).toContain('do not exist')
      expect(service.requests).toHaveLength(1)
      expect(await tree(folder)).toEqual([])
    })
  })

  test.each([
    ['XML', '.xml'],
    ['CSV', '.csv'],
  ])('of the sandbox responds with %s', async (format, ending) => {
    await withFolder(async (folder) => {
      const argv = [
        '--sandbox',
        '--api',
        'v1',
        '--format',
        format,
        '--supplier',
        '100200300',
        '-o',
        'x.zip',
        '-l',
        '--json',
      ]
      const result = await cli(argv, { cwd: folder, env })
      const names = (result.json().entries as { name: string }[]).map(({ name }) => name)
      expect(names.length).toBeGreaterThan(0)
      expect(names.every((name) => name.endsWith(ending))).toBe(true)
    })
  })
})

describe('a CSV response', () => {
  const csv = zip([{ name: 'declarations.csv', data: 'part\nA\n' }])

  test('is not searched for ProductIDs: no part is called missing', async () => {
    await withFolder(async (folder) => {
      await using service = await testService({ body: csv })
      const argv = [
        '--api',
        'v1',
        '--base-url',
        service.url,
        '--part',
        'A',
        '--format',
        'CSV',
        '-o',
        'x.zip',
        '--json',
      ]
      const result = await cli(argv, { cwd: folder, env: { MATDECL_API_KEY: TOKEN } })
      expect(result.json()).toMatchObject({ status: 'ok' })
      expect(result.json()).not.toHaveProperty('missingParts')
      expect(result.stderr).toContain('not matched')
      expect(result.stderr).not.toContain('missing')
    })
  })

  test.each(['--fail-if-missing', '--missing=m.txt'])('%s can not be kept and is refused', async (flag) => {
    const argv = ['--base-url', 'https://api.example.com', '--part', 'A', '--query', 'format=CSV', flag]
    expect(await cli(argv)).toMatchObject({ code: 2, stdout: '' })
  })
})
