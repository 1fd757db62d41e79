import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import type { Notice } from '../../src/base/notice.ts'
import { type PartsInput, type PartsRead, readParts } from '../../src/parts/read-parts.ts'
import { shownParts } from '../support/parts.ts'
import { soakTest, sweep } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'

interface Run {
  readonly read: PartsRead
  readonly notices: readonly Notice[]
}

/** Reads parts in a directory that has these files. */
async function run(
  files: Readonly<Record<string, string | Buffer>>,
  wanted: Partial<PartsInput> = {},
  world: Parameters<typeof testWorld>[0] = {},
): Promise<Run> {
  return withFolder(async (folder) => {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    const notices: Notice[] = []
    const reporter = { notice: (notice: Notice) => notices.push(notice), progress: () => undefined }
    const complete = { parts: [], files: Object.keys(files), strict: false, ...wanted }
    return { read: await readParts(testWorld({ cwd: folder, ...world }), complete, reporter), notices }
  })
}

async function partsOf(...args: Parameters<typeof run>): Promise<readonly string[]> {
  return (await run(...args)).read.parts
}

async function failureOf(...args: Parameters<typeof run>): Promise<Failure> {
  return run(...args).then(
    () => expect.unreachable('a mistake was not seen'),
    (error: Failure) => error,
  )
}

test('two columns of quantities are named where details are read', async () => {
  const files = { 'p.csv': 'Part Number,Qty,Menge\nA-100,1,2\nA-101,3,4\n' }
  const { read, notices } = await run(files, { details: true })
  expect(notices.map(({ event }) => event)).toContain('parts.no-quantity')
  expect(read.warnings).toMatchObject([{ kind: 'no-quantity', file: 'p.csv' }])
  expect((await run(files)).notices.map(({ event }) => event)).not.toContain('parts.no-quantity')
})

test('a column in which most lines have no quantity is named', async () => {
  const saidOf = async (quantities: readonly string[]): Promise<readonly string[]> => {
    const rows = quantities.map((quantity, index) => `A-10${index},${quantity},1\n`)
    const { notices } = await run({ 'p.csv': `MPN,Qty,Cost\n${rows.join('')}` }, { details: true })
    return notices.flatMap(({ level, message }) => (level === 'warning' ? [message] : []))
  }
  expect(await saidOf(['2', '', '', '', '3'])).toEqual([
    'p.csv: 3 rows have no quantity in column "Qty" (rows 3, 4, 5): is it the right column?',
  ])
  expect(await saidOf(['2', '', '', '1', '3'])).toEqual([])
})

test.each(['Qty', 'bom_line_ids/product_qty'])(
  'a column %s without a value has no quantities',
  async (heading) => {
    const list = `Item,MPN,${heading}\nSensor,SPX-18385,\nBoard,5302,\nFET,IRLB8721PBF,\n`
    const { read, notices } = await run({ 'p.csv': list }, { details: true })
    expect(read.lists[0]!.list.layout!.columns.quantity).toBeUndefined()
    expect(notices.map(({ message }) => message)).toContain(`p.csv: column 3 "${heading}" has no quantities`)
    expect(notices.find(({ event }) => event === 'parts.column')?.message).toMatch(/no quantity column/)
  },
)

test('a heading over the numbers of several shops is no own number: each is named', async () => {
  const list =
    'Query,Qty,Manufacturer,MPN,SKU,SKU,SKU\n,,,,Digi-Key,Mouser,Onlinecomponents.com\n' +
    'X1,1,Murata,CSTLS4M00G56-B0,490-7036-ND,81-CSTLS4M00G56-B0,\n' +
    'R1,2,Bourns,4613X-101-103LF,652-4613X,71-4613,4613X-101-103LF\n' +
    'R2,2,Bourns,4605X-101-682LF,652-4605X,71-4605,4605X-101-682LF\n'
  const [one] = (await run({ 'p.csv': list }, { details: true })).read.lists
  expect(one!.list.layout!.columns['own part']).toBeUndefined()
  expect(one!.list.otherColumns.map(({ index }) => index)).toEqual([4, 5, 6])
})

test('the number of a shop is not requested where the manufacturer\u2019s is missing; that of another shop is, and both are named', async () => {
  const listOf = (first: string): string =>
    `Ref,Qty,${first},Digikey\nU1,1,LM358DR,296-1395-5-ND\nU2,2,n/a,296-1411-1-ND\nD1,1,,BAT54SCT-ND\n` +
    'X1,1,,see page 3\n,,,Total in EUR\n'
  const maker = await run({ 'p.csv': listOf('MPN') }, { details: true })
  expect(maker.read.parts).toEqual(['LM358DR'])
  expect(maker.notices.map(({ message }) => message).join('\n')).toContain('column "Digikey" (4)')
  const shop = await run({ 'p.csv': listOf('Mouser') }, { details: true })
  expect(shop.read.parts).toEqual(['296-1395-5-ND', '296-1411-1-ND', 'BAT54SCT-ND'])
})

test('rows without a number in the same row of two lists are two', async () => {
  const list = 'Item,MPN,Qty,Description\n1,A-1234,1,Frame\n2,,1,Glue\n'
  const { lists } = (await run({ 'a.csv': list, 'b.csv': list }, { bom: true })).read
  const keys = lists.flatMap(({ bom }) => bom!.lines.map(({ key }) => key))
  expect([keys.length, new Set(keys).size]).toEqual([4, 3])
})

