// The script of every page: the theme, and the rows of a report as a table, or as cards on a narrow screen.
import type { Tone } from '../document.ts'
import { inert, quoted } from '../formats/csv-cell.ts'
import type { PageColumn, PageData, PageRow } from './page-data.ts'

function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Readonly<Record<string, unknown>> = {},
  parent?: Element,
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  parent?.append(element)
  return element
}

for (const element of document.querySelectorAll<HTMLElement>('.needs-script')) element.hidden = false
drawTheme()
const dataElement = document.getElementById('data')
if (dataElement !== null) drawReport(JSON.parse(dataElement.textContent) as PageData)

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

// Texts

/** Appends a text that breaks between words, not at a hyphen or before a percent sign; a word of more than forty characters may break anywhere. */
function put<T extends Element>(element: T, text: string): T {
  if (text.length < 41 && !/[-%]/.test(text)) {
    element.append(text)
    return element
  }
  for (const [index, piece] of text.split(/(\S{41,}|\S*\d %\S*|\S*-\S*)/).entries()) {
    if (piece === '') continue
    if (index % 2 === 0) element.append(piece)
    else make('span', { className: piece.length > 40 ? 'long' : 'short', textContent: piece }, element)
  }
  return element
}

/** Adds an element with this text; nothing for an empty one. */
function add(parent: Element, className: string, text: string): void {
  if (text !== '') put(make('span', { className }, parent), text)
}

function formatCount(number: number): string {
  return number.toLocaleString('en')
}

/** A column of the table. */
interface ShownColumn {
  readonly name: string
  readonly title: string
  /** By what its rows are ordered. */
  readonly sort: string
  readonly isNumber?: boolean
  /** True for a row with something to draw; by default with a value of this name. */
  readonly has?: (row: PageRow) => boolean
  readonly draw: (cell: HTMLElement, row: PageRow) => void
  /** The same on paper, where it is text alone. */
  readonly print?: (row: PageRow) => string
}

/** A filter: the name of its control, empty for one without, and the values of a row that it compares. */
type Filter = readonly [name: string, valuesOf: (row: PageRow) => readonly string[]]

