import type { CommandDefinition, Operand } from '../command.ts'

const source = (name: string): Operand => ({
  name,
  required: false,
  offers: { kind: 'files', endings: ['.zip', '.xml'] },
})

export const diffCommand: CommandDefinition = {
  name: 'diff',
  summary: 'compare two downloads, or a library since a day',
  operands: [source('OLD'), source('NEW')],
  description:
    'Compares what two archives, directories or XML files declare: parts added, removed and changed, and statuses, exemptions and SVHCs gained and lost. The order, names and times of files are ignored. `--since` compares what the library had at the end of a day with what it has now. A list update that changes only the date of many parts is summarized in one line. --fail-on checks new and changed parts, and treats removed parts as missing.',
  examples: [
    { line: 'matdecl diff last-week.zip bom.zip', does: 'print the changes' },
    {
      line: 'matdecl diff old.zip new.zip --fail-on not-compliant,svhc -o changes.md',
      does: 'gate a release, and write the changes as Markdown',
    },
    { line: 'matdecl diff --since 2026-10-01', does: 'print what has changed in the library since then' },
    { line: 'matdecl diff last-week.zip bom.zip -o changes.html', does: 'write the changes as an HTML page' },
  ],
  common: ['since', 'library', 'output', 'overwrite', 'fail-on'],
  run: async (context) => (await import('../report/run-diff.ts')).printDiff(context),
}