describe('two tables in one list', () => {
  const headings = 'Item,Qty,Reference(s),Value,Supplier ref.\n'
  const individual = `${headings},,C1,100n,300-31-676\n,,C2,100n,300-31-676\n,,R1,10k,300-56-687\n`
  const repeatedIn = async (list: string): Promise<string | undefined> => {
    const { notices } = await run({ 'p.csv': list }, { details: true })
    return notices.find(({ event }) => event === 'parts.repeated')?.message
  }

  test.each([
    ['the same parts', '300-31-676', ''],
    ['the parts of another shop', '700-31', ''],
    ['a place more', '300-31-676', ', R2, R3'],
  ])('with %s at the same places are named, as both are read', async (_, part, more) => {
    const places = (from: number): string => Array.from({ length: 8 }, (_, at) => `C${from + at}`).join(', ')
    const [one, other] = [places(1), places(11)]
    const table = `${headings},,"${one}",100n,300-31-676\n,,"${other}",10k,300-56-687\n`
    const collated = `${headings}1,8,"${one}${more}",100n,${part}\n2,8,"${other}",10k,300-56-687\n`
    expect(await repeatedIn(`Individual:\n\n${table}\nCollated:\n\n${collated}`)).toBe(
      'p.csv: rows 4–5 and rows 10–11 are parts at the same places: each is read twice',
    )
  })

  test('are compared however many places they have', async () => {
    const place = (at: number): string =>
      `${String.fromCharCode(65 + at / 1000 / 26, 65 + ((at / 1000) % 26))}${at % 1000}`
    const places = (row: number): string[] => Array.from({ length: 15 }, (_, at) => place(row * 15 + at))
    const rows = Array.from(
      { length: 2000 },
      (_, row) => `${row},15,"${places(row).join(' ')}",1n,30-${row}\n`,
    )
    const list = headings + rows.join('')
    expect(await repeatedIn(`${list}\n${list}`)).toContain(
      ': rows 2–2001 and rows 2004–4003 are parts at the same places',
    )
  })

  test.each([
    ['other places', `${headings}1,2,"C3, C4",100n,300-31-676\n2,1,R2,10k,300-56-687\n`],
    ['more parts', `${headings}1,2,"C1, C2",100n,300-31-676\n2,1,R7,10k,300-56-687\n`],
    ['no places', `${headings}1,2,,100n,300-31-676\n2,1,,10k,300-56-687\n`],
  ])('with %s are two lists', async (_, second) => {
    expect(await repeatedIn(`${individual}\n\n${second}`)).toBeUndefined()
  })
})

describe('a ditto mark', () => {
  const rowsOf = async (list: string, name = 'p.csv'): Promise<unknown> =>
    withFolder(async (folder) => {
      await writeFile(join(folder, name), list)
      const input = { parts: [], files: [name], strict: false }
      const { lists } = await shownParts(testWorld({ cwd: folder }), input)
      return lists[0]!.rows.map(({ part, quantity, manufacturer }) => [part, quantity, manufacturer])
    })

  test.each(['"', '〃', "''", '-"-', 'ditto', 'Dto.', 'do.', '同上'])(
    '%s repeats the cell above',
    async (mark) => {
      const list = `Item\tMPN\tManufacturer\tQty\n1\tLM358DR\tTI\t2\n2\tBAT54S\tNexperia\t3\n3\t${mark}\t${mark}\t1\n4\t${mark}\t${mark}\t${mark}\n`
      expect(await rowsOf(list, 'p.tsv')).toEqual([
        ['LM358DR', 2, 'TI'],
        ['BAT54S', 3, 'Nexperia'],
        ['BAT54S', 1, 'Nexperia'],
        ['BAT54S', 1, 'Nexperia'],
      ])
    },
  )

  test('that repeats a part number is named', async () => {
    const { notices, read } = await run({ 'p.csv': 'MPN,Qty\nLM358DR,2\n",1\nBAT54S,1\n",4\n' })
    expect(read.parts).toEqual(['LM358DR', 'BAT54S'])
    expect(notices.find(({ event }) => event === 'parts.ditto')?.message).toBe(
      'p.csv: 2 rows have the number above, by a ditto mark (rows 3, 5)',
    )
  })

  test('below nothing, or below a placeholder, is no part number', async () => {
    const { notices, read } = await run({ 'p.csv': 'MPN,Qty\n",1\nBAT54S,1\nTBD,2\n",4\nLM358DR,1\n' })
    expect(read.parts).toEqual(['BAT54S', 'LM358DR'])
    expect(notices.find(({ event }) => event === 'parts.skipped')).toMatchObject({
      message: 'p.csv: 3 placeholders skipped: " (row 2), TBD (rows 4, 5)',
      data: { count: 3, rows: [2, 4, 5] },
    })
  })
})

test('numbers among comments are named beside those of a shop, not beside those of makers', async () => {
  const rows = [
    ['STM32F103C8T6', 'U1', 'C8734'],
    ['AMS1117-3.3', 'U2', 'C6186'],
    ['TPS62130RGTR', 'U3', 'C93782'],
    ['100nF', 'C1', 'C1525'],
  ]
  const listOf = (heading: string): string =>
    [`Comment,Designator,${heading}`, ...rows.map((row) => row.join(','))].join('\n')
  const shop = await run({ 'p.csv': listOf('LCSC Part #') })
  expect(shop.notices[0]!.message).toMatch(/; not read: column "Comment" \(4\)$/)
  const maker = await run({ 'p.csv': listOf('MPN') })
  expect(maker.notices[0]!.message).not.toContain('not read')
})

test('the name of the maker and a rating are no part numbers', async () => {
  const rows = [
    'LM358DR,TI',
    '(MDD) Jiangsu Yutai,(MDD) Jiangsu Yutai',
    '1/2 W,',
    '200V +,',
    'x,x',
    'BAT54S,',
  ]
  const { notices, read } = await run(
    { 'p.csv': `MPN,Manufacturer\n${rows.join('\n')}\n` },
    { details: true },
  )
  expect(read.parts).toEqual(['LM358DR', 'BAT54S'])
  expect(notices.flatMap(({ event, message }) => (event === 'parts.skipped' ? [message] : []))).toEqual([
    'p.csv: 4 remarks skipped: (MDD) Jiangsu Yutai (row 3), 1/2 W (row 4), 200V + (row 5), x (row 6)',
  ])
})

test('signs around a number are named, each kind on a line of its own, and requested', async () => {
  const parts = ['(BAT54S)', 'XC7A35T?', 'R&amp;S-1', 'BC847:', 'LM358DR', '1N4148']
  const { read, notices } = await run({ 'p.txt': parts.join('\n') })
  expect(read.parts).toEqual(parts)
  expect(notices.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'p.txt:1: "(BAT54S)" is in brackets',
      'p.txt:2: "XC7A35T?" ends with a sign that few numbers have there; likewise p.txt:4 "BC847:"',
      'p.txt:3: "R&amp;S-1" has a code of HTML',
    ]),
  )
})

