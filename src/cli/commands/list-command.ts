import type { CommandDefinition } from '../command.ts'

export const listCommand: CommandDefinition = {
  name: 'list',
  summary: 'list the entries of archives: size, date, name',
  operands: [{ name: 'ARCHIVE', required: true, many: true, offers: { kind: 'files', endings: ['.zip'] } }],
  description:
    'Lists what an archive contains without extracting it. Control characters in names are escaped. On a narrow terminal, columns are dropped so that names fit; JSON output always has all of them.',
  examples: [
    { line: 'matdecl list bom.zip', does: 'print a table' },
    { line: 'matdecl list --long bom.zip', does: 'add packed size, time and CRC-32' },
    {
      line: "matdecl list bom.zip --json | jq -r '.archives[].entries[].name'",
      does: 'print only the names',
    },
  ],
  common: ['long'],
  run: async (context) => (await import('../actions/list-action.ts')).run(context),
}
