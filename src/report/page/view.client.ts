// The rows of a report on its page: which of them are shown, in which order, and the address that says so.
import type { FilterName } from '../document.ts'
import { make, put } from './dom.client.ts'
import type { Mark, PageData, PageRow, PartRow, TabName, ValueCell } from './page-data.ts'

export const TABS: readonly (readonly [name: TabName, title: string])[] = [
  ['decide', 'To decide'],
  ['ask', 'To ask for'],
  ['ending', 'Ending'],
  ['doubtful', 'Doubtful'],
  ['clean', 'Clean'],
  ['waived', 'Accepted'],
  ['all', 'All'],
  ['assemblies', 'Assemblies'],
]
/** Tabs that are there without rows too. */
export const ALWAYS: ReadonlySet<TabName> = new Set(['decide', 'ask', 'ending', 'doubtful', 'clean', 'all'])
export const FILTERS: Readonly<Record<FilterName, string>> = {
  verdict: 'verdict',
  finding: 'finding',
  rohs: 'RoHS',
  svhc: 'REACH',
  gate: 'gate',
  supplier: 'supplier',
  exemption: 'exemption',
  substance: 'SVHC',
  list: 'list',
  ends: 'ends',
}
const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[]

/** A column of the table: its text is sorted and printed. */
export interface ViewColumn {
  readonly name: string
  readonly title: string
  readonly text: (row: PageRow) => string
  readonly isNumber?: boolean
  readonly draw?: (cell: HTMLElement, row: PageRow, view: ReportView) => void
}

export type ViewState = Readonly<Record<string, string>>

/** A report on its page. What is shown follows from the state, which is the address of the page. */
export interface ReportView {
  readonly data: PageData
  readonly isParts: boolean
  readonly elements: ReportElements
  readonly shown: readonly ViewColumn[]
  readonly orders: readonly (readonly [value: string, text: string])[]
  readonly indexes: ReadonlyMap<PageRow, number>
  /** How many rows have a name. */
  readonly named: ReadonlyMap<string, number>
  /** What is searched of a row, once it was. */
  readonly texts: Map<PageRow, string>
  /** That of the page with the rows. */
  readonly title: string
  state: ViewState
  /** The rows of the search and the filters, and of these the rows of the tab in their order. */
  found: readonly PageRow[]
  order: readonly PageRow[]
  timer: ReturnType<typeof setTimeout> | undefined
}

export interface ReportElements {
  readonly section: HTMLElement
  readonly article: HTMLElement | null
  readonly nav: HTMLElement
  readonly table: HTMLTableElement
  readonly heading: HTMLTableRowElement
  readonly search: HTMLInputElement
  readonly sorting: HTMLSelectElement
  readonly csv: HTMLButtonElement
  readonly shownCount: HTMLOutputElement
}

export function partOf(row: PageRow): PartRow {
  return row.part!
}

// Which rows

const compare = new Intl.Collator('en', { numeric: true }).compare

export function comparison(view: ReportView, sort: string): (a: PageRow, b: PageRow) => number {
  const inOrder = (a: PageRow, b: PageRow): number => view.indexes.get(a)! - view.indexes.get(b)!
  if (sort === 'list' || (sort === '' && !view.isParts)) return inOrder
  if (sort === '' && tabOf(view) === 'ending') {
    const first = (row: PageRow): string => partOf(row).filters.ends?.[0] ?? '9'
    return (a, b) => compare(first(a), first(b)) || inOrder(a, b)
  }
  if (sort === '') return (a, b) => partOf(a).rank - partOf(b).rank || inOrder(a, b)
  const { text, isNumber } = view.shown.find(({ name }) => name === sort.replace(/^-/, ''))!
  const direction = sort.startsWith('-') ? -1 : 1
  return (a, b) => {
    const [x, y] = [text(a), text(b)]
    if (x === y) return inOrder(a, b)
    // Empty values are last in either direction.
    if (x === '' || y === '') return x === '' ? 1 : -1
    return direction * (isNumber ? Number(x) - Number(y) : compare(x, y)) || inOrder(a, b)
  }
}

