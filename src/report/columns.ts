import { cleanText, escapeUnsafe } from '../base/clean-text.ts'
import { exemptionLabel, exemptionNumbers } from '../compliance/exemptions.ts'
import { indicationText } from '../compliance/finding.ts'
import type { OtherListFinding } from '../compliance/judge.ts'
import type { StatedExemption } from '../compliance/part-record.ts'
import { tidy } from '../compliance/quantity.ts'
import { type SvhcOver, svhcCount } from '../compliance/reach.ts'
import { label, named, unique } from '../compliance/rohs.ts'
import type { RowLine } from './lines.ts'
import { findingWord, findingWords, type RowFinding } from './row-findings.ts'
import type { SubstanceRow } from './rows/part-declaration.ts'
import type { JudgedRow } from './rows/report-row.ts'
import type { ReachWord, RowStatus } from './words.ts'

/**
 * What a column holds. Every format derives from it how a value is written: `id` is text that is never a number or a date, `ids` and
 * `list` are several values, `hits` is a count that should be 0, and `status` has the tone of its word.
 */
export type ColumnType =
  | 'id'
  | 'ids'
  | 'text'
  | 'list'
  | 'status'
  | 'gate'
  | 'day'
  | 'count'
  | 'hits'
  | 'amount'
  | 'percent'
  | 'flag'

/** A column as people see it. */
export interface Column {
  /** The heading. */
  readonly title: string
  /** What the column means. */
  readonly help: string
  readonly type: ColumnType
  /** In characters, in a workbook. */
  readonly width: number
  /** There to look up: closed in a workbook, behind the part number on a page. */
  readonly isDetail?: true
  /** A shorter heading for terminals. */
  readonly short?: string
}

/** A column of parts, with its value in a row: several values are a list. */
interface PartColumnOf extends Column {
  readonly value: (row: JudgedRow) => CellValue | readonly string[]
}

const MULTIPLE: ReadonlySet<ColumnType> = new Set(['ids', 'list', 'gate'])

