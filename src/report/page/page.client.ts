// The script of every page: the theme, and of a report the rows by tab, search and filter, and a page for each part.

import { formatCount } from '../../base/units.ts'
import type { FilterName } from '../document.ts'
import { inert, quoted } from '../formats/csv-cell.ts'
import { byId, copy, mailAddress, make, put, save } from './dom.client.ts'
import type { PageData, PageRow, TabName } from './page-data.ts'
import { drawPart } from './part.client.ts'
import {
  ALWAYS,
  activeFilters,
  addressOf,
  choose,
  comparison,
  drawValue,
  FILTERS,
  partOf,
  type ReportElements,
  type ReportView,
  readState,
  remember,
  TABS,
  tabOf,
  type ViewColumn,
  type ViewState,
  withPart,
} from './view.client.ts'

for (const element of document.querySelectorAll<HTMLElement>('.needs-script')) element.hidden = false
drawTheme()

function drawTheme(): void {
  const theme = byId('theme')
  const system = matchMedia('(prefers-color-scheme: dark)')
  const { style } = document.documentElement
  const isDark = (): boolean => (style.colorScheme || (system.matches ? 'dark' : 'light')) === 'dark'
  const nameTheme = (): void => {
    theme.textContent = isDark() ? 'light colors' : 'dark colors'
  }
  theme.addEventListener('click', () => {
    style.colorScheme = isDark() ? 'light' : 'dark'
    nameTheme()
  })
  system.addEventListener('change', nameTheme)
  nameTheme()
}

// What is below the headlines of the answers is closed where they are below each other.
const answers = document.querySelectorAll<HTMLDetailsElement>('.answer > details')
const narrow = matchMedia('screen and (max-width: 900px)')
const foldAnswers = (): void => {
  for (const details of answers) details.open = !narrow.matches
}
narrow.addEventListener('change', foldAnswers)
addEventListener('beforeprint', () => {
  for (const details of answers) details.open = true
})
addEventListener('afterprint', foldAnswers)
foldAnswers()

// The report

const PAGE = 50

function drawReport(data: PageData): void {
  const view = createView(data)
  drawHeading(view)
  listenToControls(view)
  listenToAddress(view)
  listenToPaper(view)
  listenToButtons(view)
  if (!view.isParts) removeFilterLinks()
  readState(view, location.hash)
  update(view)
  openPlace()
}

/** The view of all rows, with its controls. */
function createView(data: PageData): ReportView {
  const { kind, rows } = data
  const isParts = kind === 'parts'
  const named = new Map<string, number>()
  for (const { part } of rows) if (part !== undefined) named.set(part.name, (named.get(part.name) ?? 0) + 1)
  const shown = shownColumns(data)
  const orders = [
    ['', isParts ? 'worst first' : 'as declared'] as const,
    ...(isParts ? ([['list', 'as in the list']] as const) : []),
    ...shown.flatMap(({ name, title }) => [
      [name, title] as const,
      [`-${name}`, `${title}, reversed`] as const,
    ]),
  ]
  return {
    data,
    isParts,
    elements: drawControls(orders),
    shown,
    orders,
    indexes: new Map(rows.map((row, index) => [row, index])),
    named,
    texts: new Map(),
    title: document.title,
    state: {},
    found: [],
    order: [],
    timer: undefined,
  }
}

/** The search, the order, and the button that saves the rows. */
function drawControls(orders: ReportView['orders']): ReportElements {
  const controls = byId('controls')
  const label = (text: string, className: string): HTMLElement => {
    const element = make('label', { className }, controls)
    make('span', { textContent: text }, element)
    return element
  }
  const search = make(
    'input',
    { type: 'search', id: 'search', autocomplete: 'off', title: 'press / to search' },
    label('search', 'wide'),
  )
  const sorting = make('select', { id: 'sort' }, label('order', 'narrow'))
  for (const [value, textContent] of orders) make('option', { value, textContent }, sorting)
  const csv = make('button', { type: 'button', id: 'csv', textContent: 'CSV' }, controls)
  csv.title = 'save the rows of this tab, search and filters as CSV'
  const shownCount = make('output', { id: 'shown' }, controls)
  controls.addEventListener('submit', (event) => event.preventDefault())
  const table = byId('view').querySelector('table')!
  return {
    section: byId('rows-section'),
    article: document.getElementById('part'),
    nav: byId('pages'),
    table,
    heading: table.tHead!.rows[0]!,
    search,
    sorting,
    csv,
    shownCount,
  }
}

// Columns

/** A status with its sign. */
function valueColumn(name: 'rohs' | 'reach', title: string): ViewColumn {
  return {
    name,
    title,
    text: (row) => partOf(row)[name].slice(1).filter(Boolean).join(' '),
    draw: (cell, row, view) => drawValue(view, cell, partOf(row)[name]),
  }
}

