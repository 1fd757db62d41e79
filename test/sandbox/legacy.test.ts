import { describe, expect, it } from 'vitest'
import { legacyPayload } from '../../src/request/request.ts'
import { declarationXml } from '../../src/sandbox/declaration-xml.ts'
import { parseFaults } from '../../src/sandbox/faults.ts'
import { parseQuoted } from '../../src/sandbox/legacy.ts'
import { describePart } from '../../src/sandbox/made-up.ts'
import { running, unzipped } from '../support/sandbox.ts'

const OWN = 'EXC188R60000KA'

describe('parseQuoted', () => {
  it.each([
    ['', []],
    ['  ', []],
    ['"a"', ['a']],
    ['"a","b"', ['a', 'b']],
    [' "a,b" , "c d" ', ['a,b', 'c d']],
    ['"",""', []],
  ])('reads %j', (text, parts) => {
    expect(parseQuoted(text)).toEqual(parts)
  })

  it.each(['a', 'a,b', '"a', '"a"b', '"a" "b"', '"a",', ',"a"', '"a",,"b"', "'a'"])('refuses %j', (text) => {
    expect(parseQuoted(text)).toBeUndefined()
  })
})

describe('POST /api/download', () => {
  it('responds to the documented payload with XML files', async () => {
    await using service = await running()
    const payload = legacyPayload(
      { api: 'v1', format: 'XML', formatClass: 'checkDthenC', supplier: '100200300' },
      [OWN, 'FC 4x0,75/10000'],
      service.token,
    )
    const answer = await service.askLegacy(payload)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const entries = await unzipped(answer)
    expect([...entries.values()]).toEqual([declarationXml(describePart(0), '1752A', 'D')])
  })

  it('accepts several suppliers, or none for all', async () => {
    await using service = await running({ parts: 48 })
    const names = async (payload: Readonly<Record<string, string>>): Promise<readonly string[]> => [
      ...new Set(
        [...(await unzipped(await service.askLegacy({ format: 'XML', ...payload }))).keys()].map(
          (name) => name.split('_')[2]!,
        ),
      ),
    ]
    expect(await names({ supplier: '300400500, 100200300', partNumbers: '' })).toEqual([
      '100200300',
      '300400500',
    ])
    expect(await names({ supplier: ' ', partNumbers: ' ' })).toHaveLength(8)
    expect(await names({})).toHaveLength(8)
  })

  it('responds with one CSV file for the format CSV', async () => {
    await using service = await running({ parts: 300 })
    const entries = await unzipped(await service.askLegacy({ format: 'CSV', supplier: '400500600' }))
    expect([...entries.keys()]).toEqual(['declarations.csv'])
    const lines = entries.get('declarations.csv')!.split('\r\n')
    expect(lines[0]).toBe('supplier,supplier_name,part,requester_part,name,class,date,mass_mg')
    expect(lines[1]).toMatch(
      /^400500600,Fictional Cables \(sandbox\),"FC 4x0,75\/10000",,cable 1,C,\d{4}-\d\d-\d\d,[\d.]+$/,
    )
    expect(lines.length).toBeGreaterThan(30)
    expect((await unzipped(await service.askLegacy({ format: 'CSV', partNumbers: '"nobody"' }))).size).toBe(0)
  })

  it('selects by start date', async () => {
    await using service = await running()
    const since = async (startdate: string): Promise<number> =>
      (await unzipped(await service.askLegacy({ format: 'XML', supplier: '100200300', startdate }))).size
    expect(await since('2010-01-01')).toBeGreaterThan(await since('2024-01-01'))
    expect(await since('2025-01-01')).toBe(0)
  })

  it.each([
    [{ apikey: undefined }, 'No API key supplied'],
    [{ apikey: '' }, 'No API key supplied'],
    [{ apikey: 7 }, 'No API key supplied'],
    [{ apikey: 'other' }, 'Invalid API key supplied'],
    [{ format: undefined }, 'Invalid format requested. Must be CSV or XML'],
    [{ format: '1752A' }, 'Invalid format requested. Must be CSV or XML'],
    [{ formatClass: 'E' }, 'Invalid format class requested'],
    [{ startdate: '2026-02-30' }, 'Invalid start date requested'],
    [{ supplier: '100200300,111111111' }, 'Supplier DUNS numbers "111111111" do not exist'],
    [{ partNumbers: 'a,b' }, 'Invalid part numbers requested'],
  ])('responds to %j with a text and the status 200', async (wrong, text) => {
    await using service = await running()
    const answer = await service.askLegacy({ format: 'XML', supplier: '100200300', ...wrong })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(await answer.text()).toContain(text)
  })

  it.each(['', 'not json', '[]', 'null', '"text"'])('responds to the body %j with a text', async (body) => {
    await using service = await running()
    const answer = await fetch(`${service.url}/api/download`, { method: 'POST', body })
    expect([answer.status, await answer.text()]).toEqual([200, 'Invalid JSON\n'])
  })

  it('refuses a huge body, with or without Content-Length', async () => {
    await using service = await running()
    const body = Buffer.alloc((16 << 20) + 1, 0x20)
    const announced = await fetch(`${service.url}/api/download`, { method: 'POST', body })
    expect(announced.status).toBe(413)
    const streamed = await fetch(`${service.url}/api/download`, {
      method: 'POST',
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(streamed.status).toBe(413)
  })

  it('has the same faults and limits as v2', async () => {
    await using service = await running({ faults: parseFaults('503x1'), ratePerMinute: 2 })
    const statuses = []
    const criteria = { format: 'XML', supplier: '700800900' }
    for (let index = 0; index < 3; index++) statuses.push((await service.askLegacy(criteria)).status)
    expect(statuses).toEqual([503, 200, 429])
  })
})
