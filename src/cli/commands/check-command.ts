import type { CommandDefinition } from '../command.ts'

export const checkCommand: CommandDefinition = {
  name: 'check',
  summary: 'may this product ship: sync, report, gate',
  operands: [
    {
      name: 'LIST',
      required: true,
      many: true,
      offers: { kind: 'files', endings: ['.csv', '.tsv', '.xlsx', '.txt'] },
    },
  ],
  description:
    'Each list is a product. Asks the service for what the library does not have of its parts yet, judges every line by the declarations in the library, and prints a verdict for each list, then the lines that fail with the reason. Exits with 13 unless every line of every list is clean, or with what --fail-on names. When the service cannot be reached, the verdict comes from the library, with the age of what it rests on, and the exit code is that of the failure.',
  examples: [
    {
      line: 'matdecl check bom.csv --sandbox',
      does: 'try it with your own list, without an account or settings',
    },
    { line: 'matdecl check bom.csv -o bom.html', does: 'also write a page to search, sort and print' },
    { line: 'matdecl check boms/*.csv -o pages/', does: 'a page for each product, and an index of them' },
    { line: 'matdecl check bom.csv --offline --json', does: 'judge by the library alone' },
    { line: 'matdecl check bom.csv --waivers waivers.csv', does: 'accept some findings until a date' },
  ],
  common: [
    'supplier',
    'library',
    'offline',
    'max-age',
    'full',
    'output',
    'overwrite',
    'fail-on',
    'junit',
    'waivers',
    'sandbox',
  ],
  run: async (context) => (await import('../report/run-check.ts')).printCheck(context),
}