const PART_COLUMNS: readonly ViewColumn[] = [
  {
    name: 'part',
    title: 'Part',
    text: (row) => partOf(row).name,
    draw: (cell, row, view) => {
      const { name, about } = partOf(row)
      const link = make('a', { className: 'open', href: `#${addressOf(withPart(view, row))}` }, cell)
      link.classList.toggle('short', name.length <= 40)
      put(link, name)
      if (about !== '') make('span', { className: 'sub about', textContent: about, title: about }, cell)
    },
  },
  valueColumn('rohs', 'RoHS'),
  valueColumn('reach', 'REACH'),
  {
    name: 'why',
    title: 'Why',
    text: (row) => partOf(row).why,
    draw: (cell, row) => {
      const { why } = partOf(row)
      put(make('span', { className: 'clamp', title: why.length > 80 ? why : '' }, cell), why)
    },
  },
  { name: 'used', title: 'Where used', text: (row) => partOf(row).used },
  {
    name: 'supplier',
    title: 'Supplier',
    text: (row) => partOf(row).supplier,
    draw: (cell, row) => {
      const { supplier, isListed } = partOf(row)
      const name = make('span', { className: 'clamp', title: supplier.length > 25 ? supplier : '' }, cell)
      put(name, supplier)
      if (isListed) make('span', { className: 'sub', textContent: ' (parts list)' }, name)
    },
  },
  { name: 'date', title: 'Stated', text: (row) => partOf(row).date },
]

/** The columns that say something. */
function shownColumns({ kind, columns, rows }: PageData): readonly ViewColumn[] {
  const all =
    kind === 'parts'
      ? PART_COLUMNS
      : columns.flatMap(({ name, title, isNumber, isMain }, at): readonly ViewColumn[] =>
          isMain ? [{ name, title, isNumber, text: (row) => String(row.cells[at] ?? '') }] : [],
        )
  return all.filter(({ name, text }) => name === 'part' || rows.some((row) => text(row) !== ''))
}

function drawHeading(view: ReportView): void {
  for (const { name, title, isNumber } of view.shown) {
    const className = `${isNumber ? 'number ' : ''}of-${name}`
    const th = make('th', { scope: 'col', role: 'columnheader', className }, view.elements.heading)
    make('button', { type: 'button', textContent: title }, th).dataset.sort = name
  }
}

// Rows

function rowElement(view: ReportView, row: PageRow, isPaper = false): HTMLElement {
  const tr = make('tr', { role: 'row', className: `row ${row.part?.mark ?? ''}` })
  for (const { name, title, isNumber, text, draw } of view.shown) {
    const className = `${isNumber ? 'number ' : ''}of-${name}`
    const isHead = name === 'part'
    const td = isHead
      ? make('th', { role: 'rowheader', scope: 'row', className }, tr)
      : make('td', { role: 'cell', className }, tr)
    if (isPaper || draw === undefined) {
      const mark =
        isPaper && row.part !== undefined && (name === 'rohs' || name === 'reach')
          ? row.part[name][0]
          : undefined
      const sign = mark === undefined || view.data.signs[mark] === '' ? '' : `${view.data.signs[mark]} `
      put(td, `${sign}${text(row)}`)
      if (isPaper && isHead && row.part?.about)
        make('span', { className: 'sub', textContent: ` ${row.part.about}` }, td)
    } else draw(td, row, view)
    if (td.firstChild) td.dataset.label = title
  }
  return tr
}

/** A row with this text in place of its cells. */
function noteRow(view: ReportView, textContent: string): HTMLElement {
  const tr = make('tr', { role: 'row' })
  make('td', { role: 'cell', className: 'empty', colSpan: view.shown.length, textContent }, tr)
  return tr
}

function replaceBody(view: ReportView, children: readonly HTMLElement[]): void {
  for (const body of [...view.elements.table.tBodies]) body.remove()
  const body = make('tbody', { role: 'rowgroup' }, view.elements.table)
  for (const child of children) body.append(child)
}

// What is drawn again with each state

/** Draws what the state shows. */
function update(view: ReportView): void {
  choose(view)
  view.elements.search.value = view.state.q ?? ''
  view.elements.sorting.value = view.state.sort ?? ''
  for (const th of view.elements.heading.cells) {
    const sort = th.querySelector('button')!.dataset.sort
    th.ariaSort =
      view.state.sort === `-${sort}` ? 'descending' : view.state.sort === sort ? 'ascending' : null
  }
  const of = view.order.length === view.data.rows.length ? '' : ` of ${formatCount(view.data.rows.length)}`
  view.elements.shownCount.textContent = `${formatCount(view.order.length)}${of} ${view.data.rows.length === 1 ? 'row' : 'rows'}`
  view.elements.csv.disabled = view.order.length === 0
  if (view.isParts) {
    drawTabs(view)
    drawChips(view)
  }
  drawPage(view)
  drawPart(view)
}