test('a label before a number is left out, and said', async () => {
  const rows = ['EAN: 4250236821689', 'RBS15481', 'SKU:ST-35', 'eBay-Artikelnr.: 285525641166', 'Note: B-9']
  const { notices, read } = await run({ 'p.csv': `Artikelnummer,Anzahl\n${rows.join(',2\n')},2\n` })
  expect(read.parts).toEqual(['4250236821689', 'RBS15481', 'ST-35', '285525641166', 'Note: B-9'])
  expect(notices.map(({ message }) => message)).toContain(
    'p.csv:2: "EAN: 4250236821689" is read as 4250236821689, without its label; likewise p.csv:4, p.csv:5',
  )
})

test('a column of shops and numbers is one of numbers, and its values are no headings', async () => {
  const list =
    'Ref,Supplier Ref\nC1,Farnell order code 2310668\nC2,SKU: PRT-14 / SKU: ADA12\nC3,RS 758-2001\n'
  expect(await partsOf({ 'p.csv': list })).toEqual(['2310668', 'PRT-14', 'ADA12', '758-2001'])
  const rows = ['Thorlabs BA2R_M,1,Bought', 'Thorlabs C1045_M,3,Bought', 'Thorlabs CF125C_M,4,Bought']
  expect(await partsOf({ 'p.csv': `${rows.join('\n')}\n` })).toEqual(['BA2R_M', 'C1045_M', 'CF125C_M'])
})

test('a title above headings is none of them', async () => {
  const tables = [
    'Pièces imprimées',
    'Pièce,Quantité,Matériau',
    'support,1,TPU',
    'limite,2,PLA',
    'casing,1,PLA',
  ]
  const second = [
    'Pièces découpées laser / 100%',
    'Pièce,Quantité,Matériau',
    'support_int,1,Alu',
    'support_ext,1,Alu',
  ]
  await failureOf({ 'p.csv': [...tables, ',,', ...second].join('\n') })
})

test.each([
  ['Qty,Value,RS-link\n1,100n,199-2385\n1,LED,already have them\n2,1k,738-5046\n1,J,3287528 (Farnell)\n', 3],
  ['Chip,LCSC\nU1,C27919\nR1,C25076\nR2,C25076\nR3,C25076\nR4,C25076\nC1,C76710\nC2,C76710\nC3,C76710\n', 3],
])('a shop in the heading says whose numbers they are: %j', async (list, count) => {
  const { read } = await run({ 'p.csv': list })
  expect(read.parts).toHaveLength(count)
  expect(read.parts.every((part) => /^\S+$/.test(part))).toBe(true)
})

test('numbers below the name of a maker are named, and a second row of headings is no table', async () => {
  const list = 'Qty,Ref,Mfr,Mfr No.\n1,R2,RC0805FR-101KL,\n1,R8,RK73H2ATTD4700F,\n4,Q1,,SI1965DH-T1-BE3\n'
  const { read, notices } = await run({ 'p.csv': list }, { details: true })
  expect(read.lists[0]!.list.layout!.columns.manufacturer).toBeUndefined()
  expect(notices.map(({ message }) => message).join()).toContain('column "Mfr" (2)')
  const twice =
    'Part_ID,SKU,Price\nUnique ID,Inventory SKU code,Price in USD\nab-1,BLK-SG,1\nab-2,WB-1130,2\nab-3,WB-9,3\n'
  expect(await partsOf({ 'p.csv': twice })).toEqual(['ab-1', 'ab-2', 'ab-3'])
})

test.each([
  ['最大32GBytesまで', '呼び径65', 't=8mm、85Φ', 'セメダインスーパーX'],
  ['30 mm', '±1 %', 'base_part1.stl', 'Plate.dxf'],
  ['Obsolete', 'Discontinued', 'out of stock', 'Have'],
])('%s and its kin are no part numbers, and named', async (...words) => {
  const numbers = ['TCL200pro', 'DS1922L', 'ASB-310E', 'TA13-012']
  const rows = [...numbers, ...words].map((part) => `${part},1`)
  const { read } = await run({ 'p.csv': `MPN,Qty\n${rows.join('\n')}\n` })
  expect(read.parts).toEqual(numbers)
  expect(read.lists[0]!.skipped.flatMap(({ first }) => first.map(({ value }) => value))).toEqual(words)
})

