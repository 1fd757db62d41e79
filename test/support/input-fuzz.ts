import { candidatesOf } from './candidate-list.ts'
import { type CategoryXml, fileA, fileB, listXml, productXml, rohsCategories } from './declarations.ts'
import { type Cell, formula, sheetXml } from './workbook.ts'
import { zip } from './zip.ts'
import { type Dice, mutate } from './zip-mutations.ts'

// Odd and damaged lists, workbooks and declarations, made from dice alone.

/** The part that is not compliant: nothing that has it may pass, unless it is named. */
export const BAD_PART = 'XC7Z020-1CLG400C'

/** Parts whose declarations are clean. */
export const GOOD_PARTS = [
  'LM358DR',
  'BAT54S-7-F',
  'TPS62130RGTR',
  'CRCW040210K0FKED',
  'GRM155R71C104KA88D',
  '1N4148W-7-F',
  '0022232021',
  'STM32F407VGT6',
  'MMBT3904LT1G',
  'SN74LVC1G08DBVR',
  'ABM8-25.000MHZ-B2-T',
  '5-146280-4',
] as const

export interface FuzzedInput {
  readonly name: string
  readonly bytes: Buffer
  readonly isDamaged: boolean
  /** The rows that have the bad part, from 1; none where damage left none, or where only the reader can tell. */
  readonly badRows: readonly number[]
}

const CANDIDATES = candidatesOf('EUREACH-0226').map(
  ({ code, name }): CategoryXml => ({ code, name: escaped(name), over: 'false' }),
)

/** A declaration of one part: clean, or with lead over its threshold. */
export function declarationXml(part: string, write = fileA): string {
  const lists = [
    listXml('EUROHS-1907', rohsCategories(part === BAD_PART ? { Lead: { over: 'true' } } : {})),
    listXml('EUREACH-0226', CANDIDATES),
  ]
  return write(productXml([part], lists.join('')))
}

const HEADINGS = [
  ['Item', 'MPN', 'Qty', 'Manufacturer', 'Description'],
  ['Pos.', 'Herstellernummer', 'Menge', 'Hersteller', 'Bezeichnung'],
  ['Repère', 'Référence fabricant', 'Quantité', 'Fabricant', 'Désignation'],
  ['Line', 'Mfr Part Number', 'QTY', 'Mfr', 'Comment'],
  ['番号', 'メーカー品番', '数量', 'メーカー', '備考'],
] as const

interface Rows {
  readonly rows: (readonly string[])[]
  readonly above: readonly string[]
}

/** A bill of materials with titles, placeholders, parts that are not fitted, and perhaps the bad part. */
function rowsOf(dice: Dice): Rows {
  const parts: string[] = GOOD_PARTS.slice(dice.next(4), 8 + dice.next(5))
  if (dice.next(2) === 0) parts.splice(dice.next(parts.length + 1), 0, BAD_PART)
  const rows = parts.map((part, at) => [
    String(at + 1),
    part,
    dice.pick(['1', '2', '10', '1']),
    dice.pick(['Example Parts', 'Example & Parts', '']),
    dice.pick(['amplifier', 'cap, 100 nF', 'résistance 10 kΩ', 'say "hi"', '']),
  ])
  for (let more = dice.next(3); more > 0; more -= 1) {
    const number = dice.pick(['TBD', 'N/A', 'TBD', ''])
    rows.splice(dice.next(rows.length + 1), 0, ['', number, '1', '', 'note'])
  }
  if (dice.next(4) === 0) rows.push(['Total', '', '27', '', ''])
  return {
    rows: [dice.pick(HEADINGS), ...rows],
    above: dice.pick([[], [], ['Bill of materials'], ['Product X', 'Rev. B']]),
  }
}

const ENCODERS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  (text) => Buffer.from(text, 'latin1'),
]

