import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, TOKEN } from '../../support/cli.ts'
import { idsXml } from '../../support/declarations.ts'
import { type Answerer, type SeenRequest, testService } from '../../support/service.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

/** Declares the parts that are asked for. */
const answer: Answerer = ({ target }) => {
  const parts = new URL(target, 'http://service').searchParams.getAll('partNumbers[]')
  return { body: zip([{ name: `${target.length}.xml`, data: idsXml(...parts) }]) }
}

/** What the service saw of one run with these arguments. */
async function seen(...argv: string[]): Promise<readonly SeenRequest[]> {
  return withFolder(async (folder) => {
    await using service = await testService(answer)
    const result = await cli(['download', '--base-url', service.url, '-o', join(folder, 'o.zip'), ...argv])
    expect(result.stderr).not.toContain('error')
    expect(result.code).toBe(0)
    return service.requests
  })
}

async function target(...argv: string[]): Promise<string> {
  const requests = await seen(...argv)
  expect(requests).toHaveLength(1)
  return requests[0]!.target
}

describe('the raw request', () => {
  test('is a GET without a body', async () => {
    const [request] = await seen('--supplier', '123456789')
    expect(request).toMatchObject({ method: 'GET', body: '' })
    const names = request!.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    expect(names).not.toContain('content-length')
    expect(names).not.toContain('transfer-encoding')
  })

  test('carries these headers, each once', async () => {
    const [request] = await seen('--supplier', '123456789')
    const headers = pairs(request!.rawHeaders)
    expect(headers.filter(([name]) => !['Host', 'Connection'].includes(cased(name)))).toEqual([
      ['Authorization', `Bearer ${TOKEN}`],
      ['Content-Type', 'application/json'],
      ['Accept', 'application/zip'],
      ['Accept-Encoding', 'identity'],
      ['User-Agent', expect.stringMatching(/^matdecl\/\d+\.\d+\.\d+/)],
    ])
  })

  test('has its parameters in this order, whatever the order of the flags', async () => {
    expect(
      await target(
        '--start-date',
        '2026-01-31',
        '--part',
        'B',
        '--query',
        'x=1',
        '--supplier',
        '123456789',
        '--part',
        'A',
        '--format-class',
        'C',
        '--format',
        '1752B',
      ),
    ).toBe(
      '/v2/download?format=1752B&formatClass=C&supplier=123456789&partNumbers[]=B&partNumbers[]=A&startDate=2026-01-31&x=1',
    )
  })

  test('always has a format, and no class unless given', async () => {
    expect(await target('--supplier', '123456789')).toBe('/v2/download?format=1752A&supplier=123456789')
  })

  test.each([
    ['A,B', 'A%2CB'],
    ['A B', 'A%20B'],
    [' A ', '%20A%20'],
    ['a/b', 'a%2Fb'],
    ['a&b=c', 'a%26b%3Dc'],
    ['a+b', 'a%2Bb'],
    ['50%', '50%25'],
    ['%41', '%2541'],
    ['10µH', '10%C2%B5H'],
    ['..', '..'],
    ['"x"', '%22x%22'],
    ['-7X2', '-7X2'],
    ['--json', '--json'],
    ['00123', '00123'],
    ['abc', 'abc'],
  ])('sends part %j as %s', async (part, encoded) => {
    expect(await target(`--part=${part}`)).toBe(`/v2/download?format=1752A&partNumbers[]=${encoded}`)
  })

  test('sends the arguments after -- instead of the parts of a variable, as --part', async () => {
    const env = { MATDECL_PART: 'OLD' }
    const argv = ['-n', '--json', '--base-url', 'https://api.example.com']
    for (const given of [['--', '-7X2'], ['--part=-7X2']]) {
      const planned = await cli([...argv, ...given], { env })
      expect(planned.json()).toMatchObject({ requests: [{ parts: ['-7X2'] }] })
    }
    const both = await cli([...argv, '--part', 'A', '--', '-7X2'], { env })
    expect(both.json()).toMatchObject({ requests: [{ parts: ['A', '-7X2'] }] })
  })

  test('sends the arguments after -- as parts', async () => {
    expect(await target('--', '-7X2', '--supplier')).toBe(
      '/v2/download?format=1752A&partNumbers[]=-7X2&partNumbers[]=--supplier',
    )
  })

  test('sends the supplier as it is', async () => {
    expect(await target('--supplier', ' Ab 1')).toBe('/v2/download?format=1752A&supplier=%20Ab%201')
  })

  test('requests a duplicate part once, at its first position', async () => {
    expect(await target('--part', 'B', '--part', 'A', '--part', 'B', '--part', 'b')).toBe(
      '/v2/download?format=1752A&partNumbers[]=B&partNumbers[]=A&partNumbers[]=b',
    )
  })

  test('takes the format from --query where the service has another', async () => {
    expect(await target('--part', 'A', '--query', 'format=CSV')).toBe(
      '/v2/download?format=CSV&partNumbers[]=A',
    )
  })

  test('goes to the address without its version, whether it was pasted or not', async () => {
    await withFolder(async (folder) => {
      await using service = await testService(answer)
      for (const [index, tail] of ['', '/', '/v2', '/v2/'].entries()) {
        const result = await cli([
          '--base-url',
          service.url + tail,
          '--part',
          'A',
          '-o',
          join(folder, `${index}.zip`),
        ])
        expect(result.code).toBe(0)
      }
      expect(service.requests.map((request) => request.target)).toEqual(
        Array.from({ length: 4 }, () => '/v2/download?format=1752A&partNumbers[]=A'),
      )
    })
  })

  test('packs parts into as few requests as the address may be long', async () => {
    const parts = Array.from({ length: 40 }, (_, index) => `PART-${String(index).padStart(4, '0')}`)
    const requests = await seen('--max-url-length', '400', ...parts.map((part) => `--part=${part}`))
    const targets = requests.map((request) => request.target)
    expect(targets.flatMap((one) => [...one.matchAll(/PART-\d+/g)].map(String)).sort()).toEqual(parts)
    for (const one of targets) expect(one.length + 'http://127.0.0.1:65535'.length).toBeLessThanOrEqual(402)
    expect(targets.length).toBeLessThanOrEqual(4)
  })
})

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!]] : [])) as [
    string,
    string,
  ][]
}

function cased(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1).toLowerCase()
}
