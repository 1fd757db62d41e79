// The page of a part: the verdict, what is stated and where, its files, the letter and the waiver.
import { formatCount } from '../../base/units.ts'
import { copy, mailAddress, make, put } from './dom.client.ts'
import type { PageRow, PartPage } from './page-data.ts'
import {
  addressOf,
  drawSign,
  drawValue,
  partOf,
  type ReportView,
  TABS,
  tabOf,
  type ViewState,
  withPart,
} from './view.client.ts'

const SHOWN_ABOVE: ReadonlySet<string> = new Set('part name supplier note source findings verdict'.split(' '))

/** Shows the part of the state instead of the rows. */
export function drawPart(view: ReportView): void {
  if (view.elements.article === null) return
  const { part: name, row: number, ...rest } = view.state
  const own =
    name === undefined
      ? []
      : view.data.rows.filter(({ part }) => part!.name === name || part!.about.endsWith(`yours: ${name}`))
  const row = own.find((one) => view.indexes.get(one) === Number(number)) ?? own[0]
  document.body.classList.toggle('one', name !== undefined)
  view.elements.article.hidden = name === undefined
  if (name === undefined) return
  view.elements.article.replaceChildren()
  drawWay(view, row, rest)
  if (row === undefined) {
    make('h2', { textContent: `no row is about ${name}` }, view.elements.article)
    return
  }
  drawPartHead(view, row)
  const { page } = partOf(row)
  const [left, right] = [make('div'), make('div')]
  make('div', { className: 'halves' }, view.elements.article).append(left, right)
  if (page === undefined)
    make(
      'p',
      {
        textContent:
          'The page is too large for the statements of this part: matdecl report prints them with the option explain.',
      },
      left,
    )
  else drawDetails(view, page, left, right)
  drawCells(view, row, right)
  document.title = `${name} – ${view.title}`
}

function card(parent: Element, name: string, className = ''): HTMLElement {
  const own = make('section', { className: `card ${className}` }, parent)
  make('h3', { textContent: name }, own)
  return own
}

function action(parent: Element, textContent: string, run: (button: HTMLElement) => void): void {
  const button = make('button', { type: 'button', className: 'link', textContent }, parent)
  button.addEventListener('click', () => run(button))
}

/** Back to the rows, to the one before and after, and what can be done with the page. */
function drawWay(view: ReportView, row: PageRow | undefined, rest: ViewState): void {
  const way = make('nav', { className: 'way', ariaLabel: 'rows of this tab' }, view.elements.article!)
  const tab = TABS.find(([name]) => name === tabOf(view))![1].toLowerCase()
  const at = row === undefined ? -1 : view.order.indexOf(row)
  make(
    'a',
    {
      href: `#${addressOf(rest) || addressOf({ tab: tabOf(view) })}`,
      textContent: `‹ all ${formatCount(view.order.length)} ${tab === 'all' ? 'rows' : tab}`,
    },
    way,
  )
  const step = (to: number, textContent: string): void => {
    const other = view.order[to]
    if (other !== undefined) make('a', { href: `#${addressOf(withPart(view, other))}`, textContent }, way)
  }
  if (at >= 0) {
    step(at - 1, '‹ previous')
    make(
      'span',
      { className: 'sub', textContent: `${formatCount(at + 1)} of ${formatCount(view.order.length)}` },
      way,
    )
    step(at + 1, 'next ›')
  }
  const tools = make('span', { className: 'tools' }, way)
  action(tools, 'copy link', (button) => void copy(location.href, button))
  action(tools, 'print one page', () => print())
}

