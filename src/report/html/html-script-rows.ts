import { DATE_PASSED, NOT_JUDGED } from '../../compliance/exemption-dates.ts'
import { TONE_SIGNS, VERDICT_TONES } from './html-tones.ts'

/** Reads the rows from the text of the noscript element, and says what each one means. */
export const SCRIPT_ROWS = `
const TONES = ${JSON.stringify(VERDICT_TONES)};
const SIGNS = ${JSON.stringify(TONE_SIGNS)};
const DATE_PASSED = ${JSON.stringify(DATE_PASSED)};
const NOT_JUDGED = ${JSON.stringify(NOT_JUDGED)};
${String.raw`
const unescape = (text) => text.includes('&') ? text.replace(/&#(\d+);/g, (all, code) => String.fromCodePoint(code)) : text;
const cellsOf = (line) => line.split('</td>').slice(0, -1).map((cell) => unescape(cell.slice(cell.lastIndexOf('>') + 1)));
const hiddenOf = (line) => {
  const values = { r: '', e: '', s: '' };
  for (const [, name, text] of line.slice(0, line.indexOf('>')).matchAll(/ data-(\w)="([^"]*)"/g)) values[name] = unescape(text);
  return values;
};
const lines = $('rows').textContent.split('\n');
const columns = [...lines[0].matchAll(/ data-name="(\w+)"/g)].map(([, name]) => name);
const rows = [];
const hidden = [];
for (const line of lines) {
  if (!line.startsWith('<tr')) continue;
  rows.push(cellsOf(line));
  hidden.push(hiddenOf(line));
}
$('rows').remove();

const at = Object.fromEntries(columns.map((name, index) => [name, index]));
const cell = (index, name) => rows[index][at[name]] ?? '';
const isParts = 'rohs' in at;
const section = $('rows-section');
const split = (text) => text === '' ? [] : text.split('; ');

const REACH = { withSvhc: 'with SVHC', withoutSvhc: 'without SVHC', incomplete: 'SVHC incomplete', notDeclared: 'SVHC not declared' };
const verdictOf = (index) => cell(index, 'status') === 'declared' ? cell(index, 'rohs') : cell(index, 'status');
const reachOf = (index) => REACH[hidden[index].r] ?? '';
const isWaived = (word) => / \(waived until \d{4}-\d\d-\d\d: /.test(word);
const openWords = (index) => split(cell(index, 'gate')).filter((word) => !isWaived(word));
const gateOf = (index) => {
  const words = split(cell(index, 'gate'));
  const open = words.filter((word) => !isWaived(word));
  return [...open, ...(open.length > 0 ? ['failed'] : []), ...(words.length > open.length ? ['waived'] : [])];
};
const datesOf = (index) => {
  if (cell(index, 'exemptions') === '' || !('dated' in section.dataset)) return '';
  const day = cell(index, 'exemption_expires');
  if (day === '') return 'no date known: ' + NOT_JUDGED;
  return day < section.dataset.day ? day + ': ' + DATE_PASSED : 'earliest nominal date ' + day;
};

// Worst first: what fails the gate, then by verdict; parts with SVHCs follow incomplete ones.
const VERDICTS = Object.keys(TONES);
const rankOf = (index) => {
  const verdict = verdictOf(index);
  const hasSvhc = hidden[index].r === 'withSvhc';
  const order = VERDICTS.indexOf(verdict);
  const last = VERDICTS.indexOf('incomplete');
  return (openWords(index).length > 0 ? 0 : 100) + (hasSvhc && order > last ? last + 0.5 : order);
};
const ranks = isParts ? rows.map((row, index) => rankOf(index)) : [];
`}`