/** The lines of a tab, each once; and `+ 1` for files and other rows that are on no line. Without a list its rows. */
function countOf({ data, found }: ReportView, name: TabName): string {
  const own = found.filter(({ part }) => part!.tabs.includes(name))
  const lines = new Set(own.flatMap(({ part }) => part!.line ?? [])).size
  const others = own.filter(({ part }) => part!.line === undefined).length
  if (!data.rows.some(({ part }) => part!.line !== undefined)) return formatCount(others)
  return `${formatCount(lines)}${others > 0 ? ` + ${formatCount(others)}` : ''}`
}

/** The tabs with their counts within the search and the filters. */
function drawTabs(view: ReportView): void {
  const tabs = byId('tabs')
  const focused = tabs.contains(document.activeElement)
    ? (document.activeElement as HTMLElement).dataset.tab
    : undefined
  const current = tabOf(view)
  tabs.replaceChildren()
  for (const [name, title] of TABS) {
    if (!ALWAYS.has(name) && !view.data.rows.some(({ part }) => part!.tabs.includes(name))) continue
    const kept = Object.fromEntries(
      Object.entries(view.state).filter(([key]) => key === 'q' || key in FILTERS),
    )
    const link = make('a', { href: `#${addressOf({ tab: name, ...kept })}`, textContent: title }, tabs)
    link.dataset.tab = name
    link.ariaCurrent = name === current ? 'true' : null
    make('span', { className: 'count', textContent: countOf(view, name) }, link)
    if (name === focused) link.focus()
  }
}

/** Each filter, with a button that removes it. */
function drawChips(view: ReportView): void {
  const chips = byId('chips')
  chips.replaceChildren()
  const active = [...activeFilters(view), ...('q' in view.state ? ['q'] : [])]
  for (const name of active) {
    const text = `${name === 'q' ? 'search' : FILTERS[name as FilterName]}: ${view.state[name]}`
    const button = make('button', { type: 'button', className: 'remove', textContent: text }, chips)
    button.ariaLabel = `remove the filter ${text}`
    make('span', { textContent: ' ×', ariaHidden: 'true' }, button)
    button.addEventListener('click', () => {
      change(view, { [name]: '' })
      view.elements.search.focus({ preventScroll: true })
    })
  }
  chips.hidden = active.length === 0
}

function drawPage(view: ReportView): void {
  const pages = Math.max(1, Math.ceil(view.order.length / PAGE))
  const page = Math.min(pages, Math.max(1, Math.floor(Number(view.state.page)) || 1))
  const none =
    view.found.length > 0
      ? `none of the ${formatCount(view.found.length)} matching rows is in this tab`
      : 'no matching rows'
  replaceBody(
    view,
    view.order.length === 0
      ? [noteRow(view, none)]
      : view.order.slice((page - 1) * PAGE, page * PAGE).map((row) => rowElement(view, row)),
  )
  view.elements.table.ariaRowCount = String(view.order.length + 1)
  drawNavigation(view, page, pages)
}

function drawNavigation(view: ReportView, page: number, pages: number): void {
  view.elements.nav.hidden = pages === 1
  view.elements.nav.replaceChildren()
  const turn = (text: string, to: number): void => {
    const disabled = to < 1 || to > pages
    const button = make('button', { type: 'button', textContent: text, disabled }, view.elements.nav)
    button.addEventListener('click', () => {
      view.state = { ...view.state, page: String(to) }
      drawPage(view)
      remember(view)
      view.elements.section.scrollIntoView({ block: 'start' })
      view.elements.nav.querySelectorAll('button')[to > page ? 1 : 0]?.focus({ preventScroll: true })
    })
  }
  turn('‹ previous', page - 1)
  const from = (page - 1) * PAGE + 1
  const last = Math.min(view.order.length, from + PAGE - 1)
  const textContent = `${formatCount(from)}–${formatCount(last)} of ${formatCount(view.order.length)}`
  make('span', { textContent }, view.elements.nav)
  turn('next ›', page + 1)
}

function change(view: ReportView, values: ViewState): void {
  // What was typed since the last drawing counts too.
  const all = Object.entries({ ...view.state, page: '', q: view.elements.search.value, ...values })
  view.state = Object.fromEntries(all.filter(([, value]) => value !== ''))
  update(view)
  remember(view)
}

// What people do

