import type { Tone } from '../document.ts'
import { escapeMarkup } from '../formats/escape-markup.ts'

/** What a style is made of; fonts, fills and number formats are written once each. */
interface StyleDefinition {
  readonly font?: string
  readonly fill?: string
  /** The code of a number format, or the number of one that every program knows. */
  readonly format?: string | number
  readonly wrap?: boolean
  readonly align?: 'left' | 'center' | 'right'
  /** Text that looks like a formula stays text when the cell is edited. */
  readonly quoted?: boolean
}

const DAY = 'yyyy\\-mm\\-dd'
const TIME = 'yyyy\\-mm\\-dd\\ hh:mm'
const MASS = '[>=1000]#,##0;[>=0.1]#,##0.00;General'
const PERCENT = '[>=0.01]0.00;General'
const COUNT = '#,##0'
const FLAG = '"yes";"yes";"no"'
/** The number format "Text": what is typed into the cell stays text. */
const TEXT = 49

const font = (color: string, more = ''): string =>
  `<font>${more}<sz val="10"/><color rgb="FF${color}"/><name val="Arial"/><family val="2"/></font>`
const INK = '1F2328'
const PLAIN_FONT = font(INK)

/** The color of the letters, and of bars, of each tone. */
export const TONE_INKS: Readonly<Record<Tone, string>> = {
  good: '0A5C2B',
  fair: '0F4F57',
  warn: '6B4500',
  bad: '8E1519',
  none: '59636E',
}

const toned = (tone: Tone, fill: string, more = ''): StyleDefinition => ({
  font: font(TONE_INKS[tone], more),
  fill,
  wrap: true,
})

const DEFINITIONS = {
  plain: {},
  text: { wrap: true },
  quoted: { wrap: true, quoted: true },
  code: { wrap: true, format: TEXT },
  count: { format: COUNT, align: 'center' },
  fact: { format: COUNT, align: 'left' },
  day: { format: DAY, align: 'left' },
  hits: { ...toned('warn', 'FFEFC6', '<b/>'), format: COUNT, align: 'center' },
  mass: { format: MASS, align: 'right' },
  percent: { format: PERCENT, align: 'right' },
  date: { format: DAY, align: 'center' },
  yes: { format: FLAG, align: 'center' },
  no: { ...toned('warn', 'FFEFC6', '<b/>'), format: FLAG, align: 'center' },
  time: { format: TIME, align: 'left' },
  heading: { font: font(INK, '<b/>'), fill: 'DDE5EE', wrap: true },
  title: {
    font: `<font><b/><sz val="16"/><color rgb="FF${INK}"/><name val="Arial"/><family val="2"/></font>`,
  },
  link: { font: font('0550AE', '<u/>'), wrap: true },
  good: toned('good', 'DDF4E4', '<b/>'),
  fair: toned('fair', 'DCF1F3'),
  warn: toned('warn', 'FFEFC6'),
  bad: toned('bad', 'FBDDDD', '<b/>'),
  none: { font: font(TONE_INKS.none), wrap: true },
} as const satisfies Readonly<Record<Tone | string, StyleDefinition>>

export type StyleName = keyof typeof DEFINITIONS

const NAMES = Object.keys(DEFINITIONS) as readonly StyleName[]

/** The index of each style in `cellXfs`. */
export const STYLE = Object.fromEntries(NAMES.map((name, index) => [name, index])) as Readonly<
  Record<StyleName, number>
>

/** The file `xl/styles.xml`. */
export function stylesXml(): string {
  const all: readonly StyleDefinition[] = NAMES.map((name) => DEFINITIONS[name])
  const fonts = [...new Set([PLAIN_FONT, ...all.map((style) => style.font ?? PLAIN_FONT)])]
  const fills = [...new Set(all.map(({ fill }) => fill ?? ''))].filter((fill) => fill !== '')
  const codes = [...new Set(all.map(({ format }) => format))].filter((format) => typeof format === 'string')
  const formats = codes.map(
    (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escapeMarkup(code)}"/>`,
  )
  const solid = (color: string): string =>
    `<fill><patternFill patternType="solid"><fgColor rgb="FF${color}"/><bgColor indexed="64"/></patternFill></fill>`
  const xf = ({ font: one = PLAIN_FONT, fill, format = 0, wrap, align, quoted }: StyleDefinition): string => {
    const fillId = fill === undefined ? 0 : fills.indexOf(fill) + 2
    const formatId = typeof format === 'string' ? 164 + codes.indexOf(format) : format
    const quote = quoted ? ' quotePrefix="1"' : ''
    return `<xf numFmtId="${formatId}" fontId="${fonts.indexOf(one)}" fillId="${fillId}" borderId="0" xfId="0"${quote} applyNumberFormat="1" applyFont="1" applyFill="1" applyAlignment="1"><alignment vertical="top"${align ? ` horizontal="${align}"${align === 'right' ? ' indent="1"' : ''}` : ''}${wrap ? ' wrapText="1"' : ''}/></xf>`
  }
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${counted('numFmts', formats)}${counted('fonts', fonts)}${counted('fills', ['<fill><patternFill patternType="none"/></fill>', '<fill><patternFill patternType="gray125"/></fill>', ...fills.map(solid)])}<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>${counted('cellXfs', all.map(xf))}<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

function counted(element: string, items: readonly string[]): string {
  return `<${element} count="${items.length}">${items.join('')}</${element}>`
}
