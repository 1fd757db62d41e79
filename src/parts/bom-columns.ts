import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { headingKey, namedColumns } from './heading.ts'
import type { PartColumn } from './part-column.ts'

/** The requested columns of a bill of materials: a heading, or a number from 1. */
export interface WantedBomColumns {
  readonly quantity?: string | undefined
  readonly level?: string | undefined
}

/** The columns of a bill of materials, as indexes from 0. */
export interface BomColumns {
  readonly quantity: number
  readonly level: number | undefined
  /** The unit of the quantities. */
  readonly unit: number | undefined
  /** The headings of quantity and level, or their numbers from 1. */
  readonly labels: readonly string[]
}

/** What a table has of a bill of materials; `doubt` is why it has none although it might. */
export interface FoundBomColumns {
  readonly columns?: BomColumns
  readonly doubt?: string
}

/**
 * Finds the columns of quantity, level and unit by what is wanted, else by their usual headings. Without a quantity column a table
 * is no bill of materials. A wanted column that is not there is a `usage` failure.
 */
export function findBomColumns(
  head: readonly (readonly string[])[],
  { headingRow, width, column: part }: PartColumn,
  wanted: WantedBomColumns,
  file: string,
): FoundBomColumns {
  const headings = headingRow < 0 ? [] : head[headingRow]!
  const table = { headings, width, file }
  const level = wantedColumn(table, 'level', wanted.level)
  const quantity = wantedColumn(table, 'quantity', wanted.quantity)
  const usual = (keys: ReadonlySet<string>): readonly number[] =>
    headings.flatMap((heading, index) => (index !== part && keys.has(headingKey(heading)) ? [index] : []))
  const quantities = quantity === undefined ? usual(QUANTITY_HEADINGS) : [quantity]
  const levels = level === undefined ? usual(LEVEL_HEADINGS) : [level]
  if (quantities.length > 1) return { doubt: severalColumns(file, 'quantity', headings, quantities) }
  if (quantities.length === 0) {
    if (level === undefined) return {}
    return { doubt: `${file}: no quantity column found by its heading: no roll-up` }
  }
  if (levels.length > 1) return { doubt: severalColumns(file, 'level', headings, levels) }
  const chosen = [quantities[0]!, ...levels]
  return {
    columns: {
      quantity: quantities[0]!,
      level: levels[0],
      unit: usual(UNIT_HEADINGS)[0],
      labels: chosen.map((index) => cleanText(headings[index] ?? '', 80) || String(index + 1)),
    },
  }
}

interface Table {
  readonly headings: readonly string[]
  readonly width: number
  readonly file: string
}

function wantedColumn(
  { headings, width, file }: Table,
  what: 'quantity' | 'level',
  wanted: string | undefined,
): number | undefined {
  if (wanted === undefined) return undefined
  const isNumber = /^\d+$/.test(wanted)
  const columns = isNumber ? [Number(wanted) - 1] : namedColumns(headings, wanted)
  if (columns.length === 1 && columns[0]! >= 0 && columns[0]! < width) return columns[0]
  const name = isNumber ? `column ${wanted}` : `column "${cleanText(wanted, 80)}"`
  const names = headings.map((heading, index) => `${index + 1} ${JSON.stringify(cleanText(heading, 40))}`)
  const listed = `${names.slice(0, 12).join(', ')}${names.length > 12 ? ' …' : ''}`
  const message = columns.length > 1 ? `${file} has more than one ${name}` : `${file} has no ${name}`
  throw new Failure('usage', `${message} for the ${what}`, {
    file,
    hint: headings.length === 0 ? 'it has no headings: count columns from 1' : `it has ${listed}`,
    options: [`${what}-column`],
  })
}

function severalColumns(
  file: string,
  what: string,
  headings: readonly string[],
  columns: readonly number[],
): string {
  const names = columns.map((column) => `${column + 1} ${JSON.stringify(cleanText(headings[column]!, 40))}`)
  return `${file}: several columns could be the ${what}: ${names.join(', ')}; choose one for the roll-up`
}

const words = (...groups: readonly string[]): ReadonlySet<string> =>
  new Set(groups.flatMap((group) => group.split(' ')))

// Headings without case, spaces and punctuation.
const QUANTITY_HEADINGS = words(
  'quantity quantities qty qtys qnty qnt qt amount count pieces pcs nopcs noofpieces numberofpieces qpa',
  'quantityper qtyper quantityperassembly qtyperassembly qtyperassy quantityperunit qtyperunit unitquantity unitqty',
  'bomquantity bomqty componentquantity componentqty itemquantity itemqty usagequantity usageqty totalquantity totalqty',
  'requiredquantity requiredqty quantityrequired qtyrequired qtyreqd quantityused qtyused installedquantity',
  'menge mengen anzahl stück stueck stückzahl stueckzahl stk stck einsatzmenge komponentenmenge stücklistenmenge',
  'bedarf bedarfsmenge gesamtmenge mengeprobaugruppe',
  'quantité quantite qté qte nombre cantidad cant cantidades quantità quantita qtà qta quantidade qtd qtde',
  'aantal hoeveelheid antal antall ilość ilosc množství mnozstvi mennyiség määrä adet miktar количество',
  '数量 个数 個数 用量 員数 수량',
)

const LEVEL_HEADINGS = words(
  'level levels lvl bomlevel bomlvl structurelevel levelno levelnumber levelnr indentlevel indenturelevel indenture',
  'indent hierarchylevel assemblylevel explosionlevel',
  'stufe ebene strukturstufe strukturebene stücklistenstufe stuecklistenstufe auflösungsstufe aufloesungsstufe',
  'hierarchiestufe hierarchieebene gliederungsebene gliederungsstufe baustufe',
  'niveau livello nivel nível nivå nivel niveaunomenclature poziom úroveň уровень 階層 レベル 层级 层次 레벨',
)

const UNIT_HEADINGS = words(
  'uom unit units unitofmeasure unitofmeasurement qtyunit quantityunit quantityuom qtyuom baseunit bun',
  'me einheit mengeneinheit basismengeneinheit unité unite unidad unidade unità unita um eenheid enhet jednostka',
  'единица 単位 单位',
)
