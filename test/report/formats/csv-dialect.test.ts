import { describe, expect, it } from 'vitest'
import { excelDialect, RFC4180 } from '../../../src/report/formats/csv-dialect.ts'
import { csvFormatter } from '../../../src/report/formats/delimited.ts'
import { formatAll, partRowOf, SHAPE } from '../../support/report-rows.ts'

const GERMAN = excelDialect({ LANG: 'de_DE.UTF-8' }, 'linux')

describe('the dialect for Excel', () => {
  it.each([
    [{ LANG: 'de_DE.UTF-8' }, ';', ','],
    [{ LANG: 'en_US.UTF-8' }, ',', '.'],
    [{ LANG: 'fr_FR@euro' }, ';', ','],
    [{ LANG: 'de_CH.UTF-8' }, ';', '.'],
    [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, ',', '.'],
    [{ LC_ALL: '', LC_NUMERIC: 'it_IT', LANG: 'en_US' }, ';', ','],
    [{ LC_ALL: 'en_GB.UTF-8', LC_NUMERIC: 'de_DE.UTF-8' }, ',', '.'],
    [{ LANG: 'POSIX' }, ',', '.'],
    [{ LANG: 'not a locale!' }, ',', '.'],
    [{}, ',', '.'],
  ])('of %j separates by %s, with the decimal sign %s', (env, separator, decimal) => {
    expect(excelDialect(env, 'linux')).toEqual({ name: 'excel', separator, decimal })
  })
})

async function cells(change: Parameters<typeof partRowOf>[0], csv = GERMAN): Promise<Record<string, string>> {
  const bytes = await formatAll(csvFormatter({ ...SHAPE, csv }), [partRowOf({ note: '', ...change })])
  const [head, row] = bytes.toString('utf8').split('\r\n')
  const values = row!.split(csv.separator)
  return Object.fromEntries(
    head!
      .replace('\ufeff', '')
      .split(csv.separator)
      .map((name, at) => [name, values[at]!]),
  )
}

describe('CSV for Excel', () => {
  it('begins with a byte order mark, separates by the locale and ends lines with CRLF', async () => {
    const bytes = await formatAll(csvFormatter({ ...SHAPE, csv: GERMAN }), [partRowOf({ note: 'a;b' })])
    const text = bytes.toString('utf8')
    expect(text.startsWith('\ufeffpart;requester_part;')).toBe(true)
    expect(text).toContain(';"a;b";')
    expect(text.endsWith('\r\n')).toBe(true)
  })

  it.each(['00012', '1E5', 'MAR-01', '12345678901234567890', 'TRUE', '=HYPERLINK("x")', '-1'])(
    'keeps the part number %s as text',
    async (part) => {
      const literal = `="${part.replaceAll('"', '""')}"`
      expect((await cells({ part })).part).toBe(`"${literal.replaceAll('"', '""')}"`)
    },
  )

  it('keeps part numbers of up to 255 characters as text, the limit of a formula', async () => {
    const part = 'x'.repeat(255)
    expect((await cells({ part })).part).toBe(`"=""${part}"""`)
    expect((await cells({ part: `${part}x` })).part).toBe(`${part}x`)
  })

  it('writes numbers with the decimal sign of the locale, and dates as they are', async () => {
    expect(await cells({ mass_mg: 12.5 })).toMatchObject({
      mass_mg: '12,5',
      date: '2024-09-27',
      svhc_count: '0',
    })
    expect((await cells({ mass_mg: 12.5 }, RFC4180)).mass_mg).toBe('12.5')
  })

  it('protects names that look like numbers, and no others', async () => {
    expect((await cells({ name: '0603' })).name).toBe('"=""0603"""')
    expect((await cells({ name: '1-2' })).name).toBe('"=""1-2"""')
    expect((await cells({ name: '6(c) in use' })).name).toBe('6(c) in use')
  })

  it.each([
    ['a;=1', '"a;\'=1"'],
    ['x,1', 'x,1'],
    ['-A1,B', "'-A1,B"],
  ])('a part number with a separator, %s, is only neutralised', async (part, written) => {
    const bytes = await formatAll(csvFormatter({ ...SHAPE, csv: GERMAN }), [partRowOf({ part })])
    expect(bytes.toString('utf8').split('\r\n')[1]!.startsWith(`${written};`)).toBe(true)
  })

  it('does not change the default', async () => {
    const bytes = await formatAll(csvFormatter(SHAPE), [partRowOf({ part: '00012' })])
    expect(bytes.toString('utf8').split('\r\n')[1]!.startsWith('00012,')).toBe(true)
  })
})
