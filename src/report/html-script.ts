/**
 * The script of the page. It reads the rows from the text of the noscript element and renders only those in view; before
 * printing, all filtered ones. Empty columns are not rendered.
 */
export const SCRIPT = String.raw`
'use strict';
(() => {
const root = document.documentElement;
root.classList.add('js');
const $ = (id) => document.getElementById(id);
const source = $('rows').textContent;
const unescape = (text) => text.includes('&') ? text.replace(/&#(\d+);/g, (all, code) => String.fromCodePoint(code)) : text;
const cellsOf = (line, tag) => line.split('</' + tag + '>').slice(0, -1).map((cell) => unescape(cell.slice(cell.lastIndexOf('>') + 1)));
const lines = source.split('\n');
const head = lines[0].slice(lines[0].indexOf('<tr>'));
const columns = cellsOf(head.replaceAll('<th scope="col">', '<th>'), 'th');
const rows = [];
for (const line of lines) if (line.startsWith('<tr>')) rows.push(cellsOf(line, 'td'));
$('rows').remove();

const at = (name) => columns.indexOf(name);
const numeric = new Set(['svhc count', 'mass mg', 'declared percent', 'material mass mg', 'percent of material', 'ppm of part'].map(at).filter((n) => n >= 0));
const tones = { compliant: 'good', 'compliant with exemptions': 'fair', 'not compliant': 'bad', incomplete: 'warn', 'not declared': 'none', superseded: 'none', missing: 'bad', unreadable: 'bad', false: 'warn' };
const toned = new Set(['rohs', 'status', 'cas valid'].map(at));
const haystacks = [];
const haystack = (index) => haystacks[index] ??= rows[index].join('\u0001').toLowerCase();

const controls = $('controls');
const make = (tag, properties = {}, parent) => { const element = Object.assign(document.createElement(tag), properties); parent?.append(element); return element; };
const search = make('input', { type: 'search', placeholder: 'search all columns', id: 'search' }, controls);
search.setAttribute('aria-label', 'search');
const selects = new Map();
for (const name of ['rohs', 'status', 'classes', 'standard', 'reach list', 'cas valid']) {
  const index = at(name);
  if (index < 0) continue;
  const values = [...new Set(rows.map((row) => row[index]))].sort();
  if (values.length < 2 || values.length > 60) continue;
  const label = make('label', { textContent: name }, controls);
  const select = make('select', { id: 'filter-' + name.replace(' ', '-') }, label);
  make('option', { value: '\u0000', textContent: 'all' }, select);
  for (const value of values) make('option', { value, textContent: value === '' ? '(empty)' : value }, select);
  selects.set(index, select);
}
let onlySvhc;
if (at('svhc count') >= 0) {
  const label = make('label', {}, controls);
  onlySvhc = make('input', { type: 'checkbox', id: 'only-svhc' }, label);
  label.append('with SVHC only');
}
const reset = make('button', { type: 'button', textContent: 'show all', id: 'reset' }, controls);
const shown = make('span', { id: 'shown' }, controls);
shown.setAttribute('aria-live', 'polite');

const view = $('view');
const table = view.firstElementChild;
const body = table.tBodies[0];
const ROW = 30;
let order = [];
let sorted = { column: -1, direction: 1 };
let first = -1;
let last = -1;
let printing = false;

const compare = new Intl.Collator('en', { numeric: true }).compare;
const byColumn = (column, direction) => (a, b) => {
  const x = rows[a][column], y = rows[b][column];
  if (x === y) return a - b;
  if (x === '') return 1;
  if (y === '') return -1;
  return direction * (numeric.has(column) ? x - y : compare(x, y)) || a - b;
};

const heading = table.tHead.rows[0];
const drawn = columns.map((_, column) => column).filter((column) => column === 0 || rows.some((row) => row[column] !== ''));
for (const column of drawn) {
  const name = columns[column];
  const th = make('th', { scope: 'col' }, heading);
  const button = make('button', { type: 'button', textContent: name }, th);
  button.addEventListener('click', () => {
    sorted = { column, direction: sorted.column === column ? -sorted.direction : 1 };
    for (const other of heading.cells) other.removeAttribute('aria-sort');
    th.setAttribute('aria-sort', sorted.direction > 0 ? 'ascending' : 'descending');
    update();
  });
}

function update() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = [...selects].filter(([, select]) => select.value !== '\u0000').map(([column, select]) => [column, select.value]);
  const svhc = onlySvhc?.checked ? at('svhc count') : -1;
  order = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index];
    if (svhc >= 0 && !(Number(row[svhc]) > 0)) continue;
    if (!wanted.every(([column, value]) => row[column] === value)) continue;
    if (words.length > 0) { const text = haystack(index); if (!words.every((word) => text.includes(word))) continue; }
    order.push(index);
  }
  if (sorted.column >= 0) order.sort(byColumn(sorted.column, sorted.direction));
  shown.textContent = order.length.toLocaleString('en') + ' of ' + rows.length.toLocaleString('en') + ' rows';
  $('empty').hidden = order.length > 0;
  first = last = -1;
  view.scrollTop = 0;
  draw();
}

function rowElement(index) {
  const tr = document.createElement('tr');
  tr.className = 'row';
  for (const column of drawn) {
    const text = rows[index][column];
    const td = document.createElement('td');
    if (numeric.has(column)) td.className = 'number';
    if (toned.has(column)) td.className = tones[text] ?? '';
    if (column === 0) {
      const button = make('button', { type: 'button', textContent: text || '(none)' }, td);
      button.dataset.index = index;
    } else td.textContent = text;
    if (text.length > 24) td.title = text;
    tr.append(td);
  }
  return tr;
}

function space(count) {
  const tr = document.createElement('tr');
  tr.className = 'space';
  const td = make('td', { colSpan: drawn.length }, tr);
  td.style.height = count * ROW + 'px';
  return tr;
}

function draw() {
  if (printing) return;
  const from = Math.max(0, Math.floor(view.scrollTop / ROW) - 10);
  const to = Math.min(order.length, from + Math.ceil(view.clientHeight / ROW) + 30);
  if (from === first && to === last) return;
  first = from;
  last = to;
  const parts = order.slice(from, to).map(rowElement);
  body.replaceChildren(space(from), ...parts, space(order.length - to));
}

let waiting = false;
const soon = (work) => () => { if (waiting) return; waiting = true; requestAnimationFrame(() => { waiting = false; work(); }); };
view.addEventListener('scroll', soon(draw), { passive: true });
addEventListener('resize', soon(draw));
search.addEventListener('input', soon(update));
for (const select of selects.values()) select.addEventListener('change', update);
onlySvhc?.addEventListener('change', update);
reset.addEventListener('click', () => {
  search.value = '';
  for (const select of selects.values()) select.value = '\u0000';
  if (onlySvhc) onlySvhc.checked = false;
  sorted = { column: -1, direction: 1 };
  for (const th of heading.cells) th.removeAttribute('aria-sort');
  update();
});

for (const item of document.querySelectorAll('figure li')) {
  item.tabIndex = 0;
  item.setAttribute('role', 'button');
  const choose = () => {
    const select = selects.get(at(item.dataset.column ?? ''));
    if (item.dataset.column) { if (!select || ![...select.options].some((o) => o.value === item.dataset.value)) return; select.value = item.dataset.value; }
    else search.value = item.dataset.search;
    update();
    view.scrollIntoView({ block: 'nearest' });
  };
  item.addEventListener('click', choose);
  item.addEventListener('keydown', (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(); } });
}

const details = $('details');
body.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  const list = details.querySelector('dl');
  list.replaceChildren();
  columns.forEach((name, column) => {
    const text = rows[button.dataset.index][column];
    if (text === '') return;
    make('dt', { textContent: name }, list);
    make('dd', { textContent: text }, list);
  });
  details.showModal();
});

$('theme').addEventListener('click', () => {
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
});

addEventListener('beforeprint', () => { printing = true; body.replaceChildren(...order.map(rowElement)); });
addEventListener('afterprint', () => { printing = false; first = last = -1; draw(); });

for (const element of document.querySelectorAll('.needs-script')) element.hidden = element.id === 'empty';
update();
})();
`
