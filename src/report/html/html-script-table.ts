import { COLUMN_TITLES } from '../formats/column-titles.ts'

/** How rows look: as a table, as cards on a narrow screen, and with all their columns on paper and in the dialog. */
export const SCRIPT_TABLE = `
const TITLES = ${JSON.stringify(COLUMN_TITLES)};
${String.raw`const NUMERIC = new Set(['svhc_count', 'svhc_list_behind', 'mass_mg', 'declared_percent', 'material_mass_mg', 'percent_of_material', 'ppm_of_part']);
const add = (parent, tag, className, text) => text === '' ? undefined : put(make(tag, { className }, parent), text);
// Text breaks between words, not at a hyphen or before a percent sign; a word of more than forty characters may break anywhere.
const put = (element, text) => {
  if (text.length < 41 && !/[-%]/.test(text)) { element.append(text); return element; }
  text.split(/(\S{41,}|\S*\d %\S*|\S*-\S*)/).forEach((piece, index) => {
    if (piece !== '') element.append(index % 2 === 0 ? piece : make('span', { className: piece.length > 40 ? 'long' : 'short', textContent: piece }));
  });
  return element;
};
// A short value is never broken.
const fit = (element, text) => { element.classList.toggle('short', text.length <= 40); return put(element, text); };
const chip = (verdict, parent) => {
  const tone = TONES[verdict] ?? 'none';
  const span = make('span', { className: 'chip ' + tone + (verdict.length < 15 ? ' short' : '') }, parent);
  make('span', { textContent: SIGNS[tone] + ' ', ariaHidden: 'true' }, span);
  span.append(verdict);
};
// Each shown column: its name, the column to sort by, and how to draw a cell.
const plain = (name) => ({
  name, title: TITLES[name], sort: name, isNumber: NUMERIC.has(name),
  draw: (td, index) => fit(td, cell(index, name)),
  has: (index) => cell(index, name) !== '',
});
const PART = {
  name: 'part', title: TITLES.part, sort: 'part', has: () => true,
  draw: (td, index) => {
    const button = make('button', { type: 'button', className: 'open' }, td);
    fit(button, cell(index, 'part') || '(no part number)');
    button.dataset.index = index;
    const yours = cell(index, 'requester_part');
    if (cell(index, 'part') === '') add(td, 'span', 'sub', cell(index, 'source'));
    add(td, 'span', 'sub', [cell(index, 'name'), yours === '' || yours === cell(index, 'part') ? '' : 'yours: ' + yours].filter(Boolean).join(', '));
  },
};
const PART_COLUMNS = [
  PART,
  { name: 'verdict', title: 'Verdict', sort: 'verdict', has: () => true, draw: (td, index) => chip(verdictOf(index), td) },
  {
    name: 'why', title: TITLES.note, sort: 'note', has: (index) => cell(index, 'note') + cell(index, 'gate') !== '',
    draw: (td, index) => {
      for (const word of split(cell(index, 'gate'))) add(td, 'span', isWaived(word) ? 'word waived' : 'word', word);
      add(td, 'span', 'text clamp', cell(index, 'note'));
    },
  },
  {
    name: 'svhc', title: TITLES.svhc_count, sort: 'svhc_count', has: (index) => reachOf(index) !== '',
    draw: (td, index) => {
      const count = cell(index, 'svhc_count');
      if (hidden[index].r !== 'withSvhc') add(td, 'span', 'sub', reachOf(index));
      else add(td, 'span', 'text clamp', count + ': ' + cell(index, 'svhc'));
    },
  },
  {
    name: 'exemptions', title: 'Exemptions and dates', sort: 'exemption_expires', has: (index) => cell(index, 'exemptions') !== '',
    draw: (td, index) => { add(td, 'span', 'text clamp', cell(index, 'exemptions')); add(td, 'span', 'sub', datesOf(index)); },
  },
  {
    name: 'supplier', title: TITLES.supplier, sort: 'supplier', has: (index) => cell(index, 'supplier') + cell(index, 'company_id') !== '',
    draw: (td, index) => { add(td, 'span', 'text', cell(index, 'supplier')); add(td, 'span', 'sub', cell(index, 'company_id')); },
  },
];
const WITHIN = new Set(['part', 'requester_part', 'name', 'rohs', 'status', 'note', 'gate', 'svhc_count', 'svhc', 'exemptions', 'exemption_expires', 'supplier', 'company_id']);
const wanted = isParts ? [...PART_COLUMNS, ...columns.filter((name) => !WITHIN.has(name)).map(plain)] : [PART, ...columns.slice(1).map(plain)];
const shownColumns = wanted.filter(({ has, name }) => name === 'part' || rows.some((row, index) => has(index)));
const mainCount = isParts ? shownColumns.filter((column) => PART_COLUMNS.includes(column)).length : shownColumns.length;

const view = $('view');
const table = view.firstElementChild;
const heading = table.tHead.rows[0];
for (const { name, title, sort, isNumber } of shownColumns) {
  const th = make('th', { scope: 'col', className: (isNumber ? 'number ' : '') + 'of-' + name }, heading);
  th.setAttribute('role', 'columnheader');
  const button = make('button', { type: 'button', textContent: title }, th);
  button.dataset.sort = sort;
}

// On paper, the columns beside the main ones are a line below the row.
function rowElements(index, forPaper) {
  const body = document.createElement('tbody');
  body.setAttribute('role', 'rowgroup');
  const tr = make('tr', { className: 'row ' + (TONES[verdictOf(index)] ?? '') }, body);
  tr.setAttribute('role', 'row');
  const drawn = forPaper ? shownColumns.slice(0, mainCount) : shownColumns;
  drawn.forEach(({ name, title, isNumber, draw }, position) => {
    const td = make(position === 0 ? 'th' : 'td', { className: (isNumber ? 'number ' : '') + (isParts ? '' : 'substance ') + 'of-' + name }, tr);
    td.setAttribute('role', position === 0 ? 'rowheader' : 'cell');
    if (position === 0) td.scope = 'row';
    draw(td, index);
    if (td.firstChild) td.dataset.label = title;
  });
  const rest = forPaper ? shownColumns.slice(mainCount).filter(({ has }) => has(index)) : [];
  if (rest.length > 0) {
    const td = make('td', { className: 'rest', colSpan: mainCount }, make('tr', {}, body));
    rest.forEach(({ name, title }, position) => {
      if (position > 0) td.append(' · ');
      const item = make('span', { className: title.length + cell(index, name).length <= 60 ? 'short' : '' }, td);
      make('span', { className: 'name', textContent: title + ' ' }, item);
      put(item, cell(index, name));
    });
  }
  return body;
}

const details = $('details');
table.addEventListener('click', (event) => {
  const button = event.target.closest('button.open');
  if (!button) return;
  const { index } = button.dataset;
  const list = details.querySelector('dl');
  list.replaceChildren();
  $('details-title').textContent = cell(index, 'part') || '(no part number)';
  columns.forEach((name, column) => {
    const text = rows[index][column];
    if (text === '') return;
    make('dt', { textContent: TITLES[name] }, list);
    put(make('dd', {}, list), text);
  });
  details.showModal();
});
`}`