/** The columns of a report, in the order of every format. To add one, add it here. */
export const PART_COLUMNS = {
  part: {
    title: 'Part',
    help: 'part number of the supplier',
    type: 'id',
    width: 18,
    value: ({ part }) => escapeUnsafe(part),
  },
  requester_part: {
    title: 'Your part',
    help: 'part number of the buyer',
    type: 'id',
    width: 13,
    value: ({ requesterPart }) => escapeUnsafe(requesterPart),
  },
  name: { title: 'Name', help: 'name of the part', type: 'text', width: 15, value: ({ name }) => name },
  supplier: {
    title: 'Supplier',
    help: 'the declaring company',
    type: 'text',
    width: 14,
    value: ({ supplier }) => supplier,
  },
  company_id: {
    title: 'Company ID',
    help: 'identifiers of the company, a DUNS number first',
    type: 'ids',
    width: 12,
    isDetail: true,
    value: ({ companyIds }) => companyIds,
  },
  date: {
    title: 'Declared on',
    help: 'day of the declaration',
    type: 'day',
    width: 11,
    value: ({ date }) => date,
  },
  standard: {
    title: 'Standard',
    help: 'version of IPC-1752',
    type: 'text',
    width: 9,
    isDetail: true,
    value: ({ standard }) => standard,
  },
  classes: {
    title: 'Classes',
    help: 'declaration classes in the file',
    type: 'text',
    width: 8,
    isDetail: true,
    value: ({ classes }) => classes,
  },
  rohs: {
    title: 'RoHS',
    help: 'RoHS status; of an assembly that is evaluated from its lines, the worst of these',
    type: 'status',
    width: 13,
    value: ({ judged, line }) => line?.inside?.rohs ?? judged.rohs.status,
  },
  exemptions: {
    title: 'RoHS exemptions',
    help: 'exemptions in use, each with its list and category',
    type: 'list',
    width: 18,
    value: ({ judged }) => unique(judged.rohs.exemptions.map(exemptionText)),
  },
  rohs_list: {
    title: 'RoHS list',
    help: 'list that decides the RoHS status',
    type: 'list',
    width: 13,
    isDetail: true,
    value: ({ judged }) => judged.rohs.lists,
  },
  svhc_count: {
    title: 'SVHCs',
    help: 'number of SVHCs above 0.1 %; empty where none are declared',
    type: 'hits',
    width: 7,
    short: 'svhc',
    value: ({ judged }) => svhcCount(judged.reach) ?? null,
  },
  svhc: {
    title: 'SVHC names',
    help: 'these SVHCs, with code and highest concentration',
    type: 'list',
    width: 18,
    value: ({ judged }) => judged.reach.over.map(svhcText),
  },
  reach_list: {
    title: 'Candidate List',
    help: 'list that decides about SVHCs',
    type: 'list',
    width: 14,
    isDetail: true,
    value: ({ judged }) => judged.reach.lists,
  },
  mass_mg: {
    title: 'Mass (mg)',
    help: 'milligrams of one unit',
    type: 'amount',
    width: 10,
    value: ({ massMg }) => massMg ?? null,
  },
  declared_percent: {
    title: 'Mass declared (%)',
    help: 'share of the mass that class D declares',
    type: 'percent',
    width: 10,
    isDetail: true,
    short: 'declared %',
    value: ({ declaredPercent }) => declaredPercent ?? null,
  },
  status: {
    title: 'Status',
    help: 'declared, missing, assembly, not fitted, unreadable or superseded',
    type: 'status',
    width: 12,
    value: ({ status }) => status,
  },
  note: {
    title: 'Remarks',
    help: 'reason for the status, and other remarks',
    type: 'text',
    width: 38,
    value: ({ notes }) => notes.join('; '),
  },
  source: {
    title: 'Source',
    help: 'file, or archive and entry',
    type: 'text',
    width: 26,
    isDetail: true,
    value: ({ sources }) => joined(sources),
  },
  unit_type: {
    title: 'Unit',
    help: 'what one unit is; a piece by default',
    type: 'text',
    width: 8,
    isDetail: true,
    value: ({ unitType }) => unitType,
  },
  exemption_expires: {
    title: 'Exemptions until',
    help: 'earliest nominal date of an exemption in use',
    type: 'day',
    width: 11,
    value: ({ exemptionExpires }) => exemptionExpires,
  },
  svhc_list_behind: {
    title: 'Entries behind',
    help: 'how many more entries the newest Candidate List in the reference table has',
    type: 'count',
    width: 8,
    value: ({ listBehind }) => listBehind ?? null,
  },
  gate: {
    title: 'Gate',
    help: 'rules that the row matches',
    type: 'gate',
    width: 22,
    value: ({ gate }) => [...gate.open, ...unique(gate.waived.map(waivedText))],
  },
  reach: {
    title: 'REACH',
    help: 'REACH status, likewise',
    type: 'text',
    width: 12,
    value: ({ judged, line }) => line?.inside?.reach ?? judged.reach.status,
  },
  other_lists: {
    title: 'Other lists',
    help: 'what lists other than RoHS and REACH state',
    type: 'list',
    width: 18,
    value: ({ judged }) => judged.otherLists.map(otherListText),
  },
  indications: {
    title: 'Indications',
    help: 'substances of class D above a threshold that no list declares',
    type: 'list',
    width: 24,
    value: ({ judged }) => judged.indications.map(indicationText),
  },
  verdict: {
    title: 'Verdict',
    help: 'failed, doubtful or clean: that of the worst finding; empty for a row that is not judged',
    type: 'status',
    width: 11,
    value: ({ verdict }) => verdict,
  },
  findings: {
    title: 'Findings',
    help: 'what is found, worst first; the remarks say why',
    type: 'list',
    width: 24,
    value: ({ findings }) => findingWords(findings),
  },
  line: {
    title: 'Line',
    help: 'line of the parts list',
    type: 'count',
    width: 7,
    value: ({ line }) => line?.line ?? null,
  },
  item: { title: 'Item', help: 'item in the parts list', type: 'id', width: 7, value: ofLine('item') },
  level: { title: 'Level', help: 'level in the parts list', type: 'id', width: 7, value: ofLine('level') },
  own_part: {
    title: 'Own part',
    help: 'own part number in the parts list',
    type: 'id',
    width: 14,
    value: ofLine('ownPart'),
  },
  quantity: {
    title: 'Quantity',
    help: 'quantity in the parts list',
    type: 'amount',
    width: 9,
    value: ({ line }) => line?.quantity ?? null,
  },
  unit: {
    title: 'Unit of quantity',
    help: 'unit of that quantity',
    type: 'text',
    width: 8,
    value: ofLine('unit'),
  },
  reference: {
    title: 'Reference',
    help: 'reference designators in the parts list',
    type: 'text',
    width: 16,
    value: ofLine('reference'),
  },
  description: {
    title: 'Description',
    help: 'description in the parts list',
    type: 'text',
    width: 26,
    value: ofLine('description'),
  },
  manufacturer: {
    title: 'Manufacturer',
    help: 'manufacturer in the parts list',
    type: 'text',
    width: 16,
    value: ofLine('manufacturer'),
  },
  alternate: {
    title: 'Alternate',
    help: 'the place of the number among the alternates of its line; empty for its first choice',
    type: 'count',
    width: 8,
    value: ({ line }) => line?.alternate ?? null,
  },
  used_in: {
    title: 'Used in',
    help: 'the assemblies that have the part, with its quantity; of several parts lists these',
    type: 'list',
    width: 24,
    value: ({ line }) => line?.usedIn ?? [],
  },
} as const satisfies Readonly<Record<string, PartColumnOf>>