function textOf(view: ReportView, row: PageRow): string {
  const known = view.texts.get(row)
  if (known !== undefined) return known
  const { part } = row
  const more = part === undefined ? [] : [part.name, part.about, part.why, part.rohs[1], part.reach[1]]
  const text = [...row.cells, ...more].join('\u0001').toLowerCase()
  view.texts.set(row, text)
  return text
}

export function activeFilters({ state }: ReportView): readonly FilterName[] {
  return FILTER_NAMES.filter((name) => name in state)
}

function isNarrowed(view: ReportView): boolean {
  return 'q' in view.state || activeFilters(view).length > 0
}

/** A search and a filter are about all rows, unless a tab was chosen too. */
export function tabOf(view: ReportView): TabName {
  const chosen = view.state.tab as TabName | undefined
  if (chosen !== undefined) return chosen
  return isNarrowed(view) || !view.data.rows.some((row) => row.part?.tabs.includes('decide'))
    ? 'all'
    : 'decide'
}

/** Finds the rows of the state. */
export function choose(view: ReportView): void {
  const words = (view.state.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const active = view.isParts ? activeFilters(view) : []
  view.found = view.data.rows.filter(
    (row) =>
      active.every((name) => row.part!.filters[name]?.includes(view.state[name]!)) &&
      words.every((word) => textOf(view, row).includes(word)),
  )
  const tab = tabOf(view)
  view.order = (
    view.isParts ? view.found.filter((row) => row.part!.tabs.includes(tab)) : [...view.found]
  ).sort(comparison(view, view.state.sort ?? ''))
}

// The address

export function addressOf(values: ViewState): string {
  return new URLSearchParams(Object.entries(values)).toString()
}

/** Writes the state into the address. Browsers limit how often it may change. */
export function remember(view: ReportView): void {
  clearTimeout(view.timer)
  view.timer = setTimeout(() => {
    const address = addressOf(view.state)
    try {
      history.replaceState(null, '', location.href.split('#')[0] + (address === '' ? '' : `#${address}`))
    } catch {
      // A page inside another one may have no address of its own.
    }
  }, 200)
}

/** Reads the state from an address. One without a value is the name of a place on the page, and changes nothing. */
export function readState(view: ReportView, hash: string): boolean {
  const text = hash.slice(1)
  if (text !== '' && !text.includes('=')) return false
  clearTimeout(view.timer)
  const isKnown = ([name, value]: readonly [string, string]): boolean =>
    value !== '' &&
    (Object.hasOwn(FILTERS, name) ||
      ['q', 'page', 'part', 'row'].includes(name) ||
      (name === 'tab' && TABS.some(([tab]) => tab === value)) ||
      (name === 'sort' && view.orders.some(([sort]) => sort === value)))
  view.state = Object.fromEntries([...new URLSearchParams(text)].filter(isKnown))
  return true
}

/** The address of a row's page; its number tells rows of one name apart. */
export function withPart(view: ReportView, row: PageRow): ViewState {
  const { name } = partOf(row)
  const isOne = view.named.get(name) === 1
  const { part: _, row: __, page: ___, ...kept } = view.state
  return { ...kept, part: name, ...(isOne ? {} : { row: String(view.indexes.get(row)) }) }
}

// Values

export function drawValue(view: ReportView, cell: Element, [mark, text, small]: ValueCell): void {
  if (text === '') return
  const value = make('span', { className: `value ${mark}` }, cell)
  drawSign(view, value, mark)
  put(value, text)
  if (small) put(make('span', { className: 'sub' }, cell), ` ${small}`)
}

export function drawSign(view: ReportView, parent: Element, mark: Mark): void {
  if (view.data.signs[mark] !== '')
    make('span', { className: 'sign', ariaHidden: 'true', textContent: `${view.data.signs[mark]} ` }, parent)
}
