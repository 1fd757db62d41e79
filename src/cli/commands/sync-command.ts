import type { CommandDefinition } from '../command.ts'

export const syncCommand: CommandDefinition = {
  name: 'sync',
  summary: 'ask for what the library does not have yet',
  operands: [{ name: 'PART', required: false, many: true, afterDashes: true }],
  description:
    'The library is a directory that keeps every archive the service has sent, and a record of what was asked and what came. `sync` asks for what is not in it yet: a part that has an answer is asked for since that answer (two days earlier, to be safe), a new one, or one whose last complete answer is older than --full-after, without a start date. Without criteria, everything that earlier runs asked for is refreshed. Each answer counts once its archive is verified; a run that was stopped keeps the others, and the next one asks for the rest. `matdecl report` without a source reads the library.',
  examples: [
    {
      line: 'matdecl sync --parts-file bom.csv',
      does: 'ask for the parts of a list, as far as they are new',
    },
    { line: 'matdecl sync --quiet', does: 'refresh everything in the library, such as every night' },
    { line: 'matdecl sync --parts-file bom.csv --dry-run', does: 'print what would be asked, and why' },
    { line: 'matdecl sync --supplier 123456789 --library /srv/declarations', does: 'keep another library' },
    { line: 'matdecl sync --sandbox --supplier 100200300', does: 'try it without an account or settings' },
  ],
  common: [
    'supplier',
    'part',
    'parts-file',
    'format',
    'format-class',
    'library',
    'full',
    'full-after',
    'max-age',
    'max-requests',
    'dry-run',
    'sandbox',
  ],
  run: async (context) => (await import('../download/run-sync.ts')).printSync(context),
}