describe('a value that is unlike the others of its column', () => {
  const NUMBERS = ['RP2040', 'NE555DR', 'BAT54S', 'LM358DR', 'BC847C', '1N4148', 'STM32F103 C8T6', '5017']
  const warningsOf = async (numbers: readonly string[], wanted = {}): Promise<readonly string[]> => {
    const { notices, read } = await run({ 'p.csv': `MPN,Qty\n${numbers.join(',1\n')},1\n` }, wanted)
    expect(read.parts).toEqual(numbers)
    return notices.flatMap(({ level, message }) => (level === 'warning' ? [message] : []))
  }

  test.each([
    ['buzzer', 'is a word'],
    ['GENERICS', 'is a word'],
    ['NL', 'is a word'],
    ['multi-cb', 'is a word'],
    ['SILK_TEXT', 'is a word'],
    ['PIR COVER', 'has several words'],
    ['IC REGULATOR LDO LM2940-5.0 1A TO220', 'has several words'],
    ['EJE 5-7/16 C BRIDA', 'has several words'],
    ['Filamento 1.75mm y 1kg', 'has several words'],
    ['Molex 73412-0110', 'has several words'],
    ['22-03-5035 (3 PIN)', 'has several words'],
    ['42', 'is a short number'],
    ['M42', 'is the size of a screw'],
    ['M30x220', 'is the size of a screw'],
    ['47R', 'is a component value'],
    ['33k', 'is a component value'],
    ['100nF', 'is a component value'],
    ['470ohm PTH', 'is a component value'],
    ['3.3MΩ-HV', 'is a component value'],
    ['330 (5W)', 'is a component value'],
    ['AKL 230-04 + AKL 249-04', 'has several numbers'],
  ])('%s is requested, and named', async (value, says) => {
    const [named, ...others] = await warningsOf([...NUMBERS, value])
    expect(named).toContain(`p.csv:10: 1 value ${says}, unlike the others of column "MPN", and requested: `)
    expect(named).toContain(`${value} (row 10)`)
    expect(others).toEqual([])
    expect(await warningsOf(['A-100', value, 'A-200'])).toHaveLength(1)
  })

  test('is none where it is a mark or an amount of money: it is skipped, and named', async () => {
    const { read, notices } = await run({
      'p.csv': `Qty,MPN\n1,x\n2,NE555DR\n3,BAT54S\n2,LM358DR\n1,$36.78\n`,
    })
    expect(read.parts).toEqual(['NE555DR', 'BAT54S', 'LM358DR'])
    expect(notices.map(({ message }) => message)).toContain(
      'p.csv: 2 remarks skipped: x (row 2), $36.78 (row 6)',
    )
  })

  test('is named with its own column', async () => {
    const rows = ['A-100,B-100', 'A-200,buzzer', 'A-300,B-300']
    const { notices } = await run({ 'p.csv': `MPN,MPN 2,Qty\n${rows.join(',1\n')},1\n` })
    expect(notices.map(({ message }) => message)).toContain(
      'p.csv:3: 1 value is a word, unlike the others of column "MPN 2", and requested: buzzer (row 3)',
    )
  })

  test('is named in a column with fewer numbers', async () => {
    const few = ['CFAF320480C4', '579-MCP7940N-I/SN', '821-BC847B', 'itead', 'china', 'NL', 'SMD']
    expect(await warningsOf(few)).toEqual([expect.stringContaining('china (row 6), NL (row 7), SMD (row 8)')])
  })

  test('is named on one line with those of its kind, and a mistake if strict', async () => {
    const words = ['itead', 'china', 'NL']
    const says =
      'p.csv:2: 3 values are words, unlike the others of column "MPN", and requested: itead (row 2), china (row 3), NL (row 4)'
    expect(await warningsOf([...words, ...NUMBERS])).toEqual([says])
    const list = { 'p.csv': `MPN,Qty\n${[...words, ...NUMBERS].join(',1\n')},1\n` }
    expect((await failureOf(list, { strict: true })).message).toBe(says)
  })

  test.each([
    ['PTS 647 SM50 SMTR2 LFS', 'CMPT3904E TR PBFREE', 'CM7V-T1A 32.768kHz 7pF +/-10ppm TA QC', 'TF-LUNA'],
    [
      'WSL 50G',
      'X7R-5 100N',
      'RND 610-00397',
      'AZ 3.2X6X0.4',
      'B 40C 1500',
      'LITZE BL',
      'METALL 470',
      'PTS 647 SM50 SMTR2 LFS',
    ],
    ['DIN 912 M3x10', 'DIN 125 - A 6.4', 'DIN 912 - M8 x 25 - A2', '3024', '91251A542'],
    ['TAP-CORONA', 'LOCTITE', 'ETIQ-TERMO', 'FILMSTRETCH', 'AZUCAR', 'A-100'],
  ])('is none where others look so: %s …', async (...numbers) => {
    expect(await warningsOf([...numbers, 'BAT54'])).toEqual([])
  })
})

test.each(['MFN', 'MPN 2', 'Part Manufacturer', '部品メーカー(Manufacturer)'])(
  'names of makers below %s are no alternates',
  async (heading) => {
    const rows = ['TOSHIBA,CL10B104KC8NNNC', 'Texas Instruments,GRM155R61E105KA12D', 'NXP,RC0402FR-07180KL']
    const list = `Qty,${heading},MPN\n${rows.map((row) => `1,${row}`).join('\n')}\n`
    expect(await partsOf({ 'p.csv': list })).toEqual(rows.map((row) => row.split(',')[1]))
  },
)

test('boxes ticked at work are named beside a doubt about the part numbers, and keep no table below from being read', async () => {
  const rows = ['RP2040,1,NO,NO', 'NE555DR,2,NO,NO', 'BAT54S,1,NO,NO', 'LM358DR,1,NO,NO']
  const doubted = await run({ 'p.csv': `Xyz,Qty,Sourced,Placed\n${rows.join('\n')}\n` })
  const said = doubted.read.warnings.map(({ message }) => message)
  expect(said).toEqual([
    expect.stringContaining('by its values'),
    expect.stringContaining('"Placed" is not read'),
  ])
  const below = ['Manufacturer,Sourced,Placed,MPN,Qty', 'Acme,NO,NO,BC847C,1', 'Acme,NO,NO,1N4148,3']
  const list = { 'p.csv': `MPN,Qty,Sourced,Placed\n${[...rows, ...below].join('\n')}\n` }
  expect(await partsOf(list)).toEqual([...rows.map((row) => row.split(',')[0]), 'BC847C', '1N4148'])
})

test('words below a gap without a quantity are no lines', async () => {
  const rows = ['Cable,2,08-49-02', 'Motor,,2213', 'Buck,1,822-8859', ',,', ',,Top Platform', ',,Housing']
  const { read } = await run({ 'p.csv': `Description,Qty,Part #\n${rows.join('\n')}\n` })
  expect(read.parts).toEqual(['08-49-02', '2213', '822-8859'])
  const described = [...rows, 'Welded bracket,,Bracket']
  const more = await run({ 'p.csv': `Description,Qty,Part #\n${described.join('\n')}\n` })
  expect(more.read.parts).toEqual([...read.parts, 'Bracket'])
})

describe('parts of the command line', () => {
  test('are exact', async () => {
    const parts = ['A,B', ' A ', 'a', 'A', 'Ü/%2F?#&+']
    expect(await partsOf({}, { parts })).toEqual(parts)
  })

  test('come before those of lists, each once, and duplicates are counted', async () => {
    const { read } = await run({ 'p.txt': 'B\nA\nB\nC\n' }, { parts: ['A', 'A'] })
    expect(read.parts).toEqual(['A', 'B', 'C'])
    expect(read.duplicates).toBe(3)
  })

  test.each([
    ['', 'is blank'],
    [' \t', 'is blank'],
    ['A\nB', 'has a control character in it'],
    ['A\u0000', 'has a control character in it'],
    ['A\ufffdB', 'was not valid UTF-8 on the command line'],
    ['A\ud800', 'is not valid Unicode'],
  ])('%j is refused', async (part, reason) => {
    const failure = await failureOf({}, { parts: [part] })
    expect(failure.kind).toBe('usage')
    expect(failure.message).toContain(reason)
    expect(failure.message).not.toMatch(/[\u0000-\u001f]/)
  })
})

