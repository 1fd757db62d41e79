import type { CommandDefinition } from '../command.ts'

export const verifyCommand: CommandDefinition = {
  name: 'verify',
  summary: 'check structure, names, limits, and the size and CRC-32 of every entry',
  operands: [{ name: 'ARCHIVE', required: true, many: true, offers: { kind: 'files', endings: ['.zip'] } }],
  description:
    'Reports every problem with its position, and writes nothing. Exits with 8 if an archive is damaged or unsafe, or does not match its manifest.',
  examples: [
    { line: 'matdecl verify bom.zip', does: 'check one archive' },
    {
      line: 'matdecl verify bom.zip --manifest bom.zip.manifest.json',
      does: 'check that it is unchanged since the download',
    },
    { line: 'matdecl verify *.zip --quiet', does: 'check many archives, and print only errors' },
  ],
  common: ['manifest'],
  run: async (context) => (await import('../actions/verify-action.ts')).run(context),
}
