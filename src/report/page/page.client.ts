// The script of every page: the theme, and of a report the rows by tab, search and filter, and a page for each part.
import { inert, quoted } from '../formats/csv-cell.ts'
import type {
  FilterName,
  Mark,
  PageData,
  PageRow,
  PartPage,
  PartRow,
  TabName,
  ValueCell,
} from './page-data.ts'

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

// Texts, copies and files

/** Appends a text in which a date or another value with hyphens is not broken; a word of more than forty characters may break anywhere. */
function put<T extends Element>(element: T, text: string): T {
  if (text.length < 41 && !/[-%]/.test(text)) {
    element.append(text)
    return element
  }
  for (const [index, piece] of text.split(/(\S{41,}|\S*\d %\S*|\S*-\S*)/).entries()) {
    if (piece === '') continue
    if (index % 2 === 0) element.append(piece)
    else
      make(
        'span',
        {
          className: piece.length > 40 ? 'long' : piece.includes(' ') ? 'short unit' : 'short',
          textContent: piece,
        },
        element,
      )
  }
  return element
}

function formatCount(number: number): string {
  return number.toLocaleString('en')
}

/** Copies a text, also where a page has no clipboard, and says so on the button. */
async function copy(text: string, button: HTMLElement): Promise<void> {
  const name = button.textContent
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = make('textarea', { value: text }, document.body)
    area.select()
    document.execCommand('copy')
    area.remove()
    button.focus()
  }
  button.textContent = 'copied'
  setTimeout(() => {
    button.textContent = name
  }, 1_500)
}