describe('lists as text', () => {
  test('have a part on each line; blank lines are skipped, there are no comments', async () => {
    expect(await partsOf({ 'p.txt': '\n#1\n\nA,B;C\n  spaced  in  \t\n \t \n//x' })).toEqual([
      '#1',
      'A,B;C',
      'spaced  in',
      '//x',
    ])
  })

  test.each([
    ['UTF-8', Buffer.from('Ä-1\nB\n')],
    ['UTF-8 with a mark', Buffer.from('\ufeffÄ-1\nB\n')],
    [
      'UTF-16, little end first',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Ä-1\nB\n', 'utf16le')]),
    ],
    [
      'UTF-16, big end first',
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('Ä-1\nB\n', 'utf16le').swap16()]),
    ],
    ['CRLF', Buffer.from('Ä-1\r\nB\r\n')],
    ['lone CR', Buffer.from('Ä-1\rB\r')],
    ['no last line end', Buffer.from('Ä-1\nB')],
    ['mixed line ends', Buffer.from('Ä-1\r\n\rB\n\n')],
  ])('are read as %s', async (_, bytes) => {
    expect(await partsOf({ 'p.txt': bytes })).toEqual(['Ä-1', 'B'])
  })

  test('are read the same in chunks of any size', async () => {
    const text = '\ufeffÄ-1\r\n\u{1F600}x\r\nB\rC\n'
    for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
      const stdin = Object.assign(Readable.from([...bytes].map((byte) => Buffer.from([byte]))), {
        isTTY: false,
      })
      expect(await partsOf({}, { files: ['-'] }, { stdin })).toEqual(['Ä-1', '\u{1F600}x', 'B', 'C'])
    }
  })

  test.each([
    ['a NUL byte', Buffer.from('A\nB\u0000\n'), 'p.txt:2: there is a NUL byte'],
    ['UTF-16 without a mark', Buffer.from('A\nB\n', 'utf16le'), 'p.txt:1: there is a NUL byte'],
    [
      'half of a UTF-16 character',
      Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x42]),
      'p.txt:1: the bytes are not the UTF-16',
    ],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), 'p.txt:1: the text is UTF-32'],
    [
      'a line over 1 MiB',
      Buffer.from(`A\n${'x'.repeat(3 * 1024 * 1024)}`),
      'p.txt:2: the line is longer than 1.0 MiB',
    ],
    ['nothing', Buffer.from(''), 'p.txt has no part numbers: it is empty'],
    ['nothing but blanks', Buffer.from(' \n\t\n\r\n'), 'p.txt has no part numbers: it is empty'],
    ['a tab inside', Buffer.from('A\tB\n'), 'p.txt:1: "A\\u0009B" has a tab in it: is this a table?'],
    [
      'an escape sequence',
      Buffer.from('A\u001b[31m\n'),
      'p.txt:1: "A\\u001b[31m" has a control character in it',
    ],
    [
      'a workbook under this name',
      Buffer.from('PK\u0003\u0004....[Content_Types].xml'),
      'p.txt is an Excel workbook',
    ],
    ['a ZIP archive', Buffer.from('PK\u0003\u0004....a.xml'), 'p.txt is a ZIP archive'],
    [
      'an old workbook',
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]),
      'p.txt is an Excel workbook with a password, or an old one (.xls)',
    ],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'p.txt is gzip data'],
    ['a PDF', Buffer.from('%PDF-1.7'), 'p.txt is a PDF document'],
  ])('with %s are a mistake', async (_, bytes, message) => {
    const failure = await failureOf({ 'p.txt': bytes })
    expect(failure).toMatchObject({ kind: 'usage', details: { file: 'p.txt' } })
    expect(failure.message).toContain(message)
  })

  test('all mistakes are reported together, the first twenty by line', async () => {
    const failure = await failureOf(
      {
        'p.txt': Array.from({ length: 30 }, (_, index) => `A\t${index}`).join('\n'),
        'q.txt': '',
        'r.txt': 'fine',
      },
      { files: ['p.txt', 'q.txt', 'gone.txt', 'r.txt'], parts: [''] },
    )
    expect(failure.message).toBe('33 problems with the requested parts')
    expect(failure.details.problems).toHaveLength(21)
    expect(failure.details.problems![0]).toBe('part "" is blank')
    expect(failure.details.problems![1]).toContain('p.txt:1: ')
    expect(failure.details.problems!.at(-1)).toBe('and 13 more')
  })

  test('that do not exist, or are directories, are a mistake', async () => {
    expect(await failureOf({}, { files: ['gone.txt'] })).toMatchObject({
      kind: 'usage',
      message: 'the parts list gone.txt does not exist',
    })
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'd.txt'))
      const reporter = { notice: () => undefined, progress: () => undefined }
      const wanted = { parts: [], files: ['d.txt'], strict: false }
      await expect(readParts(testWorld({ cwd: folder }), wanted, reporter)).rejects.toMatchObject({
        kind: 'usage',
        message: 'the parts list d.txt is a directory',
      })
    })
  })
})

describe('standard input', () => {
  test('is a list named -', async () => {
    expect(await partsOf({}, { files: ['-'] }, { stdinText: 'A\nB\n' })).toEqual(['A', 'B'])
  })

  test('is a table when a column is named', async () => {
    expect(await partsOf({}, { files: ['-'], columns: { part: 'b' } }, { stdinText: 'a;b\n1;2\n' })).toEqual([
      '2',
    ])
  })

  test('that is a terminal is refused', async () => {
    const stdin = Object.assign(new Readable({ read: () => undefined }), { isTTY: true })
    expect(await failureOf({}, { files: ['-'] }, { stdin })).toMatchObject({ kind: 'usage' })
  })

  test('can be read only once', async () => {
    expect(await failureOf({}, { files: ['-', '-'] })).toMatchObject({ kind: 'usage' })
  })

  test('is not read unless it is named', async () => {
    const stdin = Object.assign(new Readable({ read: () => expect.unreachable('was read') }), {
      isTTY: false,
    })
    expect(await partsOf({}, { parts: ['A'] }, { stdin })).toEqual(['A'])
  })
})