type LineText = 'item' | 'level' | 'ownPart' | 'unit' | 'reference' | 'description' | 'manufacturer'

function ofLine(name: LineText): (row: Pick<JudgedRow, 'line'>) => string {
  return ({ line }) => (line as RowLine | undefined)?.[name] ?? ''
}

/** The columns that only a report on a parts list has: what the list says of a line. */
export const LIST_ONLY: ReadonlySet<string> = new Set(
  'line item level own_part quantity unit reference description manufacturer alternate used_in'.split(' '),
)

/** The columns of the flat table of class D substances. */
const SUBSTANCE_TABLE = {
  part: { title: 'Part', help: 'part number of the supplier', type: 'id', width: 18 },
  material: {
    title: 'Material',
    help: 'homogeneous material, after the sub-products that contain it',
    type: 'text',
    width: 32,
  },
  material_mass_mg: {
    title: 'Material mass (mg)',
    help: 'milligrams of the material in one unit of the part',
    type: 'amount',
    width: 13,
    short: 'material (mg)',
  },
  substance: { title: 'Substance', help: 'substance as declared', type: 'text', width: 36 },
  cas: { title: 'CAS number', help: 'its CAS number', type: 'id', width: 13 },
  cas_valid: {
    title: 'CAS valid',
    help: 'false where the text is no CAS number or its check digit is wrong',
    type: 'flag',
    width: 8,
    short: 'valid',
  },
  mass_mg: {
    title: 'Mass (mg)',
    help: 'milligrams of the substance in one unit of the part',
    type: 'amount',
    width: 10,
  },
  percent_of_material: {
    title: '% of material',
    help: 'its share of the material, by mass',
    type: 'percent',
    width: 11,
    short: '% of mat.',
  },
  ppm_of_part: {
    title: 'ppm of part',
    help: 'its share of the part, in parts per million by mass',
    type: 'amount',
    width: 13,
  },
  source: { title: 'Source', help: 'file, or archive and entry', type: 'text', width: 26, isDetail: true },
} as const satisfies Readonly<Record<keyof SubstanceRow, Column>>

export type PartColumn = keyof typeof PART_COLUMNS
type SubstanceColumn = keyof typeof SUBSTANCE_TABLE

/** The names of the columns of a report, in their order. */
export const REPORT_COLUMNS = Object.keys(PART_COLUMNS) as readonly PartColumn[]
/** Those of the table of substances. */
export const SUBSTANCE_COLUMNS = Object.keys(SUBSTANCE_TABLE) as readonly SubstanceColumn[]

/** The columns of the table of this kind, by name. */
export function columnsOf(kind: 'parts' | 'substances'): Readonly<Record<string, Column>> {
  return kind === 'parts' ? PART_COLUMNS : SUBSTANCE_TABLE
}

/** The columns of a report that may have several values. */
export const LIST_COLUMNS: readonly PartColumn[] = REPORT_COLUMNS.filter((name) =>
  MULTIPLE.has(PART_COLUMNS[name].type),
)

/** True for a column of numbers. */
export function isNumeric(type: ColumnType): boolean {
  return NUMERIC.has(type)
}

const NUMERIC: ReadonlySet<ColumnType> = new Set(['count', 'hits', 'amount', 'percent'])

export type CellValue = string | number | boolean | null

/** True for a row of parts, not of substances. */
export function isPart(row: object): row is JudgedRow {
  return 'judged' in row
}

/** The value of a column in a cell: several values are one text. */
export function cellOf(row: object, column: string): CellValue {
  if (!isPart(row)) return ((row as Readonly<Record<string, CellValue>>)[column] ?? null) as CellValue
  const value = PART_COLUMNS[column as PartColumn].value(row)
  return typeof value === 'object' && value !== null ? joined(value) : value
}

/** The values of a column that may have several. They have no separator within them. */
export function valuesOf(row: JudgedRow, column: string): readonly string[] {
  const value = PART_COLUMNS[column as PartColumn].value(row)
  return typeof value === 'object' && value !== null ? separable(value) : []
}

