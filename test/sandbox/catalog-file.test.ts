import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import { parseCatalog } from '../../src/sandbox/catalog-file.ts'
import { all, parsedXml, running, unzipped } from '../support/sandbox.ts'

const CATALOG = `{
  "suppliers": [
    {
      "id": "987654321",
      "name": "Ours",
      "parts": [
        "B-2",
        {
          "number": "A/1 µ",
          "name": "bracket",
          "requesterNumber": "10-1",
          "otherNumbers": [{ "number": "A/1 µ-R", "requesterNumber": "10-2" }, { "number": "A/1 µ-T" }],
          "massMg": 12.5,
          "classC": {
            "approved": "2025-03-01",
            "lists": [
              {
                "identity": "EUROHS-1907",
                "categories": [
                  { "code": "00005", "name": "Lead", "over": true, "concentrationPercent": 3.5, "exemptions": ["6(c)"] },
                  { "code": "00006", "name": "Mercury" }
                ]
              }
            ]
          }
        },
        {
          "number": "D-only",
          "classD": {
            "approved": "2025-04-01",
            "materials": [
              {
                "name": "steel",
                "mass": { "value": 1, "unit": "g" },
                "substances": [{ "name": "Iron", "cas": "7439-89-6", "concentrationPercent": 99 }]
              }
            ]
          }
        }
      ]
    },
    { "id": "123456789", "name": "Empty", "parts": [] }
  ]
}
`