/** A list as CSV, TSV or text. */
export function fuzzedList(dice: Dice): FuzzedInput {
  const { rows, above } = rowsOf(dice)
  const end = dice.pick(['\n', '\n', '\r\n', '\r'])
  const isText = dice.next(6) === 0
  const delimiter = dice.pick([',', ';', '\t', '|'])
  const quoted = (cell: string): string => {
    const needsQuotes = /["\r\n]/.test(cell) || cell.includes(delimiter) || dice.next(12) === 0
    return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell
  }
  const lines = isText
    ? rows.slice(1).map((row) => row[1]!)
    : [...above, ...rows.map((row) => row.map(quoted).join(delimiter))]
  let text = lines.join(end) + dice.pick([end, end, ''])
  const changes = dice.pick([0, 1, 1, 1, 2, 4])
  for (let count = changes; count > 0; count -= 1) text = changedText(text, dice)
  let bytes = dice.pick(/[^\u0000-\u00ff]/.test(text) ? ENCODERS.slice(0, -1) : ENCODERS)(text)
  const isCut = dice.next(12) === 0
  if (isCut) bytes = mutate(bytes, dice, [bytes])
  const badRows = text
    .split(/\r\n?|\n/)
    .flatMap((line, at) => (line.includes(BAD_PART) && !isCut ? [at + 1] : []))
  return {
    name: isText ? 'bom.txt' : delimiter === '\t' ? 'bom.tsv' : 'bom.csv',
    bytes,
    isDamaged: changes > 0 || isCut,
    badRows,
  }
}

const ODD_CHARACTERS = [
  '"',
  ',',
  ';',
  '\t',
  '\n',
  '\r',
  '\0',
  '=',
  '\u00a0',
  '\ufeff',
  '|',
  "'",
  '\\',
  '\u202e',
]

function changedText(text: string, dice: Dice): string {
  const at = dice.next(text.length + 1)
  const to = Math.min(text.length, at + 1 + dice.next(30))
  return dice.pick([
    () => text.slice(0, at) + dice.pick(ODD_CHARACTERS) + text.slice(at),
    () => text.slice(0, at) + dice.pick(ODD_CHARACTERS) + text.slice(at + 1),
    () => text.slice(0, at) + text.slice(to),
    () => text.slice(0, to) + text.slice(at),
    () => text.slice(0, at),
    () => text.slice(0, at) + dice.pick(ODD_CHARACTERS).repeat(1 + dice.next(2000)) + text.slice(at),
  ])()
}

/** A workbook: shared strings, dates, odd names of parts, missing and damaged ones. */
export function fuzzedWorkbook(dice: Dice): FuzzedInput {
  const { rows, above } = rowsOf(dice)
  const shared = dice.next(3) === 0 ? new Map<string, number>() : undefined
  const cellOf = (value: string, column: number): Cell => {
    if (value === '') return undefined
    if (column !== 1 && /^\d+$/.test(value))
      return dice.pick<Cell>([Number(value), Number(value), Number(value), formula(Number(value))])
    if (shared === undefined || dice.next(5) === 0)
      return dice.next(6) === 0
        ? {
            xml: `<c t="inlineStr"><is><r><t>${escaped(value.slice(0, 2))}</t></r><r><t xml:space="preserve">${escaped(value.slice(2))}</t></r></is></c>`,
          }
        : value
    if (!shared.has(value)) shared.set(value, shared.size)
    return { xml: `<c t="s"><v>${shared.get(value)}</v></c>` }
  }
  const cells = [...above.map((title) => [title]), ...rows].map((row, at) => [
    ...row.map(cellOf),
    at > 0 && dice.next(4) === 0
      ? dice.pick<Cell>([
          { xml: '<c s="1"><v>45000.5</v></c>' },
          { xml: '<c t="d"><v>2026-03-01</v></c>' },
          { xml: '<c t="b"><v>1</v></c>' },
          { xml: '<c t="e"><v>#REF!</v></c>' },
          { xml: '<c t="zz"><v>9</v></c>' },
          { xml: '<c><v>1e999</v></c>' },
        ])
      : undefined,
  ])
  const end = dice.pick([
    '',
    '',
    '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>',
    '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>',
    '<mergeCells><mergeCell ref="F2:F99999"/></mergeCells>',
    '<extLst><ext/></extLst>',
  ])
  let sheet = sheetXml(cells, end)
  const dimension = dice.pick(['', 'A1:F20', 'A1:XFD1048576', 'A1', 'B7:A1', 'nonsense'])
  if (dimension !== '') sheet = sheet.replace('<sheetData', `<dimension ref="${dimension}"/><sheetData`)
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="http://x/relationships/${type}" Target="${target}"/>`
  const target = dice.pick(['worksheets/sheet1.xml', '/xl/worksheets/sheet1.xml', './worksheets/sheet1.xml'])
  const odd = dice.pick([
    target,
    target,
    target,
    'worksheets\\sheet1.xml',
    '../xl/worksheets/sheet1.xml',
    'worksheets/%73heet1.xml',
    '../../../sheet1.xml',
    'worksheets/gone.xml',
  ])
  const strings = [...(shared?.keys() ?? [])].map((text) => `<si><t>${escaped(text)}</t></si>`).join('')
  const files: Record<string, string> = {
    '_rels/.rels': `<Relationships>${relation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook><sheets><sheet name="BOM" sheetId="1" r:id="r1"/>${dice.pick(['', '', '<sheet name="Old" sheetId="2" r:id="r9"/>'])}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('r1', 'worksheet', odd)}${relation('r2', 'sharedStrings', 'sharedStrings.xml')}${relation('r3', 'styles', 'styles.xml')}</Relationships>`,
    'xl/worksheets/sheet1.xml': sheet,
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    ...(shared === undefined
      ? {}
      : { 'xl/sharedStrings.xml': `<sst count="1" uniqueCount="99999999">${strings}</sst>` }),
  }
  const changes = dice.pick([0, 0, 1, 1, 2, 3])
  let isDamaged = changes > 0
  for (let count = changes; count > 0; count -= 1) {
    const name = dice.pick(Object.keys(files))
    if (dice.next(8) === 0) delete files[name]
    else files[name] = changedXml(files[name]!, dice)
  }
  let bytes = zip(Object.entries(files).map(([name, data]) => ({ name, data })))
  const isCut = dice.next(10) === 0
  if (isCut) {
    bytes = mutate(bytes, dice, [bytes])
    isDamaged = true
  }
  // With shared strings a changed table says other things about the same cells: nothing tells that from what was meant.
  const [, ...made] = (files['xl/worksheets/sheet1.xml'] ?? '').split('<row ')
  const badRows = isCut
    ? []
    : made.flatMap((row) => {
        const number = /^r="(\d+)"/.exec(row)?.[1]
        return row.includes(`>${BAD_PART}<`) && number !== undefined ? [Number(number)] : []
      })
  return { name: 'bom.xlsx', bytes, isDamaged, badRows }
}

function changedXml(text: string, dice: Dice): string {
  const at = dice.next(text.length + 1)
  const to = Math.min(text.length, at + 1 + dice.next(60))
  return dice.pick([
    () =>
      text.slice(0, at) +
      dice.pick(['<', '>', '&', '"', '\0', '/', ' ', '0', ']]>', '<!--']) +
      text.slice(at),
    () => text.slice(0, at) + text.slice(to),
    () => text.slice(0, to) + text.slice(at),
    () => text.slice(0, at),
    () => `${text.slice(0, at)}&#${dice.next(70_000)};${text.slice(at)}`,
    () => text.replace(/\d+/, String(dice.next(2 ** 31))),
    () =>
      text.replace(/ r="[A-Z]+\d+"/, dice.pick([' r="XFD1048576"', ' r="A0"', ' r="ZZZZ9"', '', ' r="B2"'])),
    () => text.replace(/<(\w+)>/, dice.pick(['<x:$1>', '<$1 xmlns="urn:odd">', '<$1 $1="$1">', '<$1/>'])),
    () => text.replace(/<sheetData>/, `<sheetData>${'<row/>'.repeat(dice.next(3000))}`),
    () => `<?xml version="1.0" encoding="${dice.pick(['UTF-16', 'ISO-8859-1', 'x-odd', 'UTF-8'])}"?>${text}`,
    () => `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(1000)}">]>${text}`,
  ])()
}