function listenToControls(view: ReportView): void {
  let isWaiting = false
  view.elements.search.addEventListener('input', () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      change(view, { q: view.elements.search.value })
    })
  })
  view.elements.sorting.addEventListener('change', () => change(view, { sort: view.elements.sorting.value }))
  // The whole heading sorts; the button is for the keyboard.
  view.elements.heading.addEventListener('click', (event) => {
    const sort = (event.target as Element).closest('th')?.querySelector('button')?.dataset.sort
    if (sort !== undefined)
      change(view, {
        sort: view.state.sort === sort ? `-${sort}` : view.state.sort === `-${sort}` ? '' : sort,
      })
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, select, textarea') !== null
    if (
      event.key !== '/' ||
      isTyping ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      'part' in view.state
    )
      return
    event.preventDefault()
    view.elements.search.focus()
  })
}

function listenToAddress(view: ReportView): void {
  let place = 0
  addEventListener('hashchange', () => {
    const before = view.state
    if (!readState(view, location.hash)) {
      // A place on the page, such as the letters: it is not on the page of a part.
      if ('part' in before) {
        const { part: _, row: __, ...rest } = before
        view.state = rest
        update(view)
        document.getElementById(location.hash.slice(1))?.scrollIntoView()
      }
      openPlace()
      return
    }
    if (!('part' in before)) place = scrollY
    update(view)
    if ('part' in view.state) {
      scrollTo(0, 0)
      byId('part-title')?.focus({ preventScroll: true })
    } else if ('part' in before) {
      document.title = view.title
      scrollTo(0, place)
      ;[...view.elements.table.querySelectorAll<HTMLElement>('a.open')]
        .find(({ textContent }) => textContent === before.part)
        ?.focus({ preventScroll: true })
    } else view.elements.section.scrollIntoView({ block: 'start' })
  })
}

/** Opens what is closed at the place that the address names. */
function openPlace(): void {
  const at = document.getElementById(location.hash.slice(1))
  if (at instanceof HTMLDetailsElement) at.open = true
}

/** A filter that these rows do not have is no link. */
function removeFilterLinks(): void {
  for (const link of document.querySelectorAll('a.filter')) {
    const text = make('span')
    for (const child of [...link.childNodes]) text.append(child)
    link.replaceWith(text)
  }
}

function listenToButtons(view: ReportView): void {
  view.elements.csv.addEventListener('click', () => {
    const line = (cells: PageRow['cells']): string =>
      `${cells.map((value) => quoted(inert(value))).join(',')}\r\n`
    save(
      line(view.data.columns.map(({ name }) => name)) + view.order.map(({ cells }) => line(cells)).join(''),
      'text/csv',
      '-rows.csv',
    )
  })
  document
    .getElementById('ics')
    ?.addEventListener('click', () => save(view.data.calendar, 'text/calendar', '.ics'))
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault()
    const first =
      'part' in view.state ? byId('part-title') : view.elements.table.querySelector<HTMLElement>('a.open')
    ;(first ?? byId('main')).focus()
  })
  document.getElementById('print')?.addEventListener('click', () => print())
  document
    .getElementById('copy-link')
    ?.addEventListener('click', ({ target }) => void copy(location.href, target as HTMLElement))
  for (const letter of document.querySelectorAll('.letter')) {
    const text = letter.querySelector('pre')!.textContent
    const mail = letter.querySelector<HTMLAnchorElement>('.mail')
    if (mail !== null) mail.href = mailAddress(mail.dataset.mail!, text)
    letter
      .querySelector('.copy')
      ?.addEventListener('click', ({ target }) => void copy(text, target as HTMLElement))
  }
}

/**
 * On paper: every row of the search and the filters that is not clean, and those of the tab; a row is text alone, so that thousands of
 * them print soon.
 */
function listenToPaper(view: ReportView): void {
  addEventListener('beforeprint', () => {
    if ('part' in view.state || !view.isParts) return
    const tab = tabOf(view)
    const isPrinted = ({ part }: PageRow): boolean =>
      part!.needsAttention === true || part!.tabs.includes(tab)
    const printed = view.found.filter(isPrinted).sort(comparison(view, view.state.sort ?? ''))
    const onPaper = new Set(printed)
    const left = view.data.rows.filter((row) => !onPaper.has(row))
    const open = left.filter(({ part }) => part!.needsAttention === true).length
    const notes = [
      ...(open > 0
        ? [`Filtered: ${formatCount(open)} other rows that are not clean are not on this paper.`]
        : []),
      ...(left.length > open
        ? [
            `${formatCount(left.length - open)} rows without an open finding are not printed: choose the tab All to print them.`,
          ]
        : []),
    ]
    replaceBody(view, [
      ...notes.map((note) => noteRow(view, note)),
      ...printed.map((row) => rowElement(view, row, true)),
    ])
  })
  addEventListener('afterprint', () => drawPage(view))
}

const dataElement = document.getElementById('data')
if (dataElement !== null) drawReport(JSON.parse(dataElement.textContent) as PageData)