function save(text: string, type: string, ending: string): void {
  const link = make('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  const file = decodeURIComponent(location.pathname.split('/').pop() ?? '').replace(/\.html?$/i, '')
  link.download = `${file || 'report'}${ending}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** What mail programs take in an address. */
const MAIL_LENGTH = 1_800

/** A letter, whose first line may be its subject, as an address; a long one without its text, which is to be copied. */
function mailAddress(to: string, letter: string): string {
  const [, subject = '', body = letter] = /^Subject: (.*)\n\n([\s\S]*)$/.exec(letter) ?? []
  const whole = `mailto:${to}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`
  return whole.length <= MAIL_LENGTH ? whole : `mailto:${to}?subject=${encodeURIComponent(subject)}`
}

// The report

const TABS: readonly (readonly [name: TabName, title: string])[] = [
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
const ALWAYS: ReadonlySet<TabName> = new Set(['decide', 'ask', 'ending', 'doubtful', 'clean', 'all'])
const FILTERS: Readonly<Record<FilterName, string>> = {
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
const PAGE = 50
const SHOWN_ABOVE: ReadonlySet<string> = new Set('part name supplier note source findings verdict'.split(' '))

/** A column of the table: its text is sorted and printed. */
interface Column {
  readonly name: string
  readonly title: string
  readonly text: (row: PageRow) => string
  readonly isNumber?: boolean
  readonly draw?: (cell: HTMLElement, row: PageRow) => void
}

type State = Readonly<Record<string, string>>

function drawReport({ kind, columns, rows, signs, calendar, files }: PageData): void {
  const isParts = kind === 'parts'
  const section = byId('rows-section')
  const article = document.getElementById('part')
  const nav = byId('pages')
  const view = byId('view')
  const controls = byId('controls')
  const table = view.querySelector('table')!
  const heading = table.tHead!.rows[0]!
  const indexes = new Map(rows.map((row, index) => [row, index]))
  const partOf = (row: PageRow): PartRow => row.part!
  const named = new Map<string, number>()
  for (const { part } of rows) if (part !== undefined) named.set(part.name, (named.get(part.name) ?? 0) + 1)
  let state: State = {}
  /** The rows of the search and the filters, and of these the rows of the tab in their order. */
  let found: readonly PageRow[] = []
  let order: readonly PageRow[] = []

  // Columns

  const valueColumn = (name: 'rohs' | 'reach', title: string): Column => ({
    name,
    title,
    text: (row) => partOf(row)[name].slice(1).filter(Boolean).join(' '),
    draw: (cell, row) => drawValue(cell, partOf(row)[name]),
  })
  const partColumns: readonly Column[] = [
    {
      name: 'part',
      title: 'Part',
      text: (row) => partOf(row).name,
      draw: (cell, row) => {
        const { name, about } = partOf(row)
        const link = make('a', { className: 'open', href: `#${addressOf(withPart(row))}` }, cell)
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
  const shown = (
    isParts
      ? partColumns
      : columns.flatMap(({ name, title, isNumber, isMain }, at): readonly Column[] =>
          isMain ? [{ name, title, isNumber, text: (row) => String(row.cells[at] ?? '') }] : [],
        )
  ).filter(({ name, text }) => name === 'part' || rows.some((row) => text(row) !== ''))

  function drawValue(cell: Element, [mark, text, small]: ValueCell): void {
    if (text === '') return
    const value = make('span', { className: `value ${mark}` }, cell)
    drawSign(value, mark)
    put(value, text)
    if (small) put(make('span', { className: 'sub' }, cell), ` ${small}`)
  }

  function drawSign(parent: Element, mark: Mark): void {
    if (signs[mark] !== '')
      make('span', { className: 'sign', ariaHidden: 'true', textContent: `${signs[mark]} ` }, parent)
  }

  for (const { name, title, isNumber } of shown) {
    const className = `${isNumber ? 'number ' : ''}of-${name}`
    const th = make('th', { scope: 'col', role: 'columnheader', className }, heading)
    make('button', { type: 'button', textContent: title }, th).dataset.sort = name
  }

  function rowElement(row: PageRow, isPaper = false): HTMLElement {
    const tr = make('tr', { role: 'row', className: `row ${row.part?.mark ?? ''}` })
    for (const { name, title, isNumber, text, draw } of shown) {
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
        const sign = mark === undefined || signs[mark] === '' ? '' : `${signs[mark]} `
        put(td, `${sign}${text(row)}`)
        if (isPaper && isHead && row.part?.about)
          make('span', { className: 'sub', textContent: ` ${row.part.about}` }, td)
      } else draw(td, row)
      if (td.firstChild) td.dataset.label = title
    }
    return tr
  }

  /** A row with this text in place of its cells. */
  function noteRow(textContent: string): HTMLElement {
    const tr = make('tr', { role: 'row' })
    make('td', { role: 'cell', className: 'empty', colSpan: shown.length, textContent }, tr)
    return tr
  }

  function replaceBody(children: readonly HTMLElement[]): void {
    for (const body of [...table.tBodies]) body.remove()
    const body = make('tbody', { role: 'rowgroup' }, table)
    for (const child of children) body.append(child)
  }

  // The search, the order and the state, which is the address of the page

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
  const orders: readonly (readonly [string, string])[] = [
    ['', isParts ? 'worst first' : 'as declared'],
    ...(isParts ? ([['list', 'as in the list']] as const) : []),
    ...shown.flatMap(({ name, title }) => [
      [name, title] as const,
      [`-${name}`, `${title}, reversed`] as const,
    ]),
  ]
  for (const [value, textContent] of orders) make('option', { value, textContent }, sorting)
  const csv = make('button', { type: 'button', id: 'csv', textContent: 'CSV' }, controls)
  csv.title = 'save the rows of this tab, search and filters as CSV'
  const shownCount = make('output', { id: 'shown' }, controls)
  controls.addEventListener('submit', (event) => event.preventDefault())

  const compare = new Intl.Collator('en', { numeric: true }).compare
  const inOrder = (a: PageRow, b: PageRow): number => indexes.get(a)! - indexes.get(b)!

  function comparison(sort: string): (a: PageRow, b: PageRow) => number {
    if (sort === 'list' || (sort === '' && !isParts)) return inOrder
    if (sort === '' && tabOf() === 'ending') {
      const first = (row: PageRow): string => partOf(row).filters.ends?.[0] ?? '9'
      return (a, b) => compare(first(a), first(b)) || inOrder(a, b)
    }
    if (sort === '') return (a, b) => partOf(a).rank - partOf(b).rank || inOrder(a, b)
    const { text, isNumber } = shown.find(({ name }) => name === sort.replace(/^-/, ''))!
    const direction = sort.startsWith('-') ? -1 : 1
    return (a, b) => {
      const [x, y] = [text(a), text(b)]
      if (x === y) return inOrder(a, b)
      // Empty values are last in either direction.
      if (x === '' || y === '') return x === '' ? 1 : -1
      return direction * (isNumber ? Number(x) - Number(y) : compare(x, y)) || inOrder(a, b)
    }
  }

  const texts = new Map<PageRow, string>()
  function textOf(row: PageRow): string {
    const known = texts.get(row)
    if (known !== undefined) return known
    const { part } = row
    const more = part === undefined ? [] : [part.name, part.about, part.why, part.rohs[1], part.reach[1]]
    const text = [...row.cells, ...more].join('\u0001').toLowerCase()
    texts.set(row, text)
    return text
  }

  const activeFilters = (): readonly FilterName[] => FILTER_NAMES.filter((name) => name in state)
  const isNarrowed = (): boolean => 'q' in state || activeFilters().length > 0

  /** A search and a filter are about all rows, unless a tab was chosen too. */
  function tabOf(): TabName {
    const chosen = state.tab as TabName | undefined
    if (chosen !== undefined) return chosen
    return isNarrowed() || !rows.some((row) => row.part?.tabs.includes('decide')) ? 'all' : 'decide'
  }

  function choose(): void {
    const words = (state.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    const active = isParts ? activeFilters() : []
    found = rows.filter(
      (row) =>
        active.every((name) => row.part!.filters[name]?.includes(state[name]!)) &&
        words.every((word) => textOf(row).includes(word)),
    )
    const tab = tabOf()
    order = (isParts ? found.filter((row) => row.part!.tabs.includes(tab)) : [...found]).sort(
      comparison(state.sort ?? ''),
    )
  }

  function update(): void {
    choose()
    search.value = state.q ?? ''
    sorting.value = state.sort ?? ''
    for (const th of heading.cells) {
      const sort = th.querySelector('button')!.dataset.sort
      th.ariaSort = state.sort === `-${sort}` ? 'descending' : state.sort === sort ? 'ascending' : null
    }
    const of = order.length === rows.length ? '' : ` of ${formatCount(rows.length)}`
    shownCount.textContent = `${formatCount(order.length)}${of} ${rows.length === 1 ? 'row' : 'rows'}`
    csv.disabled = order.length === 0
    if (isParts) {
      drawTabs()
      drawChips()
    }
    drawPage()
    drawPart()
  }

  /** The tabs with their counts within the search and the filters. */
  function drawTabs(): void {
    const tabs = byId('tabs')
    const focused = tabs.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.tab
      : undefined
    // Alternates and several suppliers of a line are counted once.
    const counts = new Map<TabName, Set<string | PageRow>>()
    for (const row of found) {
      for (const name of row.part!.tabs) {
        const lines = counts.get(name) ?? new Set()
        counts.set(name, lines.add(row.part!.line ?? row))
      }
    }
    const current = tabOf()
    tabs.replaceChildren()
    for (const [name, title] of TABS) {
      if (!ALWAYS.has(name) && !rows.some(({ part }) => part!.tabs.includes(name))) continue
      const kept = Object.fromEntries(Object.entries(state).filter(([key]) => key === 'q' || key in FILTERS))
      const link = make('a', { href: `#${addressOf({ tab: name, ...kept })}`, textContent: title }, tabs)
      link.dataset.tab = name
      link.ariaCurrent = name === current ? 'true' : null
      make('span', { className: 'count', textContent: formatCount(counts.get(name)?.size ?? 0) }, link)
      if (name === focused) link.focus()
    }
  }

  /** Each filter, with a button that removes it. */
  function drawChips(): void {
    const chips = byId('chips')
    chips.replaceChildren()
    const active = [...activeFilters(), ...('q' in state ? ['q'] : [])]
    for (const name of active) {
      const text = `${name === 'q' ? 'search' : FILTERS[name as FilterName]}: ${state[name]}`
      const button = make('button', { type: 'button', className: 'remove', textContent: text }, chips)
      button.ariaLabel = `remove the filter ${text}`
      make('span', { textContent: ' ×', ariaHidden: 'true' }, button)
      button.addEventListener('click', () => {
        change({ [name]: '' })
        search.focus({ preventScroll: true })
      })
    }
    chips.hidden = active.length === 0
  }

  function drawPage(): void {
    const pages = Math.max(1, Math.ceil(order.length / PAGE))
    const page = Math.min(pages, Math.max(1, Math.floor(Number(state.page)) || 1))
    const none =
      found.length > 0
        ? `none of the ${formatCount(found.length)} matching rows is in this tab`
        : 'no matching rows'
    replaceBody(
      order.length === 0
        ? [noteRow(none)]
        : order.slice((page - 1) * PAGE, page * PAGE).map((row) => rowElement(row)),
    )
    table.ariaRowCount = String(order.length + 1)
    drawNavigation(page, pages)
  }

  function drawNavigation(page: number, pages: number): void {
    nav.hidden = pages === 1
    nav.replaceChildren()
    const turn = (text: string, to: number): void => {
      const disabled = to < 1 || to > pages
      const button = make('button', { type: 'button', textContent: text, disabled }, nav)
      button.addEventListener('click', () => {
        state = { ...state, page: String(to) }
        drawPage()
        remember()
        section.scrollIntoView({ block: 'start' })
        nav.querySelectorAll('button')[to > page ? 1 : 0]?.focus({ preventScroll: true })
      })
    }
    turn('‹ previous', page - 1)
    const from = (page - 1) * PAGE + 1
    const last = Math.min(order.length, from + PAGE - 1)
    const textContent = `${formatCount(from)}–${formatCount(last)} of ${formatCount(order.length)}`
    make('span', { textContent }, nav)
    turn('next ›', page + 1)
  }

  function change(values: State): void {
    // What was typed since the last drawing counts too.
    const all = Object.entries({ ...state, page: '', q: search.value, ...values })
    state = Object.fromEntries(all.filter(([, value]) => value !== ''))
    update()
    remember()
  }

  function addressOf(values: State): string {
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
      (Object.hasOwn(FILTERS, name) ||
        ['q', 'page', 'part', 'row'].includes(name) ||
        (name === 'tab' && TABS.some(([tab]) => tab === value)) ||
        (name === 'sort' && orders.some(([sort]) => sort === value)))
    state = Object.fromEntries([...new URLSearchParams(text)].filter(isKnown))
    return true
  }

  // The page of a part

  /** The address of a row's page; its number tells rows of one name apart. */
  function withPart(row: PageRow): State {
    const { name } = partOf(row)
    const isOne = named.get(name) === 1
    const { part: _, row: __, page: ___, ...kept } = state
    return { ...kept, part: name, ...(isOne ? {} : { row: String(indexes.get(row)) }) }
  }

  function drawPart(): void {
    if (article === null) return
    const { part: name, row: number, ...rest } = state
    const own =
      name === undefined
        ? []
        : rows.filter(({ part }) => part!.name === name || part!.about.endsWith(`yours: ${name}`))
    const row = own.find((one) => indexes.get(one) === Number(number)) ?? own[0]
    document.body.classList.toggle('one', name !== undefined)
    article.hidden = name === undefined
    if (name === undefined) return
    article.replaceChildren()
    drawWay(row, rest)
    if (row === undefined) {
      make('h2', { textContent: `no row is about ${name}` }, article)
      return
    }
    drawPartHead(row)
    const { page } = partOf(row)
    const [left, right] = [make('div'), make('div')]
    make('div', { className: 'halves' }, article).append(left, right)
    if (page === undefined)
      make(
        'p',
        {
          textContent:
            'The page is too large for the statements of this part: matdecl report prints them with the option explain.',
        },
        left,
      )
    else drawDetails(page, left, right)
    drawCells(row, right)
    document.title = `${name} – ${title}`
  }

  const title = document.title
  const card = (parent: Element, name: string, className = ''): HTMLElement => {
    const own = make('section', { className: `card ${className}` }, parent)
    make('h3', { textContent: name }, own)
    return own
  }
  const action = (parent: Element, textContent: string, run: (button: HTMLElement) => void): void => {
    const button = make('button', { type: 'button', className: 'link', textContent }, parent)
    button.addEventListener('click', () => run(button))
  }

  /** Back to the rows, to the one before and after, and what can be done with the page. */
  function drawWay(row: PageRow | undefined, rest: State): void {
    const way = make('nav', { className: 'way', ariaLabel: 'rows of this tab' }, article!)
    const tab = TABS.find(([name]) => name === tabOf())![1].toLowerCase()
    const at = row === undefined ? -1 : order.indexOf(row)
    make(
      'a',
      {
        href: `#${addressOf(rest) || addressOf({ tab: tabOf() })}`,
        textContent: `‹ all ${formatCount(order.length)} ${tab === 'all' ? 'rows' : tab}`,
      },
      way,
    )
    const step = (to: number, textContent: string): void => {
      const other = order[to]
      if (other !== undefined) make('a', { href: `#${addressOf(withPart(other))}`, textContent }, way)
    }
    if (at >= 0) {
      step(at - 1, '‹ previous')
      make(
        'span',
        { className: 'sub', textContent: `${formatCount(at + 1)} of ${formatCount(order.length)}` },
        way,
      )
      step(at + 1, 'next ›')
    }
    const tools = make('span', { className: 'tools' }, way)
    action(tools, 'copy link', (button) => void copy(location.href, button))
    action(tools, 'print one page', () => print())
  }

  function drawPartHead(row: PageRow): void {
    const { name, about, supplier, isListed, used, mark, page, why } = partOf(row)
    make('h2', { id: 'part-title', tabIndex: -1, textContent: name }, article!)
    const facts = [
      about,
      `${supplier}${isListed ? ' (parts list)' : ''}`,
      used === '' ? '' : `used in ${used}`,
    ]
    put(make('p', { className: 'sub' }, article!), facts.filter(Boolean).join(' · '))
    const banner = make('div', { className: `banner ${mark}` }, article!)
    const [first = why, ...more] = page?.why ?? []
    const verdict = make('h3', {}, banner)
    drawSign(verdict, mark)
    const word = page?.verdict ?? mark
    put(verdict, `${word[0]!.toUpperCase()}${word.slice(1)}${first === '' ? '' : `: ${first}`}`)
    for (const sentence of more) put(make('p', {}, banner), sentence)
    for (const sentence of page?.waived ?? []) put(make('p', {}, banner), sentence)
  }

  function fileName(at: number): string {
    return (files[at]?.name ?? '').replace(/^.*!/s, '')
  }

  function drawDetails(page: PartPage, left: Element, right: Element): void {
    drawStatements(
      left,
      'What is stated, and where',
      page.statements.filter((one) => one[5] === undefined),
    )
    for (const { file, lines } of page.excerpts) {
      const [from, to] = [lines[0]![0], lines.at(-1)![0]]
      const pre = make('pre', { className: 'xml' }, card(left, `${fileName(file)}, lines ${from}–${to}`))
      pre.tabIndex = 0
      for (const [index, [number, text, isMarked]] of lines.entries()) {
        if (index > 0 && number > lines[index - 1]![0] + 1)
          make('span', { className: 'at', textContent: '…' }, pre)
        const line = make(isMarked ? 'mark' : 'span', {}, pre)
        make('span', { className: 'at', textContent: String(number).padStart(String(to).length) }, line)
        line.append(`${isMarked ? '▸' : ' '} ${text}\n`)
      }
    }
    drawFiles(left, page)
    if (page.letter !== undefined) drawLetter(right, page.letter)
    drawHistory(right, page)
    if (page.waiverLines.length > 0) {
      const own = card(right, 'Accept it: a line for waivers.csv')
      make('pre', { textContent: page.waiverLines.join('\n') }, own)
      action(own, 'copy', (button) => void copy(`${page.waiverLines.join('\n')}\n`, button))
    }
    drawList(left, 'Findings', page.findings)
    drawList(left, 'Remarks', page.notes)
  }

  function drawStatements(parent: Element, name: string, all: PartPage['statements']): void {
    if (all.length === 0) return
    const scroll = { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: name }
    const own = make('table', {}, make('div', scroll, card(parent, name)))
    const head = make('tr', {}, make('thead', {}, own))
    for (const textContent of ['Statement', 'Answer', 'File', 'Line', 'Date'])
      make('th', { scope: 'col', textContent }, head)
    const body = make('tbody', {}, own)
    for (const [what, answer, mark, file, line] of all) {
      const tr = make('tr', {}, body)
      put(make('th', { scope: 'row' }, tr), what)
      drawValue(make('td', {}, tr), [mark, answer])
      put(make('td', {}, tr), fileName(file))
      make('td', { className: 'number', textContent: line === 0 ? '' : String(line) }, tr)
      put(make('td', {}, tr), files[file]?.date ?? '')
    }
  }

  /** The files with their hashes. */
  function drawFiles(parent: Element, { declarations }: PartPage): void {
    const own = [...new Set(declarations.map(([file]) => file))].map((at) => files[at]!)
    if (own.length === 0) return
    const list = make('ul', {}, card(parent, 'Files', 'files'))
    for (const { name, sha256, archive } of own) {
      const item = put(make('li', {}, list), name)
      if (sha256 !== undefined) put(make('div', { className: 'sub hash' }, item), `SHA-256 ${sha256}`)
      if (archive !== undefined)
        put(make('div', { className: 'sub hash' }, item), `${archive.name} SHA-256 ${archive.sha256}`)
    }
  }

  function drawLetter(parent: Element, { supplier, text, mail }: NonNullable<PartPage['letter']>): void {
    const own = card(parent, supplier === '' ? 'To ask for; no supplier is known' : `Ask ${supplier}`)
    const address = mail === '' ? 'no address in its files' : `${mail} (from its own files)`
    if (supplier !== '') make('p', { className: 'sub', textContent: address }, own)
    make('pre', { textContent: text }, own)
    const tools = make('p', { className: 'tools' }, own)
    if (supplier !== '') make('a', { href: mailAddress(mail, text), textContent: 'open in mail' }, tools)
    action(tools, 'copy', (button) => void copy(text, button))
    if (supplier === '') return
    make(
      'a',
      { href: `#${addressOf({ tab: 'ask', supplier })}`, textContent: 'all parts of this supplier' },
      tools,
    )
  }

  /** What each declaration still says. */
  function drawHistory(parent: Element, { declarations, statements }: PartPage): void {
    if (declarations.length === 0) return
    const own = card(parent, 'Declarations')
    const list = make('dl', { className: 'pairs' }, own)
    for (const [file, date, counts, accepted] of declarations) {
      make('dt', { textContent: date }, list)
      const facts = [
        counts === '' ? 'nothing of it counts' : `${counts} from ${fileName(file)}`,
        accepted === '' ? '' : `accepted: ${accepted}`,
      ]
      put(make('dd', {}, list), facts.filter(Boolean).join('; '))
    }
    drawStatements(
      own,
      'Stated again by a newer one',
      statements.filter((one) => one[5] === 1),
    )
  }

  function drawList(parent: Element, name: string, all: readonly string[]): void {
    if (all.length === 0) return
    const list = make('ul', {}, card(parent, name))
    for (const one of all) put(make('li', {}, list), one)
  }

  /** The columns of the row that are not shown above. */
  function drawCells({ cells }: PageRow, parent: Element): void {
    const list = make('dl', { className: 'pairs' }, card(parent, 'Facts'))
    for (const [at, { name, title: what }] of columns.entries()) {
      const text = String(cells[at] ?? '')
      if (text === '' || SHOWN_ABOVE.has(name)) continue
      make('dt', { textContent: what }, list)
      put(make('dd', {}, list), text)
    }
  }

  // What people do

  let isWaiting = false
  search.addEventListener('input', () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      change({ q: search.value })
    })
  })
  sorting.addEventListener('change', () => change({ sort: sorting.value }))
  // The whole heading sorts; the button is for the keyboard.
  heading.addEventListener('click', (event) => {
    const sort = (event.target as Element).closest('th')?.querySelector('button')?.dataset.sort
    if (sort !== undefined)
      change({ sort: state.sort === sort ? `-${sort}` : state.sort === `-${sort}` ? '' : sort })
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, select, textarea') !== null
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey || 'part' in state)
      return
    event.preventDefault()
    search.focus()
  })
  let place = 0
  addEventListener('hashchange', () => {
    const before = state
    if (!readState(location.hash)) {
      // A place on the page, such as the letters: it is not on the page of a part.
      if ('part' in before) {
        const { part: _, row: __, ...rest } = before
        state = rest
        update()
        document.getElementById(location.hash.slice(1))?.scrollIntoView()
      }
      openPlace()
      return
    }
    if (!('part' in before)) place = scrollY
    update()
    if ('part' in state) {
      scrollTo(0, 0)
      byId('part-title')?.focus({ preventScroll: true })
    } else if ('part' in before) {
      document.title = title
      scrollTo(0, place)
      ;[...view.querySelectorAll<HTMLElement>('a.open')]
        .find(({ textContent }) => textContent === before.part)
        ?.focus({ preventScroll: true })
    } else section.scrollIntoView({ block: 'start' })
  })
  /** Opens what is closed at the place that the address names. */
  function openPlace(): void {
    const at = document.getElementById(location.hash.slice(1))
    if (at instanceof HTMLDetailsElement) at.open = true
  }

  // A filter that these rows do not have is no link.
  for (const link of isParts ? [] : document.querySelectorAll('a.filter')) {
    const text = make('span')
    for (const child of [...link.childNodes]) text.append(child)
    link.replaceWith(text)
  }

  csv.addEventListener('click', () => {
    const line = (cells: PageRow['cells']): string =>
      `${cells.map((value) => quoted(inert(value))).join(',')}\r\n`
    save(
      line(columns.map(({ name }) => name)) + order.map(({ cells }) => line(cells)).join(''),
      'text/csv',
      '-rows.csv',
    )
  })
  document.getElementById('ics')?.addEventListener('click', () => save(calendar, 'text/calendar', '.ics'))
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault()
    const first = 'part' in state ? byId('part-title') : view.querySelector<HTMLElement>('a.open')
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

  // On paper: every row of the search and the filters that is not clean, and those of the tab; a row is text alone, so that
  // thousands of them print soon.

  addEventListener('beforeprint', () => {
    if ('part' in state || !isParts) return
    const tab = tabOf()
    const isPrinted = ({ part }: PageRow): boolean =>
      part!.needsAttention === true || part!.tabs.includes(tab)
    const printed = found.filter(isPrinted).sort(comparison(state.sort ?? ''))
    const onPaper = new Set(printed)
    const left = rows.filter((row) => !onPaper.has(row))
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
    replaceBody([...notes.map(noteRow), ...printed.map((row) => rowElement(row, true))])
  })
  addEventListener('afterprint', drawPage)

  readState(location.hash)
  update()
  openPlace()
}

const dataElement = document.getElementById('data')
if (dataElement !== null) drawReport(JSON.parse(dataElement.textContent) as PageData)