describe('tables', () => {
  test('are read from the column whose heading says part number', async () => {
    const csv = 'Pos,Part Number,Name\n1,A-1,"x, y"\n2,"B ""2""","line\nbreak"\n\n3, C ,\n'
    expect(await partsOf({ 'bom.csv': csv })).toEqual(['A-1', 'B "2"', 'C'])
  })

  test('may use semicolons or tabs, or declare the delimiter', async () => {
    expect(await partsOf({ 'b.csv': 'Pos;MPN\n1;A,1\n' })).toEqual(['A,1'])
    expect(await partsOf({ 'b.tsv': 'Pos\tMPN\n1\tA,1\n' })).toEqual(['A,1'])
    expect(await partsOf({ 'b.csv': 'sep=|\nPos|MPN\n1|A,1\n' })).toEqual(['A,1'])
  })

  test('may have quotes everywhere, CRLF and a byte order mark', async () => {
    const csv = '\ufeff"Pos","MPN"\r\n"1","A"\r\n"2","B"'
    expect(await partsOf({ 'b.csv': csv })).toEqual(['A', 'B'])
  })

  test('keep the leading zeros of ="…"', async () => {
    expect(await partsOf({ 'b.csv': 'MPN,Q\n="00123",1\n"=""00456""",1\n' })).toEqual(['00123', '00456'])
  })

  test('have warnings with the line in the file', async () => {
    const csv = 'MPN,Name\nA,"one\ntwo"\n1.0E+10,x\n\nMAR-01,x\n'
    const { read, notices } = await run({ 'b.csv': csv })
    expect(read.parts).toEqual(['A', '1.0E+10', 'MAR-01'])
    expect(read.warnings.map(({ line, kind }) => [line, kind])).toEqual([
      [4, 'number'],
      [6, 'date'],
    ])
    expect(notices.filter(({ level }) => level === 'warning').map(({ message }) => message)).toEqual([
      'b.csv:4: "1.0E+10" looks like a number that a spreadsheet shortened',
      'b.csv:6: "MAR-01" looks like a part number that a spreadsheet turned into a date',
    ])
    expect(notices).toContainEqual(
      expect.objectContaining({
        message: 'b.csv: 3 rows: 3 lines with a part number from column "MPN", no quantity column',
      }),
    )
  })

  test('with two columns of manufacturers\u2019 numbers say so', async () => {
    const { notices } = await run({ 'b.csv': 'MPN,Mfr Part No,Qty\nA-1,X-1,1\nA-2,X-2,1\n' })
    expect(notices).toContainEqual(
      expect.objectContaining({
        message:
          'b.csv: 2 rows: 2 lines with a part number from column "MPN", 2 alternates (column "Mfr Part No")',
      }),
    )
  })

  test.each([
    [
      'numbers of shops',
      'MPN,Qty,LCSC,DigiKey\nAB-1000,1,C1525,311-1-ND\nAB-1001,1,C1526,311-2-ND\n',
      ['DigiKey', 'LCSC'],
    ],
    ['a damaged heading', 'MPN,Qty,M?N 2\nAB-1000,1,ER-1000\nAB-1001,1,ER-1001\n', ['M?N 2']],
    [
      'words beside the number',
      'PART NUMBER,SHOP ORDER NUMBER\nDAYTON AUDIO RS180-8,295-355\nMILLS MI704,005-6\nDAYTON AUDIO DM,275-130\n',
      ['PART NUMBER'],
    ],
  ])('name a column that is not read with %s', async (_, csv, headings) => {
    const { notices } = await run({ 'b.csv': csv })
    const [account] = notices.filter(({ event }) => event === 'parts.column')
    for (const heading of headings) expect(account!.message).toContain(`column "${heading}"`)
    expect(account!.message).toContain('; not read: ')
  })

  test('name a column of quantities that has words only', async () => {
    const csv = 'MPN,Quantity\nAB-1000,a few\nAB-1001,as needed\n'
    const { notices } = await run({ 'b.csv': csv }, { details: true })
    expect(notices.map(({ message }) => message)).toContain('b.csv: column 2 "Quantity" has no quantities')
  })

  test('that are one line of prose are refused', async () => {
    await expect(run({ 'b.txt': 'please find the bill of materials attached\n' })).rejects.toThrow(
      'notes or prose',
    )
    expect(await partsOf({ 'b.txt': 'RASPI PICO 2\n' })).toEqual(['RASPI PICO 2'])
  })

  test('with rows that are too short or too long are read with warnings', async () => {
    const { read } = await run({ 'b.csv': 'Name,MPN\nx,A\ny\nz,B,C\n,,\n' })
    expect(read.parts).toEqual(['A', 'B'])
    expect(read.warnings.map(({ line, kind }) => [line, kind])).toEqual([[4, 'columns']])
    expect(read.lists[0]!.skipped).toMatchObject([{ kind: 'no part number', count: 1 }])
  })

  test.each([
    [
      'a quote that nobody closes',
      'MPN,Q\nA,1\n"B,2\nC,3\n',
      'b.csv:3: a quotation mark is opened here and never closed',
    ],
    ['text after a closing quote', 'MPN,Q\n"A"x,1\n', 'b.csv:2: text follows a closing quotation mark'],
    [
      'no part number heading',
      'Pos,Name\n1,A\n',
      'b.csv: no column of part numbers: no heading in row 1 says',
    ],
    ['headings alone', 'Pos,MPN\n', 'b.csv has no part numbers'],
  ])('with %s are a mistake', async (_, csv, message) => {
    const failure = await failureOf({ 'b.csv': csv })
    expect(failure.kind).toBe('usage')
    expect(failure.message).toContain(message)
  })

  test('a column for lists without columns is a mistake', async () => {
    expect(await failureOf({ 'p.txt': 'A' }, { columns: { part: '2' } })).toMatchObject({ kind: 'usage' })
    expect(await partsOf({ 'p.txt': 'A', 'b.csv': 'foo,bar\n1,2' }, { columns: { part: '2' } })).toEqual([
      'A',
      'bar',
      '2',
    ])
  })

  test('are read the same in chunks of any size', async () => {
    const csv = 'Pos,MPN\r\n1,"A ""1""\r\n"\r\n2,B\r\n3,"C"\r\n'
    for (const size of [1, 2, 3, 5, 7, 64]) {
      const chunks: Buffer[] = []
      const bytes = Buffer.from(csv)
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      const stdin = Object.assign(Readable.from(chunks), { isTTY: false })
      expect(await partsOf({}, { files: ['-'], columns: { part: 'mpn' } }, { stdin })).toEqual([
        'A "1"',
        'B',
        'C',
      ])
    }
  })
})

