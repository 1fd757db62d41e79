import type { CommandDefinition } from '../command.ts'

export const extractCommand: CommandDefinition = {
  name: 'extract',
  summary: 'extract an archive safely, all or nothing',
  operands: [
    { name: 'ARCHIVE', required: true, offers: { kind: 'files', endings: ['.zip'] } },
    { name: 'DIR', required: false, offers: { kind: 'folders' } },
  ],
  description:
    'Extracts into a new directory that appears only when it is complete. The default is the name of the archive without `.zip`.',
  examples: [
    { line: 'matdecl extract bom.zip', does: 'extract into the directory bom' },
    { line: "matdecl extract bom.zip xml --include '*.xml'", does: 'extract only entries that match' },
  ],
  common: ['overwrite', 'include', 'exclude', 'flat'],
  run: async (context) => (await import('../actions/extract-action.ts')).run(context),
}
