import type { CommandDefinition } from '../command-definition.ts'

export const listCommand: CommandDefinition = {
  name: 'list',
  summary: 'list the entries of archives with size, packed size, date and CRC-32',
  operands: [{ name: 'ARCHIVE', required: true, many: true, offers: { kind: 'files', endings: ['.zip'] } }],
  description:
    'Lists what an archive contains without extracting it. Control characters in names are escaped.',
  examples: [
    { line: 'matdecl list bom.zip', does: 'print a table' },
    {
      line: "matdecl list bom.zip --json | jq -r '.archives[].entries[].name'",
      does: 'print only the names',
    },
  ],
  action: { run: async (...args) => (await import('../actions/list-action.ts')).run(...args) },
}