describe('a list of more than 4 MiB', () => {
  const COUNT = 6_000
  const list = (headings: string, row: (index: number) => string, length = COUNT): string =>
    `${headings}\n${Array.from({ length }, (_, index) => row(index)).join('\n')}\n`
  const filler = 'x'.repeat(900)
  const prose = 'the same as in the row above'

  test.each([true, false].slice(0, sweep(1, 2)))('is read to its end, with details: %s', async (details) => {
    const text = list('MPN,Qty,Description', (index) => `A-${index},1,${filler}`)
    const { parts, lists } = (await run({ 'a.csv': text }, { details })).read
    expect(parts).toHaveLength(COUNT)
    expect(parts.at(-1)).toBe(`A-${COUNT - 1}`)
    expect(lists[0]).toMatchObject({ rows: COUNT, lines: COUNT })
  })

  soakTest('has its alternates in a column that begins far below', async () => {
    const text = list('MPN 1,MPN 2,Qty', (index) =>
      index < COUNT - 5 ? `A-${index},,${filler}` : `A-${index},B-${index},${filler}`,
    )
    const { lists } = (await run({ 'a.csv': text })).read
    expect(lists[0]).toMatchObject({ lines: COUNT, alternates: 5 })
  })

  test.each([true, false].slice(0, sweep(1, 2)))(
    'is refused where its end has another column, with details: %s',
    async (details) => {
      const row = (index: number): string =>
        index < 5_000 ? `A-${index},B-${index},${filler}` : `${prose},B-${index},`
      const text = list('MPN,SKU,Description', row, 3 * COUNT)
      expect(await failureOf({ 'a.csv': text }, { details })).toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(/^a\.csv: /),
        details: { options: expect.arrayContaining(['parts-column 2']) },
      })
    },
  )
})

describe('what is no part', () => {
  const messages = ({ notices }: Run): readonly string[] =>
    notices.filter(({ event }) => event === 'parts.skipped').map(({ message }) => message)

  test('is named on one line for each kind', async () => {
    const csv = 'MPN,Qty\nA-1,1\nTBD,1\nn/a,1\nTBD,2\n,3\nMPN,Qty\nTotal,4\nPage 1 of 1,\n'
    const read = await run({ 'b.csv': csv })
    expect(read.read.parts).toEqual(['A-1'])
    expect(messages(read)).toEqual([
      'b.csv: 3 placeholders skipped: TBD (rows 3, 5), n/a (row 4)',
      'b.csv: 1 row without a part number (6)',
      'b.csv: 1 heading skipped: MPN (row 7)',
      'b.csv: 1 total skipped: Total (row 8)',
      'b.csv: 1 footer skipped: Page 1 of 1 (row 9)',
    ])
  })

  test('is warned of where most rows have no part number', async () => {
    const { read, notices } = await run({ 'b.csv': 'MPN,Name\n,A-1\nX-2,A-2\n,A-3\n' })
    expect(read.parts).toEqual(['X-2'])
    expect(notices).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: 'b.csv: 2 rows without a part number (2, 4); is this the right column?',
        options: ['parts-column'],
      }),
    )
  })

  test('is warned of where a footer has a word like a part number', async () => {
    const csv = 'MPN,Qty,Name\nA-1,1,x\nRevision,Date,Author\nB-2,,Miller\nPage 1 of 1,,\n'
    const { read, notices } = await run({ 'b.csv': csv })
    expect(read.parts).toEqual(['A-1'])
    const footers = notices.find(({ data }) => data?.kind === 'footer')
    expect(footers).toMatchObject({ level: 'warning', message: expect.stringContaining('B-2 (row 4)') })
  })

  test('is not sent from a text either: its heading, placeholders', async () => {
    const read = await run({ 'p.txt': 'Part Number\nA\n-\n#REF!\nMPN\nItem\n' })
    expect(read.read.parts).toEqual(['A', 'Item'])
    expect(messages(read)).toEqual([
      'p.txt: 2 headings skipped: Part Number (row 1), MPN (row 5)',
      'p.txt: 2 placeholders skipped: - (row 3), #REF! (row 4)',
    ])
  })

  test('makes a list without anything else a mistake that says so', async () => {
    const failure = await failureOf({ 'b.csv': 'MPN,Qty\nTBD,1\n' })
    expect(failure.message).toBe(
      'b.csv has no part numbers in column "MPN": 1 placeholder skipped: TBD (row 2)',
    )
  })

  test.each([
    ['MPN,Qty\n', 'there is no row below the headings in row 1'],
    ['\n \n', 'it is empty'],
    [',,\n,,\n', 'it is empty'],
  ])('a list without any row of parts says what there is: %j', async (text, why) => {
    const failure = await failureOf({ 'b.csv': text })
    expect(failure.message).toBe(`b.csv has no part numbers: ${why}`)
    expect(failure.hint).not.toMatch(/fix/)
  })

  test('an empty column of part numbers names the others', async () => {
    const failure = await failureOf({ 'b.csv': 'MPN,Qty,Designation\n,1,DMN3009SFG\n,2,10k\n,2,small\n' })
    expect(failure.message).toBe('b.csv has no part numbers in column "MPN", which is empty')
    expect(failure.details.problems).toContain('3 "Designation": DMN3009SFG, 10k, small')
    expect(failure.details.options).toEqual(['parts-column 3'])
  })

  test('is a mistake if strict where a spreadsheet lost it', async () => {
    const failure = await failureOf({ 'b.csv': 'MPN,Qty\nA,1\nTBD,1\n#REF!,1\n' }, { strict: true })
    expect(failure.message).toBe('b.csv:4: "#REF!" is a spreadsheet error value')
  })
})