/** An XML declaration of the bad part: well-formed but odd, or damaged. */
export function fuzzedDeclaration(dice: Dice): FuzzedInput {
  let xml = declarationXml(BAD_PART, dice.pick([fileA, fileA, fileB]))
  for (let count = dice.next(4); count > 0; count -= 1) xml = dice.pick(ODD_XML)(xml, dice)
  const changes = dice.pick([0, 1, 1, 2, 4])
  for (let count = changes; count > 0; count -= 1) xml = changedXml(xml, dice)
  const encoding = dice.pick(['utf-8', 'utf-8', 'utf-8', 'BOM', 'utf-16le', 'utf-16be', 'latin1', 'wrong'])
  let bytes = encodedXml(xml, encoding, dice)
  const isCut = dice.next(8) === 0
  if (isCut) bytes = mutate(bytes, dice, [bytes])
  return { name: `${BAD_PART}.xml`, bytes, isDamaged: changes > 0 || isCut, badRows: [] }
}

function encodedXml(xml: string, encoding: string, dice: Dice): Buffer {
  const named = (name: string): string => xml.replace('version="1.0"', `version="1.0" encoding="${name}"`)
  if (encoding === 'BOM') return Buffer.from(`\ufeff${xml}`)
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${named('UTF-16')}`, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(`\ufeff${named('UTF-16')}`, 'utf16le').swap16()
  if (encoding === 'latin1') return Buffer.from(named('ISO-8859-1'), 'latin1')
  if (encoding === 'wrong')
    return Buffer.from(named(dice.pick(['UTF-16', 'UTF-32', 'EBCDIC-CP-US', 'utf8', 'x-none'])))
  return Buffer.from(xml)
}

type OddXml = (xml: string, dice: Dice) => string

const inside = (xml: string, text: string): string => xml.replace(/(<(?:b:)?BusinessInfo)/, `${text}$1`)

const ODD_XML: readonly OddXml[] = [
  (xml, dice) => inside(xml, `${'<a>'.repeat(dice.next(20_000))}`),
  (xml, dice) => {
    const depth = dice.next(20_000)
    return inside(xml, `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`)
  },
  (xml, dice) => inside(xml, `<a x="${'y'.repeat(dice.next(3_000_000))}"/>`),
  (xml, dice) =>
    inside(xml, `<a ${Array.from({ length: dice.next(20_000) }, (_, at) => `a${at}=""`).join(' ')}/>`),
  (xml, dice) => inside(xml, `<!--${'- '.repeat(dice.next(100_000))}-->`),
  (xml, dice) => inside(xml, `<![CDATA[${'] ]> <'.repeat(dice.next(10_000))}]]>`),
  (xml) =>
    xml.replace(
      /^(<\?xml[^>]*\?>)?/,
      `$1<!DOCTYPE lolz [<!ENTITY a "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY ${'abcdefghij'[at + 1]} "${`&${'abcdefghij'[at]};`.repeat(10)}">`).join('')}]>`,
    ),
  (xml) =>
    xml
      .replace(/^(<\?xml[^>]*\?>)?/, '$1<!DOCTYPE x [<!ENTITY p SYSTEM "file:///etc/passwd">]>')
      .replace('Example Parts', '&p;'),
  (xml) => xml.replace('Example Parts', '&j;'),
  (xml) => xml.replaceAll('"', "'"),
  (xml) => xml.replace('overThreshold="true"', 'overThreshold="&#116;rue"'),
  (xml) => xml.replace('overThreshold="true"', 'overThreshold=" TRUE "'),
  (xml) => xml.replace('overThreshold="true"', 'overThreshold="1"'),
  (xml) => xml.replace('name="Lead"', 'name="&#76;ead"'),
  (xml) =>
    xml.replace(BAD_PART, [...BAD_PART].map((one) => `&#x${one.charCodeAt(0).toString(16)};`).join('')),
  (xml) =>
    xml.replace(/<(\/?)(?=\w)/g, '<$1n:').replace('n:MainDeclaration ', 'n:MainDeclaration xmlns:n="urn:n" '),
  (xml) => xml.replace(/><(?=\w)/g, '>\r\n\t<'),
  (xml) => xml.replace(/ (\w+)="/g, '\n$1 = "'),
  (xml) => `${xml}\n<!-- end -->\n`,
  (xml) => `${xml}<more/>`,
  (xml) => `\n${xml}`,
  (xml) => xml.replace('version="1.0"', 'version="1.1"'),
  (xml) => xml.replace(/(<(?:b:)?BusinessInfo.*<\/(?:b:)?BusinessInfo>)(.*)(<\/(?:b:)?Product>)/s, '$2$3$1'),
  (xml) => xml.replace(/<(\/?)(b:)?Threshold/g, '<$1$2threshold'),
]

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