const MOST_VALUES = 500

function joined(values: readonly string[]): string {
  return values.length === 0 ? '' : separable(values).join('; ')
}

function separable(values: readonly string[]): readonly string[] {
  const more = values.length - MOST_VALUES
  const shown = more > 0 ? [...values.slice(0, MOST_VALUES), `and ${more} more`] : values
  return shown.filter((value) => value !== '').map((value) => value.replaceAll('; ', ', '))
}

// The texts of values

/** `6(c) (EL2011/534/EU, Lead/lead compounds)`: an exemption with its list and what it is stated for. */
function exemptionText({ identity, list, subject }: StatedExemption): string {
  const details = [list, subject].filter((part) => part !== '').join(', ')
  return details === '' ? identity : `${identity} (${details})`
}

/** `Lead (00167, 0.25 %)`: name, code, and the worst case in its unit. */
function svhcText({ name, code, percent, massMg }: SvhcOver): string {
  const amount = percent !== undefined ? `${tidy(percent)} %` : massMg !== undefined ? `${massMg} mg` : ''
  const details = [code, amount].filter((part) => part !== '')
  if (name === '' || name === code) return [code, ...(amount === '' ? [] : [`(${amount})`])].join(' ')
  return details.length > 0 ? `${name} (${details.join(', ')})` : name
}

/** `Prop_65_substances: over: Lead`. */
function otherListText({ list, status, over }: OtherListFinding): string {
  const names = over.map((one) => cleanText(label(one), 100))
  return `${list}: ${status === 'over' ? `over: ${named(names)}` : status}`
}

/** A waived finding: `svhc:Lead (waived until 2027-01-31: last time buy)`; with what it is about where the waiver says so. */
export function waivedText(finding: RowFinding): string {
  const { until, reason, rule } = finding.waivers![0]!
  const word = findingWord(finding)
  const isAboutOne = rule.startsWith(`${finding.rule}:`) && word === finding.rule && finding.subject !== ''
  return `${isAboutOne ? `${word}:${finding.subject}` : word} (waived until ${until}: ${reason})`
}

// A row as people see it: its name, its status, and how much attention it needs. Every format asks here.

/** The status of a row in one word. */
export function rowStatus({ status, judged }: JudgedRow): RowStatus {
  return status === 'declared' ? judged.rohs.status : status
}

/** What a row says of SVHCs; undefined for one that is no declaration. */
export function reachWord(row: JudgedRow): ReachWord | undefined {
  const isDeclaration = row.status === 'declared' || row.status === 'superseded'
  return isDeclaration ? REACH_STATUSES[row.judged.reach.status] : undefined
}

const REACH_STATUSES = {
  SVHC: 'withSvhc',
  'no SVHC': 'withoutSvhc',
  incomplete: 'incomplete',
  'not declared': 'notDeclared',
} as const satisfies Readonly<Record<string, ReachWord>>

/** The supplier's number, else the buyer's, else the file of a row without either. */
export function rowName({ part, requesterPart, sources, line }: JudgedRow): string {
  return (
    escapeUnsafe(part || requesterPart) ||
    joined(sources) ||
    (line === undefined ? '(no part number)' : lineText(line))
  )
}

function lineText({ line, ownPart, description, item }: RowLine): string {
  return ownPart || description || (item === '' ? `line ${line}` : `item ${item}`)
}

/** What stands for a supplier that is not known. */
export const NO_SUPPLIER = 'no supplier known'

/** Whom to ask about a row: the declaring company, else the manufacturer in the parts list; empty if neither is known. */
export function supplierOf({ supplier, otherManufacturers }: JudgedRow): string {
  return escapeUnsafe(supplier) || (otherManufacturers[0] ?? '')
}

/** The exemptions of a declared row by their legal numbers, as the list of exemptions names them. */
export function exemptionKeys({ status, judged }: JudgedRow): readonly string[] {
  if (status !== 'declared') return []
  return unique(
    judged.rohs.exemptionIds.flatMap(({ identity, list }) => {
      const numbers = exemptionNumbers(identity, list)
      return numbers.length === 0 ? [identity] : numbers.map(exemptionLabel)
    }),
  )
}

/** The exemptions of a row in few words: their numbers where it is a declaration. */
export function exemptionsText(row: JudgedRow): string {
  const keys = exemptionKeys(row)
  return keys.length > 0 ? keys.join(', ') : String(cellOf(row, 'exemptions'))
}