describe('encodings', () => {
  test('lines that are not UTF-8 are Windows-1252, with a notice', async () => {
    const bytes = Buffer.from('A\r\nÄ-1\r\nK\u0080-\u0082\u00fc\r\n', 'latin1')
    const { read, notices } = await run({ 'p.txt': bytes })
    expect(read.parts).toEqual(['A', 'Ä-1', 'K€-‚ü'])
    expect(notices).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        event: 'parts.encoding',
        message: expect.stringContaining('p.txt: 2 lines (the first is 2) not UTF-8, read as Windows-1252'),
      }),
    )
  })

  test('a line that is UTF-8 stays so beside one that is not', async () => {
    const bytes = Buffer.concat([
      Buffer.from('Ü-1\n'),
      Buffer.from('\u00dc-2\n', 'latin1'),
      Buffer.from('Ü-3\n'),
    ])
    expect(await partsOf({ 'p.txt': bytes })).toEqual(['Ü-1', 'Ü-2', 'Ü-3'])
  })

  test.each([
    ['shift_jis', [0x83, 0x41, 0x2d, 0x31], 'ア-1'],
    ['CP932', [0x83, 0x41, 0x2d, 0x31], 'ア-1'],
    ['GB18030', [0xd0, 0xcd, 0x2d, 0x31], '型-1'],
    ['windows-1250', [0x8a, 0x2d, 0x31], 'Š-1'],
    ['utf-16le', [0x41, 0, 0x2d, 0, 0x31, 0], 'A-1'],
  ])('%s is read when it is named', async (encoding, bytes, part) => {
    expect(await partsOf({ 'p.txt': Buffer.from(bytes) }, { encoding })).toEqual([part])
    const stdin = Object.assign(Readable.from(bytes.map((byte) => Buffer.from([byte]))), { isTTY: false })
    expect(await partsOf({}, { files: ['-'], encoding }, { stdin })).toEqual([part])
  })

  test('a table in another one that is refused is said to be in another', async () => {
    const rows = [
      [0x95, 0x94, 0x95, 0x69, 0x94, 0xd4],
      [0x83, 0x6c, 0x83, 0x57],
      [0x83, 0x69, 0x83, 0x62],
    ]
    const bytes = Buffer.concat(rows.map((row) => Buffer.from([...row, 0x2c, 0x41, 0x2d, 0x31, 0x0a])))
    const failure = await failureOf({ 'p.csv': bytes })
    expect(failure.hint).toContain('name its encoding')
    expect(failure.details.options).toContain('encoding shift_jis')
  })

  test.each([
    ['utf-16le', (text: string) => Buffer.from(text, 'utf16le')],
    ['utf-16be', (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ])('%s without a byte order mark is refused with the option that reads it', async (encoding, bytesOf) => {
    const bytes = bytesOf('MPN,Qty\nMPN-1001,2\nMPN-1002,1\n')
    expect((await failureOf({ 'p.csv': bytes })).details.options).toEqual([`encoding ${encoding}`])
    expect(await partsOf({ 'p.csv': bytes }, { encoding })).toEqual(['MPN-1001', 'MPN-1002'])
  })

  test.each([
    ['windows-1251', 'c0f0f2e8eaf3eb2ccaeeebe8f7e5f1f2e2ee0a'],
    ['gb18030', 'd0cdbac52ccafdc1bf0a'],
    ['shift_jis', '8c5e94d42c909497ca0a'],
  ])('words of headings in %s name it in the warning', async (encoding, headings) => {
    const bytes = Buffer.concat([Buffer.from(headings, 'hex'), Buffer.from('MPN-1001,2\nMPN-1002,1\n')])
    const { notices } = await run({ 'p.csv': bytes }, { columns: { part: '1' } })
    expect(notices.find(({ event }) => event === 'parts.encoding')?.options).toEqual([`encoding ${encoding}`])
  })

  test('one that nobody knows is a mistake that names those known', async () => {
    const failure = await failureOf({ 'p.txt': 'A' }, { encoding: 'klingon' })
    expect(failure).toMatchObject({ kind: 'usage', message: "unknown encoding 'klingon'" })
    expect(failure.hint).toContain('shift_jis')
  })

  test.each([
    ['utf-8', [0x41, 0xfc], 'p.txt:1: the bytes are not UTF-8'],
    ['shift_jis', [0x41, 0x0a, 0x81], 'p.txt:2: the bytes are not shift_jis'],
  ])('bytes that are not the %s they are said to be are a mistake', async (encoding, bytes, message) => {
    const failure = await failureOf({ 'p.txt': Buffer.from(bytes) }, { encoding })
    expect(failure.message).toContain(message)
  })
})

describe('doubtful values', () => {
  test('are kept, with a warning', async () => {
    const { read, notices } = await run({ 'p.txt': 'A\u20131\n1.0E+10\n' })
    expect(read.parts).toEqual(['A\u20131', '1.0E+10'])
    expect(notices.filter(({ level }) => level === 'warning')).toHaveLength(2)
  })

  test('beyond the first twenty of a kind are counted, and hide no other kind', async () => {
    const text = Array.from({ length: 25 }, (_, index) => `A\u2013${index}\n`).join('')
    const { read, notices } = await run({ 'p.txt': `${text}1.0E+10\n` })
    expect(read.warningCount).toBe(26)
    expect(read.warnings).toHaveLength(21)
    expect(notices.at(-2)?.message).toMatch(/likewise p\.txt:2 .*p\.txt:6 "A–5" and 19 more$/)
    expect(notices.at(-1)?.message).toMatch(/^p\.txt:26: "1\.0E\+10" looks like a number/)
  })

  test('several numbers on one line of a text are named', async () => {
    const { read } = await run({ 'p.txt': 'ABC-1001,ABC-1002,ABC-1003\nBZX84-C5V6,215\n' })
    expect(read.parts).toEqual(['ABC-1001,ABC-1002,ABC-1003', 'BZX84-C5V6,215'])
    expect(read.warnings).toMatchObject([{ kind: 'columns', line: 1 }])
  })

  test('are mistakes if strict', async () => {
    const failure = await failureOf({ 'p.txt': 'A\nMAR-01\n00012\n00013\n14\n' }, { strict: true })
    expect(failure.message).toBe('2 problems with the requested parts')
    expect(failure.details.problems).toEqual([
      'p.txt:2: "MAR-01" looks like a part number that a spreadsheet turned into a date',
      'p.txt:5: "14" is shorter than the 5 digits of the other values: were leading zeros lost?',
    ])
    expect(failure.details.options).toEqual(['strict-parts'])
  })
})
