import type { CommandDefinition } from '../command.ts'

export const verifyCommand: CommandDefinition = {
  name: 'verify',
  summary: 'check archives: structure, names, sizes, CRC-32',
  operands: [{ name: 'ARCHIVE', required: false, many: true, offers: { kind: 'files', endings: ['.zip'] } }],
  description:
    'Reports every problem with its position, and writes nothing. Exits with 8 if an archive is damaged or unsafe, or does not match its manifest. --library verifies every archive of a library, and compares it with what was recorded when it came; it exits with 13 if there is none.',
  examples: [
    { line: 'matdecl verify bom.zip', does: 'check one archive' },
    {
      line: 'matdecl verify bom.zip --manifest bom.zip.manifest.json',
      does: 'check that it is unchanged since the download',
    },
    { line: 'matdecl verify *.zip --quiet', does: 'check many archives, and print only errors' },
    { line: 'matdecl verify --library /srv/declarations', does: 'check every archive of a library' },
  ],
  common: ['manifest', 'library'],
  run: async (context) => (await import('../verify-archives.ts')).verifyArchives(context),
}
