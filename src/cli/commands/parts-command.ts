import type { CommandDefinition } from '../command.ts'

export const partsCommand: CommandDefinition = {
  name: 'parts',
  summary: 'show what is read from parts lists; sends nothing',
  operands: [
    {
      name: 'FILE',
      required: true,
      many: true,
      offers: { kind: 'files', endings: ['.csv', '.tsv', '.xlsx', '.txt'] },
    },
  ],
  description:
    'Shows the row of headings, the columns and why they were chosen, each part with its row, quantity and level, and what is not a part: placeholders, totals, footers, repeated headings and rows without a part number. `download` and `report` read the same from the same lists. - is standard input. -o writes the parts as a clean list that they take, -o - to standard output.',
  examples: [
    { line: 'matdecl parts bom.csv', does: 'check a list before it is requested' },
    { line: "matdecl parts bom.xlsx --sheet Main --parts-column 'Mfr PN'", does: 'choose sheet and column' },
    { line: 'matdecl parts bom.csv -o parts.csv', does: 'write a clean list with quantities and levels' },
  ],
  common: [
    'parts-column',
    'quantity-column',
    'level-column',
    'manufacturer-column',
    'sheet',
    'encoding',
    'output',
  ],
  run: async (context) => (await import('../show-parts.ts')).showLists(context),
}