function failureOf(text: string): Failure {
  try {
    parseCatalog(text, 'own.json')
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('the catalog was accepted')
}

describe('a catalog file', () => {
  it('is served by the service', async () => {
    await using service = await running({ catalog: parseCatalog(CATALOG, 'own.json') })
    expect(service.suppliers).toEqual([
      { id: '987654321', name: 'Ours', parts: 3, examples: ['A/1 µ', 'B-2', 'D-only'] },
      { id: '123456789', name: 'Empty', parts: 0, examples: [] },
    ])
    const c = await unzipped(await service.ask('format=1752A&supplier=987654321'))
    expect([...c.keys()]).toEqual([
      expect.stringMatching(/^1752A_C_987654321_A%2F1%20%C2%B5-[0-9a-f]{10}\.xml$/),
      '1752A_C_987654321_B-2.xml',
    ])
    const d = await unzipped(await service.ask('format=1752B&formatClass=D&supplier=987654321'))
    expect(d.size).toBe(2)
    expect((await unzipped(await service.ask('format=1752A&supplier=123456789'))).size).toBe(0)
  })

  it('may have goods per meter, requests, and statements that are not accepted', async () => {
    const parts = '["PLAIN", { "number": "ODD", "unitType": "Meter", "mode": "Request", "accepted": false }]'
    const text = `{ "suppliers": [{ "id": "987654321", "name": "Ours", "parts": ${parts} }] }`
    await using service = await running({ catalog: parseCatalog(text, 'own.json') })
    const facts = async (number: string): Promise<unknown> => {
      const [xml] = (await unzipped(await service.ask(`format=1752A&partNumbers[]=${number}`))).values()
      const of = (name: string): Readonly<Record<string, string>> => all(parsedXml(xml!), name)[0]!.attributes
      return [of('Product').unitType, of('BusinessInfo').mode, of('Declaration').supplierAcceptance]
    }
    expect(await facts('PLAIN')).toEqual(['Each', 'Distribute', 'true'])
    expect(await facts('ODD')).toEqual(['Meter', 'Request', 'false'])
  })

  it('may have a request, which states nothing and has no response', async () => {
    const parts = '[{ "number": "ASKED", "mode": "Request" }]'
    const text = `{ "suppliers": [{ "id": "987654321", "name": "Ours", "parts": ${parts} }] }`
    await using service = await running({ catalog: parseCatalog(text, 'own.json') })
    for (const letter of ['C', 'D']) {
      const query = `format=1752A&formatClass=${letter}&partNumbers[]=ASKED`
      const [xml] = (await unzipped(await service.ask(query))).values()
      const root = parsedXml(xml!)
      expect([all(root, 'Request').length, all(root, 'Response').length]).toEqual([1, 0])
      expect(all(root, 'MaterialInfo')[0]?.children).toEqual([])
    }
  })

  it('may have revisions, of which the newest on the day of the service is served', async () => {
    const revision = (approved: string): object => ({
      accepted: approved !== '2025-01-01',
      classC: { approved, lists: [{ identity: 'EUROHS-1907', categories: [] }] },
    })
    const days = ['2025-05-05', '2025-01-01', '2025-03-03']
    const parts = [{ number: 'A', revisions: days.map(revision) }]
    const text = JSON.stringify({ suppliers: [{ id: '987654321', name: 'Ours', parts }] })
    const served = async (date: string | undefined): Promise<unknown> => {
      await using service = await running({ date, catalog: parseCatalog(text, 'own.json') })
      const [xml] = (await unzipped(await service.ask('format=1752A&partNumbers[]=A'))).values()
      if (xml === undefined) return undefined
      const of = (name: string) => all(parsedXml(xml), name)[0]!.attributes
      return [of('Response').date, of('Declaration').supplierAcceptance]
    }
    expect(await served(undefined)).toEqual(['2025-05-05', 'true'])
    expect(await served('2025-05-04')).toEqual(['2025-03-03', 'true'])
    expect(await served('2025-01-01')).toEqual(['2025-01-01', 'false'])
    expect(await served('2024-12-31')).toBeUndefined()
  })

  it('becomes declarations, for each number of the family', async () => {
    await using service = await running({ catalog: parseCatalog(CATALOG, 'own.json') })
    for (const number of ['A/1 µ', 'A/1 µ-R', 'A/1 µ-T', '10-1', '10-2']) {
      const entries = await unzipped(
        await service.ask(`format=1752A&partNumbers[]=${encodeURIComponent(number)}`),
      )
      const root = parsedXml([...entries.values()][0]!)
      expect(all(root, 'Response')[0]?.attributes.date).toBe('2025-03-01')
      expect(all(root, 'SupplyCompany')[0]?.attributes.name).toBe('Ours')
      expect(all(root, 'CompanyID')[0]?.attributes).toEqual({ identity: '987654321', authority: 'DUNS' })
      expect(
        all(root, 'ProductID').map(({ attributes }) => [
          attributes.itemNumber,
          attributes.itemName,
          attributes.requesterItemNumber,
        ]),
      ).toEqual([
        ['A/1 µ', 'bracket', '10-1'],
        ['A/1 µ-R', 'bracket', '10-2'],
        ['A/1 µ-T', 'bracket', ''],
      ])
      const [lead, mercury] = all(root, 'SubstanceCategory')
      expect(all(lead!, 'Threshold')[0]?.attributes.overThreshold).toBe('true')
      expect(all(lead!, 'Exemption')[0]?.attributes.identity).toBe('6(c)')
      expect(all(mercury!, 'Threshold')).toHaveLength(0)
    }
    expect((await unzipped(await service.ask('format=1752A&partNumbers[]=A'))).size).toBe(0)
  })

  it('declares a part that is only a number compliant, in both classes', async () => {
    await using service = await running({ catalog: parseCatalog(CATALOG, 'own.json') })
    for (const [letter, element] of [
      ['C', 'Threshold'],
      ['D', 'HomogeneousMaterial'],
    ] as const) {
      const entries = await unzipped(
        await service.ask(`format=1752A&formatClass=${letter}&partNumbers[]=B-2`),
      )
      const root = parsedXml([...entries.values()][0]!)
      expect(all(root, element).length).toBeGreaterThan(0)
      expect(all(root, 'Threshold').every(({ attributes }) => attributes.overThreshold === 'false')).toBe(
        true,
      )
    }
  })

  it('may begin with a byte-order mark', () => {
    expect(parseCatalog(`\ufeff${CATALOG}`, 'own.json').suppliers).toHaveLength(2)
  })

  it.each([
    ['[]', 'own.json:1: the catalog is not an object'],
    ['{}', 'own.json:1: suppliers is missing'],
    ['{"suppliers": []}', 'own.json:1: suppliers is empty'],
    [
      '{"suppliers":\n[{"id": "1", "name": "x",\n"parts": []}]}',
      'own.json:2: suppliers[0].id is not a nine-digit number',
    ],
    [
      '{"suppliers": [{"id": 123456789, "name": "x", "parts": []}]}',
      'own.json:1: suppliers[0].id is not a string',
    ],
    [
      '{"suppliers": [\n{"id": "123456789", "name": " ",\n"parts": []}]}',
      'own.json:2: suppliers[0].name is blank',
    ],
    [
      '{"suppliers": [{"id": "123456789", "name": "x",\n"parts": ["a",\n"a"]}]}',
      'own.json:3: suppliers[0].parts[1].number is a duplicate',
    ],
    [
      '{"suppliers": [{"id": "123456789", "name": "x", "parts": [\n7\n]}]}',
      'own.json:2: suppliers[0].parts[0] is not an object',
    ],
    [
      '{"suppliers": [{"id": "123456789", "name": "x", "parts": [{"number": "a",\n"classC": {"approved": "2026-02-30", "lists": [{"identity": "x", "categories": []}]}}]}]}',
      'own.json:2: suppliers[0].parts[0].classC.approved is not a date, YYYY-MM-DD',
    ],
    [
      '{"suppliers": [{"id": "123456789", "name": "x", "parts": [{"number": "a", "revisions": [\n{"accepted": true}]}]}]}',
      'own.json:2: suppliers[0].parts[0].revisions[0] has no declaration',
    ],
    [
      '{"suppliers": [{"id": "123456789", "name": "x", "parts": [{"number": "a",\n"mass": 3}]}]}',
      'own.json:2: suppliers[0].parts[0].mass is not a key of a catalog file',
    ],
    [
      '{"suppliers": [{"id": "123456789", "name": "x", "parts": []},\n{"id": "123456789", "name": "y", "parts": []}]}',
      'own.json:2: suppliers[1].id is a duplicate',
    ],
  ])('is refused with the path: %j', (text, message) => {
    const failure = failureOf(text)
    expect(failure.kind).toBe('usage')
    expect(failure.message).toContain(message)
    expect(failure.details.file).toBe('own.json')
  })

  it.each([
    ['', 1],
    ['{\n\n', 3],
    ['{"suppliers":\n[,]}', 2],
    ['{"suppliers": []', 1],
  ])('is refused with the line if it is not JSON: %j', (text, line) => {
    const failure = failureOf(text)
    expect(failure.kind).toBe('usage')
    expect(failure.message).toMatch(new RegExp(`^own\\.json:${line}:\\d+: invalid JSON: `))
  })

  it('reports all mistakes at once, the first twenty in full', () => {
    const parts = Array.from({ length: 30 }, () => '" "').join(',')
    const failure = failureOf(`{"suppliers": [{"id": "123456789", "name": "x", "parts": [${parts}]}]}`)
    expect(failure.message).toContain('(and 29 more mistakes)')
    expect(failure.details.problems).toHaveLength(20)
  })
})
