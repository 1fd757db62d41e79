/** What is shown: filters, order and page, which are in the address of the page too. */
export const SCRIPT_FILTERS = String.raw`
const PAGE = 50;
// The values of a row that a filter compares, each with the name of its control; without a name it has none.
const FILTERS = isParts ? {
  verdict: ['verdict', (index) => [verdictOf(index)]],
  svhc: ['SVHC', (index) => [reachOf(index)]],
  gate: ['gate', gateOf],
  exemption: ['exemption', (index) => hidden[index].e === '' ? [] : hidden[index].e.split('\n')],
  list: ['list', (index) => [...split(cell(index, 'rohs_list')), ...split(cell(index, 'reach_list'))]],
  classes: ['class', (index) => [cell(index, 'classes')]],
  standard: ['standard', (index) => [cell(index, 'standard')]],
  substance: ['', (index) => hidden[index].s === '' ? [] : hidden[index].s.split('\n')],
  part: ['', (index) => [cell(index, 'part'), cell(index, 'requester_part')]],
} : {
  cas_valid: ['CAS number valid', (index) => [cell(index, 'cas_valid')]],
  part: ['', (index) => [cell(index, 'part')]],
};
const SORTS = new Set(shownColumns.map(({ sort }) => sort));
let state = {};
let order = [];

const controls = $('controls');
const label = (text, className) => { const element = make('label', { className }, controls); make('span', { textContent: text }, element); return element; };
const search = make('input', { type: 'search', id: 'search', autocomplete: 'off' }, label('search', 'wide'));
const selects = new Map();
for (const [name, [text, valuesOf]] of Object.entries(FILTERS)) {
  const values = [...new Set(rows.flatMap((row, index) => valuesOf(index)))].filter((value) => value !== '').sort();
  if (text === '' || values.length < (name === 'gate' || name === 'exemption' ? 1 : 2) || values.length > 200) continue;
  const select = make('select', { id: 'filter-' + name }, label(text));
  make('option', { value: '', textContent: 'all' }, select);
  for (const value of values) make('option', { value, textContent: value }, select);
  selects.set(name, select);
}
const sorting = make('select', { id: 'sort' }, label('order', 'narrow'));
make('option', { value: '', textContent: isParts ? 'worst first' : 'as declared' }, sorting);
for (const { title, sort } of shownColumns) for (const [sign, text] of [['', ''], ['-', ', reversed']]) make('option', { value: sign + sort, textContent: title + text }, sorting);
const shown = make('output', { id: 'shown' }, controls);
const csv = make('button', { type: 'button', id: 'csv' }, controls);
controls.addEventListener('submit', (event) => event.preventDefault());

const compare = new Intl.Collator('en', { numeric: true }).compare;
function comparison(name, direction) {
  if (name === 'verdict') return (a, b) => direction * (ranks[a] - ranks[b]) || a - b;
  const isNumber = NUMERIC.has(name);
  return (a, b) => {
    const x = cell(a, name), y = cell(b, name);
    if (x === y) return a - b;
    if (x === '') return 1;
    if (y === '') return -1;
    return direction * (isNumber ? x - y : compare(x, y)) || a - b;
  };
}

const texts = [];
const textOf = (index) => texts[index] ??= rows[index].join('\u0001').toLowerCase();

function choose() {
  const words = (state.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Object.entries(FILTERS).filter(([name]) => name in state);
  order = [];
  for (let index = 0; index < rows.length; index += 1) {
    if (!wanted.every(([name, [, valuesOf]]) => valuesOf(index).includes(state[name]))) continue;
    if (words.length > 0) { const text = textOf(index); if (!words.every((word) => text.includes(word))) continue; }
    order.push(index);
  }
  const [, sign, name] = /^(-?)(.*)$/.exec(state.sort ?? (isParts ? 'verdict' : ''));
  if (name !== '') order.sort(comparison(name, sign === '-' ? -1 : 1));
}

function drawPage() {
  for (const body of [...table.tBodies]) body.remove();
  const pages = Math.max(1, Math.ceil(order.length / PAGE));
  const page = Math.min(pages, Math.max(1, Number(state.page) || 1));
  table.append(...order.slice((page - 1) * PAGE, page * PAGE).map((index) => rowElements(index, false)));
  if (order.length === 0) {
    const tr = make('tr', {}, make('tbody', {}, table));
    tr.setAttribute('role', 'row');
    make('td', { colSpan: shownColumns.length, className: 'empty', textContent: 'no matching rows' }, tr).setAttribute('role', 'cell');
  }
  table.setAttribute('aria-rowcount', order.length + 1);
  const nav = $('pages');
  nav.hidden = pages === 1;
  nav.replaceChildren();
  for (const [text, to] of [['‹ previous', page - 1], ['next ›', page + 1]]) {
    const button = make('button', { type: 'button', textContent: text, disabled: to < 1 || to > pages }, nav);
    button.addEventListener('click', () => { state.page = String(to); drawPage(); remember(); view.scrollTop = 0; section.scrollIntoView({ block: 'start' }); nav.children[to > page ? 2 : 0]?.focus(); });
  }
  const from = (page - 1) * PAGE + 1;
  nav.children[0].after(make('span', { textContent: count(from) + '–' + count(Math.min(order.length, from + PAGE - 1)) + ' of ' + count(order.length) }));
}

const count = (number) => number.toLocaleString('en');
// A filter that these rows do not have is no link.
const isKnownFilter = (name) => name in FILTERS || name === 'show';
for (const link of document.querySelectorAll('a.filter')) {
  if ([...new URLSearchParams(link.hash.slice(1)).keys()].every(isKnownFilter)) continue;
  const plainText = make('span', { className: 'filter' });
  plainText.append(...link.childNodes);
  link.replaceWith(plainText);
}
const links = [...document.querySelectorAll('a.filter')].map((link) => [link, link.getAttribute('href').slice(1)]);

function update() {
  choose();
  search.value = state.q ?? '';
  for (const [name, select] of selects) select.value = state[name] ?? '';
  sorting.value = state.sort ?? '';
  for (const th of heading.cells) {
    const { sort } = th.firstChild.dataset;
    if (state.sort === sort) th.setAttribute('aria-sort', 'ascending');
    else if (state.sort === '-' + sort) th.setAttribute('aria-sort', 'descending');
    else th.removeAttribute('aria-sort');
  }
  const current = addressOf(state);
  for (const [link, address] of links) {
    if (address === current) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  shown.textContent = count(order.length) + ' of ' + count(rows.length) + (rows.length === 1 ? ' row' : ' rows');
  csv.textContent = 'download as CSV';
  csv.disabled = order.length === 0;
  drawChips();
  drawPage();
}

// Each filter, with a button that takes it out.
function drawChips() {
  const chips = $('chips');
  chips.replaceChildren();
  const active = [...Object.keys(FILTERS), 'q'].filter((name) => name in state);
  for (const name of active) {
    const text = (name === 'q' ? 'search' : FILTERS[name][0] || name) + ': ' + state[name];
    const button = make('button', { type: 'button', className: 'remove', textContent: text }, chips);
    button.setAttribute('aria-label', 'remove the filter ' + text);
    make('span', { textContent: ' ×', ariaHidden: 'true' }, button);
    button.addEventListener('click', () => change({ [name]: '' }));
  }
  if (active.length > 0) make('button', { type: 'button', id: 'reset', textContent: 'show all rows' }, chips).addEventListener('click', () => { state = state.sort ? { sort: state.sort } : {}; update(); remember(); search.focus({ preventScroll: true }); });
  chips.hidden = active.length === 0;
}

function change(values) {
  state = Object.fromEntries(Object.entries({ ...state, page: '', ...values }).filter(([, value]) => value !== ''));
  update();
  remember();
}

// The state in the address. Browsers limit how often it may change.
const addressOf = (values) => new URLSearchParams(Object.entries(values)).toString();
let timer;
function remember() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const address = addressOf(state);
    try { history.replaceState(null, '', location.href.split('#')[0] + (address === '' ? '' : '#' + address)); } catch { /* a page inside another one may have no address of its own */ }
  }, 200);
}
// An address without a value is the name of a place on the page, and changes nothing.
function readState(hash) {
  const text = hash.slice(1);
  if (text !== '' && !text.includes('=')) return false;
  clearTimeout(timer);
  const isKnown = ([name, value]) => value !== '' && (name in FILTERS || name === 'q' || name === 'page' || (name === 'sort' && SORTS.has(value.replace(/^-/, ''))));
  state = Object.fromEntries([...new URLSearchParams(text)].filter(isKnown));
  return true;
}

let waiting = false;
const soon = (work) => () => { if (waiting) return; waiting = true; requestAnimationFrame(() => { waiting = false; work(); }); };
search.addEventListener('input', soon(() => change({ q: search.value })));
for (const [name, select] of selects) select.addEventListener('change', () => change({ [name]: select.value }));
sorting.addEventListener('change', () => change({ sort: sorting.value }));
heading.addEventListener('click', (event) => {
  const sort = event.target.closest('button')?.dataset.sort;
  if (sort) change({ sort: state.sort === sort ? '-' + sort : sort });
});
csv.addEventListener('click', () => download(order));
addEventListener('hashchange', () => { if (readState(location.hash)) update(); });
for (const [link] of links) {
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const isOn = link.getAttribute('aria-current') === 'true';
    // A second click takes the filter out.
    if (isOn) { event.preventDefault(); state = {}; remember(); } else readState(link.hash);
    update();
    if (!isOn) section.scrollIntoView({ block: 'start' });
  });
}

const words = $('words');
addEventListener('beforeprint', () => {
  for (const body of [...table.tBodies]) body.remove();
  table.append(...order.map((index) => rowElements(index, true)));
  for (const th of [...heading.cells].slice(mainCount)) th.hidden = true;
  words.dataset.wasOpen = words.open ? 'yes' : '';
  words.open = true;
});
addEventListener('afterprint', () => {
  for (const th of heading.cells) th.hidden = false;
  words.open = words.dataset.wasOpen === 'yes';
  drawPage();
});

readState(location.hash);
update();
`