function drawReport({ kind, columns, rows, signs }: PageData): void {
  const isParts = kind === 'parts'
  const at = new Map(columns.map(({ name }, index) => [name, index]))
  const cell = (row: PageRow, name: string): string => String(row.cells[at.get(name) ?? -1] ?? '')
  const titleOf = (name: string): string => columns.find((column) => column.name === name)!.title
  const nameOf = (row: PageRow): string => row.name ?? (cell(row, 'part') || '(no part number)')
  const toneOf = (row: PageRow): Tone | '' => row.tone ?? ''
  const section = byId('rows-section')
  const details = byId<HTMLDialogElement>('details')
  const chips = byId('chips')
  const nav = byId('pages')
  const view = byId('view')
  view.className = kind
  const table = view.querySelector('table')!
  const heading = table.tHead!.rows[0]!

  // How rows look

  const part: ShownColumn = {
    name: 'part',
    title: titleOf('part'),
    sort: 'part',
    has: () => true,
    draw: (td, row) => {
      const button = make('button', { type: 'button', className: 'open' }, td)
      const name = nameOf(row)
      button.classList.toggle('short', name.length <= 40)
      put(button, name)
      button.dataset.index = String(indexes.get(row))
      const yours = cell(row, 'requester_part')
      const isOther = yours !== '' && yours !== name
      add(td, 'sub', [cell(row, 'name'), isOther ? `yours: ${yours}` : ''].filter(Boolean).join(', '))
    },
    print: nameOf,
  }
  const plain = ({ name, title, isNumber }: PageColumn): ShownColumn => ({
    name,
    title,
    sort: name,
    isNumber,
    draw: (td, row) => {
      td.classList.toggle('short', cell(row, name).length <= 40)
      put(td, cell(row, name))
    },
  })
  const judgedColumns = (): readonly ShownColumn[] => [
    {
      name: 'verdict',
      title: 'RoHS status',
      sort: 'verdict',
      has: () => true,
      draw: (td, row) => drawStatus(td, row.status ?? '', row.chip ?? 'none'),
    },
    {
      name: 'why',
      title: titleOf('note'),
      sort: 'note',
      has: (row) => cell(row, 'note') + cell(row, 'gate') !== '',
      draw: (td, row) => {
        for (const rule of row.gate ?? []) add(td, 'word', rule)
        for (const rule of row.waived ?? []) add(td, 'word waived', rule)
        drawLong(td, cell(row, 'note'))
      },
      print: (row) => {
        const rules = [...(row.gate ?? []), ...(row.waived ?? [])].join(', ')
        return [rules, row.needsAttention === true ? cell(row, 'note') : ''].filter(Boolean).join(': ')
      },
    },
    {
      name: 'svhc',
      title: titleOf('svhc_count'),
      sort: 'svhc_count',
      has: ({ reach }) => reach !== undefined,
      draw: (td, row) => {
        if (cell(row, 'svhc') === '') add(td, 'sub', row.reach ?? '')
        else drawLong(td, svhcText(row))
      },
      print: svhcText,
    },
    {
      name: 'exemptions',
      title: 'Exemptions and dates',
      sort: 'exemption_expires',
      draw: (td, row) => {
        drawLong(td, cell(row, 'exemptions'))
        add(td, 'sub', row.dates ?? '')
      },
      print: (row) => {
        const numbers = (row.exemptions ?? []).join(', ') || cell(row, 'exemptions')
        return [numbers, row.dates].filter(Boolean).join('; ')
      },
    },
    {
      name: 'supplier',
      title: titleOf('supplier'),
      sort: 'supplier',
      draw: (td, row) => add(td, 'text', cell(row, 'supplier')),
    },
  ]
  const others = columns.filter(({ name, isMain }) => isMain && name !== 'part').map(plain)
  const shown = [part, ...(isParts ? judgedColumns() : []), ...others].filter(
    ({ name, has = (row) => cell(row, name) !== '' }) => rows.some(has) || name === 'part',
  )

  function svhcText(row: PageRow): string {
    return cell(row, 'svhc') === '' ? (row.reach ?? '') : `${cell(row, 'svhc_count')}: ${cell(row, 'svhc')}`
  }

  function drawStatus(parent: Element, status: string, tone: Tone): void {
    const chip = make('span', { className: `chip ${tone}${status.length < 15 ? ' short' : ''}` }, parent)
    make('span', { textContent: `${signs[tone]} `, ariaHidden: 'true' }, chip)
    chip.append(status)
  }

  /** Two lines of a text, and a button for the rest of a longer one. */
  function drawLong(parent: Element, text: string): void {
    if (text === '') return
    const element = put(make('span', { className: 'text clamp' }, parent), text)
    if (text.length < 90) return
    const more = make('button', { type: 'button', className: 'more', textContent: 'more' }, parent)
    more.ariaExpanded = 'false'
    more.addEventListener('click', () => {
      const isOpen = element.classList.toggle('clamp')
      more.textContent = isOpen ? 'more' : 'less'
      more.ariaExpanded = String(!isOpen)
    })
  }

  const classOf = ({ name, isNumber }: ShownColumn): string => `${isNumber ? 'number ' : ''}of-${name}`
  for (const column of shown) {
    const { title, sort } = column
    const className = classOf(column)
    const th = make('th', { scope: 'col', role: 'columnheader', className }, heading)
    make('button', { type: 'button', textContent: title }, th).dataset.sort = sort
  }

  function rowElement(row: PageRow): HTMLElement {
    const tr = make('tr', { role: 'row', className: `row ${toneOf(row)}` })
    for (const column of shown) {
      const className = classOf(column)
      const td =
        column === part
          ? make('th', { role: 'rowheader', scope: 'row', className }, tr)
          : make('td', { role: 'cell', className }, tr)
      column.draw(td, row)
      if (td.firstChild) td.dataset.label = column.title
    }
    return tr
  }

  function replaceBody(children: readonly HTMLElement[]): void {
    for (const body of [...table.tBodies]) body.remove()
    make('tbody', { role: 'rowgroup' }, table).append(...children)
  }

  table.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('button.open')
    if (button === null) return
    const row = rows[Number(button.dataset.index)]!
    const list = details.querySelector('dl')!
    list.replaceChildren()
    byId('details-title').textContent = nameOf(row)
    for (const { name, title } of columns) {
      const text = cell(row, name)
      if (text === '') continue
      make('dt', { textContent: title }, list)
      put(make('dd', {}, list), text)
    }
    details.showModal()
  })

  // Filters, order and page: the state, which is in the address of the page too

  const PAGE = 50
  const filters: Readonly<Record<string, Filter>> = isParts
    ? {
        verdict: ['verdict', ({ verdict = '' }) => [verdict]],
        finding: ['finding', ({ findings = [] }) => findings],
        rohs: ['RoHS status', ({ status }) => [status ?? '']],
        svhc: ['SVHC', ({ reach }) => [reach ?? '']],
        gate: [
          'gate',
          ({ gate = [], waived = [] }) => [
            ...gate,
            ...(gate.length > 0 ? ['failed'] : []),
            ...(waived.length > 0 ? ['waived'] : []),
          ],
        ],
        supplier: ['supplier', ({ supplier = '' }) => [supplier]],
        exemption: ['exemption', ({ exemptions = [] }) => exemptions],
        list: ['list', ({ lists = [] }) => lists],
        classes: ['class', (row) => [cell(row, 'classes')]],
        standard: ['standard', (row) => [cell(row, 'standard')]],
        substance: ['', ({ svhcs = [] }) => svhcs],
        part: ['', (row) => [cell(row, 'part'), cell(row, 'requester_part')]],
      }
    : {
        cas_valid: ['CAS number valid', (row) => [cell(row, 'cas_valid')]],
        part: ['', (row) => [cell(row, 'part')]],
      }
  const sorts = new Set(
    isParts ? ['verdict', ...columns.map(({ name }) => name)] : columns.map(({ name }) => name),
  )
  const numeric = new Set(columns.filter(({ isNumber }) => isNumber).map(({ name }) => name))
  let state: Readonly<Record<string, string>> = {}
  let order: readonly PageRow[] = []

  const controls = byId('controls')
  const label = (text: string, className = '', title = ''): HTMLElement => {
    const element = make('label', { className, title }, controls)
    make('span', { textContent: text }, element)
    return element
  }
  const search = make(
    'input',
    { type: 'search', id: 'search', autocomplete: 'off', title: 'press / to search' },
    label('search', 'wide'),
  )
  // On a phone there is room for the search alone.
  const more = make('button', { type: 'button', id: 'more', textContent: 'filters and order' }, controls)
  more.ariaExpanded = 'false'
  more.addEventListener('click', () => {
    more.ariaExpanded = String(controls.classList.toggle('open'))
  })
  const selects = new Map<string, HTMLSelectElement>()
  for (const [name, [text, valuesOf]] of Object.entries(filters)) {
    const values = [...new Set(rows.flatMap(valuesOf))].filter((value) => value !== '').sort()
    const few = name === 'gate' || name === 'exemption' ? 1 : 2
    if (text === '' || values.length < few || values.length > 200) continue
    const select = make('select', { id: `filter-${name}` }, label(text))
    make('option', { value: '', textContent: 'all' }, select)
    for (const value of values) make('option', { value, textContent: value }, select)
    selects.set(name, select)
  }
  const sorting = make('select', { id: 'sort' }, label('order', 'narrow'))
  make('option', { value: '', textContent: isParts ? 'worst first' : 'as declared' }, sorting)
  for (const { title, sort } of shown) {
    make('option', { value: sort, textContent: title }, sorting)
    make('option', { value: `-${sort}`, textContent: `${title}, reversed` }, sorting)
  }
  const shownCount = make('output', { id: 'shown' }, controls)
  const csv = make('button', { type: 'button', id: 'csv', textContent: 'download as CSV' }, controls)
  const printAll = make('input', { type: 'checkbox', id: 'print-all' })
  if (isParts) {
    const title = 'also print rows that need no attention, a line each'
    label(' print all rows', 'check', title).prepend(printAll)
  }
  controls.addEventListener('submit', (event) => event.preventDefault())

  const compare = new Intl.Collator('en', { numeric: true }).compare
  const indexes = new Map(rows.map((row, index) => [row, index]))
  const inOrder = (a: PageRow, b: PageRow): number => indexes.get(a)! - indexes.get(b)!

  function comparison(name: string, direction: 1 | -1): (a: PageRow, b: PageRow) => number {
    if (name === 'verdict') return (a, b) => direction * (a.rank! - b.rank!) || inOrder(a, b)
    return (a, b) => {
      const [x, y] = name === 'part' ? [nameOf(a), nameOf(b)] : [cell(a, name), cell(b, name)]
      if (x === y) return inOrder(a, b)
      // Empty values are last in either direction.
      if (x === '' || y === '') return x === '' ? 1 : -1
      return direction * (numeric.has(name) ? Number(x) - Number(y) : compare(x, y)) || inOrder(a, b)
    }
  }

  const texts = new Map<PageRow, string>()
  function textOf(row: PageRow): string {
    const known = texts.get(row)
    if (known !== undefined) return known
    const text = row.cells.join('\u0001').toLowerCase()
    texts.set(row, text)
    return text
  }

  function choose(): void {
    const words = (state.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    const active = Object.entries(filters).filter(([name]) => name in state)
    const chosen = rows.filter(
      (row) =>
        active.every(([name, [, valuesOf]]) => valuesOf(row).includes(state[name]!)) &&
        words.every((word) => textOf(row).includes(word)),
    )
    const [, sign, name = ''] = /^(-?)(.*)$/.exec(state.sort ?? (isParts ? 'verdict' : ''))!
    order = name === '' ? chosen : chosen.sort(comparison(name, sign === '-' ? -1 : 1))
  }

  function drawPage(): void {
    const pages = Math.max(1, Math.ceil(order.length / PAGE))
    const page = Math.min(pages, Math.max(1, Number(state.page) || 1))
    replaceBody(
      order.length === 0
        ? [noteRow('no matching rows', shown.length)]
        : order.slice((page - 1) * PAGE, page * PAGE).map(rowElement),
    )
    table.ariaRowCount = String(order.length + 1)
    drawNavigation(page, pages)
  }

  /** A row with this text in place of its cells. */
  function noteRow(textContent: string, colSpan: number): HTMLElement {
    const tr = make('tr', { role: 'row' })
    make('td', { role: 'cell', className: 'empty', colSpan, textContent }, tr)
    return tr
  }

  function drawNavigation(page: number, pages: number): void {
    nav.hidden = pages === 1
    nav.replaceChildren()
    const turn = (text: string, to: number): HTMLButtonElement => {
      const button = make(
        'button',
        { type: 'button', textContent: text, disabled: to < 1 || to > pages },
        nav,
      )
      button.addEventListener('click', () => {
        state = { ...state, page: String(to) }
        drawPage()
        remember()
        section.scrollIntoView({ block: 'start' })
        nav.querySelectorAll('button')[to > page ? 1 : 0]?.focus({ preventScroll: true })
      })
      return button
    }
    turn('‹ previous', page - 1)
    const from = (page - 1) * PAGE + 1
    const last = Math.min(order.length, from + PAGE - 1)
    const textContent = `${formatCount(from)}–${formatCount(last)} of ${formatCount(order.length)}`
    make('span', { textContent }, nav)
    turn('next ›', page + 1)
  }

  // A filter that these rows do not have is no link.
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a.filter')) {
    const names = [...new URLSearchParams(link.hash.slice(1)).keys()]
    if (names.every((name) => name in filters)) continue
    const text = make('span', { className: 'filter' })
    text.append(...link.childNodes)
    link.replaceWith(text)
  }
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a.filter')].map(
    (link) => [link, link.getAttribute('href')!.slice(1)] as const,
  )

  function update(): void {
    choose()
    search.value = state.q ?? ''
    for (const [name, select] of selects) select.value = state[name] ?? ''
    sorting.value = state.sort ?? ''
    for (const th of heading.cells) {
      const sort = th.querySelector('button')!.dataset.sort
      const isDown = state.sort === `-${sort}`
      th.ariaSort = isDown ? 'descending' : state.sort === sort ? 'ascending' : null
    }
    const current = addressOf(state)
    for (const [link, address] of links) link.ariaCurrent = address === current ? 'true' : null
    const rowWord = rows.length === 1 ? 'row' : 'rows'
    shownCount.textContent = `${formatCount(order.length)} of ${formatCount(rows.length)} ${rowWord}`
    csv.disabled = order.length === 0
    drawChips()
    drawPage()
  }

  /** Each filter, with a button that removes it. */
  function drawChips(): void {
    chips.replaceChildren()
    const active = [...Object.keys(filters), 'q'].filter((name) => name in state)
    for (const name of active) {
      const text = `${name === 'q' ? 'search' : filters[name]![0] || name}: ${state[name]}`
      const button = make('button', { type: 'button', className: 'remove', textContent: text }, chips)
      button.ariaLabel = `remove the filter ${text}`
      make('span', { textContent: ' ×', ariaHidden: 'true' }, button)
      button.addEventListener('click', () => change({ [name]: '' }))
    }
    chips.hidden = active.length === 0
    if (active.length === 0) return
    const reset = make('button', { type: 'button', id: 'reset', textContent: 'show all rows' }, chips)
    reset.addEventListener('click', () => {
      state = state.sort ? { sort: state.sort } : {}
      update()
      remember()
      search.focus({ preventScroll: true })
    })
  }

  function change(values: Readonly<Record<string, string>>): void {
    // What was typed since the last drawing counts too.
    const all = Object.entries({ ...state, page: '', q: search.value, ...values })
    state = Object.fromEntries(all.filter(([, value]) => value !== ''))
    update()
    remember()
  }

  function addressOf(values: Readonly<Record<string, string>>): string {
    return new URLSearchParams(Object.entries(values)).toString()
  }

  // Browsers limit how often the address may change.
  let timer: ReturnType<typeof setTimeout> | undefined
  function remember(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const address = addressOf(state)
      try {
        history.replaceState(null, '', location.href.split('#')[0] + (address === '' ? '' : `#${address}`))
      } catch {
        // A page inside another one may have no address of its own.
      }
    }, 200)
  }

  /** Reads the state from an address. One without a value is the name of a place on the page, and changes nothing. */
  function readState(hash: string): boolean {
    const text = hash.slice(1)
    if (text !== '' && !text.includes('=')) return false
    clearTimeout(timer)
    const isKnown = ([name, value]: readonly [string, string]): boolean =>
      value !== '' &&
      (Object.hasOwn(filters, name) ||
        name === 'q' ||
        name === 'page' ||
        (name === 'sort' && sorts.has(value.replace(/^-/, ''))))
    state = Object.fromEntries([...new URLSearchParams(text)].filter(isKnown))
    return true
  }

  let isWaiting = false
  search.addEventListener('input', () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      change({ q: search.value })
    })
  })
  for (const [name, select] of selects)
    select.addEventListener('change', () => change({ [name]: select.value }))
  sorting.addEventListener('change', () => change({ sort: sorting.value }))
  // The whole heading sorts; the button is for the keyboard.
  heading.addEventListener('click', (event) => {
    const sort = (event.target as Element).closest('th')?.querySelector('button')?.dataset.sort
    if (sort !== undefined) change({ sort: state.sort === sort ? `-${sort}` : sort })
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, select, textarea, dialog') !== null
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    search.focus()
  })
  addEventListener('hashchange', () => {
    if (readState(location.hash)) update()
  })
  for (const [link] of links) {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      const isOn = link.ariaCurrent === 'true'
      // A second click removes the filter.
      if (isOn) {
        event.preventDefault()
        state = {}
        remember()
      } else readState(link.hash)
      update()
      if (!isOn) section.scrollIntoView({ block: 'start' })
    })
  }

  /** The filtered rows as CSV, in all columns, with the rules of the CSV format. */
  csv.addEventListener('click', () => {
    const line = (cells: PageRow['cells']): string =>
      `${cells.map((value) => quoted(inert(value))).join(',')}\r\n`
    const text = line(columns.map(({ name }) => name)) + order.map(({ cells }) => line(cells)).join('')
    const link = make('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
    const file = decodeURIComponent(location.pathname.split('/').pop() ?? '').replace(/\.html?$/i, '')
    link.download = `${file || 'report'}-rows.csv`
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  })

  // On paper: rows that need attention with their remarks, the others on request on a line each. A row is text alone, so that
  // thousands of them print soon.

  // Paper has no room for the columns that are left out by the style.
  const onPaper = shown.filter(({ name }) => !isParts || (name !== 'date' && name !== 'mass_mg'))

  addEventListener('beforeprint', () => {
    const isAll = !isParts || printAll.checked
    const printed = order.filter((row) => isAll || row.needsAttention === true)
    const left = order.length - printed.length
    const note = `${formatCount(left)} further ${left === 1 ? 'row' : 'rows'} without a finding not printed: see “print all rows”`
    replaceBody([...printed.map(paperRow), ...(left > 0 ? [noteRow(note, onPaper.length)] : [])])
  })
  addEventListener('afterprint', drawPage)

  function paperRow(row: PageRow): HTMLElement {
    if (!isParts) return rowElement(row)
    const tr = make('tr', { className: 'row' })
    for (const { name, draw, print } of onPaper) {
      const td = make('td', { className: `of-${name}` }, tr)
      if (print) put(td, print(row))
      else draw(td, row)
    }
    return tr
  }

  readState(location.hash)
  update()
}
