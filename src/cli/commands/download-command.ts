import type { CommandDefinition } from '../command.ts'

export const downloadCommand: CommandDefinition = {
  name: 'download',
  summary: 'download a verified archive of declarations',
  operands: [{ name: 'PART', required: false, many: true, afterDashes: true }],
  description:
    'Saves the declarations of a supplier, of parts, or of parts of a supplier as one verified archive. `matdecl --supplier …` is the same. A part number that begins with a dash is given as `--part=-7X2`, in a file, or after `--`.',
  examples: [
    {
      line: 'matdecl --supplier 123456789 --part A --start-date 2026-01-01 -o x.zip -x',
      does: 'download what was approved since a day, verified and extracted into x/',
    },
    {
      line: 'matdecl download --sandbox --supplier 100200300 -x -l',
      does: 'try it without an account or settings',
    },
    {
      line: 'matdecl --supplier 123456789 --parts-file bom.csv -o bom.zip',
      does: 'download the parts of a list as one archive',
    },
    {
      line: 'matdecl --parts-file bom.csv --dry-run',
      does: 'print the number of requests, the time and the allowance needed',
    },
    {
      line: 'matdecl --supplier 123456789 --since 7d --quiet',
      does: 'download what was approved in the last seven days',
    },
    {
      line: 'matdecl --part "AB 12/7" --format-class D -o - > declaration.zip',
      does: 'download one part to standard output',
    },
  ],
  common: [
    'supplier',
    'part',
    'parts-file',
    'start-date',
    'since',
    'format',
    'format-class',
    'output',
    'overwrite',
    'extract',
    'list',
    'report',
    'missing',
    'manifest',
    'dry-run',
    'sandbox',
  ],
  run: async (context) => (await import('../download/print-download.ts')).printDownload(context),
}