function drawPartHead(view: ReportView, row: PageRow): void {
  const { name, about, supplier, isListed, used, mark, page, why } = partOf(row)
  make('h2', { id: 'part-title', tabIndex: -1, textContent: name }, view.elements.article!)
  const facts = [about, `${supplier}${isListed ? ' (parts list)' : ''}`, used === '' ? '' : `used in ${used}`]
  put(make('p', { className: 'sub' }, view.elements.article!), facts.filter(Boolean).join(' · '))
  const banner = make('div', { className: `banner ${mark}` }, view.elements.article!)
  const [first = why, ...more] = page?.why ?? []
  const verdict = make('h3', {}, banner)
  drawSign(view, verdict, mark)
  const word = page?.verdict ?? mark
  put(verdict, `${word[0]!.toUpperCase()}${word.slice(1)}${first === '' ? '' : `: ${first}`}`)
  for (const sentence of more) put(make('p', {}, banner), sentence)
  for (const sentence of page?.waived ?? []) put(make('p', {}, banner), sentence)
}

function fileName(view: ReportView, at: number): string {
  return (view.data.files[at]?.name ?? '').replace(/^.*!/s, '')
}

function drawDetails(view: ReportView, page: PartPage, left: Element, right: Element): void {
  drawStatements(
    view,
    left,
    'What is stated, and where',
    page.statements.filter((one) => one[5] === undefined),
  )
  for (const { file, lines } of page.excerpts) {
    const [from, to] = [lines[0]![0], lines.at(-1)![0]]
    const pre = make('pre', { className: 'xml' }, card(left, `${fileName(view, file)}, lines ${from}–${to}`))
    pre.tabIndex = 0
    for (const [index, [number, text, isMarked]] of lines.entries()) {
      if (index > 0 && number > lines[index - 1]![0] + 1)
        make('span', { className: 'at', textContent: '…' }, pre)
      const line = make(isMarked ? 'mark' : 'span', {}, pre)
      make('span', { className: 'at', textContent: String(number).padStart(String(to).length) }, line)
      line.append(`${isMarked ? '▸' : ' '} ${text}\n`)
    }
  }
  drawFiles(view, left, page)
  if (page.letter !== undefined) drawLetter(right, page.letter)
  drawHistory(view, right, page)
  if (page.waiverLines.length > 0) {
    const own = card(right, 'Accept it: a line for waivers.csv')
    make('pre', { textContent: page.waiverLines.join('\n') }, own)
    action(own, 'copy', (button) => void copy(`${page.waiverLines.join('\n')}\n`, button))
  }
  drawList(left, 'Findings', page.findings)
  drawList(left, 'Remarks', page.notes)
}

function drawStatements(view: ReportView, parent: Element, name: string, all: PartPage['statements']): void {
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
    drawValue(view, make('td', {}, tr), [mark, answer])
    put(make('td', {}, tr), fileName(view, file))
    make('td', { className: 'number', textContent: line === 0 ? '' : String(line) }, tr)
    put(make('td', {}, tr), view.data.files[file]?.date ?? '')
  }
}

/** The files with their hashes. */
function drawFiles(view: ReportView, parent: Element, { declarations }: PartPage): void {
  const own = [...new Set(declarations.map(([file]) => file))].map((at) => view.data.files[at]!)
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
function drawHistory(view: ReportView, parent: Element, { declarations, statements }: PartPage): void {
  if (declarations.length === 0) return
  const own = card(parent, 'Declarations')
  const list = make('dl', { className: 'pairs' }, own)
  for (const [file, date, counts, accepted] of declarations) {
    make('dt', { textContent: date }, list)
    const facts = [
      counts === '' ? 'nothing of it counts' : `${counts} from ${fileName(view, file)}`,
      accepted === '' ? '' : `accepted: ${accepted}`,
    ]
    put(make('dd', {}, list), facts.filter(Boolean).join('; '))
  }
  drawStatements(
    view,
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
function drawCells(view: ReportView, { cells }: PageRow, parent: Element): void {
  const list = make('dl', { className: 'pairs' }, card(parent, 'Facts'))
  for (const [at, { name, title: what }] of view.data.columns.entries()) {
    const text = String(cells[at] ?? '')
    if (text === '' || SHOWN_ABOVE.has(name)) continue
    make('dt', { textContent: what }, list)
    put(make('dd', {}, list), text)
  }
}
