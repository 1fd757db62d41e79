import { describe, expect, test } from 'vitest'
import { cli, tree } from '../../support/cli.ts'
import { type Serving, serving, waitFor } from '../../support/serving.ts'
import { withFolder } from '../../support/world.ts'

const v1 = (service: Serving, folder: string, ...argv: readonly string[]): ReturnType<typeof cli> =>
  cli(['download', '--api', 'v1', '--base-url', service.url, '--json', ...argv], {
    cwd: folder,
    env: { MATDECL_API_KEY: service.token },
  })

describe('matdecl sandbox', () => {
  test.each(['', ' ', 'two words', 'gr\u00fcn', '"quoted"'])(
    'does not start with the token %j, which no request could carry',
    async (token) => {
      const { code, stdout, stderr } = await cli(['sandbox', '--token', token])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^matdecl: error: the token from --token .+\n {2}hint: /)
    },
  )

  test('serves until it is stopped, and prints URL, token and suppliers', async () => {
    const service = await serving(['--token', 'try-me', '--parts', '16'])
    expect(service).toMatchObject({ schema: 'matdecl.sandbox/1', status: 'ok', token: 'try-me' })
    expect(service.suppliers.map(({ parts }) => parts)).toEqual([2, 2, 2, 2, 2, 2, 2, 2])
    const answer = await fetch(`${service.url}/v2/quota`, { headers: { Authorization: 'Bearer try-me' } })
    expect(answer.status).toBe(200)
    expect(await service.stop()).toBe(130)
    await expect(fetch(service.url)).rejects.toThrow()
  })

  test.each([
    [['--fail', 'nonsense'], /unknown fault/],
    [['--fail', 'html', '--fail', '503'], /would never happen/],
    [['--parts', '100001'], /100,?000/],
  ])('%j is exit 2 before anything listens', async (argv, reason) => {
    const { code, stdout, stderr } = await cli(['sandbox', ...argv])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(reason)
  })

  test('logs each request with -v', async () => {
    await using service = await serving(['-v'])
    await fetch(`${service.url}/v2/ping?x=secret`)
    await waitFor(() => service.stderr().includes('sandbox: GET /v2/ping 200'))
    expect(service.stderr()).not.toContain('secret')
  })
})

describe('download --api v1 against the sandbox', () => {
  test('requests parts and saves the archive; no output shows the key', async () => {
    await withFolder(async (folder) => {
      await using service = await serving([])
      const result = await v1(
        service,
        folder,
        '--part',
        'EXC188R60000KA',
        '--part',
        'nobody',
        '-o',
        'out.zip',
      )
      expect(result.code).toBe(0)
      expect(result.json()).toMatchObject({ status: 'ok', archive: { entries: 1 }, missingParts: ['nobody'] })
      expect(await tree(folder)).toEqual(['out.zip'])
      expect(result.stdout + result.stderr).not.toContain(service.token)
    })
  })

  test('can request everything, as XML or as CSV', async () => {
    await withFolder(async (folder) => {
      await using service = await serving(['--parts', '24'])
      const xml = await v1(service, folder, '-o', 'all.zip', '--format-class', 'checkDthenC')
      expect(xml.json()).toMatchObject({ status: 'ok', archive: { entries: 24 } })
      const csv = await v1(service, folder, '-o', 'csv.zip', '--format', 'CSV')
      expect(csv.json()).toMatchObject({ status: 'ok', archive: { entries: 1 } })
      expect(await tree(folder)).toEqual(['all.zip', 'csv.zip'])
    })
  })

  test('prints the message of a refusal and saves nothing', async () => {
    await withFolder(async (folder) => {
      await using service = await serving([])
      const result = await v1(service, folder, '--supplier', '111111111', '-o', 'out.zip')
      expect(result.code).toBe(5)
      expect(result.json()).toMatchObject({
        status: 'failed',
        error: {
          code: 'rejected',
          message: expect.stringContaining('Supplier DUNS numbers "111111111" do not exist'),
        },
      })
      expect(await tree(folder)).toEqual([])
    })
  })

  test('resumes after faults where the transfer broke off', async () => {
    await withFolder(async (folder) => {
      await using service = await serving(['--fail', '503x1,truncate@0.5x1'])
      const result = await v1(service, folder, '--supplier', '100200300', '-o', 'out.zip')
      expect(result.json()).toMatchObject({ status: 'ok', requests: [{ status: 206 }] })
    })
  })
})

describe('download --sandbox', () => {
  test('uses a service inside the process, without account or settings', async () => {
    await withFolder(async (folder) => {
      const result = await cli(
        ['download', '--sandbox', '--supplier', '100200300', '--json', '-o', 'out.zip'],
        {
          cwd: folder,
          env: { MATDECL_TOKEN: '' },
        },
      )
      expect(result.code).toBe(0)
      expect(result.json()).toMatchObject({ status: 'ok', archive: { entries: 28 } })
      expect(await tree(folder)).toEqual(['out.zip'])
    })
  })
})
