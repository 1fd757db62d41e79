import { fields, type JsonSchemaRow, within } from './json-field.ts'
import { ENTRY, EXTRACTED } from './json-parts.ts'

const COUNTS: readonly (readonly [string, string, string])[] = [
  ['rows', 'integer', 'rows of the report'],
  ['declared', 'integer', 'of these, parts that are declared'],
  ['missing', 'integer', 'parts asked for and in no source'],
  ['unreadable', 'integer', 'files that could not be read'],
  ['rohs.*', 'integer', 'declared parts by RoHS status'],
  ['reach.withSvhc', 'integer', 'declared parts with at least one SVHC'],
  ['reach.withoutSvhc', 'integer', 'declared parts with a REACH list and none'],
  ['reach.notDeclared', 'integer', 'declared parts without a REACH list'],
  ['files', 'integer', 'XML files read'],
  ['skipped', 'integer', 'entries that are no XML, left out'],
  ['substances', 'integer', 'rows of the substance table'],
]

const GATE: readonly (readonly [string, string, string])[] = [
  ['rules[]', 'text', 'the words of `--fail-on`'],
  ['matched', 'integer', 'rows that match'],
  ['rows[].part', 'text', 'the part; the first thousand'],
  ['rows[].source', 'text', 'where it is declared'],
  ['rows[].rules[]', 'text', 'the words it matches'],
]

const LONE_PART: readonly (readonly [string, string, string])[] = [
  ['part', 'text', 'the part number'],
  ['supplier', 'text', 'its supplier'],
  ['rohs', 'text', 'its RoHS status'],
  ['svhc_count', 'integer or null', 'its SVHCs; null where no REACH list was declared'],
  ['date', 'text', 'the date of its declaration'],
]

/** What the commands that look into archives give. */
export const ARCHIVES_RESULTS: readonly JsonSchemaRow[] = [
  {
    schema: 'matdecl.list/1',
    from: '`matdecl list --json`',
    fields: fields([
      ['archives[].path', 'text', 'as it was named'],
      ['archives[].bytes', 'integer', 'the size of the file'],
      ['archives[].unpackedBytes', 'integer', 'of all entries'],
      ...within('archives[].entries[]', ENTRY),
    ]),
  },
  {
    schema: 'matdecl.verify/1',
    from: '`matdecl verify --json`',
    fields: fields([
      ['archives[].path', 'text', 'as it was named'],
      ['archives[].status', 'text', '`ok` or `failed`'],
      ['archives[].bytes?', 'integer', 'the size of the file'],
      ['archives[].unpackedBytes?', 'integer', 'of all entries'],
      ['archives[].entries?', 'integer', 'how many'],
      ['archives[].error.*?', 'any', 'what is wrong with it, as in the `error` above'],
    ]),
  },
  {
    schema: 'matdecl.extract/1',
    from: '`matdecl extract --json`',
    fields: fields([['archive', 'text', 'as it was named'], ...within('extracted', EXTRACTED)]),
  },
  {
    schema: 'matdecl.report/1',
    from: '`matdecl report --json`, and its `.json` files',
    fields: fields([
      [
        'kind?',
        'text',
        '`parts`, or `substances` with `--substances`; this and the two below without `--output`',
      ],
      ['columns[]?', 'text', 'the names of the columns, in order'],
      ['rows[].*?', 'any', 'a row, by column: text, a number, or null where a number is not known'],
      ['output?', 'text', 'the file, with `--output`'],
      ['bytes?', 'integer', 'its size'],
      ['junit?', 'text', 'the file of `--junit`'],
      ...within('counts', COUNTS),
      ...within('failOn?', GATE),
    ]),
  },
  {
    schema: 'matdecl.diff/1',
    from: '`matdecl diff --json`, and its `.json` files',
    fields: fields([
      ['old?', 'text', 'as it was named; all but `counts` without `--output`'],
      ['new?', 'text', 'as it was named'],
      ['output?', 'text', 'the file, with `--output`'],
      ['counts.old', 'integer', 'parts on the old side'],
      ['counts.new', 'integer', 'parts on the new side'],
      ['counts.unreadable.old', 'integer', 'files that could not be read there'],
      ['counts.unreadable.new', 'integer', 'files that could not be read there'],
      ['counts.added', 'integer', 'parts that are only on the new side'],
      ['counts.removed', 'integer', 'parts that are only on the old side'],
      ['counts.changed', 'integer', 'parts that declare something else'],
      ['counts.listUpdates', 'integer', 'parts that only rest on another list now'],
      ['counts.redated', 'integer', 'parts in which nothing but the date is new'],
      ['counts.unchanged', 'integer', 'parts in which nothing is'],
      ...within('added[]?', LONE_PART),
      ...within('removed[]?', LONE_PART),
      ['changed[].part?', 'text', 'the part number'],
      ['changed[].supplier?', 'text', 'its supplier'],
      [
        'changed[].changes.*?',
        'object',
        'what differs, by column: `old` and `new`, or what was added and removed',
      ],
      ['listUpdates[].rohs_list?', 'object or null', '`old` and `new`, or null'],
      ['listUpdates[].reach_list?', 'object or null', '`old` and `new`, or null'],
      ['listUpdates[].parts?', 'integer', 'how many parts'],
      ['listUpdates[].examples[]?', 'text', 'some of them'],
      ['redated?', 'integer', 'as in `counts`'],
      ['unchanged?', 'integer', 'as in `counts`'],
      ['unreadable.old[].*?', 'text', 'source and reason'],
      ['unreadable.new[].*?', 'text', 'source and reason'],
      ...within('failOn?', GATE),
    ]),
  },
]
