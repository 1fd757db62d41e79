import { FORMULA_START, FORMULA_WITHIN, PLAIN_NUMBER } from '../formats/format-delimited.ts'

/** The filtered rows as CSV, in all columns, with the rules of the CSV format. */
export const SCRIPT_DOWNLOAD = `
const FORMULA_START = ${FORMULA_START};
const FORMULA_WITHIN = ${FORMULA_WITHIN};
const PLAIN_NUMBER = ${PLAIN_NUMBER};
${String.raw`
const inert = (value) => {
  const text = value.replace(FORMULA_WITHIN, (whole, separator, rest) => PLAIN_NUMBER.test(rest.trimEnd()) ? whole : separator + "'" + rest);
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? "'" + text : text;
};
const quoted = (text) => /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
const csvOf = (indexes) => [columns, ...indexes.map((index) => rows[index])].map((cells) => cells.map((text) => quoted(inert(text))).join(',') + '\r\n').join('');
function download(indexes) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csvOf(indexes)], { type: 'text/csv' }));
  const name = decodeURIComponent(location.pathname.split('/').pop()).replace(/\.html?$/i, '');
  link.download = (name || 'report') + '-rows.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
`}`
