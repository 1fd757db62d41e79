import { type ValueKind, valueKind } from './column-values.ts'
import { scoreHeadingRow } from './layout.ts'
import { FIRST_ROWS, LONGEST_CELL } from './list-table.ts'

/** What a text is that is no parts list, and what to do about it. */
interface ListShape {
  readonly what: string
  readonly hint: string
}

const AS_SHEET = 'open it in a spreadsheet program and save it as .xlsx, or as CSV'
const EXPORT = 'export the list as .csv or .xlsx from the program that wrote it'
const ONE_EACH = 'put one part number on each line, or save a table as .csv'
const BOM = 'export the bill of materials as .csv from the program that wrote it'

/** What a text is by its first characters. */
const STARTS: readonly (readonly [RegExp, string, string])[] = [
  [
    /^(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body|table|meta|style|script|title|div|span|p|tr|td|center|form|br|[abi]|[uo]l|li|h[1-6]|img|pre)\b/is,
    'a web page (HTML)',
    `${AS_SHEET}; if it is a page to sign in, get the file again`,
  ],
  [
    /^(?:<\?xml[^>]*>\s*)?(?:<\?mso-application[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:\w+:)?Workbook\b/is,
    'an XML Spreadsheet',
    AS_SHEET,
  ],
  [/^(?:<\?xml[^>]*>\s*)?<office:document\b/i, 'an OpenDocument spreadsheet', AS_SHEET],
  [/^<(?:[?!]|\/?[a-z_][\w:.-]*(?:[\s/>]|$))/i, 'XML', EXPORT],
  [/^\{\\rtf/, 'an RTF document', 'save its table in a spreadsheet program as .xlsx, or as CSV'],
  [/^ID;P/, 'a SYLK file', AS_SHEET],
  [/^TABLE\n0,1\n/, 'a DIF file', AS_SHEET],
  [/^%!PS/, 'a PostScript document', EXPORT],
  [/^\[\[[\w.-]+\]\]\s*\n/, 'a settings file (INI, TOML)', ONE_EACH],
  [/^(?:\{\s*(?:["}]|$)|\[\s*(?:["{[\]]|-?\d[\d.]*\s*[,\]]|$))/, 'JSON', ONE_EACH],
  [
    /^(?:- *)?(?:[[({]+\s*'.*'\s*[:,\])}]|[[(]*\{\s*\w+ *: *\S)/,
    'a list of objects (Python, JavaScript, YAML)',
    EXPORT,
  ],
  [
    /^\(\s*(?:export|kicad_\w+|edif|netlist|sym_lib_table|fp_lib_table|net|module|footprint)\b/i,
    'a netlist or a design file',
    BOM,
  ],
  [
    /^(?:[*!]PADS-|\$PACKAGES\n|\(NETLIST\)|\[\n[A-Z]+\d+\n|\(\s*\{|\|HEADER=|EESchema )/,
    'a netlist of a CAD program',
    BOM,
  ],
  [/^(?:[CP] {2}.*\n)*[CP] {2}(?:IPC|UNITS|JOB|TITLE|NUM|VER)/, 'a netlist (IPC-D-356)', BOM],
  [/^\.(?:tran|ac|dc|op|model|subckt|ends?|include|lib|param)(?: |$)/im, 'a circuit (SPICE)', BOM],
  [/^(?:G0?4 .*\*\n|%[A-Z]{2}.*\*%)/, 'a layer of a board (Gerber)', BOM],
  [/^(?:[;%].*\n)*M48\n(?:;|[A-Z]{3}|T\d)/, 'drill data (Excellon)', BOM],
  [/^(?:999\n.*\n\s*)*0\n\s*SECTION\n/, 'a drawing (DXF)', BOM],
  [/^.{0,72}S(?: {6}|0{6})1\n.{72}[SG](?: {6}|0{6})[12]\n/, 'a model (IGES)', BOM],
  [/^ISO-10303-21;/, 'a model (STEP)', BOM],
  [/^solid\b.*\n\s*facet /, 'a model (STL)', BOM],
  [/^\[\n/, 'a list of objects (Python, JavaScript, YAML)', EXPORT],
  [/^(?:%YAML|---\s*(?:#.*)?\n\s*[\w"'-])/, 'YAML', ONE_EACH],
  [/^(?:<\?php|#!\/|#(?:include|define|pragma|ifn?def)\b|\/\*|\/\/ )/, 'source code', ONE_EACH],
  [/^(?:%.*\n)*\\(?:documentclass|begin\{|usepackage)/, 'a LaTeX document', EXPORT],
  [/^\{\|/, 'a table of a wiki', AS_SHEET],
  [/^From \S+@\S+ /, 'a mail', 'save what is attached to it, or copy the part numbers'],
  [/^(?:BEGIN:V(?:CARD|CALENDAR))/i, 'a card or a calendar', ONE_EACH],
  [
    /^(?:diff -{1,2}\w|--- .*\n\+{3} |\*{3} .*\n--- |@@ -\d|Index: |\d+(?:,\d+)?[acd]\d+(?:,\d+)?\n[<>] )/,
    'what differs between two files (a patch)',
    'give one of them',
  ],
  [/^<{7} .*\n[\s\S]*^(?:={7}|>{7} .*)$/m, 'a file with a merge conflict', 'resolve it first'],
  [
    /^(?:HTTP\/\S+ )?[1-5]\d\d:? [A-Z][a-z]+(?: [A-Za-z]+)*\.?(?:\n.{0,40}){0,2}$/,
    'the answer of a server, not what was asked for',
    'get the file again',
  ],
  [
    /^(?:INSERT INTO|CREATE TABLE|BEGIN TRANSACTION|PRAGMA |SELECT\s.+\sFROM\s)/i,
    'SQL',
    'export the rows as .csv',
  ],
]

const MAIL_HEADER =
  /^(?:MIME-Version|Content-(?:Type|Location|Transfer-Encoding|Disposition)|Received|Return-Path|Message-ID|Delivered-To|X-[\w-]+|From|To|Cc|Subject|Date|Sent|Von|An|Betreff|Gesendet)\s?: \S/i
const TAG = /<\/?[a-z][\w:.-]*(?:\s[^<>]*)?\/?>/i
const STATEMENT =
  /^(?:import|from|#include|def|class|function|const|let|var|package|using|public|private|return|export|use|local|end)\b.*[\w;({"')]$|^\}|[([{]$|^["'].*["'],$|^[\])}]+[;,]?$|^[\w.[\]"' ]+\s[-+]?=\s.+|^\s*(?:[a-z_][\w.]*\(.*\)[;{]?|\w[\w.]*\(.*\)[;{])$/

/**
 * What the text of a list is that is none, by its first lines; undefined for one that may be a list. A table with headings is judged by
 * its columns.
 */
export function shapeOf(text: string, hasHeadings: boolean): ListShape | undefined {
  const start = text.replace(/^[\ufeff\s]+/, '').slice(0, 4096)
  const known = STARTS.find(([pattern]) => pattern.test(start))
  if (known !== undefined) return { what: known[1], hint: known[2] }
  const lines = text
    .split('\n', FIRST_ROWS)
    .map((line) => line.slice(0, LONGEST_CELL).trimEnd())
    .filter((line) => line.trim() !== '')
  const isTable = hasHeadings || unusualDelimiter(text) !== undefined
  const shape = ofLines(lines, isTable)
  if (shape !== undefined || isTable) return shape
  return ofTable(lines) ?? ofValues(lines.map((line) => line.trim()))
}

function ofLines(lines: readonly string[], isTable: boolean): ListShape | undefined {
  const share = shareOf(lines)
  const headers = lines.slice(0, 12).filter((line) => MAIL_HEADER.test(line)).length
  if (MAIL_HEADER.test(lines[0] ?? '') && (headers > 1 || lines.length === 1)) {
    const isArchive = lines.some((line) => /^Content-Type: multipart\/related|^From: <Saved by/i.test(line))
    return isArchive
      ? { what: 'a web page in one file (MHTML)', hint: AS_SHEET }
      : { what: 'a mail', hint: 'save what is attached to it, or copy the part numbers' }
  }
  // Tables have their delimiters in nearly all lines.
  if (share((line) => /[,;\t|].*[,;\t|]/.test(line)) > 0.5) return undefined
  if (share((line) => TAG.test(line)) > 0.3) return { what: 'HTML or XML', hint: AS_SHEET }
  if (isTable) return undefined
  const isPair = (line: string): boolean => /^\s*(?:- )?["']?[A-Za-z_][\w .-]*["']?:(?:\s|$)/.test(line)
  const isItem = (line: string): boolean => /^\s*(?:[-*+•]|#{1,6}) \S/.test(line)
  if (share((line) => isPair(line) || isItem(line)) > 0.8) {
    return {
      what:
        share(isItem) === 1 ? 'a list with bullets (YAML, Markdown)' : 'YAML, or a list of names and values',
      hint: ONE_EACH,
    }
  }
  if (share((line) => /^\s*["'].*["']\s*:|^\s*[{}[\]],?$/.test(line)) > 0.5)
    return { what: 'JSON', hint: ONE_EACH }
  // Coils are numbers such as `1264EY-2R2N=P3`.
  if (share((line) => /^\[[\w .-]+\]$|^[A-Za-z_][\w.-]*\s*=\s*(?!P\d$)\S/.test(line)) > 0.8) {
    return { what: 'a settings file (INI, TOML)', hint: ONE_EACH }
  }
  if (share((line) => /\\\\(?: *\\hline)?$/.test(line)) > 0.5)
    return { what: 'rows of a LaTeX table', hint: EXPORT }
  const isCode = (line: string): boolean => STATEMENT.test(line.trim())
  return share(isCode) > 0.5 && lines.some((line) => /[({=]|^\s*(?:import|#include|use|using)\b/.test(line))
    ? { what: 'source code', hint: ONE_EACH }
    : undefined
}

/** `LM358DR 2`, `LM358DR (2)`, `LM358DR - 2 pcs`, `2x LM358DR` */
const WITH_QUANTITY =
  /^(?=\S*\d)(?=\S*\p{L})\S{4,} +[-(x×=]? ?\d{1,3}\)?(?: ?(?:x|pcs?|ea|st[ck]?)\.?)?$|^\d{1,3} ?[x×]? +(?=\S*\d)(?=\S*\p{L})\S{4,}$/iu
/** Commands of a machine: `G1 X10.5 Y20`, `X100Y200D02*`. */
const COMMAND = /^(?:[GMT]\d{1,3}(?![\w-])|(?:[GMTXYZIJKFSDNR][+-]?\d+(?:\.\d*)?\s?){2,}\*?$)/
const NO_NUMBERS: ReadonlySet<ValueKind> = new Set([
  'none',
  'words',
  'phrase',
  'prose',
  'small number',
  'outline',
  'price',
  'date',
  'identifier',
  'link',
  'flag',
  'formula',
])
/** A list of numbers has so many that look like one. */
const LEAST = 1 / 3

/** What a line is that is no number: punctuation, addresses, times, words, places, values of components, names of files. */
const NO_NUMBER =
  /[;:*{\\!=]$|\S@\S+\.\w|:.*:|[<>=]=|^\d+(?:\.\d+){3}|^[A-Z]{1,2}\d{1,3}\s|^[CDJLQRU]\d{1,2}$|^\d{0,3}[.,]\d+$|^\d{1,3}(?:[.,]\d+)?[kMRpnuµ]\d?[FHΩ]?$|^\p{L}?\p{Ll}{2,}$|\.(?:xml|zip|csv|xlsx?|txt|json|html?)$/u

function isLikeNumber(line: string): boolean {
  return /^[\p{L}\p{N}("'#+-]/u.test(line) && !NO_NUMBER.test(line) && !NO_NUMBERS.has(valueKind(line))
}

/** Lines of which few look like part numbers, or that have more than one. */
function ofValues(lines: readonly string[]): ListShape | undefined {
  const [first] = lines
  if (first === undefined) return undefined
  const isHeaded = scoreHeadingRow([first]).number > 0
  const rows = isHeaded ? lines.slice(1) : lines
  if (lines.every((line) => /^[|^].*[|^]$/.test(line)))
    return { what: 'a table of a wiki, without headings that are known', hint: AS_SHEET }
  if (rows.length < 3) {
    const areWords = lines.every((line) => valueKind(line) === 'words' && /\p{Ll}{3}/u.test(line))
    return areWords && !isHeaded
      ? { what: 'a text in words, no list of part numbers', hint: ONE_EACH }
      : undefined
  }
  const share = shareOf(rows)
  // A table without headings.
  if (share((line) => /[,;\t|]/.test(line)) > 0.5) return undefined
  if (
    rows.every(
      (line, index) => /^#?\d+[.):]? /.test(line) && Number.parseInt(line.replace('#', ''), 10) === index + 1,
    )
  )
    return { what: 'a numbered list', hint: ONE_EACH }
  if (share((line) => WITH_QUANTITY.test(line)) > 0.8)
    return { what: 'a table with a blank between number and quantity', hint: ONE_EACH }
  if (share((line) => COMMAND.test(line)) > 0.8) return { what: 'data for a machine (G-code)', hint: BOM }
  if (isHeaded || share(isLikeNumber) >= LEAST) return undefined
  const examples = rows
    .filter((line) => !isLikeNumber(line))
    .slice(0, 3)
    .map((line) => JSON.stringify(line.slice(0, 40)))
  return {
    what: `no list of part numbers: most of its lines are none, such as ${examples.join(', ')}`,
    hint: EXPORT,
  }
}

const FIXED_WIDTH: ListShape = { what: 'a table with columns of a fixed width', hint: AS_SHEET }

/** A table whose lines are quoted as a whole, columns of a fixed width, or a tree. */
function ofTable(lines: readonly string[]): ListShape | undefined {
  if (lines.length < 2) return undefined
  const share = shareOf(lines)
  if (share((line) => /^"(?:[^"]|"")*"$/.test(line) && /[,;\t]/.test(line)) > 0.6) {
    return {
      what: 'a table that was saved twice: each line is wholly in quotes',
      hint: 'save it again from its original',
    }
  }
  if (share((line) => /[│├└─]/.test(line)) > 0.3) {
    return { what: 'a tree or a table drawn with lines', hint: 'export it as .csv' }
  }
  const isDelimited = share((line) => /[,;\t|]/.test(line)) > 0.5
  for (const sign of isDelimited ? [] : ['^', '~']) {
    if (share((line) => line.includes(sign)) > 0.5) {
      return {
        what: `a table divided by ${sign}, which not every row has as often`,
        hint: 'export it as .csv',
      }
    }
  }
  const other = isDelimited ? undefined : otherDelimiter(lines)
  if (other !== undefined)
    return { what: `a table divided by ${other}, which is no known delimiter`, hint: AS_SHEET }
  // Designators in one cell have commas and blanks between them.
  const isSpaced = (line: string): boolean => !/[;\t|]|,\S/.test(line) && /\S {2,}\S+(?: {2,}|$)/.test(line)
  const isWide = (line: string): boolean => !/[;\t|]|,\S/.test(line) && /\S {2,}\S/.test(line)
  const hasHeadings = lines.some(
    (line) => isWide(line) && scoreHeadingRow(line.trim().split(/ {2,}/)).known > 2,
  )
  const hasRuler = !isDelimited && lines.some((line) => /^ *(?:[=-]{2,} +)+[=-]{2,}$/.test(line))
  if (hasRuler) return FIXED_WIDTH
  if (hasHeadings ? share(isWide) <= 0.4 : share(isSpaced) <= 0.6 || lines.length < 3) return undefined
  return FIXED_WIDTH
}

/** A sign between known headings that divides most rows below them as often. */
function otherDelimiter(lines: readonly string[]): string | undefined {
  const countOf = (line: string, sign: string): number => line.split(sign).length
  for (const [at, line] of lines.slice(0, MOST_TITLES).entries()) {
    if (line.includes('://')) continue
    const below = shareOf(lines.slice(at + 1))
    const sign = [...new Set(line.match(/[^\p{L}\p{N}\s\-._"'()[\],;|]/gu))].find((one) => {
      const { known, number } = scoreHeadingRow(line.split(one))
      return known > 1 && number > 2 && below((row) => countOf(row, one) === countOf(line, one)) > 0.5
    })
    if (sign !== undefined) return sign
  }
  return undefined
}

function shareOf(lines: readonly string[]): (test: (line: string) => boolean) => number {
  return (test) => (lines.length === 0 ? 0 : lines.filter(test).length / lines.length)
}

/** What divides tables of few programs, and is in no part number: it counts where every line has it as often. */
const UNUSUAL = ['^', '~', '\u00a6', '\u001f', '\u001e', '\u0001', '\u00a7'] as const

/** The same for signs that part numbers may have: these count only where they divide headings. */
const BETWEEN_HEADINGS = ['::', '||', '#', '!'] as const

/** Several blanks as a delimiter. */
export const BLANKS = '  '

/** The unusual delimiter of a text, or several blanks; undefined where no such sign divides every line into as many cells. */
export function unusualDelimiter(text: string): string | undefined {
  const lines = text
    .replace(SAYS_DELIMITER, '')
    .split('\n', FIRST_ROWS)
    .filter((line) => line.trim() !== '')
  if (lines.length < 2) return undefined
  const isHeading = (line: string, sign: string): boolean => scoreHeadingRow(line.split(sign)).known > 1
  const isEven = (split: (line: string) => number): boolean => {
    const [first, ...others] = lines.map((line) => split(line.trim()))
    return first! > 1 && others.every((one) => one === first)
  }
  const sign = UNUSUAL.find((one) => isEven((line) => line.split(one).length))
  if (sign !== undefined) return sign
  // Below titles, from the headings on.
  const headed = [...UNUSUAL, ...BETWEEN_HEADINGS].find((one) => {
    const from = lines.findIndex((line) => line.includes(one))
    const rows = lines.slice(from)
    return (
      from >= 0 &&
      from <= MOST_TITLES &&
      rows.length > 1 &&
      isHeading(rows[0]!, one) &&
      rows.every((line) => line.split(one).length === rows[0]!.split(one).length)
    )
  })
  if (headed !== undefined) return headed
  const hasOthers = lines.some((line) => /[;\t|]|,\S/.test(line))
  return !hasOthers && isEven((line) => line.split(/ {2,}/).length) ? BLANKS : undefined
}

const MOST_TITLES = 10
/** What Excel reads as the delimiter of the lines below. */
const SAYS_DELIMITER = /^sep=.\n/i

/** A value that is markup, in a list that is none. */
export function isMarkup(value: string): boolean {
  return /^<[!?/]?[a-z][^<>]*>?/i.test(value) || /<\/[a-z][\w:.-]*>/i.test(value)
}
