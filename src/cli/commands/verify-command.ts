import type { CommandDefinition } from '../command-definition.ts'

export const verifyCommand: CommandDefinition = {
  name: 'verify',
  summary: 'check structure, names, limits, and the size and CRC-32 of every entry',
  operands: [{ name: 'ARCHIVE', required: true, many: true, offers: { kind: 'files', endings: ['.zip'] } }],
  description:
    'Reports what is wrong and where; writes nothing. Exits 8 when an archive is damaged or unsafe, or is not what its manifest says.',
  examples: [
    { line: 'matdecl verify bom.zip', does: 'check one archive' },
    {
      line: 'matdecl verify bom.zip --manifest bom.zip.manifest.json',
      does: 'check that it is still what was downloaded',
    },
    { line: 'matdecl verify *.zip --quiet', does: 'check many, with only the exit code' },
  ],
  action: { run: async (...args) => (await import('../actions/verify-action.ts')).run(...args) },
}
